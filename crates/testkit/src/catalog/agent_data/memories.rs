//! Converts turns, statements and summaries to memories.

use annals_core::ports::{Origin, Turn};
use annals_core::{Body, Digest, Grain, Interval, Memory, MemoryId, Message, Period, Statement, Summary, Timestamp};

/// Converts a turn to a memory.
pub(crate) fn remember(turn: Turn, seq: u64) -> Memory {
    let Message { at, role, .. } = turn.message;
    let day = turn.day.first_day();
    let end = Timestamp::from_microsecond(at.as_microsecond() + 1).expect("messages lie far from the end of time");
    Memory {
        id: turn.id,
        grain: Grain::Working,
        period: turn.day,
        cover: Interval { start: at, end },
        days: (day, day),
        body: Body::Turn {
            speaker: turn.message.speaker().to_owned(),
            role,
            conversation: turn.key.conversation,
            message: turn.key.id,
        },
        text: turn.message.content,
        pinned: false,
        seq,
    }
}

/// Converts a statement to a memory.
pub(crate) fn state(statement: &Statement, seq: u64) -> Memory {
    let day = statement.day.first_day();
    Memory {
        id: statement.id.clone(),
        grain: Grain::Working,
        period: statement.day,
        cover: statement.cover,
        days: (day, day),
        text: statement.text.clone(),
        pinned: false,
        seq,
        body: Body::Statement {
            speaker: statement.who.first().cloned(),
            sources: statement.sources.clone(),
            importance: statement.importance,
            confidence: statement.confidence,
        },
    }
}

/// Converts a summary to a memory.
pub(super) fn recount(id: MemoryId, summary: Summary, seq: u64) -> Memory {
    let draft = summary.draft.expect("only a summary with a draft is stored");
    let body = Body::Summary { sentences: draft.sentences, sources: summary.sources };
    Memory { id, text: draft.text, body, ..summarized(summary.period, summary.cover, seq) }
}

/// Returns a summary memory without id, text, sentences and sources.
pub(crate) fn summarized(period: Period, cover: Interval, seq: u64) -> Memory {
    Memory {
        id: MemoryId::from_text(""),
        grain: period.grain(),
        period,
        cover,
        days: period.cover_days(),
        text: String::new(),
        pinned: false,
        seq,
        body: Body::Summary { sentences: Vec::new(), sources: Vec::new() },
    }
}

/// Returns the id of a request. Equal requests have equal ids.
pub(crate) fn request_id(turns: &[Turn]) -> String {
    let contents = turns.iter().flat_map(|turn| [turn.id.to_string(), claimed(turn).digest().to_string()]);
    Digest::of(contents).to_string()
}

/// Returns the message, without its time if the client sent none.
pub(crate) fn claimed(turn: &Turn) -> Message {
    let at = if turn.origin == Origin::Untimed { Timestamp::UNIX_EPOCH } else { turn.message.at };
    Message { at, ..turn.message.clone() }
}
