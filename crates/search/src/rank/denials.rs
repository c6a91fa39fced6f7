//! Finds out whether a turn denies a word of an earlier one, in eight languages: "Wednesday, not Tuesday". Pure.

use std::collections::HashSet;

use annals_core::{CorrectionLead, folded, is_value, is_wide, words};

/// Maximum bytes of a text that denies something, and of the beginning of the earlier text in which the word is looked for. Every
/// turn is compared with several earlier ones, so long texts would hold up searches.
const LONGEST: usize = 2_000;
const LOOKED_THROUGH: usize = 16_000;

/// Maximum words between a denial and the denied word.
const BETWEEN: usize = 2;

/// Words that deny the word after them.
const DENIALS: [&str; 17] = [
    "not", "no", "nicht", "kein", "keine", "non", "nao", "pas", "niet", "statt", "anstatt", "instead", "longer",
    "rather", "vez", "lieu", "plaats",
];
/// Words between a denial and what it denies.
const SMALL: &str = "of|than|on|at|in|the|a|am|an|im|um|den|dem|der|die|das|ins|el|la|los|las|al|le|les|il|lo|o|os|as|em|no|na|de|del|do|da|du|op|van|het|ab|mehr|bei";

/// Returns whether the later text denies a word of the earlier one: "Wednesday, not Tuesday". Without a beginning as a
/// correction, the word must be a number or the name of a day or month; with one, it may also be any word of more than three
/// characters. A later text of more than [`LONGEST`] bytes denies nothing.
pub(super) fn denies(later: &str, earlier: &str, lead: CorrectionLead) -> bool {
    if later.len() > LONGEST {
        return false;
    }
    let earlier = &earlier[..earlier.floor_char_boundary(LOOKED_THROUGH)];
    if denies_wide(later, earlier) {
        return true;
    }
    let later = folded(later);
    let later: Vec<&str> = words(&later).collect();
    let denied = later.iter().enumerate().filter(|(_, word)| DENIALS.contains(word)).filter_map(|(index, _)| {
        let rest = later[index + 1..].iter().take(BETWEEN + 1);
        rest.copied().find(|word| !SMALL.split('|').any(|small| small == *word))
    });
    let counts = |word: &&str| match lead {
        CorrectionLead::None => is_value(word),
        _ => is_value(word) || word.chars().count() > 3,
    };
    let denied: HashSet<&str> = denied.filter(counts).collect();
    // Few texts deny anything, so the earlier one is hardly ever read.
    !denied.is_empty() && words(&folded(earlier)).any(|word| denied.contains(word))
}

/// Returns whether the two Chinese characters right after a "不是" occur in the earlier text.
fn denies_wide(later: &str, earlier: &str) -> bool {
    later.split("不是").skip(1).any(|rest| {
        let pair: String = rest.chars().take(2).collect();
        pair.chars().filter(|c| is_wide(*c)).count() == 2 && earlier.contains(&pair)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every turn is compared with several earlier ones: without limits, two messages of a megabyte held a search for seconds.
    #[test]
    fn long_texts_deny_nothing_and_are_not_read_to_their_end() {
        fn check(later: &str, earlier: &str, expect: bool) {
            assert_eq!(
                denies(later, earlier, CorrectionLead::None),
                expect,
                "{} and {} bytes",
                later.len(),
                earlier.len()
            );
        }
        let padded = |text: &str, bytes: usize| format!("{text}{}", " é".repeat((bytes - text.len()) / 3));
        check("Wednesday, not Tuesday", "we meet on Tuesday", true);
        check(&padded("Wednesday, not Tuesday", 1_990), "we meet on Tuesday", true);
        check(&padded("Wednesday, not Tuesday", 2_010), "we meet on Tuesday", false);
        check("Wednesday, not Tuesday", &format!("{} we meet on Tuesday", padded("", 15_000)), true);
        check("Wednesday, not Tuesday", &format!("{} we meet on Tuesday", padded("", 16_000)), false);
    }
}
