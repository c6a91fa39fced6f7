//! Facts without a model: port [`annals_core::Extractor`] by a table of patterns for English, precision before recall.
//!
//! A turn is cut into clauses that state something (`clauses`); what is denied or told to have ended is turned round
//! (`polarity`), dates are read and taken out (`dates`), and each rule of the table (`table`, written in the words of
//! `grammar`) is tried on the rest. What stands in the place of the object is trimmed to a short phrase or refused
//! (`phrase`), and the subject is the speaker or somebody named (`people`). Whatever is asked, supposed, quoted or told by others is no
//! fact. Rules reword nothing, so there are no statements; they never fail, wait, read a clock or leave the machine.

mod clauses;
mod dates;
mod grammar;
mod operations;
mod people;
mod phrase;
mod polarity;
mod table;
#[cfg(test)]
mod tests;

use annals_core::ports::ExtractionTask;
use annals_core::{Digest, Extracted, Extractor, Kind, Memory, Result, Role, Settings};
use async_trait::async_trait;

use operations::Operations;
use people::People;

/// Changes with every change to this folder that can change what is found.
const VERSION: &str = "rules 1";

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
        let people = People::of(&task);
        let mut operations = Operations::new(&zones, task.known, task.now);
        for turn in task.turns.iter().filter(|turn| is_read(turn)) {
            operations.read(turn, &people);
        }
        Ok(Extracted { operations: operations.into_log(), ..Extracted::default() })
    }
}

/// Instructions and answers of tools say nothing of anybody, nor does an assistant without a name of itself.
fn is_read(turn: &Memory) -> bool {
    let spoken = match turn.role {
        Some(Role::User) => true,
        Some(Role::Assistant) => turn.speaker.as_deref().is_some_and(|name| name != Role::Assistant.as_str()),
        Some(Role::System | Role::Tool) | None => false,
    };
    spoken && turn.kind == Kind::Turn
}
