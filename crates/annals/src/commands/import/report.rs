//! Prints the report of an import from another program, or of a dry run.

use std::cmp::Reverse;

use annals_service::wire::{FoundItems, ImportCounts, ImportReport, StoredItems};

use crate::view::{DIM, count, plural, say};

/// Maximum number of people that are listed; the others are counted.
const PEOPLE: usize = 10;

pub(crate) fn print(report: &ImportReport) {
    let ImportReport { agent, from, found, stored, skipped } = report;
    match stored {
        Some(stored) => print_stored(agent, from, stored),
        None => print_found(agent, from, found),
    }
    if !skipped.is_empty() {
        let total = skipped.iter().map(|skipped| skipped.count).sum();
        say!("Skipped {}:", plural(total, "item"));
    }
    for skipped in skipped {
        let example = if skipped.example.is_empty() { String::new() } else { format!(": {}", skipped.example) };
        say!("{:>9}  {}  {DIM}first in {}{example}{DIM:#}", count(skipped.count), skipped.kind, skipped.location);
    }
    if stored.is_none() {
        say!("Nothing was stored. Without --dry-run it is imported.");
    }
}

fn print_found(agent: &str, from: &str, found: &FoundItems) {
    say!(
        "Would import from {from} for {agent}: {} in {}.",
        plural(found.messages, "message"),
        plural(found.conversations, "conversation")
    );
    let roles: Vec<String> = found.roles.iter().map(|(role, number)| format!("{} {role}", count(*number))).collect();
    line("roles", &roles.join(", "));
    if let (Some(first), Some(last)) = (&found.first_day, &found.last_day) {
        line("days", &format!("{}, {first} to {last}", count(found.days)));
    }
    line("people", &people(found));
    let others = [
        ("statements", found.statements),
        ("facts", found.facts),
        ("blocks", found.blocks),
        ("documents", found.documents),
    ];
    for (name, number) in others {
        line(name, &if number == 0 { String::new() } else { count(number) });
    }
}

/// Returns the people with the most messages, each with their number: `Ann 1,204, Bob 87, 3 more`.
pub(crate) fn people(found: &FoundItems) -> String {
    let mut people: Vec<(&String, &u64)> = found.people.iter().collect();
    people.sort_by_key(|(name, number)| (Reverse(**number), *name));
    let mut listed: Vec<String> =
        people.iter().take(PEOPLE).map(|(name, number)| format!("{name} {}", count(**number))).collect();
    if people.len() > PEOPLE {
        listed.push(format!("{} more", people.len() - PEOPLE));
    }
    listed.join(", ")
}

fn line(name: &str, value: &str) {
    if !value.is_empty() {
        say!("{name:>11}  {value}");
    }
}

fn print_stored(agent: &str, from: &str, stored: &StoredItems) {
    say!("Imported from {from} for {agent}:");
    let kinds = [
        ("messages", &stored.messages),
        ("statements", &stored.statements),
        ("facts", &stored.facts),
        ("blocks", &stored.blocks),
        ("documents", &stored.documents),
    ];
    for (name, counts) in kinds {
        line(name, &in_words(counts));
    }
    if kinds.iter().all(|(_, counts)| counts.total() == 0) {
        line("nothing", "the source holds nothing that can be imported");
    }
    let forgotten = kinds.iter().map(|(_, counts)| counts.forgotten).sum();
    if forgotten > 0 {
        let items = plural(forgotten, "item");
        say!("{items} skipped: forgotten before; --unforget imports what was forgotten.");
    }
    if stored.masked > 0 {
        say!("{} masked before storage.", plural(stored.masked, "credential"));
    }
    if stored.replaced_corrections > 0 {
        let corrections = plural(stored.replaced_corrections, "correction");
        say!("{corrections} by hand replaced, because the source changed since; each is kept as a former version.");
    }
    if stored.dead > 0 {
        say!("{} could not be made searchable; `annals dead list` shows why.", plural(stored.dead, "message"));
    }
}

fn in_words(counts: &ImportCounts) -> String {
    let ImportCounts { new, known, revised, forgotten } = *counts;
    let parts = [(new, "new"), (known, "known"), (revised, "revised"), (forgotten, "forgotten")];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, word)| format!("{} {word}", count(number))).collect::<Vec<_>>().join(", ")
}
