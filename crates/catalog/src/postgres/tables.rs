//! Reads from PostgreSQL's system catalogs which tables hold rows of agents.

use crate::db::{AgentTable, Db, Result, Sql, ToValue};

const TABLES: &str = "SELECT table_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'agent_id'
    ORDER BY table_name";
const TEXT_COLUMNS: &str = "SELECT column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ?1 AND data_type = 'text'
    ORDER BY column_name";
/// The columns of a table's indexes, by index and place.
macro_rules! index_columns {
    ($rest:literal) => {
        concat!(
            "SELECT key.attname FROM pg_index AS listed
            CROSS JOIN LATERAL unnest(listed.indkey) WITH ORDINALITY AS place (attnum, number)
            JOIN pg_attribute AS key ON key.attrelid = listed.indrelid AND key.attnum = place.attnum
            WHERE listed.indrelid = to_regclass(quote_ident(?1)) ",
            $rest,
            " ORDER BY place.number"
        )
    };
}
/// The columns behind `agent_id` in the first unique index that begins with it; the primary key is preferred.
const UNIQUE_COLUMNS: &str = index_columns!(
    "AND place.number > 1 AND listed.indexrelid = (
        SELECT candidate.indexrelid FROM pg_index AS candidate
        JOIN pg_class AS named ON named.oid = candidate.indexrelid
        JOIN pg_attribute AS first
            ON first.attrelid = candidate.indrelid AND first.attnum = candidate.indkey[0] AND first.attname = 'agent_id'
        WHERE candidate.indrelid = listed.indrelid AND candidate.indisunique
        ORDER BY candidate.indisprimary DESC, named.relname
        LIMIT 1
    )"
);
const PRIMARY_KEY: &str = index_columns!("AND listed.indisprimary");

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
    db.query(Sql::Kept(sql), &table, |row| row.get(0))
}
