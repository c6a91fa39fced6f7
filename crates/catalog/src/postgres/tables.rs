//! The queries over PostgreSQL's system catalogs that find which tables hold rows of agents.

use crate::db::{Sql, TableQueries};

const TABLES: &str = "SELECT table_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'agent_id'
    ORDER BY table_name";
const TEXT_COLUMNS: &str = "SELECT column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ?1 AND data_type = 'text'
    ORDER BY column_name";
/// SQL query for the columns of the indexes of table `?1`, in the order of the index. `$rest` selects the index.
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

pub(super) const QUERIES: TableQueries = TableQueries {
    of_agents: Sql::Kept(TABLES),
    unique_columns: Sql::Kept(UNIQUE_COLUMNS),
    primary_key: Sql::Kept(PRIMARY_KEY),
    text_columns: Sql::Kept(TEXT_COLUMNS),
};
