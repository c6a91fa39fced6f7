//! Everything of an agent, one JSON record a line, as `annals import` takes it back.

use annals_core::ports::Record;
use annals_core::{Agent, Result};
use serde_json::Value;

use crate::Service;

impl Service {
    /// The lines of an export, each with its line end.
    pub async fn export(&self, agent: &Agent) -> Result<String> {
        let records = self.archive.records(agent).await?;
        Ok(records.iter().map(|record| line(agent, record) + "\n").collect())
    }
}

/// One line of an export.
pub fn line(agent: &Agent, record: &Record) -> String {
    let mut value = serde_json::to_value(record).expect("records are strings, numbers and lists of them");
    value["agent"] = Value::from(agent.name());
    value.to_string()
}
