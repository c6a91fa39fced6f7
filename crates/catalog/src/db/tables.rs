//! Finds the tables that hold rows of agents, from the database's own schema.
//!
//! Relies on queries over the schema, which differ between databases. Never names a table, so a table that a migration adds is
//! found too.

use super::{Db, Result, Sql, ToValue};

/// A table with rows of agents.
#[derive(Clone)]
pub struct AgentTable {
    pub name: String,
    /// The columns that order the rows of one agent: those behind `agent_id` in a unique index that begins with it, otherwise
    /// the primary key.
    pub keys: Vec<String>,
    /// The columns that hold text. A search for leftovers of an erasure reads them.
    pub texts: Vec<String>,
}

/// The queries of a database over its schema. Each returns names; all but the first take the name of a table.
pub struct TableQueries {
    /// The tables with a column `agent_id`, by name.
    pub of_agents: Sql<'static>,
    /// The columns behind `agent_id` in the first unique index that begins with it; the primary key is preferred.
    pub unique_columns: Sql<'static>,
    pub primary_key: Sql<'static>,
    pub text_columns: Sql<'static>,
}

impl TableQueries {
    /// Returns the tables that hold rows of agents, by name.
    pub fn tables_of_agents(&self, db: &dyn Db) -> Result<Vec<AgentTable>> {
        names(db, self.of_agents, None)?.into_iter().map(|name| self.describe(db, name)).collect()
    }

    fn describe(&self, db: &dyn Db, name: String) -> Result<AgentTable> {
        let mut keys = names(db, self.unique_columns, Some(&name))?;
        if keys.is_empty() {
            keys = names(db, self.primary_key, Some(&name))?;
        }
        let texts = names(db, self.text_columns, Some(&name))?;
        Ok(AgentTable { name, keys, texts })
    }
}

fn names(db: &dyn Db, sql: Sql<'_>, table: Option<&str>) -> Result<Vec<String>> {
    let table: Vec<&dyn ToValue> = table.iter().map(|name| name as &dyn ToValue).collect();
    db.query(sql, &table, |row| row.get(0))
}
