//! The same facts in SQLite: in memory, indexed in both directions, queried by a prepared recursive UNION.

use annals_core::{Direction, Fact, Interval, MemoryId, Reached, Timestamp, entity_key};
use rusqlite::{Connection, Row, params};

use super::Failure;

/// An in-memory database of SQLite with the facts of a graph.
pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Creates a database with these facts.
    pub(crate) fn of(facts: &[Fact]) -> Result<Sqlite, Failure> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(include_str!("sql/schema.sql"))?;
        let transaction = connection.transaction()?;
        for (row, fact) in (0_i64..).zip(facts) {
            insert(&transaction, row, fact)?;
        }
        transaction.commit()?;
        connection.execute_batch("ANALYZE")?;
        Ok(Sqlite { connection })
    }

    /// Returns the facts that a walk reaches, ordered by depth, then by their order in the table. [`Direction::In`], which is
    /// not measured, counts as both directions.
    pub(crate) fn facts(&self, from: &str, depth: u32, direction: Direction) -> Result<Vec<Reached>, Failure> {
        let sql = match direction {
            Direction::Out => include_str!("sql/facts_out.sql"),
            Direction::In | Direction::Both => include_str!("sql/facts_both.sql"),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![entity_key(from), depth], reached)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns only the names of the entities that a walk reaches, with their depths. [`Direction::In`] counts as both
    /// directions.
    pub(crate) fn names(&self, from: &str, depth: u32, direction: Direction) -> Result<Vec<(String, u32)>, Failure> {
        let sql = match direction {
            Direction::Out => include_str!("sql/names_out.sql"),
            Direction::In | Direction::Both => include_str!("sql/names_both.sql"),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![entity_key(from), depth], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn insert(connection: &Connection, row: i64, fact: &Fact) -> Result<(), Failure> {
    let [subject, object] = [number(connection, &fact.subject)?, number(connection, &fact.object)?];
    let sources: Vec<&str> = fact.sources.iter().map(MemoryId::as_str).collect();
    let mut statement =
        connection.prepare_cached("INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    statement.execute(params![
        row,
        subject,
        object,
        fact.id,
        fact.subject,
        fact.predicate,
        fact.object,
        serde_json::to_string(&fact.properties)?,
        fact.confidence,
        fact.valid_from.as_microsecond(),
        fact.valid_to.map(Timestamp::as_microsecond),
        fact.recorded_at.as_microsecond(),
        fact.mentioned.start.as_microsecond(),
        fact.mentioned.end.as_microsecond(),
        sources.join(" "),
        fact.superseded_by,
    ])?;
    Ok(())
}

fn number(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    let key = entity_key(name);
    connection.prepare_cached("INSERT OR IGNORE INTO entity (key) VALUES (?)")?.execute([&key])?;
    connection.prepare_cached("SELECT id FROM entity WHERE key = ?")?.query_row([&key], |row| row.get(0))
}

fn reached(row: &Row<'_>) -> rusqlite::Result<Reached> {
    let instant = |name: &str| -> rusqlite::Result<Timestamp> {
        Ok(Timestamp::from_microsecond(row.get(name)?).unwrap_or(Timestamp::MAX))
    };
    let sources: String = row.get("sources")?;
    let properties: String = row.get("properties")?;
    let fact = Fact {
        id: row.get("id")?,
        subject: row.get("subject")?,
        predicate: row.get("predicate")?,
        object: row.get("object")?,
        properties: serde_json::from_str(&properties).unwrap_or_default(),
        confidence: row.get("confidence")?,
        valid_from: instant("valid_from")?,
        valid_to: None,
        recorded_at: instant("recorded_at")?,
        mentioned: Interval { start: instant("said_from")?, end: instant("said_to")? },
        sources: sources.split(' ').map(MemoryId::from_text).collect(),
        superseded_by: row.get("superseded_by")?,
    };
    Ok(Reached { fact, depth: row.get("depth")? })
}
