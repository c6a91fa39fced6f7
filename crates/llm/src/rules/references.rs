//! Rewrites clauses that refer to a thing named before, so that a rule can match them: "Mine is called Tofu" after words about
//! a cat becomes "my cat is called Tofu". Covers two cases: the name of a pet, and a wrecked vehicle.

use regex::Regex;

use super::classes::PETS;
use super::grammar::pattern;

/// Returns the clause with the thing that it refers to. `earlier` contains the previous clauses of the speaker, one per line.
/// Returns `None` if the clause refers to nothing, or if the thing is not named.
pub(super) fn explicit(clause: &str, earlier: &str) -> Option<String> {
    named_pet(clause, earlier).or_else(|| wrecked(clause, earlier))
}

/// Rewrites "mine is called Tofu" if the last possession that `earlier` names is a pet.
fn named_pet(clause: &str, earlier: &str) -> Option<String> {
    let name = &MINE.captures(clause)?["name"];
    let last = POSSESSION.captures_iter(earlier).last()?;
    let kind = last["kind"].to_lowercase();
    PETS.has(&kind).then(|| format!("my {kind} is called {name}"))
}

/// Rewrites "it's scrap" if the last clause of `earlier` says what the speaker crashed. A crash alone ends nothing.
fn wrecked(clause: &str, earlier: &str) -> Option<String> {
    let crashed = CRASHED.captures(earlier.rsplit('\n').next()?)?;
    SCRAP.is_match(clause).then(|| format!("I totaled {}", &crashed["thing"]))
}

pattern!(MINE, r"(?i)^mine(?:'s| is) (?:called|named) (?P<name>.+)$");
pattern!(POSSESSION, r"(?i)\b(?:my|our|his|her|their|the)(?: \p{L}+'s)? (?P<kind>\p{L}+)");
pattern!(
    CRASHED,
    r"(?i)^(?:i|we)(?:'ve| have)?(?: just)? (?:crashed|wrecked|smashed(?: up)?) (?P<thing>(?:my|our|the) .+)$"
);
pattern!(
    SCRAP,
    r"(?i)^(?:it|she|he)(?:'s| is| was)(?: now| just)? (?:an? )?(?:scrap(?:ped)?|totall?ed|write-?off|written off|total loss|beyond repair)$"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_is_replaced_by_what_was_named_last() {
        fn check(clause: &str, earlier: &str, expect: Option<&str>) {
            assert_eq!(explicit(clause, earlier).as_deref(), expect, "{earlier} / {clause}");
        }
        check("Mine is called Tofu", "that's my sister's cat", Some("my cat is called Tofu"));
        check("Mine is called Tofu", "that's my sister's cat\nand her boat is fast", None);
        check("Mine is called Tofu", "", None);
        check("it's scrap", "I crashed the Honda", Some("I totaled the Honda"));
        check("it's scrap", "I crashed the Honda\nmy bike too", None);
        check("it's fine", "I crashed the Honda", None);
        check("it's scrap", "Eva crashed the Honda", None);
    }
}
