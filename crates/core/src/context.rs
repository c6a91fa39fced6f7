//! What memory adds to a prompt: the request, and the few lines that fit into its budget.

use std::borrow::Cow;
use std::ops::Range;

use crate::{Date, DateRange, Period, Reranked, tame};

/// The name of the marks around everything that memory hands out for a prompt: `<annals-memory> … </annals-memory>`. What comes
/// back between them in a conversation is recognised as recalled.
pub const FENCE: &str = "annals-memory";

/// What a prompt needs to be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextRequest {
    /// The prompt that is to be answered.
    pub prompt: String,
    /// The most tokens of the text, marks included, estimated from above.
    pub budget: u64,
    /// Who speaks: what is known about them matters.
    pub speaker: Option<String>,
    /// The conversation that goes on: its last turns matter.
    pub conversation: Option<String>,
    /// What always goes in first, in this order: a persona, standing instructions.
    pub blocks: Vec<Block>,
    /// Texts that are not in memory; of each the part that fits the prompt competes with memories.
    pub documents: Vec<Document>,
    /// First day, inclusive.
    pub from: Option<Date>,
    /// Last day, inclusive.
    pub to: Option<Date>,
    /// Nothing newer than so many local days ago; 0 is today.
    pub min_days_ago: Option<u32>,
    /// Nothing older than so many local days ago.
    pub max_days_ago: Option<u32>,
    /// One period: turns of its calendar days, summaries of its cover.
    pub period: Option<Period>,
    /// Leave out coarser memories that cover days outside the range as well.
    pub strict: bool,
}

/// A named text of the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its heading.
    pub name: String,
    /// The words.
    pub text: String,
}

/// A text of the caller that may help.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// How the caller knows it.
    pub id: String,
    /// Its heading, if it has one.
    pub title: String,
    /// The words.
    pub text: String,
}

/// What a line of a context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContextKind {
    /// A block of the caller.
    Block,
    /// Subject, predicate and object.
    Fact,
    /// A turn.
    Turn,
    /// A statement drawn out of a turn.
    Statement,
    /// The summary of a period.
    Summary,
    /// A document of the caller.
    Document,
}

impl ContextKind {
    /// The word in answers.
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

/// One line of a context.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextItem {
    /// Id of the memory, fact or document; name of the block.
    pub id: String,
    /// Its id in the text, unique within one context: `t1`, `f2`. Empty of a block.
    pub short: String,
    /// What it is.
    pub kind: ContextKind,
    /// The first and last local day it tells of; of a fact, on which it was said. None of what the caller gave.
    pub days: Option<(Date, Date)>,
    /// As it stands in the text; a summary on several lines.
    pub text: String,
    /// Higher is better, comparable within one context only.
    pub score: f64,
    /// Its share of the budget.
    pub tokens: u64,
}

/// What memory adds to a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// What was taken, in the order of the text.
    pub items: Vec<ContextItem>,
    /// The items between marks, ready to be put into a prompt as data; empty if nothing was taken.
    pub text: String,
    /// What the text costs at most.
    pub tokens: u64,
    /// How many more would have fitted the prompt, but not the budget.
    pub omitted: usize,
    /// Whether memory knows anything about the prompt. If not, there are facts about the speaker at most, besides blocks, documents
    /// and the conversation that goes on.
    pub is_known: bool,
    /// The days that were searched.
    pub range: DateRange,
    /// Whether a model has judged what comes first.
    pub reranked: Reranked,
}

/// The text on one line, tame, in which no mark of ours is one: what was said must not be able to end the data.
pub fn one_line(text: &str) -> String {
    let line = tame(text);
    let mut safe = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(place) = rest.find('<') {
        let (before, from) = rest.split_at(place);
        safe.push_str(before);
        let name = from[1..].trim_start_matches(['/', ' ']);
        let is_mark = name.get(..FENCE.len()).is_some_and(|start| start.eq_ignore_ascii_case(FENCE));
        safe.push_str(if is_mark { "&lt;" } else { "<" });
        rest = &from[1..];
    }
    safe.push_str(rest);
    safe
}

/// The text outside of our marks: what a speaker adds to what memory handed out. Marks nest, because a turn with marks is itself
/// recalled between marks; after one that is not closed everything is recalled.
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

/// The places of our marks in a text, and whether each closes: `<annals-memory …>` and `</annals-memory …>`, whatever the case.
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
    fn text_between_our_marks_is_cut() {
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
