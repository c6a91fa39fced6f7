//! Context for a prompt: the request, the items that were selected within a token budget, and the marks around them.

use std::borrow::Cow;
use std::ops::Range;

use crate::{Date, DateRange, Period, Reranked, sanitized_line, sanitized_lines};

/// Name of the marks around all text that memory provides for a prompt: `<annals-memory> … </annals-memory>`. Text
/// between these marks in an incoming conversation is recognised as recalled.
pub const FENCE: &str = "annals-memory";

/// A request for the parts of memory that help to answer one prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextQuery {
    /// The message to be answered. It must not be empty.
    pub prompt: String,
    /// Maximum number of tokens of the text, including the fence marks. It must not be 0. Tokens are estimated on the high
    /// side.
    pub budget: u64,
    /// The name of the speaker, if known. Facts about the speaker compete for the budget. If memory does not clearly match
    /// the prompt, only facts that are similar to it compete, unless the prompt is about the speaker or is small talk.
    pub speaker: Option<String>,
    /// The current conversation. Its last turns compete for the budget, whether or not they match the prompt.
    pub conversation: Option<String>,
    /// Texts that always come first, in this order: a persona, standing instructions.
    pub blocks: Vec<ContextBlock>,
    /// Texts that are not in memory. The part of each that matches the prompt competes with memories for the budget.
    pub documents: Vec<ContextDocument>,
    /// First day of the memories, inclusive. `None` means no lower bound.
    pub from: Option<Date>,
    /// Last day of the memories, inclusive. `None` means no upper bound.
    pub to: Option<Date>,
    /// Excludes memories newer than this many local days ago; 0 is today.
    pub min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago.
    pub max_days_ago: Option<u32>,
    /// Only memories of this period: turns of its calendar days, and summaries of its cover ([`Period::cover_days`]).
    pub period: Option<Period>,
    /// Whether to leave out coarser memories that also cover days outside the range.
    pub strict: bool,
}

/// A named text supplied by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextBlock {
    /// Precedes the text in the context, as in `persona: …`. It is also the id of the item.
    pub name: String,
    /// The text. In the context it is a single line.
    pub text: String,
}

/// A document supplied by the caller; it is used where it matches the prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextDocument {
    /// The caller's id of the document.
    pub id: String,
    /// The heading of the document; empty if it has none.
    pub title: String,
    /// The full text. Only parts of it that match the prompt are used.
    pub text: String,
}

/// The kind of object that a context item was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContextKind {
    /// A block supplied by the caller, such as a persona.
    Block,
    /// A fact: subject, predicate and object.
    Fact,
    /// A message of a conversation, as it was stored.
    Turn,
    /// A statement extracted from a turn.
    Statement,
    /// The summary of a period.
    Summary,
    /// A part of a document. The document is stored, or the caller supplied it.
    Document,
}

impl ContextKind {
    /// Returns the word for the kind in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            ContextKind::Block => "block",
            ContextKind::Fact => "fact",
            ContextKind::Turn => "turn",
            ContextKind::Statement => "statement",
            ContextKind::Summary => "summary",
            ContextKind::Document => "document",
        }
    }
}

/// One selected item of a context: a fact, a memory, a block or a part of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextItem {
    /// Id of the memory, fact or document; name of the block.
    pub id: String,
    /// Short id used in the text, unique within one context: `t1`, `f2`. Empty for a block.
    pub short: String,
    /// The kind of object that `id` identifies.
    pub kind: ContextKind,
    /// First and last local day that the item covers; for a fact, the days on which it was mentioned. `None` for blocks and
    /// documents of the caller.
    pub days: Option<(Date, Date)>,
    /// The item as it appears in the text. A summary has several lines.
    pub text: String,
    /// How well the item fits the prompt. Higher is better. Scores are comparable within one context only.
    pub score: f64,
    /// Number of tokens of the budget that the item uses.
    pub tokens: u64,
}

/// The items that were selected for a prompt, and the text to put into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The selected items, in the order of the text.
    pub items: Vec<ContextItem>,
    /// The items between fence marks, to be put into a prompt unchanged. Blocks come first, as instructions; a note marks
    /// everything after them as data. Empty if nothing was selected.
    pub text: String,
    /// Number of tokens of the text, estimated on the high side.
    pub tokens: u64,
    /// Number of further items that did not fit the budget. The newest summaries are not counted. If memory does not clearly
    /// match the prompt, facts and search results are not counted either.
    pub omitted: usize,
    /// Whether memory holds something about the prompt, or may hold it. If false, memory holds nothing about it, or only
    /// something similar. Besides blocks, documents and the current conversation, the context then has at most facts and a
    /// few search results.
    pub is_known: bool,
    /// The local days that were searched.
    pub range: DateRange,
    /// Whether a model reordered the best items.
    pub reranked: Reranked,
    /// Why some memories were searched by words only: the model of their vectors cannot be opened, or could not embed
    /// the prompt. `None` if all were searched by vectors too.
    pub words_alone: Option<String>,
}

/// Returns the text on one line, passed through [`sanitized_line`], with fence marks escaped (`&lt;`). Recalled text must not be
/// able to close the fence around the data.
pub fn one_line(text: &str) -> String {
    without_fence(&sanitized_line(text))
}

/// Returns the text passed through [`sanitized_lines`], with fence marks escaped. Used for JSON strings that a model reads.
pub fn harmless(text: &str) -> String {
    without_fence(&sanitized_lines(text))
}

fn without_fence(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(mark_start) = rest.find('<') {
        let (before, from) = rest.split_at(mark_start);
        safe.push_str(before);
        let name = from[1..].trim_start_matches(['/', ' ']);
        let is_mark = name.get(..FENCE.len()).is_some_and(|start| start.eq_ignore_ascii_case(FENCE));
        safe.push_str(if is_mark { "&lt;" } else { "<" });
        rest = &from[1..];
    }
    safe.push_str(rest);
    safe
}

/// Returns the text outside fence marks: what the speaker added to recalled memory. Marks nest, because a turn that
/// contains marks is itself recalled between marks. After an unclosed mark, all text counts as recalled.
pub fn unfenced(text: &str) -> Cow<'_, str> {
    let mut marks = marks(text).peekable();
    if marks.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut outside, mut depth, mut start) = (String::with_capacity(text.len()), 0_u32, 0);
    for (mark, closes) in marks {
        if depth == 0 {
            outside.push_str(&text[start..mark.start]);
        }
        depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        start = mark.end;
    }
    if depth == 0 {
        outside.push_str(&text[start..]);
    }
    Cow::Owned(outside)
}

/// Returns the byte range of each fence mark in a text, and whether it is a closing one: `<annals-memory …>` and
/// `</annals-memory …>`, ignoring case.
fn marks(text: &str) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
    text.match_indices('<').filter_map(move |(start, _)| {
        let inner = &text[start + 1..];
        let closes = inner.starts_with('/');
        let name = if closes { &inner[1..] } else { inner };
        let is_ours = name.get(..FENCE.len()).is_some_and(|name| name.eq_ignore_ascii_case(FENCE));
        let after = name.get(FENCE.len()..).filter(|_| is_ours)?;
        let ends_word = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let end = after.find('>').filter(|_| ends_word)?;
        let end = text.len() - after.len() + end + 1;
        Some((start..end, closes))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_fence_marks_is_removed() {
        fn check(text: &str, expect: &str) {
            assert_eq!(unfenced(text), expect, "{text:?}");
        }
        check("a <annals-memory grain=\"daily\">b</annals-memory> c", "a  c");
        check("a <annals-memory>b <ANNALS-memory x>c</annals-memory> d</annals-memory > e", "a  e");
        check("a <annals-memory>b", "a ");
        check("a</annals-memory> b", "a b");
        check("a <annals-memory/x", "a <annals-memory/x");
        check("a <annals> b", "a <annals> b");
        check("a <annals-memoryé> b < c", "a <annals-memoryé> b < c");
        check("a", "a");
    }
}
