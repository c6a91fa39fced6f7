//! The note with the tables of facts: first the facts without an end, then those with an end.

use annals_core::{Fact, Timestamp, Zones};

use super::day::push;
use super::escape::cell;

/// Returns the Markdown note, or `None` without facts.
pub fn note(facts: &[Fact], zones: &Zones) -> Option<String> {
    if facts.is_empty() {
        return None;
    }
    let mut note = format!("---\ntype: facts\nfacts: {}\n---\n\n# Facts\n", facts.len());
    let (mut open, mut ended): (Vec<&Fact>, Vec<&Fact>) = facts.iter().partition(|fact| fact.valid_to.is_none());
    for (title, facts) in [("Without an end", &mut open), ("With an end", &mut ended)] {
        facts.sort_by(|one, other| key(one).cmp(&key(other)));
        if !facts.is_empty() {
            push(&mut note, format_args!("\n## {title}\n\n| subject | predicate | object | from | to |\n"));
            note.push_str("| --- | --- | --- | --- | --- |\n");
        }
        for fact in facts {
            let words = [&fact.subject, &fact.predicate, &fact.object].map(|word| cell(word));
            let day = |at: Timestamp| zones.day_of(at).to_string();
            let to = fact.valid_to.map(day).unwrap_or_default();
            push(&mut note, format_args!("| {} | {} | {to} |\n", words.join(" | "), day(fact.valid_from)));
        }
    }
    Some(note)
}

fn key(fact: &Fact) -> (&str, &str, Timestamp, &str) {
    (&fact.subject, &fact.predicate, fact.valid_from, &fact.id)
}
