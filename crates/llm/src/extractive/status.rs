//! Detects notes that nothing happened, and the fixed lines of status pages: "Nothing to report", "Resolved - This incident has
//! been resolved".

use super::tokens::{Token, is_in};

/// Maximum words of a note that nothing happened. Longer sentences have content of their own.
const MAX_TOKENS: usize = 14;

/// Returns whether the sentence is a note that nothing happened, or a fixed line of a status page.
pub(super) fn is(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let starts = |phrase: &&str| phrase.split(' ').enumerate().all(|(at, one)| word(at) == one);
    let is_quiet = tokens.len() <= 3 && is_in(QUIET, word(0));
    is_quiet || tokens.len() <= MAX_TOKENS && PHRASES.iter().any(starts)
}

/// First words of notes of up to three words: "Quiet night."
const QUIET: &str = "quiet calm uneventful routine nothing none nil ras n/a ruhig ruhiger nichts rien calme nada tranquilo fine ok okay same idem";

const PHRASES: &[&str] = &[
    "nothing to",
    "nothing new",
    "nothing special",
    "nothing much",
    "nothing at",
    "nothing else",
    "nil of",
    "no incidents",
    "no news",
    "no change",
    "no changes",
    "all well",
    "all quiet",
    "all good",
    "all calm",
    "same as",
    "business as",
    "otherwise quiet",
    "looks good",
    "looking good",
    "going well",
    "so far so",
    "resolved this incident",
    "investigating we",
    "monitoring a fix",
    "monitoring we",
    "identified the issue",
    "update we",
    "we are continuing",
    "we are investigating",
    "this incident has",
    "nichts besonderes",
    "nichts neues",
    "keine besonderen",
    "keine vorkommnisse",
    "alles ruhig",
    "alles gut",
    "rien de",
    "rien à",
    "ras pour",
    "nada nuevo",
    "nada especial",
    "nada que",
    "sin novedad",
    "sin novedades",
    "todo bien",
    "todo tranquilo",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn notes_without_news_are_recognised() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is(&tokens(sentence)), expect, "{sentence}");
        }
        check("Nothing to report.", true);
        check("Quiet night.", true);
        check("Resolved - This incident has been resolved.", true);
        check("RAS pour le reste.", true);
        check("Nichts Besonderes.", true);
        check("Quiet dinner with Tom in Oslo.", false);
        check("Nothing to do but wait for the tow, which came at noon with two men.", false);
    }
}
