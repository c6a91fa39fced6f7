//! Extracts facts without a model: port [`annals_core::Extractor`] by a table of patterns. Prefers precision to recall.
//!
//! Turns of a game, a role play or an exercise are not read (`scenes`), nor text of others in a turn (`framing`). The rest is cut
//! into clauses in which the speaker states something (`clauses`). A rule of the table (`table`, `grammar`) must match a whole
//! clause, apart from dates (`dates`), and its object must be of the class that the rule requires (`objects`, `classes`): a known
//! place, occupation, animal or food, or a name. Simple German, French and Spanish sentences are translated to English clauses
//! first (`languages`), negated endings to positive clauses (`polarity`), and clauses such as "mine is called Max" to explicit
//! ones (`references`). The subject is always the speaker; statements about
//! others are left to models. Rules produce operations only, no statements. They never wait, read a clock or use the network.

mod aliases;
mod classes;
mod clauses;
mod dates;
mod framing;
mod grammar;
mod languages;
mod objects;
mod operations;
mod polarity;
mod reading;
mod references;
mod scenes;
mod table;
mod tails;
#[cfg(test)]
mod tests;

use annals_core::ports::ExtractionTask;
use annals_core::{Body, Extracted, Extractor, Memory, Result, Role, Settings};
use async_trait::async_trait;

use aliases::Speakers;
pub(crate) use aliases::is_form_of;
use operations::Operations;

/// The built-in rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

#[async_trait]
impl Extractor for Rules {
    fn is_local(&self, _settings: &Settings) -> bool {
        true
    }

    /// Extracts facts by the rules. Fails only for an unknown time zone. Never waits.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let zones = task.settings.zones()?;
        let speakers = Speakers::of(&task);
        let mut operations = Operations::new(&zones, task.known, task.now);
        let invented = scenes::invented(&task);
        for turn in task.turns.iter().filter(|turn| is_read(turn) && !invented.contains(&turn.id)) {
            operations.read(turn, scenes::former(&task, turn), scenes::is_answer(&task, turn), &speakers);
        }
        Ok(Extracted { operations: operations.into_log(), ..Extracted::default() })
    }
}

/// Returns whether the rules read a turn. They skip system and tool turns, and assistants without a personal name: these say
/// nothing about a person.
fn is_read(turn: &Memory) -> bool {
    let Body::Turn { speaker, role, .. } = &turn.body else { return false };
    match role {
        Role::User => !speaker.is_empty(),
        Role::Assistant => !speaker.is_empty() && !is_assistant(speaker),
        Role::System | Role::Tool => false,
    }
}

/// Returns whether a word is a common given name.
pub(crate) fn is_first_name(word: &str) -> bool {
    classes::FIRST_NAMES.has(word)
}

/// Returns whether a speaker has the name of a kind of program, or of a known assistant, rather than one that a person chose.
pub(crate) fn is_assistant(speaker: &str) -> bool {
    const ASSISTANTS: [&str; 18] = [
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
        "assistent",
        "asistente",
        "assistente",
        "助手",
        "助理",
        "アシスタント",
    ];
    ASSISTANTS.contains(&speaker.to_lowercase().as_str())
}
