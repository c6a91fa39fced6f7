//! Queries on a table that are not about an entity; queries about an entity use the graph.

use annals_core::{Fact, FactQuery, Result, predicate_name};
use duckdb::params;

use crate::rows::{self, Instant};
use crate::table::{Table, failed};

/// Returns the facts that match, about any entity, ordered by the instant from which they hold, then by id.
pub(crate) fn find(table: &Table, query: &FactQuery) -> Result<Vec<Fact>> {
    let parameters = params![
        query.predicate.as_deref().map(predicate_name),
        query.as_of.map(Instant),
        query.history,
        query.said_within.map(|within| Instant(within.start)),
        query.said_within.map(|within| Instant(within.end)),
        query.limit.map(count),
    ];
    let ask = || {
        let mut statement = table.connection.prepare_cached(include_str!("sql/find.sql"))?;
        let facts = statement.query_map(parameters, rows::fact)?;
        facts.collect::<duckdb::Result<Vec<Fact>>>()
    };
    ask().map_err(failed("asking"))
}

/// Returns the predicates of all facts, ended ones included, the most used first; at most `limit`.
pub(crate) fn predicates(table: &Table, limit: usize) -> Result<Vec<String>> {
    let sql = "SELECT predicate FROM facts GROUP BY predicate ORDER BY count(*) DESC, predicate LIMIT $1";
    let ask = || {
        let mut statement = table.connection.prepare_cached(sql)?;
        let predicates = statement.query_map(params![count(limit)], |row| row.get(0))?;
        predicates.collect::<duckdb::Result<Vec<String>>>()
    };
    ask().map_err(failed("asking"))
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
