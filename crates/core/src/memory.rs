//! A memory: a row of a grain, as the catalog stores it and every reader receives it.

use serde::{Deserialize, Serialize};

use crate::{Date, Grain, Interval, MemoryId, Period, Role, Sentence, Timestamp};

/// Kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A message in working memory.
    Turn,
    /// A statement in working memory.
    Statement,
    /// The summary of a period.
    Summary,
}

impl Kind {
    /// Returns the word used in files, tables and responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Turn => "turn",
            Kind::Statement => "fact",
            Kind::Summary => "summary",
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Kind> {
        [Kind::Turn, Kind::Statement, Kind::Summary]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| crate::Error::invalid("kind", format!("is {text:?}; expected one of turn, fact, summary")))
    }
}

/// A row of a grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its id. It stays the same when the memory is written again.
    pub id: MemoryId,
    /// Its grain.
    pub grain: Grain,
    /// Its kind.
    pub kind: Kind,
    /// The period it covers; for a turn, its day.
    pub period: Period,
    /// The instants it covers. A turn covers the microsecond in which it was said.
    pub cover: Interval,
    /// The first and last local day it covers.
    pub days: (Date, Date),
    /// Its text.
    pub text: String,
    /// A turn's speaker, by name or role.
    pub speaker: Option<String>,
    /// A turn's role.
    pub role: Option<Role>,
    /// A turn's conversation.
    pub conversation: Option<String>,
    /// A turn's id from its client, or the generated one.
    pub message: Option<String>,
    /// A summary's sentences with their sources.
    pub sentences: Vec<Sentence>,
    /// What a summary was made from: turns for a day, summaries of the next finer grain otherwise.
    pub sources: Vec<MemoryId>,
    /// From 0 to 1, for a statement: how much it will matter later.
    pub importance: Option<f64>,
    /// From 0 to 1, for a statement: how certain the speaker was, if given. Always `None` for turns, which are
    /// verbatim.
    pub confidence: Option<f64>,
    /// Whether it is excluded from retention.
    pub pinned: bool,
    /// The catalog sequence of its last change.
    pub seq: u64,
}

impl Memory {
    /// Returns when it was said, or when the time it covers began.
    pub fn at(&self) -> Timestamp {
        self.cover.start
    }
}
