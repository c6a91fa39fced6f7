//! Facts as rows: writes and reads the columns.

use annals_core::{Fact, Interval, MemoryId, Properties, Timestamp, entity_key};
use duckdb::types::{FromSql, FromSqlError, FromSqlResult, TimeUnit, ToSql, ToSqlOutput, Value, ValueRef};
use duckdb::{Connection, Row, params};

/// The appender does not support lists, so sources are staged as rows of their own.
const STAGE: &str = "CREATE TABLE stage AS SELECT 0::BIGINT AS number, * EXCLUDE (sources) FROM facts LIMIT 0;
    CREATE TABLE fact_source (number BIGINT, place BIGINT, source VARCHAR);";

const GATHER: &str = "INSERT INTO facts BY NAME
    SELECT stage.* EXCLUDE (number), coalesce(sources, []) AS sources
    FROM stage
    LEFT JOIN (SELECT number, list(source ORDER BY place) AS sources FROM fact_source GROUP BY number) USING (number)
    ORDER BY valid_from, id;
    DROP TABLE stage;
    DROP TABLE fact_source;";

/// Adds facts to the table.
pub(crate) fn append(connection: &Connection, facts: &[Fact]) -> duckdb::Result<()> {
    connection.execute_batch(STAGE)?;
    let mut stage = connection.appender("stage")?;
    let mut sources = connection.appender("fact_source")?;
    for (number, fact) in facts.iter().enumerate() {
        stage.append_row(params![
            number,
            fact.id,
            fact.subject,
            fact.predicate,
            fact.object,
            serde_json::Value::from(fact.properties.clone()).to_string(),
            fact.confidence,
            Instant(fact.valid_from),
            fact.valid_to.map(Instant),
            Instant(fact.recorded_at),
            Instant(fact.mentioned.start),
            Instant(fact.mentioned.end),
            fact.superseded_by,
            entity_key(&fact.subject),
            entity_key(&fact.object),
        ])?;
        for (position, source) in fact.sources.iter().enumerate() {
            sources.append_row(params![number, position, source.as_str()])?;
        }
    }
    stage.flush()?;
    sources.flush()?;
    connection.execute_batch(GATHER)
}

/// Reads a fact from a row with the columns of `find.sql`.
pub(crate) fn fact(row: &Row<'_>) -> duckdb::Result<Fact> {
    Ok(Fact {
        id: row.get("id")?,
        subject: row.get("subject")?,
        predicate: row.get("predicate")?,
        object: row.get("object")?,
        properties: row.get::<_, Json>("properties")?.0,
        confidence: row.get("confidence")?,
        valid_from: row.get::<_, Instant>("valid_from")?.0,
        valid_to: row.get::<_, Option<Instant>>("valid_to")?.map(|instant| instant.0),
        recorded_at: row.get::<_, Instant>("recorded_at")?.0,
        mentioned: Interval { start: row.get::<_, Instant>("said_from")?.0, end: row.get::<_, Instant>("said_to")?.0 },
        sources: row.get::<_, Ids>("sources")?.0,
        superseded_by: row.get("superseded_by")?,
    })
}

/// An instant as a TIMESTAMP: microseconds of UTC.
pub(crate) struct Instant(pub Timestamp);

impl ToSql for Instant {
    fn to_sql(&self) -> duckdb::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(Value::Timestamp(TimeUnit::Microsecond, self.0.as_microsecond())))
    }
}

impl FromSql for Instant {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Instant> {
        let ValueRef::Timestamp(TimeUnit::Microsecond, micros) = value else { return Err(FromSqlError::InvalidType) };
        Timestamp::from_microsecond(micros).map(Instant).map_err(|_| FromSqlError::OutOfRange(micros.into()))
    }
}

/// A JSON object, stored as text.
struct Json(Properties);

impl FromSql for Json {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Json> {
        // The parser's own message would quote the content.
        serde_json::from_str(value.as_str()?).map(Json).map_err(|_| FromSqlError::InvalidType)
    }
}

/// Ids, stored as VARCHAR[].
struct Ids(Vec<MemoryId>);

impl FromSql for Ids {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Ids> {
        let Value::List(items) = value.to_owned() else { return Err(FromSqlError::InvalidType) };
        let id = |item| match item {
            Value::Text(text) => Ok(MemoryId::from_text(text)),
            _ => Err(FromSqlError::InvalidType),
        };
        items.into_iter().map(id).collect::<FromSqlResult<_>>().map(Ids)
    }
}
