//! Finds the sentences that must occur nowhere after an erasure: sentences of the removed data that are not in the
//! remaining data.
//!
//! The remaining data is read in pieces, so that no caller waits long for the one thread.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_core::ports::Content;
use annals_core::{Base, FactOperation, MemoryId, Phrases, searched_sentences};

use super::plan::{Erased, ErasurePlan};
use super::summaries::Cut;
use serde_json::Value;

use crate::columns::signed;
use crate::db::{Db, Result, Row, params};
use crate::{bases, blocks, documents, journal, memories};

/// The maximum number of rows in a piece, and the bytes of text after which a piece ends early.
const ROWS: usize = 1_000;
const BYTES: usize = 2 << 20;

pub(crate) const TURN_TEXTS: &str =
    "SELECT seq, id, content, attachment FROM turn WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
pub(crate) const STATEMENT_TEXTS: &str =
    "SELECT seq, id, text FROM statement WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
/// Selects documents. The first column is the number of the document, because the plan lists the documents to remove by number.
pub(crate) const DOCUMENT_TEXTS: &str = "SELECT document_id, key AS id, content, is_json FROM document
    WHERE agent_id = ?1 AND document_id > ?2 ORDER BY document_id LIMIT ?3";
/// Selects the former texts of all memories. Memories that remain keep their former texts, except those that the plan removes.
pub(crate) const VERSION_TEXTS: &str =
    "SELECT version_id, id, text FROM version WHERE agent_id = ?1 AND version_id > ?2 ORDER BY version_id LIMIT ?3";

/// Returns the sentences of the removed data that an erasure searches for. Leaves out short ones ([`searched_sentences`]), and
/// single words in attachments.
pub(super) fn of(erased: &Erased) -> BTreeSet<String> {
    // Operations from a removed turn are left out: a model may have reworded them, and the turn's own text is searched for.
    let live: BTreeSet<_> = erased.memories.iter().map(|memory| &memory.id).collect();
    let by_itself = erased.operations.iter().filter(|operation| !live.contains(&operation.source));
    let texts = erased.memories.iter().map(|memory| memory.text.as_str()).chain(by_itself.flat_map(texts_of));
    let texts = texts.chain(erased.blocks.iter().map(|block| block.text.as_str()));
    let texts = texts.chain(erased.former_texts.iter().map(String::as_str));
    let mut sentences: BTreeSet<String> = texts.flat_map(searched_sentences).map(str::to_owned).collect();
    for stored in &erased.documents {
        let text = content_text(stored.document.content.clone(), has_words);
        sentences.extend(searched_sentences(&text).map(str::to_owned));
    }
    for attachment in &erased.attachments {
        // A single word is an id or the name of a model, and occurs elsewhere too.
        let texts = attached_text(attachment);
        let of_words = searched_sentences(&texts).filter(|sentence| sentence.contains(char::is_whitespace));
        sentences.extend(of_words.map(str::to_owned));
    }
    sentences
}

/// Returns the strings of an attachment and its field names of several words, one per line. Returns an attachment that is not
/// JSON unchanged.
fn attached_text(attachment: &str) -> String {
    serde_json::from_str(attachment)
        .map_or_else(|_| attachment.to_owned(), |value| content_text(Content::Json(value), has_words))
}

/// Returns a text unchanged, or the strings of a JSON value and the field names that `names` accepts, one per line.
fn content_text(content: Content, names: fn(&str) -> bool) -> String {
    match content {
        Content::Text(text) => text,
        Content::Json(value) => {
            let mut lines = Vec::new();
            strings(&value, names, &mut lines);
            lines.join("\n")
        }
    }
}

/// Returns whether a field name has several words. A single word such as "title" occurs everywhere, so that no proof can search
/// for it.
fn has_words(name: &str) -> bool {
    name.contains(char::is_whitespace)
}

fn strings<'v>(value: &'v Value, names: fn(&str) -> bool, lines: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => lines.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, names, lines)),
        Value::Object(fields) => {
            for (name, value) in fields {
                lines.extend(names(name).then_some(name.as_str()));
                strings(value, names, lines);
            }
        }
        _ => {}
    }
}

/// Returns the given sentences that occur in a remaining operation or block, or in the remaining base of a sealed period.
pub(super) fn held_in_rest<'s>(
    db: &dyn Db,
    agent_id: i64,
    erased: &Erased,
    cuts: &[Cut],
    sentences: impl Iterator<Item = &'s String>,
) -> Result<BTreeSet<String>> {
    let (phrases, mut held) = (Phrases::new(sentences), BTreeSet::new());
    let mut look = |text: &str| {
        phrases.each_in(text, |stays| {
            held.insert(String::from_utf8_lossy(stays).into_owned());
        });
    };
    let going: BTreeSet<&str> = erased.operations.iter().map(|operation| operation.id.as_str()).collect();
    let staying = journal::all(db, agent_id)?;
    staying.iter().filter(|operation| !going.contains(operation.id.as_str())).flat_map(texts_of).for_each(&mut look);
    let going: BTreeSet<&str> = erased.blocks.iter().map(|block| block.name.as_str()).collect();
    let staying = blocks::of(db, agent_id)?;
    staying.iter().filter(|block| !going.contains(block.name.as_str())).for_each(|block| look(&block.text));
    for period in bases::periods(db, agent_id)? {
        let cut = cuts.iter().find(|cut| cut.period == period).map(|cut| cut.base.clone());
        let base = cut.map_or_else(|| bases::of(db, agent_id, period), Ok)?;
        base.iter().flat_map(kept).for_each(&mut look);
    }
    Ok(held)
}

/// A search for erased sentences in the remaining turns, statements, documents and former texts.
#[derive(Clone)]
pub(crate) struct Remaining {
    agent_id: i64,
    erased: Arc<BTreeSet<MemoryId>>,
    /// Summaries that lose all their former texts.
    reworded: Arc<BTreeSet<MemoryId>>,
    /// Row numbers of further former texts to remove: those that name the subject.
    versions: Arc<BTreeSet<i64>>,
    documents: Arc<BTreeSet<i64>>,
    phrases: Arc<Phrases>,
}

impl Remaining {
    /// Prepares the search for the sentences of a plan. Returns `None` if the whole agent is erased, or if the plan has no
    /// sentences.
    pub(crate) fn new(plan: &ErasurePlan) -> Option<Remaining> {
        let erased = plan.memories.iter().map(|memory| memory.id.clone()).collect();
        let search = Remaining {
            agent_id: plan.agent_id,
            erased: Arc::new(erased),
            reworded: Arc::new(plan.reworded.clone()),
            versions: Arc::new(plan.versions.iter().copied().collect()),
            documents: Arc::new(plan.documents.clone()),
            phrases: Arc::new(Phrases::new(plan.report.words.iter().chain(&plan.report.sealed_sentences))),
        };
        (!plan.is_whole && !search.phrases.is_empty()).then_some(search)
    }

    /// Searches the next rows of a query, after the given value of its first column. Returns the sentences found and the value
    /// to continue after; `None` at the end.
    pub(crate) fn piece(&self, db: &dyn Db, sql: &str, after: i64) -> Result<(BTreeSet<String>, Option<i64>)> {
        let (mut held, mut next, mut read, mut bytes) = (BTreeSet::new(), None, 0, 0);
        db.for_each(sql, params![self.agent_id, after, signed(ROWS as u64)], |row| {
            let text = text_of(sql, row)?;
            if !self.is_removed(sql, row)? {
                self.phrases.each_in(&*text, |stays| {
                    held.insert(String::from_utf8_lossy(stays).into_owned());
                });
            }
            read += 1;
            bytes += text.len();
            if read == ROWS || bytes > BYTES {
                next = Some(row.get(0)?);
                return Ok(ControlFlow::Break(()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((held, next))
    }
}

impl Remaining {
    /// Returns whether the erasure removes the text of this row.
    fn is_removed(&self, sql: &str, row: &Row<'_>) -> Result<bool> {
        let (number, id) = (row.get(0)?, memories::read_id(row)?);
        if sql == DOCUMENT_TEXTS {
            return Ok(self.documents.contains(&number));
        }
        let is_former = sql == VERSION_TEXTS;
        Ok(self.erased.contains(&id) || is_former && (self.reworded.contains(&id) || self.versions.contains(&number)))
    }
}

/// Returns the text of a row to search: of a turn its content and attachment, of a JSON document its strings and field names.
fn text_of<'r>(sql: &str, row: &'r Row<'_>) -> Result<Cow<'r, str>> {
    if sql == DOCUMENT_TEXTS {
        return Ok(content_text(documents::content(row)?, |_| true).into());
    }
    if sql == TURN_TEXTS && !row.is_null("attachment")? {
        return Ok(format!("{}\n{}", row.text(2)?, attached_text(row.text(3)?)).into());
    }
    Ok(Cow::Borrowed(row.text(2)?))
}

fn texts_of(operation: &FactOperation) -> impl Iterator<Item = &str> {
    let words = [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()];
    let details = operation.properties.values().filter_map(Value::as_str);
    words.into_iter().flatten().map(String::as_str).chain(details)
}

/// Returns the sentences of a sealed text.
pub(super) fn kept(base: &Base) -> impl Iterator<Item = &str> {
    base.sentences.iter().map(|sentence| sentence.text.as_str())
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Erasure, OnConflict, Target};
    use annals_core::prelude::*;
    use annals_testkit::{agent, at};

    use crate::fixture::{Folder, user_turn};

    #[tokio::test]
    async fn sentence_inside_a_remaining_turn_is_not_reported() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let goes =
            user_turn(&me, "1", "off we went to Rome! we went to Rome? we went to Rome by train. And never came back.");
        let stays = user_turn(&me, "2", "Yes, off we went to Rome by train.");
        catalog.ingest(&me, vec![goes.clone(), stays], OnConflict::Refuse, now).await.unwrap();
        let report = catalog.preview(&me, &Target::Memories(vec![goes.id])).await.unwrap();
        assert_eq!(report.words, ["And never came back"]);
    }

    #[tokio::test]
    async fn sentence_in_the_history_of_a_remaining_turn_is_not_reported() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let [goes, stays] = ["1", "2"].map(|id| user_turn(&me, id, "The shared plan is on the kitchen table."));
        catalog.ingest(&me, vec![goes.clone(), stays], OnConflict::Refuse, now).await.unwrap();
        let revised = user_turn(&me, "2", "The plan is in the drawer of the desk.");
        catalog.ingest(&me, vec![revised], OnConflict::Revise, now).await.unwrap();
        let report = catalog.preview(&me, &Target::Memories(vec![goes.id])).await.unwrap();
        assert_eq!(report.words, Vec::<String>::new());
    }
}
