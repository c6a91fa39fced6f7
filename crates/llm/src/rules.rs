//! Facts without a model: port [`annals_core::Extractor`] by a table of patterns, precision before recall.
//!
//! A turn is cut into clauses that state something in the speaker's own name (`clauses`). Each rule of the table (`table`, written in
//! the words of `grammar`) has to match a whole clause, dates aside (`dates`), and what it takes as object has to be of a closed class
//! (`objects`, `classes`): a known place, trade, animal, food. The plainest sentences in German, French and Spanish are read as the
//! English clause for them (`languages`). What has ended is turned round (`polarity`). The subject is always the speaker: what people
//! say of others is left to models. Rules reword nothing, so there are no statements; they never fail, wait, read a clock or leave the machine.

mod aliases;
mod classes;
mod clauses;
mod dates;
mod grammar;
mod languages;
mod objects;
mod operations;
mod polarity;
mod table;
#[cfg(test)]
mod tests;

use annals_core::ports::ExtractionTask;
use annals_core::{Digest, Extracted, Extractor, Kind, Memory, Result, Role, Settings};
use async_trait::async_trait;

use aliases::Speakers;
pub(crate) use aliases::is_form_of;
use operations::Operations;

/// Changes with every change to this folder that can change what is found.
const VERSION: &str = "rules 3";

/// The built-in rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

#[async_trait]
impl Extractor for Rules {
    fn recipe(&self, _settings: &Settings) -> Digest {
        Digest::of([VERSION])
    }

    fn is_local(&self, _settings: &Settings) -> bool {
        true
    }

    /// Never fails but for a time zone that does not exist, and never waits.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let zones = task.settings.zones()?;
        let speakers = Speakers::of(&task);
        let mut operations = Operations::new(&zones, task.known, task.now);
        for turn in task.turns.iter().filter(|turn| is_read(turn)) {
            operations.read(turn, &speakers);
        }
        Ok(Extracted { operations: operations.into_log(), ..Extracted::default() })
    }
}

/// Instructions and answers of tools say nothing of anybody, nor does an assistant without the name of a person of itself.
fn is_read(turn: &Memory) -> bool {
    const ASSISTANTS: [&str; 12] = [
        "assistant",
        "ai",
        "ai assistant",
        "bot",
        "chatbot",
        "agent",
        "chatgpt",
        "gpt",
        "claude",
        "gemini",
        "copilot",
        "siri",
    ];
    let speaker = turn.speaker.as_deref().map(str::to_lowercase).unwrap_or_default();
    let speaks = match turn.role {
        Some(Role::User) => !speaker.is_empty(),
        Some(Role::Assistant) => !speaker.is_empty() && !ASSISTANTS.contains(&speaker.as_str()),
        Some(Role::System | Role::Tool) | None => false,
    };
    speaks && turn.kind == Kind::Turn
}
