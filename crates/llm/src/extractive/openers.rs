//! Beginnings of sentences in conversation: words that link to the sentence before or address the other by name, which are
//! removed, and words that mark greetings, thanks and reactions.

use super::names::Names;
use super::tokens::{Token, is_in, tokens};
use super::verbs;

/// Interjections that are removed if a punctuation mark or a name follows.
const CALLS: &str = "hey hi hello hiya yo oh ah aw aww wow woah whoa yeah yes yep yup yea ya no nope nah ok okay well anyway anyways btw haha \
    hahaha lol hmm hm um uh so and but also plus now true right sure indeed absolutely definitely totally exactly thanks cool great nice awesome \
    honestly actually basically besides first second third finally then thus hence therefore however still otherwise meanwhile moreover furthermore \
    additionally similarly consequently instead afterwards later next lastly firstly secondly too again unfortunately luckily fortunately sadly \
    update fyi guess welcome";

/// Conjunctions that are removed even if no punctuation mark follows.
const LINKS: &str = "and but so also plus then thence or nor yet";

/// Words after "so" where "so" is not a conjunction.
const SO: [&str; 12] =
    ["far", "many", "much", "long", "that", "called", "few", "glad", "happy", "proud", "excited", "sorry"];

/// Phrases that are removed together with the mark after them. Those that begin with "since" are removed without a mark too.
const PHRASES: &[&str] = &[
    "as for me",
    "for me",
    "on another note",
    "on a different note",
    "on a side note",
    "on the bright side",
    "on the plus side",
    "speaking of which",
    "i almost forgot",
    "since we last spoke",
    "since we last talked",
    "since we last chatted",
    "since we last met",
    "since our last chat",
    "crazy thing happened",
    "one more thing",
    "big news",
    "great news",
    "exciting news",
    "by the way",
    "to be honest",
    "on the other hand",
    "in addition",
    "on top of that",
    "as i said",
    "like i said",
    "as you know",
    "you know",
    "i mean",
    "in fact",
    "of course",
    "for example",
    "for instance",
    "that said",
    "after that",
    "from there",
    "because of that",
    "as a result",
    "in the meantime",
    "good news",
    "fun fact",
    "guess what",
    "at the same time",
];

/// Removes what links a sentence to the one before. Also returns whether anything was removed.
pub(super) fn strip<'a>(sentence: &'a str, names: &Names) -> (&'a str, bool) {
    let mut rest = sentence;
    while let Some(shorter) = stripped_once(rest, names) {
        rest = shorter;
    }
    (rest, rest.len() < sentence.len())
}

fn stripped_once<'a>(sentence: &'a str, names: &Names) -> Option<&'a str> {
    // Sixty characters are more than the longest phrase.
    let head = tokens(&sentence[..sentence.char_indices().nth(60).map_or(sentence.len(), |(at, _)| at)]);
    let first = head.first()?;
    let word = first.lower.as_str();
    let is_last = |end: &usize| is_mark(sentence, *end) || word == "since";
    if let Some(end) = phrase_end(&head).filter(is_last) {
        return rest(sentence, end);
    }
    let next = head.get(1);
    let calls = |token: &Token| names.is_speaker(&token.lower) && (token.is_capital() || !token.raw.is_ascii());
    if is_in(CALLS, word) && is_mark(sentence, first.span.end) {
        return rest(sentence, first.span.end);
    }
    if is_in(CALLS, word) && next.is_some_and(|next| calls(next) && is_mark(sentence, next.span.end)) {
        return rest(sentence, next?.span.end);
    }
    // "Olek, plan the move" says who is to plan it.
    let is_asked = next.is_some_and(|next| verbs::is_command(&next.lower));
    if calls(first) && !is_asked && is_mark(sentence, first.span.end) {
        return rest(sentence, first.span.end);
    }
    let links = is_in(LINKS, word)
        && !first.raw.ends_with(char::is_uppercase)
        && next.is_some_and(|next| !(word == "so" && SO.contains(&next.lower.as_str())));
    links.then(|| rest(sentence, first.span.end)).flatten()
}

fn phrase_end(head: &[Token]) -> Option<usize> {
    let is_at = |phrase: &str| {
        phrase.split(' ').enumerate().all(|(at, word)| head.get(at).is_some_and(|token| token.lower == word))
    };
    let phrase = PHRASES.iter().find(|phrase| is_at(phrase))?;
    Some(head[phrase.split(' ').count() - 1].span.end)
}

/// Returns whether a mark that does not end a sentence is at this position: "Well, …", "Ann - …", "Oh! …".
fn is_mark(sentence: &str, at: usize) -> bool {
    let rest = &sentence[at..];
    rest.starts_with([',', ':', '!', '—', '–', '…', ';'])
        || [" - ", " – ", " — ", ".."].iter().any(|mark| rest.starts_with(mark))
}

/// Returns the text from a position on without leading marks; `None` if nothing is left.
fn rest(sentence: &str, at: usize) -> Option<&str> {
    let left = sentence[at..].trim_start_matches(|c: char| !c.is_alphanumeric() && !"([\"“‘$€£¥".contains(c));
    (!left.is_empty()).then_some(left)
}

pub(super) fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns whether the sentence is a greeting, a wish, thanks or a reaction, without content of its own.
pub(super) fn is_reaction(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let starts = |phrase: &&str| phrase.split(' ').enumerate().all(|(at, one)| word(at) == one);
    if REACTIONS.iter().any(starts) {
        return true;
    }
    let at = usize::from(["so", "really", "very", "super", "such", "pretty"].contains(&word(0)));
    if is_in(APPLAUSE, word(at)) {
        return tokens.len() <= 5 || is_in(AFTER_APPLAUSE, word(at + 1));
    }
    // "I'm so proud of you", "I am glad to hear that".
    let own = match (word(0), word(1)) {
        ("i'm" | "we're", _) => 1,
        ("i" | "we", "am" | "are" | "was" | "feel") => 2,
        _ => return false,
    };
    let at = own
        + (own..tokens.len()).take_while(|at| is_in("so really very super just also always truly", word(*at))).count();
    is_in("glad happy proud sorry thrilled pleased grateful thankful excited honored impressed", word(at))
        && (is_in("for you that of to about it this your", word(at + 1))
            && tokens[at..]
                .iter()
                .skip(1)
                .take(4)
                .any(|token| is_in("you you're your hear it this that share help know see", &token.lower))
            || tokens.len() <= at + 1)
}

const APPLAUSE: &str = "awesome amazing great cool nice wonderful fantastic lovely perfect excellent beautiful brilliant impressive sweet adorable gorgeous \
    glad happy proud stunning incredible inspiring good love interesting delicious exciting yummy cute fun sad tough";
const AFTER_APPLAUSE: &str = "to for that you your of job work news idea point one choice stuff pic photo picture shot call question thing it this the seeing hearing how i";

/// Beginnings of greetings, wishes, thanks and reactions.
const REACTIONS: &[&str] = &[
    "hey",
    "hi",
    "hello",
    "good morning",
    "good evening",
    "good night",
    "good afternoon",
    "good day",
    "bye",
    "goodbye",
    "see you",
    "see ya",
    "talk to you",
    "talk soon",
    "ttyl",
    "thanks",
    "thank",
    "many thanks",
    "thx",
    "cheers",
    "congrats",
    "congratulations",
    "sorry",
    "welcome",
    "you're welcome",
    "you are welcome",
    "sounds",
    "looks like",
    "look like",
    "good luck",
    "best of luck",
    "take care",
    "keep it",
    "keep up",
    "keep going",
    "keep me",
    "keep in",
    "keep on",
    "keep pushing",
    "have fun",
    "have a",
    "enjoy",
    "let me know",
    "feel free",
    "can't wait",
    "cannot wait",
    "fingers crossed",
    "no problem",
    "no worries",
    "anytime",
    "same here",
    "me too",
    "of course",
    "well done",
    "way to go",
    "i agree",
    "i totally agree",
    "i completely agree",
    "i appreciate",
    "i really appreciate",
    "i bet",
    "i hope you",
    "i hope your",
    "i wish you",
    "i'm here for",
    "i'm sure you",
    "i know you",
    "i know what",
    "what a",
    "what an",
    "such a",
    "how cool",
    "how about",
    "how awesome",
    "how exciting",
    "wow",
    "yay",
    "lol",
    "haha",
    "omg",
    "check it",
    "check this",
    "check out",
    "take a look",
    "look at",
    "look what",
    "have a look",
    "guess what",
    "not sure",
    "you know what",
    "let's do",
    "let's keep",
    "glad you",
    "i can imagine",
    "hope you",
    "hope your",
    "i'd be happy to",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linking_words_are_removed() {
        fn check(sentence: &str, expect: &str) {
            let names = Names::of(["Melanie", "Ann"].into_iter());
            assert_eq!(strip(sentence, &names).0, expect, "{sentence}");
        }
        check("Hey Mel, I moved.", "I moved.");
        check("Yeah, so I quit.", "I quit.");
        check("By the way, we sold it.", "we sold it.");
        check("Ann, the pump failed.", "the pump failed.");
        check("So far I have read three.", "So far I have read three.");
        check("Ann moved to Rome.", "Ann moved to Rome.");
        check("And then we left.", "we left.");
        check("But", "But");
        check("Yes!", "Yes!");
        check("No one came.", "No one came.");
    }

    #[test]
    fn reactions_are_recognised_by_their_beginning() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_reaction(&tokens(sentence)), expect, "{sentence}");
        }
        for reaction in [
            "Thanks for the tip, I will try it on Monday!",
            "Great to hear the house is yours now.",
            "I'm so proud of you and the team.",
            "Sounds like a trip that was worth it.",
            "Good luck with the interview on Monday!",
            "What a day!",
        ] {
            check(reaction, true);
        }
        check("Great Britain voted to leave the union.", false);
        check("I'm happy with the new flat in Rome.", false);
        check("Good fences arrived from the shop in Porto.", false);
    }
}
