//! Output of extraction: statements and fact operations drawn from turns; also model replies and their cost.

use serde::{Deserialize, Serialize};

use crate::{Digest, FactOperation, Interval, MemoryId, Period, Timestamp};

/// A self-contained sentence about somebody, extracted from turns by a model, or imported. In working memory it is a
/// row of kind [`crate::Kind::Statement`], which files, tables and responses call `fact`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// `f-` and a hash of its first source and its original text; for an imported statement, of its entry alone.
    pub id: MemoryId,
    /// Its text.
    pub text: String,
    /// Its topic in one word: preference, event, plan, relation, attribute …
    pub topic: String,
    /// From 0 to 1: how much it will matter later.
    pub importance: f64,
    /// From 0 to 1: how certain the speaker was. `None` if not given, as in records of versions without this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The people it is about.
    pub who: Vec<String>,
    /// When the event happens or happened, if stated.
    pub when: Option<Timestamp>,
    /// The day of its first source.
    pub day: Period,
    /// The instant of its first source.
    pub cover: Interval,
    /// The turn that states it, then the turns that name what it only refers to; for an imported statement, its entry.
    pub sources: Vec<MemoryId>,
}

impl Statement {
    /// Returns whether it comes from an entry, and was not extracted from turns. No summary covers such a statement, so
    /// retention keeps it.
    pub fn is_entered(&self) -> bool {
        self.sources.first().is_some_and(MemoryId::is_entry)
    }
}

/// The answer of an extractor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// Statements for working memory. The built-in rules return none, because they do not reword.
    pub statements: Vec<Statement>,
    /// Operations for the log.
    pub operations: Vec<FactOperation>,
    /// Elements of the answer that could not be used, each with the reason; never their text.
    pub rejected: Vec<String>,
}

/// Output of one extraction, saved in one transaction. It replaces everything extracted from the same turns before.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The turns that were read.
    pub turns: Vec<MemoryId>,
    /// The statements and operations that were extracted.
    pub found: Extracted,
    /// The watermark of extraction that was read before the turns.
    pub after: u64,
    /// The sequence number up to which all turns have now been read.
    pub extracted: u64,
    /// Why the model's own answer was not used for these turns. They become dead letters and can be replayed.
    pub degraded: Option<String>,
}

impl Extraction {
    /// Returns whether this extraction may be saved while the stored watermark is `extracted`: no other extraction has moved
    /// the watermark since it was read, and it does not move back.
    pub fn may_follow(&self, extracted: u64) -> bool {
        self.after == extracted && self.extracted >= extracted
    }
}

/// Progress of extraction for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractionWatermark {
    /// The watermark: the sequence number up to which all turns have been read.
    pub extracted: u64,
    /// Failures since a result was last saved.
    pub attempts: u32,
    /// When the first of these failures happened.
    pub failing_since: Option<Timestamp>,
    /// No retry before this instant.
    pub not_before: Option<Timestamp>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
}

/// The purpose of a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Extraction of statements and facts.
    Extraction,
    /// Summaries of days.
    Daily,
    /// Summaries of weeks.
    Weekly,
    /// Summaries of months.
    Monthly,
    /// Summaries of quarters.
    Quarterly,
    /// Summaries of years.
    Yearly,
    /// Reranking of search results.
    Rerank,
}

/// A model's reply and its cost. It is kept so that a retry does not pay again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Hash of model, prompt and schema: the same request has the same reply.
    pub key: Digest,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// The reply as received.
    pub text: String,
    /// Input tokens.
    pub tokens_in: u64,
    /// Output tokens.
    pub tokens_out: u64,
    /// A sequence number that is no later than the read of the input. If something was erased since, the reply is not
    /// kept.
    pub read_seq: u64,
    /// Number of the token reservation that ends when the cost is recorded, if there is one.
    pub reservation: Option<u64>,
}

/// The cost of one purpose and model for one agent on one UTC day, of single calls or of batches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The UTC day.
    pub day: crate::Date,
    /// The purpose.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// Whether the answers came in batches, at half the price.
    pub batch: bool,
    /// Answered calls.
    pub calls: u64,
    /// Input tokens.
    pub tokens_in: u64,
    /// Output tokens.
    pub tokens_out: u64,
}

impl Purpose {
    /// Returns the word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::Extraction => "extraction",
            Purpose::Daily => "daily",
            Purpose::Weekly => "weekly",
            Purpose::Monthly => "monthly",
            Purpose::Quarterly => "quarterly",
            Purpose::Yearly => "yearly",
            Purpose::Rerank => "rerank",
        }
    }

    /// Returns the purpose of writing summaries of a grain; [`Purpose::Extraction`] for working memory.
    pub fn of(grain: crate::Grain) -> Purpose {
        match grain {
            crate::Grain::Working => Purpose::Extraction,
            crate::Grain::Daily => Purpose::Daily,
            crate::Grain::Weekly => Purpose::Weekly,
            crate::Grain::Monthly => Purpose::Monthly,
            crate::Grain::Quarterly => Purpose::Quarterly,
            crate::Grain::Yearly => Purpose::Yearly,
        }
    }
}

impl std::str::FromStr for Purpose {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Purpose> {
        use Purpose::{Daily, Extraction, Monthly, Quarterly, Rerank, Weekly, Yearly};
        [Extraction, Daily, Weekly, Monthly, Quarterly, Yearly, Rerank]
            .into_iter()
            .find(|purpose| purpose.as_str() == text)
            .ok_or_else(|| crate::Error::invalid("purpose", format!("is {text:?}")))
    }
}
