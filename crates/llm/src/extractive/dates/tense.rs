//! Decides from the nearest verb whether a time is before or after the day.

use annals_core::Date;

use crate::extractive::tokens::is_in;
use crate::extractive::verbs;

/// Words that indicate that a time is in the future.
const AHEAD: &str = "will shall gonna going plan plans planning due deadline must needs need should scheduled planned upcoming hope hoping want wants \
    isn't aren't would expected expects booked can could might may won't let's remind supposed is are arrive arrives start starts begin begins end ends come comes \
    leave leaves go goes open opens close closes fly flies meet meets return returns visit visits take takes play plays launch launches face faces \
    expire expires vote votes get gets have has resume resumes reopen reopens sail sails delivery arrival review kickoff";

/// Returns whether the time at a word is in the future. True if no verb indicates the past.
pub(super) fn is_future(words: &[&str], at: usize) -> bool {
    !is_past(words, at)
}

/// Returns whether one of the words is in the present or the future: "will", "meet".
pub(super) fn looks_ahead(words: &[&str]) -> bool {
    words.iter().any(|word| is_ahead(word))
}

/// Maximum number of words between a participle and the time that measures it.
const MEASURED: usize = 2;

/// Returns whether the perfect is used right before the time, so that it is how long something took: "has gained ten points in
/// four weeks", but "have agreed to meet in two weeks".
pub(super) fn is_perfect(words: &[&str], at: usize) -> bool {
    let is_have = |word: &str| ["have", "has"].contains(&word) || word.ends_with("'ve") || word.ends_with("'s");
    let is_done = |word: &str| verbs::is_past(word) || ["seen", "been", "done"].contains(&word);
    let has_have = |position: usize| {
        let back = |count: usize| position.checked_sub(count).map_or("", |before| words[before]);
        is_have(back(1)) || ["not", "never", "just"].contains(&back(1)) && is_have(back(2))
    };
    let near = at.saturating_sub(MEASURED + 1)..at;
    let participle = near.rev().find(|position| is_done(words[*position]) && has_have(*position));
    participle.is_some_and(|position| !words[position + 1..at].iter().any(|word| is_ahead(word) || *word == "to"))
}

/// Returns whether the nearest word that shows a tense shows the past. Prefers words before the given one, even if one after it
/// is nearer by one word. Does not count the word itself: "Sat" is a day.
pub(super) fn is_past(words: &[&str], at: usize) -> bool {
    let past = |position: usize| is_past_verb(words, position);
    let distance = |position: usize| if position < at { 2 * (at - position) } else { 2 * (position - at) + 3 };
    let ahead = |position: usize| {
        let is_verb = is_ahead(words[position])
            && !is_noun(words, position)
            && !was_planned(words, position)
            && !is_open(words, position);
        is_verb || is_under_way(words, position) || is_would(words, position)
    };
    let nearest = (0..words.len())
        .filter(|position| *position != at && (ahead(*position) || past(*position)))
        .min_by_key(|position| distance(*position));
    nearest.is_some_and(|position| past(position) && !follows_a_future_word(words, position))
}

/// Returns whether a word tells of a plan in the past, which is over unless somebody says otherwise: "was due on Tuesday".
fn was_planned(words: &[&str], position: usize) -> bool {
    let before = position.checked_sub(1).map_or("", |before| words[before]);
    ["was", "were", "been"].contains(&before)
        && ["due", "expected", "scheduled", "going", "booked"].contains(&words[position])
}

/// Returns whether a pronoun with "'d" means "would": "I said I'd drive up on Saturday", but "I'd driven", "I'd better".
fn is_would(words: &[&str], position: usize) -> bool {
    const PRONOUNS: [&str; 6] = ["i'd", "you'd", "he'd", "she'd", "we'd", "they'd"];
    let next = words.get(position + 1).copied().unwrap_or_default();
    // "He'd run the race" may mean "had run".
    let is_participle = ["run", "come", "become", "put", "let", "set", "cut", "hit"].contains(&next);
    PRONOUNS.contains(&words[position]) && verbs::is_finite(next) && !verbs::is_past(next) && !is_participle
}

/// Returns whether "open" tells how something is: "found the container cut open", "it broke open".
fn is_open(words: &[&str], position: usize) -> bool {
    let before = position.checked_sub(1).map_or("", |before| words[before]);
    words[position] == "open" && (verbs::is_past(before) || ["burst", "cut", "split", "wide"].contains(&before))
}

/// Returns whether one of the words shows a tense, apart from the word at a position.
pub(super) fn is_shown(words: &[&str], at: usize) -> bool {
    (0..words.len()).any(|position| position != at && (is_ahead(words[position]) || is_past_verb(words, position)))
}

/// Returns whether a short form of "be" precedes a form in -ing: "Oona's coming on Saturday", "I'm seeing her on Monday". After a
/// name it may be a noun: "my sister's wedding".
fn is_under_way(words: &[&str], position: usize) -> bool {
    const NOUNS: [&str; 14] = [
        "wedding",
        "training",
        "meeting",
        "painting",
        "evening",
        "morning",
        "hearing",
        "building",
        "opening",
        "reading",
        "viewing",
        "fitting",
        "christening",
        "screening",
    ];
    const PRONOUNS: [&str; 8] = ["i'm", "he's", "she's", "it's", "we're", "you're", "they're", "who's"];
    let next = words.get(position + 1).copied().unwrap_or_default();
    let is_form = next.len() > 4 && next.ends_with("ing");
    let is_of_name = words[position].ends_with("'s") && !NOUNS.contains(&next);
    let is_told = || words[..position].iter().any(|word| verbs::is_past(word));
    is_form && (PRONOUNS.contains(&words[position]) || is_of_name && !is_told())
}

/// Returns whether a word that may be a verb follows an article or a possessive: "promised help during a visit on Tuesday".
fn is_noun(words: &[&str], position: usize) -> bool {
    let before = position.checked_sub(1).map_or("", |before| words[before]);
    ["a", "an", "the", "his", "her", "their", "its", "our", "my"].contains(&before) || is_vote(words, position)
}

/// Returns whether "vote" is a noun, as it mostly is: "survived a no-confidence vote by four votes", "in a late-night vote". A
/// verb follows a subject: "The members vote on Friday".
fn is_vote(words: &[&str], position: usize) -> bool {
    let tells = words[..position].iter().any(|word| verbs::is_past(word));
    ["vote", "votes"].contains(&words[position]) && tells
}

/// Returns whether "will" or "shall", or a short form of them, precedes the word: "will be closed since Monday".
pub(super) fn is_announced(words: &[&str], at: usize) -> bool {
    words[..at].iter().any(|word| ["will", "won't", "shall"].contains(word) || word.ends_with("'ll"))
}

/// Returns whether a word is a verb in the past tense. "Have got" means "have", and "was to be" announces something.
fn is_past_verb(words: &[&str], position: usize) -> bool {
    const HAVE: [&str; 10] = ["have", "has", "i've", "ive", "we've", "weve", "they've", "he's", "she's", "you've"];
    let before = position.checked_sub(1).map_or("", |before| words[before]);
    let is_have_got = words[position] == "got" && (HAVE.contains(&before) || before.ends_with("'s"));
    let is_planned = ["was", "were"].contains(&words[position]) && words.get(position + 1) == Some(&"to");
    let is_verb = !is_ahead(words[position]) && (verbs::is_past(words[position]) || is_clipped(words, position));
    is_verb && !is_have_got && !is_planned
}

/// Returns whether a word is a short form of a past tense: "regen'd the column". "My sister'd" means "would".
fn is_clipped(words: &[&str], position: usize) -> bool {
    let next = words.get(position + 1).copied().unwrap_or_default();
    words[position].ends_with("'d") && ["the", "a", "an", "my", "our", "it", "all", "up", "out", "off"].contains(&next)
}

/// Returns whether the time counts back to the last such event: "for the first time in 22 years", "the worst flood in a
/// decade".
pub(super) fn counts_back(words: &[&str], at: usize) -> bool {
    const SUPERLATIVES: [&str; 8] = ["worst", "best", "most", "least", "fewest", "lowest", "first", "only"];
    // "March" is also a verb.
    let is_verb = |word: &str| verbs::is_finite(word) && super::phrases::month(word).is_none();
    let mut before = words[at.saturating_sub(5)..at].iter().rev().take_while(|word| !is_verb(word));
    before.any(|word| SUPERLATIVES.contains(word) || word.len() > 5 && word.ends_with("est"))
}

fn is_ahead(word: &str) -> bool {
    is_in(AHEAD, word) || word.ends_with("'ll")
}

/// Returns whether one of the two words before a past form is a word of the future: "will have finished", "to be moved".
fn follows_a_future_word(words: &[&str], position: usize) -> bool {
    words[position.saturating_sub(2)..position].iter().any(|word| is_ahead(word))
}

/// Returns whether the word reports a wish, a duty or a promise, so that a limit after it ("by Friday") is in the
/// future.
pub(super) fn asks(word: &str) -> bool {
    const ASKING: &str =
        "wanted asked told said needed required ordered promised agreed decided expected hoped planned had be";
    is_ahead(word) || is_in(ASKING, word)
}

/// Returns the week offset of "this weekend" in the past: the current week on Saturday and Sunday, otherwise the week before.
pub(super) fn this_weekend(day: Date) -> i32 {
    if day.weekday().to_monday_zero_offset() >= 5 { 0 } else { -1 }
}
