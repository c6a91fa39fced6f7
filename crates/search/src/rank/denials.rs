//! Finds out whether a turn denies a word of an earlier one, in eight languages: "Wednesday, not Tuesday". Pure.

use annals_core::{CorrectionLead, folded, is_value, is_wide, words};

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
/// characters.
pub(super) fn denies(later: &str, earlier: &str, lead: CorrectionLead) -> bool {
    if denies_wide(later, earlier) {
        return true;
    }
    let (later, earlier) = (folded(later), folded(earlier));
    let (later, earlier): (Vec<&str>, Vec<&str>) = (words(&later).collect(), words(&earlier).collect());
    let denied = later.iter().enumerate().filter(|(_, word)| DENIALS.contains(word)).filter_map(|(index, _)| {
        let rest = later[index + 1..].iter().take(BETWEEN + 1);
        rest.copied().find(|word| !SMALL.split('|').any(|small| small == *word))
    });
    let counts = |word: &&str| match lead {
        CorrectionLead::None => is_value(word),
        _ => is_value(word) || word.chars().count() > 3,
    };
    denied.filter(counts).any(|word| earlier.contains(&word))
}

/// Returns whether the two Chinese characters right after a "不是" occur in the earlier text.
fn denies_wide(later: &str, earlier: &str) -> bool {
    later.split("不是").skip(1).any(|rest| {
        let pair: String = rest.chars().take(2).collect();
        pair.chars().filter(|c| is_wide(*c)).count() == 2 && earlier.contains(&pair)
    })
}
