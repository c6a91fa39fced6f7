//! What a process that only reads asks from time to time: which tables searches read now, and whether a newer version has
//! migrated the schema meanwhile.

use std::collections::HashSet;

use annals_core::Agent;
use annals_core::ports::Table;

use super::Postgres;
use super::schema::{newest, version};
use crate::PostgresCatalog;
use crate::columns::{grain, to_json};
use crate::db::{Row, params};

const PRESENT: &str = "SELECT agent.workspace, agent.name, watermark.grain, watermark.generation
    FROM jsonb_array_elements(CAST(?1 AS text)::jsonb) AS named (pair)
    JOIN agent ON agent.workspace = named.pair->>0 AND agent.name = named.pair->>1
    JOIN watermark USING (agent_id)";

impl PostgresCatalog {
    /// Returns whether the schema has the version that this process knows.
    pub async fn has_known_version(&self) -> annals_core::Result<bool> {
        let read = |db: &Postgres| Ok(version(db)? == Some(newest()));
        self.thread.alone("reading the version of the schema", read).await
    }

    /// Returns the tables of these agents that searches read now.
    pub async fn present_tables(&self, agents: &HashSet<Agent>) -> annals_core::Result<HashSet<Table>> {
        let pairs: Vec<[&str; 2]> = agents.iter().map(|agent| [agent.workspace(), agent.key()]).collect();
        let pairs = to_json(&pairs);
        let read = |row: &Row<'_>| {
            let agent = Agent::in_workspace(row.text("workspace")?, row.text("name")?)?;
            Ok(Table { agent, grain: grain(row)?, generation: row.get("generation")? })
        };
        let tables =
            self.thread.read("reading which tables are present", move |db| db.query(PRESENT, params![pairs], read));
        Ok(tables.await?.into_iter().collect())
    }
}
