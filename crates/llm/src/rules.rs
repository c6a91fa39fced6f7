//! Extracts facts without a model: port [`annals_core::Extractor`] by a table of patterns. Prefers precision to recall.
//!
//! Turns of a game, a role play or an exercise are not read (`scenes`), nor text of others in a turn (`framing`). The rest is
//! cut into clauses in which the speaker states something (`clauses`). A rule of the table (`table`, `grammar`) must match a
//! whole clause, apart from dates (`dates`), words after the statement that do not change it (`tails`), and people or pets
//! named in passing. The object must be of the class that the rule requires (`objects`, `classes`): a known place, occupation,
//! animal or food, or a name, which for the speakers themselves must fit theirs (`aliases`). Simple German, French and Spanish
//! sentences are translated to English clauses first (`languages`), negated endings to positive clauses (`polarity`), and
//! clauses such as "mine is called Max" to explicit ones (`references`). `reading` applies the rules, and `operations` turns
//! the results into entries of the log. The subject is the speaker, or somebody whom the speaker names (`people`): "my sister Jo
//! lives in Bath". A turn may also be a form (`forms`). Other statements about others are left to models. Rules produce operations only, no statements. They read no clock and use no network.

mod aliases;
mod classes;
mod clauses;
mod dates;
mod forms;
mod framing;
mod grammar;
mod languages;
mod objects;
mod operations;
mod people;
mod polarity;
mod reading;
mod references;
mod scenes;
mod table;
mod tails;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use annals_core::ports::ExtractionTask;
use annals_core::{Body, Extracted, Extractor, Memory, Result, Role, Settings, Zones};
use async_trait::async_trait;

use aliases::Speakers;
pub(crate) use aliases::is_form_of;
use operations::Operations;

/// Extractor of facts by the built-in rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

#[async_trait]
impl Extractor for Rules {
    fn is_local(&self, _settings: &Settings) -> bool {
        true
    }

    /// Extracts facts by the rules. Fails only for an unknown time zone. Rejects a turn on which a rule panics: a defect of the
    /// rules must not stop the extraction of all later turns. Never waits.
    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let zones = task.settings.zones()?;
        let found = catch_unwind(AssertUnwindSafe(|| found(&task, &zones)));
        let rejected =
            || Extracted { rejected: vec!["the rules failed on these turns".into()], ..Extracted::default() };
        Ok(found.unwrap_or_else(|_| rejected()))
    }
}

fn found(task: &ExtractionTask<'_>, zones: &Zones) -> Extracted {
    let speakers = Speakers::of(task);
    let mut operations = Operations::new(zones, task.known, task.now);
    let invented = scenes::invented(task);
    let turns = task.turns.iter().filter(|turn| is_read(turn) && !invented.contains(&turn.id));
    let rejected = read_each(turns, |turn| {
        operations.read(turn, scenes::former(task, turn), scenes::is_answer(task, turn), &speakers);
    });
    Extracted { operations: operations.into_log(), rejected, ..Extracted::default() }
}

/// Reads the turns one by one. Returns a reason for each turn on which `read` panics.
fn read_each<'a>(turns: impl Iterator<Item = &'a Memory>, mut read: impl FnMut(&'a Memory)) -> Vec<String> {
    let failed = turns.filter(|turn| catch_unwind(AssertUnwindSafe(|| read(turn))).is_err());
    failed.map(|turn| format!("turn {}: the rules failed on it", turn.id.as_str())).collect()
}

/// Returns whether the rules read a turn. They skip system and tool turns, turns without a speaker, and assistants without a
/// personal name: these say nothing about a person.
fn is_read(turn: &Memory) -> bool {
    let Body::Turn { speaker, role, .. } = &turn.body else { return false };
    match role {
        Role::User => !speaker.is_empty(),
        Role::Assistant => !speaker.is_empty() && !is_assistant(speaker),
        Role::System | Role::Tool => false,
    }
}

/// Returns whether a word is the name of a city, country or other known place.
pub(crate) fn is_place(word: &str) -> bool {
    classes::PLACES.has(word)
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
