//! What a sentence is worth telling.
//!
//! The weights were measured with `examples/coverage.rs` on LoCoMo for the engine before "extractive 2"; beside each stands what
//! remained without it of the turns represented and quoted, 47.2 and 76.5 % with all of them. They have to be measured again. What helped neither is not here: centrality and
//! rarity of words, verbs of event and change, the first person, brackets, the place in the conversation.

use annals_core::Grain;

use super::events::{self, Event};
use super::language::Language;
use super::names::Names;
use super::words::{self, Kind};
use super::{unnamed, verbs};

/// A word of content counts 1.
const CONTENT: f64 = 1.0;

/// Who, when and how much: what is asked about later. 46.6 and 74.8 % without.
const PARTICULAR: f64 = 2.0;

/// A question tells less than its answer. 47.5 and 76.6 % without, but a reader wants the answer.
const QUESTION: f64 = 0.3;

/// What is said only of the other person is mostly applause. 46.2 and 75.0 % without.
const ONLY_YOU: f64 = 0.3;

/// "I hope you like the plan" tells less than "I like the plan".
const ALSO_YOU: f64 = 0.7;

/// A sentence that had to be cut comes after whole ones. For the reader of long-winded diaries; talk has none to cut.
const CUT: f64 = 0.5;

/// What leaves open whom or what it is about, is only thought or wished, or is an appeal to the other.
const VAGUE: f64 = 0.5;

/// What a sentence costs beside its words: its share of a line's head and of the reader's attention. Without it very
/// short sentences win, 43.5 and 79.4 %; at twice as much, 48.0 and 74.5 %.
const SENTENCE: f64 = 6.0;

/// A sentence as the choice sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    /// Its distinct words that tell something, each with its worth, in the order of the alphabet.
    pub(super) words: Vec<(String, f64)>,
    /// What the sum of its words is multiplied by: its form and its length.
    pub(super) factor: f64,
    /// Whether it says something definite: who did what, or what is so.
    pub(super) is_definite: bool,
}

impl Worth {
    /// What the whole sentence is worth where nothing has been told yet; zero for greetings and fillers.
    pub(super) fn full(&self) -> f64 {
        self.factor * self.words.iter().map(|(_, worth)| worth).sum::<f64>()
    }
}

/// The worth of a sentence of so many words in a grain: what its words tell, by their number, and what kind of news it is.
///
/// A sentence with a single telling word is still a filler ("Gotcha!", "Thanks for the recipe!", "Bye, Joe!"), unless
/// speakers say it of themselves ("I graduated!").
pub(super) fn of(sentence: &str, language: Language, length: usize, grain: Grain, names: &Names) -> Worth {
    let mut found = words::of(sentence, language, names);
    let is_own = has_any(&found, &OWN);
    let sequence: Vec<String> = found.iter().map(|(word, _)| word.clone()).collect();
    let event = events::of(&sequence, is_own);
    let form = form(sentence, &found);
    let is_unnamed = unnamed::is_in(sentence);
    let is_opinion = sequence.len() > 1 && OWN.contains(&&*sequence[0]) && OPINIONS.contains(&&*sequence[1]);
    let only_you = only_you(&found);
    let has_you = has_any(&found, &YOU);
    let is_appeal = sequence.first().is_some_and(|first| APPEALS.contains(&first.as_str()));
    found.retain(|(_, kind)| *kind != Kind::Light);
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found.dedup_by(|later, first| later.0 == first.0);
    if found.is_empty() || (found.len() < 2 && !is_own) {
        return Worth::default();
    }
    let is_vague = is_unnamed || is_opinion || only_you || is_appeal || (is_own && has_you && event > Event::Deadline);
    let has_verb = sequence.iter().any(|word| verbs::is_finite(word));
    let is_vague = is_vague || is_supposed(&sequence) || (event >= Event::Happening && is_added(&sequence));
    let is_remark = sequence.first().is_some_and(|first| is_gerund(first)) && has_verb;
    let is_about_the_known = sequence.first().is_some_and(|first| KNOWN.contains(&first.as_str()))
        && sequence.iter().take(7).any(|word| SEEMING.contains(&word.as_str()));
    let least = Least {
        grain,
        language,
        event,
        is_own,
        is_dated: sentence.contains(" ["),
        is_remark: is_remark || is_about_the_known,
    };
    let is_definite = !is_vague && least.is_met(&found, &sequence);
    let words: Vec<(String, f64)> = found.iter().map(|(word, kind)| (word.clone(), weight(*kind))).collect();
    let news = events::factor(event, grain);
    let vague = if is_vague { VAGUE } else { 1.0 };
    Worth { factor: news * form * vague * substance(&found) / (length as f64 + SENTENCE), words, is_definite }
}

/// What decides how much a sentence must say to say something definite.
struct Least {
    grain: Grain,
    language: Language,
    event: Event,
    is_own: bool,
    /// Whether there is a date behind one of its times.
    is_dated: bool,
    /// "Winning was fun", "The girl seemed sad": a remark on what was told before.
    is_remark: bool,
}

impl Least {
    /// Whether as much is said as news of the kind needs: "I graduated" is enough, "I saw" is not. Of what is no event, coarse
    /// grains keep only what names somebody, a number or a date, or says how somebody lives.
    fn is_met(&self, found: &[(String, Kind)], words: &[String]) -> bool {
        let is_particular =
            |(word, kind): &&(String, Kind)| *kind == Kind::Particular && !VAGUE_TIMES.contains(&word.as_str());
        let particulars = found.iter().filter(is_particular).count();
        if self.language != Language::English {
            return found.len() >= if self.event < Event::Happening { 2 } else { 3 };
        }
        let is_coarse = self.grain > Grain::Monthly;
        let lasts = words.windows(2).any(|pair| LASTING.contains(&pair[1].as_str()) && OWN.contains(&pair[0].as_str()));
        let least = match self.event {
            Event::Life | Event::Decision | Event::Deadline | Event::Public => 1 + usize::from(words.len() > 5),
            Event::Achievement | Event::Gain | Event::Trouble if words.len() < 7 && !is_coarse => {
                2 - usize::from(self.is_own)
            }
            Event::Achievement | Event::Gain | Event::Trouble => 3 - usize::from(particulars > 0),
            _ if self.is_remark && particulars == 0 => return false,
            Event::None if self.is_remark || particulars == 0 => return false,
            Event::Plan if self.grain > Grain::Monthly => return false,
            _ if particulars == 0 && !self.is_dated && self.grain > Grain::Weekly && !lasts => return false,
            _ if particulars == 0 && is_coarse && !lasts => return false,
            Event::Happening if particulars > 0 || !self.is_own => 2,
            Event::State | Event::Plan if particulars > 0 || lasts => 3,
            Event::Happening if self.is_dated => 3,
            _ => 4,
        };
        found.len() >= least
    }
}

fn is_supposed(words: &[String]) -> bool {
    words.windows(2).any(|pair| SUPPOSED.contains(&(pair[0].as_str(), pair[1].as_str())))
}

/// "… too", "… as well": something like it was told before.
fn is_added(words: &[String]) -> bool {
    words.last().is_some_and(|last| ["too", "well", "either", "again", "also", "though"].contains(&last.as_str()))
}

fn is_gerund(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ing")
        && !["morning", "evening", "spring", "nothing", "during", "building", "meeting"].contains(&word)
}

const SEEMING: [&str; 10] = ["is", "are", "was", "were", "seemed", "seems", "looked", "looks", "felt", "sounded"];
const KNOWN: [&str; 6] = ["the", "this", "those", "these", "there's", "there"];
/// What people do for years.
const LASTING: [&str; 14] = [
    "live",
    "lives",
    "work",
    "works",
    "study",
    "own",
    "speak",
    "prefer",
    "teach",
    "allergic",
    "vegetarian",
    "vegan",
    "grew",
    "name",
];

/// Times that do not name one.
const VAGUE_TIMES: [&str; 14] = [
    "recently",
    "ago",
    "last",
    "next",
    "week",
    "weeks",
    "weekend",
    "month",
    "months",
    "year",
    "years",
    "yesterday",
    "summer",
    "holiday",
];

/// What is only expected or supposed to be so, and talk about the talk.
const SUPPOSED: &[(&str, &str)] = &[
    ("me", "feel"),
    ("to", "feel"),
    ("gives", "me"),
    ("helps", "me"),
    ("keeps", "me"),
    ("keep", "me"),
    ("makes", "me"),
    ("lets", "me"),
    ("can't", "wait"),
    ("must", "be"),
    ("must", "feel"),
    ("must", "have"),
    ("would", "be"),
    ("might", "be"),
    ("could", "be"),
    ("let", "you"),
    ("tell", "you"),
    ("fill", "you"),
    ("keep", "you"),
    ("show", "you"),
    ("we", "last"),
    ("our", "chat"),
    ("almost", "forgot"),
    ("sounds", "like"),
    ("looks", "like"),
    ("feels", "like"),
    ("i", "remember"),
    ("still", "remember"),
    ("has", "happened"),
    ("i'll", "definitely"),
    ("will", "definitely"),
    ("think", "i'm"),
];
const OPINIONS: [&str; 14] = [
    "think",
    "believe",
    "guess",
    "feel",
    "know",
    "hope",
    "bet",
    "wish",
    "agree",
    "understand",
    "see",
    "suppose",
    "mean",
    "imagine",
];
const APPEALS: [&str; 19] = [
    "let's",
    "let",
    "just",
    "try",
    "remember",
    "imagine",
    "keep",
    "take",
    "think",
    "guess",
    "hope",
    "hopefully",
    "hoping",
    "looking",
    "really",
    "excited",
    "super",
    "don't",
    "pumped",
];

fn weight(kind: Kind) -> f64 {
    match kind {
        Kind::Light => 0.0,
        Kind::Content => CONTENT,
        Kind::Particular => PARTICULAR,
    }
}

/// The share of its words' worth that a sentence keeps: names, dates and numbers add no more than there is said of
/// them. Else "October 1st, 1666." and bare lists of names would be what a year of a diary consists of. 47.4 and 76.9
/// % without.
fn substance(words: &[(String, Kind)]) -> f64 {
    let plain = words.len() as f64 * CONTENT;
    let content = words.iter().filter(|(_, kind)| *kind == Kind::Content).count() as f64;
    let full: f64 = words.iter().map(|(_, kind)| weight(*kind)).sum();
    if full > plain { full.min(plain + content) / full } else { 1.0 }
}

fn form(sentence: &str, words: &[(String, Kind)]) -> f64 {
    let is_question = sentence.trim_end_matches(['"', '”', ')', '」', '』']).ends_with(['?', '？']);
    let only_you = only_you(words);
    let also_you = has_any(words, &YOU) && !only_you;
    let factors = [(is_question, QUESTION), (only_you, ONLY_YOU), (also_you, ALSO_YOU), (sentence.ends_with('…'), CUT)];
    factors.into_iter().filter(|(applies, _)| *applies).map(|(_, factor)| factor).product()
}

/// Whether it is said of nobody but the other person.
fn only_you(words: &[(String, Kind)]) -> bool {
    has_any(words, &YOU) && !has_any(words, &OWN)
}

fn has_any(words: &[(String, Kind)], list: &[&str]) -> bool {
    words.iter().any(|(word, _)| list.contains(&word.as_str()))
}

const OWN: [&str; 10] = ["i", "i'm", "i've", "i'd", "i'll", "my", "we", "we're", "we've", "our"];
const YOU: [&str; 6] = ["you", "you're", "you've", "you'd", "you'll", "your"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::budget::length;

    fn worth(sentence: &str) -> f64 {
        let names = Names::of(["Ann Lee", "Melanie", "Joanna"].into_iter());
        of(sentence, Language::English, length(sentence), Grain::Daily, &names).full()
    }

    #[test]
    fn greetings_and_fillers_are_worth_nothing() {
        let fillers = [
            "Hey Mel!",
            "Good to see you!",
            "How have you been?",
            "ok",
            "Ok.",
            "thanks",
            "Thanks, Melanie!",
            "lol",
            "That's awesome!",
            "Wow, cool!",
            "Talk to you later",
            "Talk to you soon, Ann!",
            "😀👍",
            ":-)",
            ":P",
            "xD",
            "...",
            "What's up with you?",
            "Anything new?",
            "You're welcome!",
            "Good night!",
            "Yes, absolutely!",
            "I know, right?",
            "Sounds good!",
            "See you tomorrow!",
            "Good luck!",
            "Take care!",
            "haha",
            "Good morning, Ann Lee!",
            "Sure thing.",
            "Gotcha!",
            "Hey Jo!",
            "Hey Joe!",
            "Yo Mel!",
            "Ttyl, bye!",
            "No prob.",
            "Thanks for sharing the recipe!",
            "Thanks a ton for the kind words and encouragement!",
            "You got this!",
            "I bet!",
            "I'm stoked, Ann!",
            "I'll keep you posted.",
            "Fingers crossed!",
            "Long time no see!",
            "Bon voyage!",
            "Glad to help!",
            "Check it out!",
            "Keep in touch.",
            "Wow, that's a great pic!",
        ];
        for filler in fillers {
            assert_eq!(worth(filler), 0.0, "{filler}");
        }
    }

    #[test]
    fn each_of_a_pair_is_worth_more_than_the_other() {
        fn check(more: &str, less: &str) {
            assert!(worth(more) > worth(less), "{more} / {less}");
        }
        check("I moved to Berlin.", "I moved to town.");
        check("I start the course on Friday.", "I start the course without worry.");
        check("The flat costs 900 a month.", "The flat costs plenty a month.");
        check("The shop sells bicycles.", "Does the shop sell bicycles?");
        check("My garden needs water.", "Your garden needs water.");
        check("The Dutch fleet lay at anchor off Dunkirk.", "October 1st, 1666.");
        check("The bakery closed.", "Well, you know, it is what it is, and the bakery closed.");
        check("The bakery closed", "The bakery closed…");
        check("I graduated!", "Congrats on graduating!");
    }
}
