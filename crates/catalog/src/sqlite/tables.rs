//! The queries over SQLite's schema that find which tables hold rows of agents.

use crate::db::{Sql, TableQueries};

const TABLES: &str = "SELECT sqlite_schema.name
    FROM sqlite_schema
    JOIN pragma_table_info(sqlite_schema.name) AS info ON info.name = 'agent_id'
    WHERE sqlite_schema.type = 'table'
    ORDER BY sqlite_schema.name";
const TEXT_COLUMNS: &str = "SELECT name FROM pragma_table_info(?1) WHERE type = 'TEXT' ORDER BY name";
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

pub(super) const QUERIES: TableQueries = TableQueries {
    of_agents: Sql::Once(TABLES),
    unique_columns: Sql::Once(UNIQUE_COLUMNS),
    primary_key: Sql::Once(PRIMARY_KEY),
    text_columns: Sql::Once(TEXT_COLUMNS),
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::db::{Db, params};
    use crate::fixture::Folder;
    use crate::sqlite::open::{Options, open};

    /// A new table with text needs an `agent_id`; otherwise no proof of erasure searches it.
    #[test]
    fn tables_without_agent_id_hold_no_memory_text() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let searched: BTreeSet<String> =
            QUERIES.tables_of_agents(&db).ok().unwrap().into_iter().map(|table| table.name).collect();
        let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let db: &dyn Db = &db;
        let mut others: Vec<String> = db.query(Sql::Once(all), &[], |row| row.get(0)).ok().unwrap();
        others.retain(|name| {
            let texts: Vec<String> = db.query(Sql::Once(TEXT_COLUMNS), params![name], |row| row.get(0)).ok().unwrap();
            !searched.contains(name) && !texts.is_empty()
        });
        // These tables hold only ids, and names of keys, agents, models and parameters.
        assert_eq!(others, ["access_key", "batch", "cleaning", "closed", "key_usage", "price", "refusal", "source"]);
    }

    #[test]
    fn keys_order_the_rows_of_an_agent() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let tables = QUERIES.tables_of_agents(&db).ok().unwrap();
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
