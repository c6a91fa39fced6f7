//! Candidates for a context: the line of each, its sources, and the pool that it belongs to. Pure.

use annals_core::{
    Body, ContextBlock, ContextItem, ContextKind, Date, Fact, Memory, MemoryId, Period, Sentence, SignedDuration,
    Timestamp, Zones, days_text, one_line,
};

/// Blocks score above everything else, in the order of the caller.
const BLOCK: f64 = 1_000_000.0;

/// A group of candidates that fill the same part of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pool {
    /// Standing instructions.
    Blocks,
    /// The last turns of the current conversation.
    LastTurn,
    /// Facts about the named entities and the speaker.
    Facts,
    /// Summaries of the period that the prompt asks for.
    Period,
    /// Search results, and documents.
    Found,
    /// The few search results of a prompt that memory hardly fits.
    Few,
    /// The newest summary of each coarse grain, if no period is asked for.
    Newest,
}

/// A line that competes for a place in a context.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The line of the context. The text of a summary is written after its sentences were chosen.
    pub(super) item: ContextItem,
    pub(super) pool: Pool,
    /// When a memory was said or its period begins; `None` for facts, blocks and the caller's documents.
    pub(super) at: Option<Timestamp>,
    /// The turns that a fact or statement was made from; for a turn, the turn itself. Empty for summaries, blocks and
    /// documents.
    pub(super) sources: Vec<MemoryId>,
    /// For a summary, its period and its sentences.
    pub(super) summary: Option<(Period, Vec<Line>)>,
    /// Length in bytes of the speaker's name at the beginning of the line, with the colon and the space after it.
    pub(super) head: usize,
}

/// A sentence of a summary.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// The day of the sentence; `None` if the heading of the summary already states the day, or if the line is the whole text
    /// of a summary without sentences.
    pub(super) day: Option<Date>,
    /// The sentence with its speaker, if it has one.
    pub(super) text: String,
    /// The turns that the sentence comes from.
    pub(super) from: Vec<MemoryId>,
    /// Number of coarser summaries that quote one of these turns. Known only for the requested period.
    pub(super) quoted_above: u32,
}

impl Candidate {
    fn new(id: String, kind: ContextKind, pool: Pool, text: &str, score: f64) -> Candidate {
        let text = one_line(text);
        let item = ContextItem { id, short: String::new(), kind, days: None, text, score, tokens: 0 };
        Candidate { item, pool, at: None, sources: Vec::new(), summary: None, head: 0 }
    }
}

/// Returns the candidate for a block. `index` is the block's place in the caller's list: earlier blocks score higher.
pub(super) fn of_block(block: &ContextBlock, index: usize) -> Candidate {
    let text = format!("{}: {}", block.name, block.text);
    Candidate::new(block.name.clone(), ContextKind::Block, Pool::Blocks, &text, BLOCK - index as f64)
}

/// Returns the candidate for a fact. The line states since when the fact holds, or from when until when it held.
pub(super) fn of_fact(fact: &Fact, score: f64, zones: &Zones) -> Candidate {
    let since = zones.day_of(fact.valid_from);
    let held = match fact.valid_to {
        Some(end) => format!("{since} until {}", zones.day_of(end)),
        None => format!("since {since}"),
    };
    let text = format!("{} ({held})", sentence(fact));
    let mut candidate = Candidate::new(fact.id.clone(), ContextKind::Fact, Pool::Facts, &text, score);
    let last = fact.mentioned.end.saturating_sub(SignedDuration::from_micros(1)).unwrap_or(fact.mentioned.end);
    candidate.item.days = Some((zones.day_of(fact.mentioned.start), zones.day_of(last)));
    candidate.sources.clone_from(&fact.sources);
    candidate
}

/// Returns a fact as a sentence, without the time in which it holds.
pub(super) fn sentence(fact: &Fact) -> String {
    format!("{} {} {}", fact.subject, fact.predicate.replace('_', " "), fact.object)
}

/// Returns the candidate for a memory. The line names the speaker but no day: the day of a turn or statement is written above
/// it.
pub(super) fn of_memory(memory: &Memory, pool: Pool, score: f64) -> Candidate {
    let (kind, sources, summary) = match &memory.body {
        Body::Turn { .. } => (ContextKind::Turn, vec![memory.id.clone()], None),
        Body::Statement { sources, .. } => (ContextKind::Statement, sources.clone(), None),
        Body::Passage { .. } => (ContextKind::Document, Vec::new(), None),
        Body::Summary { sentences, .. } => {
            (ContextKind::Summary, Vec::new(), Some((memory.period, lines(memory, sentences))))
        }
    };
    let text = with_speaker_of(memory);
    let mut candidate = Candidate::new(memory.id.to_string(), kind, pool, &text, score);
    candidate.item.days = Some(memory.days);
    candidate.at = Some(memory.cover.start);
    candidate.sources = sources;
    candidate.summary = summary;
    candidate.head = candidate.item.text.len().saturating_sub(one_line(&memory.text).len());
    candidate
}

/// Returns the candidate for a part of a document of the caller.
pub(super) fn of_document(id: &str, text: &str, score: f64) -> Candidate {
    Candidate::new(id.to_owned(), ContextKind::Document, Pool::Found, text, score)
}

/// Appended to a sentence of a summary that its sources do not support, so that an agent does not rely on it.
const UNGROUNDED: &str = " [not supported by its sources]";

/// Returns the sentences of a summary, or its whole text as one line if it has no sentences. The heading of a summary of a
/// single day states the day, so its sentences do not. Leaves out sentences that only say that there is nothing worth quoting.
fn lines(summary: &Memory, sentences: &[Sentence]) -> Vec<Line> {
    let is_long = summary.days.0 != summary.days.1;
    let line = |sentence: &Sentence| {
        let mark = if sentence.ungrounded { UNGROUNDED } else { "" };
        let text = one_line(&with_speaker(sentence.speaker.as_deref(), &sentence.text));
        Line { day: is_long.then_some(sentence.day), text: text + mark, from: sentence.from.clone(), quoted_above: 0 }
    };
    if sentences.is_empty() {
        return vec![Line { day: None, text: one_line(&summary.text), from: Vec::new(), quoted_above: 0 }];
    }
    sentences.iter().filter(|sentence| !sentence.is_placeholder()).map(line).collect()
}

fn with_speaker_of(memory: &Memory) -> String {
    with_speaker(memory.speaker(), &memory.text)
}

fn with_speaker(speaker: Option<&str>, text: &str) -> String {
    speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
}

/// Returns the text of a memory after its dates and, if it has one, its speaker.
pub(crate) fn as_line(memory: &Memory) -> String {
    format!("{} {}", days_text(memory.days), with_speaker_of(memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{memory, summarized};

    #[test]
    fn sentence_that_its_sources_do_not_support_is_marked() {
        let summary = memory("s-1", "2026-03-04".parse().unwrap(), summarized());
        let sentence = |text: &str, ungrounded: bool| Sentence {
            day: summary.days.0,
            speaker: None,
            text: text.into(),
            from: Vec::new(),
            ungrounded,
        };
        let lines = lines(&summary, &[sentence("Ann moved.", false), sentence("Bob paid 70 euros.", true)]);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Ann moved.", "Bob paid 70 euros. [not supported by its sources]"]);
    }
}
