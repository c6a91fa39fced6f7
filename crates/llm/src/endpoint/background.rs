//! Shows a model what helps to understand its sources: who the agent is, what is known about the names in them, and how the
//! previous period ended. All of it is bounded, and marked as data that must not be summarised. `grounding` removes sentences
//! of a summary that take content from the known facts or the previous period alone.

use annals_core::ports::Background;
use annals_core::{ALIAS, Agent, Fact, Zones};

use super::tokens;
use crate::prompts::{SummaryData, fence, sanitized_line};

/// Maximum tokens of the background, and its maximum share of the tokens for sources: one in this many.
const MAX_TOKENS_AND_SHARE: (u64, u64) = (600, 5);

/// Returns the blocks that describe the agent, the known facts and the previous period. Together they have at most 600 tokens
/// and at most a fifth of `room`. All are empty without a background.
pub(super) fn blocks(agent: &Agent, background: Option<&Background>, zones: &Zones, room: u64) -> SummaryData {
    let Some(background) = background else { return SummaryData::default() };
    let room = MAX_TOKENS_AND_SHARE.0.min(room / MAX_TOKENS_AND_SHARE.1);
    let persona = background.persona.iter().map(|text| tokens::beginning(&sanitized_line(text), room / 4).to_owned());
    let name = std::iter::once(sanitized_line(agent.name()));
    let known = background.known.iter().map(|fact| since(fact, zones)).collect();
    let before =
        background.before.iter().map(|text| tokens::beginning(&sanitized_line(text), room / 8).to_owned()).collect();
    SummaryData {
        agent: block("agent", &up_to(room / 4, name.chain(persona).collect())),
        known: block("known", &up_to(room / 2, known)),
        before: block("before", &up_to(room / 4, before)),
        sources: String::new(),
    }
}

/// Returns the texts of the known facts except aliases, and of the previous period. Content that only these texts have must not
/// get into a summary.
pub(super) fn texts(background: Option<&Background>) -> Vec<String> {
    let Some(background) = background else { return Vec::new() };
    let facts = background.known.iter().filter(|fact| fact.predicate != ALIAS);
    let facts = facts.map(|fact| format!("{} is {}", fact.subject, fact.object));
    facts.chain(background.before.iter().cloned()).collect()
}

/// Returns the known aliases, each as a pair of names of one entity.
pub(super) fn aliases(background: Option<&Background>) -> Vec<[String; 2]> {
    let known = background.iter().flat_map(|background| &background.known).filter(|fact| fact.predicate == ALIAS);
    known.map(|fact| [fact.subject.clone(), fact.object.clone()]).collect()
}

/// Returns a fact as a line, with the day since which it holds.
pub(super) fn since(fact: &Fact, zones: &Zones) -> String {
    let day = zones.day_of(fact.valid_from);
    sanitized_line(&format!("- {}, {}, {} (since {day})", fact.subject, fact.predicate, fact.object))
}

/// Returns the leading texts that together have at most `room` tokens, counting two more for each to separate it.
pub(super) fn up_to(room: u64, texts: Vec<String>) -> Vec<String> {
    let mut used = 0;
    let fits = |text: &String| {
        used += tokens::at_most(text) + 2;
        used <= room
    };
    texts.into_iter().take_while(fits).collect()
}

fn block(name: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { fence(name, &lines.join("\n")) }
}
