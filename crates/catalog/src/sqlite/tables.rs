//! Reads from SQLite's schema which tables hold rows of agents.

use crate::db::{AgentTable, Db, Result, Sql, ToValue};

const TABLES: &str = "SELECT sqlite_schema.name
    FROM sqlite_schema
    JOIN pragma_table_info(sqlite_schema.name) AS info ON info.name = 'agent_id'
    WHERE sqlite_schema.type = 'table'
    ORDER BY sqlite_schema.name";
const TEXT_COLUMNS: &str = "SELECT name FROM pragma_table_info(?1) WHERE type = 'TEXT' ORDER BY name";
/// The columns behind `agent_id` in the first unique index that begins with it; the primary key is preferred.
const UNIQUE_COLUMNS: &str = "SELECT of_index.name
    FROM pragma_index_info((
        SELECT listed.name
        FROM pragma_index_list(?1) AS listed
        JOIN pragma_index_info(listed.name) AS first ON first.seqno = 0 AND first.name = 'agent_id'
        WHERE listed.\"unique\" = 1
        ORDER BY listed.origin = 'pk' DESC, listed.name
        LIMIT 1
    )) AS of_index
    WHERE of_index.seqno > 0
    ORDER BY of_index.seqno";
const PRIMARY_KEY: &str = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";

/// Returns the tables that hold rows of agents, by name.
pub(super) fn of_agents(db: &dyn Db) -> Result<Vec<AgentTable>> {
    let mut tables = Vec::new();
    for name in names(db, TABLES, None)? {
        let mut keys = names(db, UNIQUE_COLUMNS, Some(&name))?;
        if keys.is_empty() {
            keys = names(db, PRIMARY_KEY, Some(&name))?;
        }
        let texts = names(db, TEXT_COLUMNS, Some(&name))?;
        tables.push(AgentTable { name, keys, texts });
    }
    Ok(tables)
}

fn names(db: &dyn Db, sql: &str, table: Option<&str>) -> Result<Vec<String>> {
    let table: Vec<&dyn ToValue> = table.iter().map(|name| name as &dyn ToValue).collect();
    db.query(Sql::Once(sql), &table, |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fixture::Folder;
    use crate::sqlite::open::{Options, open};

    /// A new table with text needs an `agent_id`; otherwise no proof of erasure searches it.
    #[test]
    fn tables_without_agent_id_hold_no_memory_text() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let searched: BTreeSet<String> = of_agents(&db).ok().unwrap().into_iter().map(|table| table.name).collect();
        let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut others = names(&db, all, None).ok().unwrap();
        others.retain(|name| {
            let texts = names(&db, TEXT_COLUMNS, Some(name)).ok().unwrap();
            !searched.contains(name) && !texts.is_empty()
        });
        // These hold names of keys, agents and models, and ids.
        assert_eq!(others, ["access_key", "batch", "cleaning", "price", "source"]);
    }

    #[test]
    fn keys_order_the_rows_of_an_agent() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let tables = of_agents(&db).ok().unwrap();
        for (name, expect) in [
            ("turn", &["seq"][..]),
            ("ledger", &["grain", "period"]),
            ("tombstone", &["id"]),
            ("block", &["name"]),
            ("journal", &["agent_id"]),
            ("version", &["version_id"]),
            ("batch_request", &["batch_id", "number"]),
        ] {
            assert_eq!(tables.iter().find(|table| table.name == name).unwrap().keys, expect, "{name}");
        }
    }
}
