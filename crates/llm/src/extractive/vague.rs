//! Detects English sentences that do not say what they are about, or only express thoughts, wishes, feelings or appeals.

use super::events::Event;
use super::tokens::is_in;
use super::unnamed;
use super::verbs;

/// Returns whether the sentence is vague to a reader who was not there. `words` are in lower case; `is_particular` is true if
/// the sentence has a name, a number or a time.
pub(super) fn is(sentence: &str, words: &[String], event: Event, is_particular: bool) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let is_thought = is_in("i we i'm", first) && is_in(THOUGHTS, second);
    let is_said_of_the_other = words.iter().any(|word| is_in(YOU, word)) && (!is_own(words) || event > Event::Deadline);
    let is_promise = is_in("i'll we'll", first) || (is_in("i we", first) && second == "will");
    unnamed::is_in(sentence)
        || is_thought
        || is_said_of_the_other
        || is_in(APPEALS, first)
        || words.windows(2).any(|pair| SUPPOSED.contains(&format!("{} {}", pair[0], pair[1]).as_str()))
        || is_gerund_remark(words)
        || (event >= Event::Happening && (is_remark(words) || words.last().is_some_and(|last| is_in(ADDED, last))))
        || (!is_particular && (is_promise || is_general(words, event)))
}

/// Returns whether the sentence is a general truth: "Pets have a way of brightening our days".
fn is_general(words: &[String], event: Event) -> bool {
    let is_own = words.iter().any(|word| is_in("i i'm im i've ive i'd i'll my we we're we've weve", word));
    !is_own && !matches!(event, Event::Public | Event::Problem) && !words.iter().any(|word| verbs::is_past(word))
}

/// Returns whether the words contain a pronoun for the writer: "I", "my", "we".
pub(super) fn is_own(words: &[String]) -> bool {
    words.iter().any(|word| is_in(OWN, word))
}

/// Returns whether the sentence is a remark on something said before: "Winning was fun".
fn is_gerund_remark(words: &[String]) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    let is_gerund = first.len() > 5 && first.ends_with("ing") && !is_in(NO_GERUNDS, first);
    is_gerund && words.iter().any(|word| verbs::is_finite(word))
}

/// Returns whether the sentence is a remark such as "The girl seemed sad".
fn is_remark(words: &[String]) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    is_in("the this those these there there's", first) && words.iter().take(7).any(|word| is_in(SEEMING, word))
}

const OWN: &str = "i i'm im i've ive i'd i'll my we we're we've weve our me us";
const YOU: &str = "you you're you've you'd you'll your yours u ya";

/// Words in "-ing" that are not gerunds at the beginning of a sentence.
const NO_GERUNDS: &str = "morning evening spring nothing during building meeting";

/// Verbs that connect a remark to its subject.
const SEEMING: &str = "is are was were seemed seems looked looks felt sounded";

/// Verbs of thinking: they report thoughts, not facts.
const THOUGHTS: &str = "think believe guess feel know hope bet wish agree understand see suppose mean imagine";

/// First words of appeals to the other person, and of feelings without their reason.
const APPEALS: &str = "let's let just try remember imagine keep take think guess hope hopefully hoping looking really excited super don't pumped";

/// Last words that refer to a similar statement before.
const ADDED: &str = "too well either again also though";

/// Expectations, and remarks about the conversation itself.
const SUPPOSED: &[&str] = &[
    "me feel",
    "to feel",
    "gives me",
    "helps me",
    "keeps me",
    "keep me",
    "makes me",
    "lets me",
    "can't wait",
    "must be",
    "must feel",
    "must have",
    "would be",
    "might be",
    "could be",
    "let you",
    "tell you",
    "fill you",
    "keep you",
    "show you",
    "we last",
    "our chat",
    "almost forgot",
    "sounds like",
    "looks like",
    "feels like",
    "i remember",
    "still remember",
    "has happened",
    "i'll definitely",
    "will definitely",
    "think i'm",
];
