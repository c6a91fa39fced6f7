//! From what there is to lines of a context. Pure.

use annals_core::{Block, ContextItem, ContextKind, Date, Fact, Found, Kind, Memory, Zones, one_line};

/// Blocks come first whatever else there is, in the order of the caller.
const BLOCK: f64 = 1_000_000.0;

/// The block at a place of the caller's list.
pub(super) fn of_block(block: &Block, place: usize) -> ContextItem {
    let text = format!("{}: {}", block.name, block.text);
    item(block.name.clone(), ContextKind::Block, None, &text, BLOCK - place as f64)
}

/// A fact with the time from which it holds.
pub(super) fn of_fact(fact: &Fact, score: f64, zones: &Zones) -> ContextItem {
    let since = zones.day_of(fact.valid_from);
    let held = match fact.valid_to {
        Some(end) => format!("{since} until {}", zones.day_of(end)),
        None => format!("since {since}"),
    };
    let text = format!("{} {} {} ({held})", fact.subject, fact.predicate.replace('_', " "), fact.object);
    let days = (zones.day_of(fact.said.start), zones.day_of(fact.said.end));
    item(fact.id.clone(), ContextKind::Fact, Some(days), &text, score)
}

/// A result of the search.
pub(super) fn of_found(found: &Found) -> ContextItem {
    of_memory(&found.memory, found.score)
}

/// A memory with its dates.
pub(super) fn of_memory(memory: &Memory, score: f64) -> ContextItem {
    let kind = match memory.kind {
        Kind::Turn => ContextKind::Turn,
        Kind::Fact => ContextKind::Statement,
        Kind::Summary => ContextKind::Summary,
    };
    item(memory.id.to_string(), kind, Some(memory.days), &told(memory), score)
}

/// What a memory says, with its dates and who says it.
pub(crate) fn told(memory: &Memory) -> String {
    let who = memory.speaker.as_deref().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
    format!("{} {who}{}", dates(memory.days), memory.text)
}

fn dates((first, last): (Date, Date)) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// An item whose text is made fit to stand between marks; it is priced with its id and its bullet.
pub(super) fn item(id: String, kind: ContextKind, days: Option<(Date, Date)>, text: &str, score: f64) -> ContextItem {
    let text = one_line(text);
    let mut item = ContextItem { id, kind, days, text, score, tokens: 0 };
    item.tokens = annals_core::tokens(&super::render::line(&item)) + 1;
    item
}
