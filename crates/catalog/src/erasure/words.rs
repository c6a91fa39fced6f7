//! The words that must be found nowhere after an erasure.

use std::collections::BTreeSet;

use annals_core::{Base, FactOperation, Phrases};
use rusqlite::Connection;

use super::Gone;
use crate::failure::Result;
use crate::{bases, log};

/// Shorter sentences prove nothing: they are said everywhere.
const SHORTEST: usize = 12;
const ENDS: [char; 7] = ['.', '!', '?', '\n', '。', '！', '？'];

/// Sentences of what went that stand nowhere in what stays: in turns, statements, operations and blocks, and in what is left of
/// pruned ones. Each text is read once.
pub(super) fn gone(connection: &Connection, agent_id: i64, gone: &Gone) -> Result<Vec<String>> {
    // What was drawn out of a live turn may be reworded; its own words are looked for.
    let live: BTreeSet<_> = gone.memories.iter().map(|memory| &memory.id).collect();
    let by_itself = gone.operations.iter().filter(|operation| !live.contains(&operation.source));
    let texts = gone.memories.iter().map(|memory| memory.text.as_str()).chain(by_itself.flat_map(told));
    let texts = texts.chain(gone.blocks.iter().map(|block| block.text.as_str()));
    let mut sentences: BTreeSet<&str> = texts.flat_map(sentences).collect();
    let phrases = Phrases::new(&sentences);
    let mut look = |text: &str| {
        phrases.each_in(text, |stays| {
            sentences.remove(std::str::from_utf8(stays).unwrap_or_default());
        });
    };
    each_text(connection, agent_id, &mut look)?;
    log::all(connection, agent_id)?.iter().flat_map(told).for_each(&mut look);
    for period in bases::periods(connection, agent_id)? {
        bases::of(connection, agent_id, period)?.iter().flat_map(kept).for_each(&mut look);
    }
    Ok(sentences.into_iter().map(str::to_owned).collect())
}

fn each_text(connection: &Connection, agent_id: i64, look: &mut impl FnMut(&str)) -> Result<()> {
    for sql in [
        "SELECT content FROM turn WHERE agent_id = ?1",
        "SELECT text FROM statement WHERE agent_id = ?1",
        "SELECT text FROM block WHERE agent_id = ?1",
    ] {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([agent_id])?;
        while let Some(row) = rows.next()? {
            look(&row.get::<_, String>(0)?);
        }
    }
    Ok(())
}

fn told(operation: &FactOperation) -> impl Iterator<Item = &str> {
    let words = [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()];
    let details = operation.properties.values().filter_map(serde_json::Value::as_str);
    words.into_iter().flatten().map(String::as_str).chain(details)
}

/// The sentences of a sealed text.
pub(super) fn kept(base: &Base) -> impl Iterator<Item = &str> {
    base.sentences.iter().map(|sentence| sentence.text.as_str())
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(ENDS).map(str::trim).filter(|sentence| sentence.chars().count() >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use annals_core::Catalog;
    use annals_core::ports::{Erasure, Target};
    use annals_testkit::{agent, at};

    use crate::fixture::{Folder, said};

    #[tokio::test]
    async fn a_sentence_that_stays_within_another_is_not_gone() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let goes =
            said(&me, "1", "off we went to Rome! we went to Rome? we went to Rome by train. And never came back.");
        let stays = said(&me, "2", "Yes, off we went to Rome by train.");
        catalog.ingest(&me, vec![goes.clone(), stays], false, now).await.unwrap();
        let reach = catalog.reach(&me, &Target::Memories(vec![goes.id])).await.unwrap();
        assert_eq!(reach.words, ["And never came back"]);
    }
}
