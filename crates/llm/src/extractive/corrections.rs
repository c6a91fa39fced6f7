//! Finds messages that correct the writer's message before: "sorry, Friday 19th". If the writer corrected a time or number, the
//! line is quoted only together with the correction.

use annals_core::{CorrectionLead, correction_lead, has_value};

use super::budget::cut;

/// Maximum words of a correction that are quoted.
const MAX_WORDS: usize = 20;

/// Number of words in which a weak correction must give its time or number.
const AT_ONCE: usize = 7;

/// Number of preceding messages that are searched for the one that a correction refers to.
pub(super) const NEAR: usize = 12;

/// Returns whether a message begins with words for a correction and has a time or number. Does not check whether its writer
/// gave one before.
///
/// Behind a word that may begin something else, the value must follow at once: "no no, staying here. just wanted to tell you. 5 years".
/// A masked credential is never quoted.
pub(super) fn is(message: &str) -> bool {
    if message.contains("[masked") {
        return false;
    }
    match correction_lead(message) {
        CorrectionLead::None => false,
        CorrectionLead::Weak => has_value(&cut(message, AT_ONCE)),
        CorrectionLead::Clear | CorrectionLead::Certain => has_value(message),
    }
}

/// Returns whether a sentence of a record only repeats what the next one corrects: "In an earlier report we said it cost $4". It
/// names the publication before the mistake, so "we reported the stolen bike" is none.
pub(super) fn retracts(sentence: &str) -> bool {
    const PUBLICATIONS: [&str; 6] = ["report", "story", "article", "version", "item", "update"];
    const MISTAKES: [&str; 4] = [" we said ", " we reported ", " we wrote ", " misstated "];
    let lower = sentence.to_lowercase();
    let begins = ["in a ", "in an ", "in our ", "an earlier ", "a previous ", "our earlier "];
    let mistake = MISTAKES.iter().filter_map(|words| lower.find(words)).min();
    begins.iter().any(|begins| lower.starts_with(begins))
        && mistake.is_some_and(|at| PUBLICATIONS.iter().any(|publication| lower[..at].contains(publication)))
}

/// Returns a line with the correction behind it: `See you Thursday → “sorry, Friday”`.
pub(super) fn joined(line: &str, correction: &str) -> String {
    format!("{line} → “{}”", cut(correction.trim(), MAX_WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_mistakes_are_found() {
        assert!(retracts("In a report on Wednesday we said the requests were worth 1.8 million dollars."));
        assert!(retracts("An earlier version misstated the toll."));
        assert!(!retracts("The figure is 1.8 million krona."));
        assert!(!retracts("On Monday we reported the stolen bike to the police."));
        assert!(!retracts("We wrote a new version of the importer."));
    }

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
        check("No! Friday 6th", true);
        check("not at St. Mary's, at 5pm", true);
        check("sorry the pin is [masked:pin], Friday 6th", false);
        check("no no, staying here. just wanted to tell you. 5 years", false);
    }
}
