//! Everything of an agent, one JSON record a line, as `annals import` takes it back.

use annals_core::ports::Record;
use annals_core::{Agent, Result};
use serde_json::Value;

use crate::Service;

/// Bytes of a piece: enough that sending it costs more than its being one.
const PIECE: usize = 64 * 1024;

impl Service {
    /// The lines of an export, each with its line end, in pieces of whole lines that are made as they are taken.
    pub async fn export(&self, agent: &Agent) -> Result<Box<dyn Iterator<Item = String> + Send>> {
        let (agent, mut records) = (agent.clone(), self.archive.records(agent).await?.into_iter());
        Ok(Box::new(std::iter::from_fn(move || {
            let mut piece = String::new();
            while piece.len() < PIECE
                && let Some(record) = records.next()
            {
                piece += &line(&agent, &record);
                piece.push('\n');
            }
            (!piece.is_empty()).then_some(piece)
        })))
    }
}

/// One line of an export.
pub fn line(agent: &Agent, record: &Record) -> String {
    let mut value = serde_json::to_value(record).expect("records are strings, numbers and lists of them");
    value["agent"] = Value::from(agent.name());
    value.to_string()
}
