//! Finds the given phrases in an agent's rows: in every text column of every table with an `agent_id`, future tables
//! included. Other tables hold no text of memories (a test lists them).
//!
//! A search runs in pieces, so that no caller waits long for the one thread. It covers all rows that exist during the
//! whole search.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_core::Phrases;

use crate::columns::to_json;
use crate::db::{AgentTable, Db, Result, Row, Sql, ToValue, Value};

/// The maximum number of rows in a piece, and the bytes of text after which a piece ends early.
const ROWS: usize = 1_000;
const BYTES: usize = 2 << 20;

/// Returns the phrases as they occur in texts and in JSON, where quotes and control characters are escaped.
pub(crate) fn phrases(words: &[String]) -> Arc<Phrases> {
    let escaped = words.iter().map(to_json).map(|json| json[1..json.len() - 1].to_owned());
    Arc::new(Phrases::new(words.iter().cloned().chain(escaped)))
}

/// Returns the tables with text of agents.
pub(crate) fn tables(db: &dyn Db) -> Result<Vec<AgentTable>> {
    let mut tables = db.tables_of_agents()?;
    tables.retain(|table| !table.texts.is_empty());
    Ok(tables)
}

/// The values of a row in the columns that order the rows.
type Key = Vec<Box<dyn ToValue + Send>>;

/// The columns in which one piece of a search found a phrase, as `table.column`, and the key after which the next piece begins.
pub(crate) struct Piece {
    pub(crate) columns: BTreeSet<String>,
    pub(crate) next: Option<Key>,
}

impl AgentTable {
    /// Searches the rows of an agent after the given key; from the first row if there is none.
    pub(crate) fn search(&self, db: &dyn Db, agent_id: i64, phrases: &Phrases, after: Option<&Key>) -> Result<Piece> {
        let mut values: Vec<&dyn ToValue> = vec![&agent_id];
        values.extend(after.into_iter().flatten().map(|key| &**key as &dyn ToValue));
        let (mut columns, mut next, mut read, mut bytes) = (BTreeSet::new(), None, 0, 0);
        db.for_each(Sql::Once(&self.sql(after.is_some())), &values, |row| {
            read += 1;
            bytes += self.look(row, phrases, &mut columns)?;
            if read == ROWS || bytes > BYTES {
                let key = (0..self.keys.len()).map(|column| row.value(column)?.to_owned());
                next = Some(key.collect::<Result<_>>()?);
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Piece { columns, next })
    }

    /// Adds the columns of a row that contain a phrase to `columns`; returns the bytes of text read.
    fn look(&self, row: &Row<'_>, phrases: &Phrases, columns: &mut BTreeSet<String>) -> Result<usize> {
        let mut bytes = 0;
        for (index, column) in (self.keys.len()..).zip(&self.texts) {
            let (Value::Text(text) | Value::Blob(text)) = row.value(index)? else { continue };
            bytes += text.len();
            if phrases.is_in(text) {
                columns.insert(format!("{}.{column}", self.name));
            }
        }
        Ok(bytes)
    }

    /// Builds the query of a piece. The quoted names come from our own schema.
    pub(crate) fn sql(&self, goes_on: bool) -> String {
        let quoted = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let (keys, texts, table) = (quoted(&self.keys), quoted(&self.texts), &self.name);
        let marks = (2..).take(self.keys.len()).map(|number| format!("?{number}")).collect::<Vec<_>>().join(", ");
        let after = if goes_on { format!("AND ({keys}) > ({marks})") } else { String::new() };
        format!("SELECT {keys}, {texts} FROM \"{table}\" WHERE agent_id = ?1 {after} ORDER BY {keys} LIMIT {ROWS}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::params;
    use crate::fixture::Folder;
    use crate::sqlite::open::{Options, open};

    #[test]
    fn search_in_pieces_reads_every_row_once() {
        let folder = Folder::new();
        let db = open(&folder.path(), &Options::default()).unwrap();
        let db: &dyn Db = &db;
        db.execute("INSERT INTO agent (agent_id, workspace, name) VALUES (1, 'w', 'a'), (2, 'w', 'b')", &[])
            .ok()
            .unwrap();
        let count = 2 * ROWS + 1;
        for id in 0..count {
            let row = "INSERT INTO version (agent_id, id, text, replaced_at) VALUES (1 + ?1 % 2, ?1, 'tea ' || ?1, 0)";
            db.execute(row, params![i64::try_from(2 * id).unwrap()]).ok().unwrap();
            let row = "INSERT INTO block (agent_id, name, text, updated_at) VALUES (2, ?1, 'tea', 0)";
            db.execute(row, params![id.to_string()]).ok().unwrap();
        }
        let table = |name: &str| tables(db).ok().unwrap().into_iter().find(|table| table.name == name).unwrap();
        for (name, agent_id, word, expect) in [
            ("version", 1, format!("tea {}", 2 * (count - 1)), 3),
            ("version", 2, "tea".into(), 1),
            ("block", 2, "tea".into(), 3),
            ("block", 1, "tea".into(), 1),
        ] {
            let (table, phrases) = (table(name), phrases(&[word]));
            let (mut after, mut pieces, mut found) = (None, 0, BTreeSet::new());
            loop {
                let piece = table.search(db, agent_id, &phrases, after.as_ref()).ok().unwrap();
                found.extend(piece.columns);
                pieces += 1;
                after = piece.next;
                if after.is_none() {
                    break;
                }
            }
            let held = (name, agent_id) == ("version", 1) || (name, agent_id) == ("block", 2);
            assert_eq!((pieces, !found.is_empty()), (expect, held), "{name} of {agent_id}");
        }
    }
}
