//! A memory: a row of a grain, as the catalog holds it and every reader sees it.

use serde::{Deserialize, Serialize};

use crate::{Date, Grain, Interval, MemoryId, Period, Role, Sentence, Timestamp};

/// What a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A message in working memory.
    Turn,
    /// A statement in working memory.
    Fact,
    /// The roll-up of a period.
    Summary,
}

impl Kind {
    /// The word in files, tables and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Turn => "turn",
            Kind::Fact => "fact",
            Kind::Summary => "summary",
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Kind> {
        [Kind::Turn, Kind::Fact, Kind::Summary]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| crate::Error::invalid("kind", format!("is {text:?}; it is one of turn, fact, summary")))
    }
}

/// A row of a grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Its id, the same whenever it is written again.
    pub id: MemoryId,
    /// Its grain.
    pub grain: Grain,
    /// What it is.
    pub kind: Kind,
    /// The period it tells of; for a turn, its day.
    pub period: Period,
    /// The instants it covers. A turn covers the microsecond in which it was said.
    pub cover: Interval,
    /// The first and last local day it covers.
    pub days: (Date, Date),
    /// The words.
    pub text: String,
    /// A turn's speaker, by name or role.
    pub speaker: Option<String>,
    /// A turn's role.
    pub role: Option<Role>,
    /// A turn's conversation.
    pub conversation: Option<String>,
    /// A turn's id as its client gave it, or as it was made up.
    pub message: Option<String>,
    /// A summary's sentences with their sources.
    pub sentences: Vec<Sentence>,
    /// What a summary was made from: turns for a day, summaries of the finer grain above.
    pub sources: Vec<MemoryId>,
    /// From 0 to 1, of a statement: whether it will matter later.
    pub importance: Option<f64>,
    /// From 0 to 1, of a statement: how surely it was said, if that was told. Turns are verbatim, so there is nothing to doubt.
    pub confidence: Option<f64>,
    /// Whether retention leaves it alone.
    pub pinned: bool,
    /// The catalog sequence of its last change.
    pub seq: u64,
}

impl Memory {
    /// When it was said, or when what it tells of began.
    pub fn at(&self) -> Timestamp {
        self.cover.start
    }
}
