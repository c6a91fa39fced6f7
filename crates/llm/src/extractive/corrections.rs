//! Finds messages that correct the writer's message before: "sorry, Friday 19th". A line with a time or number that its writer
//! corrected is quoted only together with the correction.

use annals_core::CalendarNames;

use super::budget::{cut, length};
use super::dates;
use super::tokens::tokens;

/// Languages besides English whose months and weekdays are recognised.
const LANGUAGES: [&str; 6] = ["de", "fr", "es", "pt", "it", "nl"];

/// Maximum words of a correction.
const MAX_WORDS: usize = 20;

/// Number of messages after which a correction no longer refers to one.
pub(super) const NEAR: usize = 12;

/// Beginnings of corrections, in lower case, several languages.
const BEGINNINGS: &str = "sorry|no wait|no, wait|wait no|wait, no|no sorry|no, sorry|correction|scratch that|i mean|i meant|make that|oops|my mistake|\
    typo|update:|actually|not |korrektur|nein|doch nicht|doch erst|moment|quatsch|ich meine|ich meinte|falsch|verschrieben|perdón|perdon|corrección|me equivoqué|\
    digo|mejor dicho|no, es|no, el|pardon|erratum|je voulais dire|non, c'est|desculpa|correção|scusa|correzione|不对|更正|说错了|不是|打错了";

/// Returns whether a message corrects a time or number that its writer gave before.
pub(super) fn is(message: &str) -> bool {
    let lower = message.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let begins = |with: &str| lower.strip_prefix(with).is_some_and(|rest| is_end_of_word(with, rest));
    length(message) <= MAX_WORDS && BEGINNINGS.split('|').any(begins) && has_time(message)
}

/// Returns whether a phrase ends with a word of the text: "moment" does not in "momentum". Chinese has no spaces.
fn is_end_of_word(phrase: &str, rest: &str) -> bool {
    phrase.ends_with(|c: char| !c.is_alphanumeric() || annals_core::is_wide(c))
        || !rest.starts_with(char::is_alphanumeric)
}

/// Returns whether a text has a number, or the name of a month or weekday.
pub(super) fn has_time(text: &str) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let is_name = |word: &str| {
        let names = LANGUAGES.into_iter().filter_map(CalendarNames::of);
        names.into_iter().any(|names| names.weekday(word).is_some() || names.month(word).is_some())
    };
    let is_time = |word: &str| dates::is_calendar_word(word) || is_name(word);
    text.contains(is_number) || tokens(text).iter().any(|token| is_time(&token.lower))
}

/// Returns a line with the correction behind it.
pub(super) fn joined(line: &str, correction: &str) -> String {
    format!("{line} → “{}”", cut(correction.trim(), MAX_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_of_times_and_numbers_are_found() {
        fn check(message: &str, expect: bool) {
            assert_eq!(is(message), expect, "{message}");
        }
        check("sorry, Friday 19th. can't think straight", true);
        check("No wait, the 14th", true);
        check("Nein, doch erst am Dienstag", true);
        check("不对，是五月三号", true);
        check("Momentum is back: 3 deals", false);
        check("sorry to hear that", false);
        check(
            "Sorry for the long silence, I was in Rome for 3 weeks and then my laptop died and nobody could mend it at all",
            false,
        );
        check("See you on Friday", false);
    }
}
