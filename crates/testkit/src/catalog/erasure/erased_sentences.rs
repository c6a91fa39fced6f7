//! The sentences that must not be found anywhere after an erasure, and the places to look for them.

use std::collections::BTreeSet;

use annals_core::ports::Content;
use annals_core::{Base, FactOperation, Kind, Memory, searched_sentences};

use super::erase::Erased;
use crate::catalog::agent_data::AgentData;

impl AgentData {
    /// Returns the sentences of the deleted records that do not occur in the remaining ones.
    pub(super) fn erased_words(&self, erased: &Erased) -> Vec<String> {
        let Erased { memories, attachments, operations, blocks, documents, former_texts, .. } = erased;
        let documents: Vec<String> = documents.iter().map(|document| strings(&document.content, has_words)).collect();
        let attachments: Vec<String> = attachments.iter().map(|json| attached(json)).collect();
        let is_of = |operation: &&FactOperation| memories.iter().any(|memory| memory.id == operation.source);
        let by_itself = operations.values().filter(|operation| !is_of(operation));
        let texts = memories.iter().map(|memory| memory.text.as_str()).chain(by_itself.flat_map(texts_of));
        let texts = texts.chain(blocks.values().map(|block| block.text.as_str()));
        let texts = texts.chain(documents.iter().chain(former_texts).map(String::as_str));
        let mut sentences: BTreeSet<&str> = texts.flat_map(searched_sentences).collect();
        // A single word of an attachment is an id or the like.
        let attached_sentences = attachments.iter().flat_map(|text| searched_sentences(text));
        sentences.extend(attached_sentences.filter(|sentence| sentence.contains(char::is_whitespace)));
        self.not_in_rest(sentences.into_iter().map(str::to_owned).collect())
    }

    /// Returns the sentences that no remaining text contains: turns, statements, operations, blocks, documents, attachments,
    /// former texts, and the sentences of sealed bases.
    pub(super) fn not_in_rest(&self, mut sentences: Vec<String>) -> Vec<String> {
        let memories = self.memories.values().filter(|memory| !matches!(memory.kind(), Kind::Summary | Kind::Passage));
        let texts = memories.map(|memory| memory.text.as_str());
        let texts = texts.chain(self.blocks.values().map(|block| block.text.as_str()));
        let texts = texts.chain(self.log.values().flat_map(texts_of)).chain(self.bases.values().flat_map(kept));
        let texts = texts.chain(self.versions.values().flatten().map(|version| version.text.as_str()));
        let stored = self.documents.values().map(|document| strings(&document.content, |_| true));
        let stored = stored.chain(self.attachments.values().map(|json| attached(json)));
        let staying: Vec<String> = texts.map(str::to_owned).chain(stored).collect();
        sentences.retain(|sentence| !staying.iter().any(|text| text.contains(sentence)));
        sentences
    }
}

fn texts_of(operation: &FactOperation) -> impl Iterator<Item = &str> {
    [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .chain(operation.properties.values().filter_map(|value| value.as_str()))
}

/// Returns the strings of an attachment and its field names of several words, one per line.
fn attached(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |value| strings(&Content::Json(value), has_words))
}

/// Returns whether a name has several words, because no proof can search for a single word.
fn has_words(name: &str) -> bool {
    name.contains(char::is_whitespace)
}

/// Returns a text, or the strings of a JSON value, one per line, with the field names that `names` accepts.
fn strings(content: &Content, names: fn(&str) -> bool) -> String {
    fn add<'v>(value: &'v serde_json::Value, names: fn(&str) -> bool, lines: &mut Vec<&'v str>) {
        match value {
            serde_json::Value::String(text) => lines.push(text),
            serde_json::Value::Array(values) => values.iter().for_each(|value| add(value, names, lines)),
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    lines.extend(names(name).then_some(name.as_str()));
                    add(value, names, lines);
                }
            }
            _ => {}
        }
    }
    match content {
        Content::Text(text) => text.clone(),
        Content::Json(value) => {
            let mut lines = Vec::new();
            add(value, names, &mut lines);
            lines.join("\n")
        }
    }
}

fn kept(base: &Base) -> impl Iterator<Item = &str> {
    base.sentences.iter().map(|sentence| sentence.text.as_str())
}

/// Returns the texts of an agent that are searched for leftovers, each with the name of its place.
pub(super) fn texts(data: &AgentData) -> Vec<(&'static str, String)> {
    let memories = data.memories.values().map(|memory| ("memory.text", memory.text.clone()));
    let sentences = data.memories.values().flat_map(Memory::sentences);
    let sentences = sentences.map(|sentence| ("memory.sentences", sentence.text.clone()));
    let who = data.statements.values().flat_map(|statement| &statement.who).map(|who| ("statement.who", who.clone()));
    let log = data.log.values().flat_map(|operation| texts_of(operation).map(|text| ("operation", text.to_owned())));
    let bases = data.bases.values().flat_map(|base| kept(base).chain([base.text.as_str()]));
    let bases = bases.map(|text| ("base", text.to_owned()));
    let versions = data.versions.values().flatten().map(|version| ("version", version.text.clone()));
    let replies = data.replies.values().map(|(text, _)| ("reply", text.clone()));
    let blocks = data.blocks.values().flat_map(|block| [&block.name, &block.text]);
    let replies = replies.chain(blocks.map(|text| ("block", text.clone())));
    let replies =
        replies.chain(data.documents.values().map(|document| ("document", strings(&document.content, |_| true))));
    let attachments = data.attachments.values().map(|json| ("turn.attachment", json.clone()));
    let memories = memories.chain(attachments);
    memories.chain(sentences).chain(who).chain(log).chain(bases).chain(versions).chain(replies).collect()
}
