//! Rewrites statements that something has ended in positive form: "I no longer live in Rome" becomes "I live in Rome", ended.

use regex::{Captures, Regex};

use super::grammar::pattern;

/// A clause in positive form, and whether it states that the fact has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polar {
    pub(super) clause: String,
    pub(super) ended: bool,
}

/// Removes the words that express an ending: "no longer", or "forget that" at the beginning. A clause that is merely negated
/// stays unchanged.
pub(super) fn of(clause: &str) -> Polar {
    let (clause, withdrawn) = match FORGET.find(clause) {
        Some(forget) => (&clause[forget.end()..], true),
        None => (clause, false),
    };
    let positive = ENDS.iter().find_map(|ends| {
        let found = ends.captures(clause)?;
        Some(positive(&found))
    });
    Polar { ended: withdrawn || positive.is_some(), clause: positive.unwrap_or_else(|| clause.to_owned()) }
}

fn positive(found: &Captures<'_>) -> String {
    let part = |name| found.name(name).map_or("", |part| part.as_str().trim());
    let parts = [part("who"), part("verb"), part("rest")];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

pattern!(FORGET, r"(?i)^(?:please,? )?(?:forget|scratch|ignore) (?:about )?(?:the fact )?that\s+");

static ENDS: std::sync::LazyLock<[Regex; 4]> = std::sync::LazyLock::new(|| {
    [
        r"(?i)^(?P<who>(?:i|we)(?:'m| am|'re| are)?) no longer (?P<verb>\S+)(?P<rest>.*)$",
        r"(?i)^(?P<who>i|we) used to (?P<verb>\S+)(?P<rest>.*)$",
        r"(?i)^(?P<who>i|we) (?:do not|don't) (?:really )?(?P<verb>.+?),? (?:anymore|any more|any longer)\b(?P<rest>.*)$",
        r"(?i)^(?P<who>(?:i|we)(?:'m| am|'re| are))(?: not|n't) (?P<verb>.+?),? (?:anymore|any more|any longer)\b(?P<rest>.*)$",
    ]
    .map(|pattern| Regex::new(pattern).expect("a pattern of the rules is valid"))
});
