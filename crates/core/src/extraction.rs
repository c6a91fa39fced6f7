//! Output of extraction: statements and fact operations drawn from turns; also model replies and their cost.

use serde::{Deserialize, Serialize};

use crate::{Digest, FactOperation, Interval, MemoryId, Period, Timestamp};

/// A self-contained sentence about somebody, extracted from turns by a model, or imported. In working memory it is a
/// row of kind [`crate::Kind::Statement`], which files, tables and responses call `fact`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// `f-` and a hash of its first source and its original text; for an imported statement, of its entry alone.
    pub id: MemoryId,
    /// One sentence that can be understood without the turns around it.
    pub text: String,
    /// The topic in one word: preference, event, plan, relation, attribute …
    pub topic: String,
    /// From 0 to 1: how much it will matter later.
    pub importance: f64,
    /// From 0 to 1: how certain the speaker was. `None` if not given, as in records written before this field existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Names of the people that the sentence is about.
    pub who: Vec<String>,
    /// When the event happens or happened, if stated.
    pub when: Option<Timestamp>,
    /// The local day of the first source.
    pub day: Period,
    /// The instant at which the first source was said, as an interval of one microsecond.
    pub cover: Interval,
    /// The turn that states it, then the turns that name what it only refers to; for an imported statement, its entry.
    pub sources: Vec<MemoryId>,
}

impl Statement {
    /// Returns whether the statement was made from an entry and not from turns. No summary covers such a statement, so
    /// retention keeps it.
    pub fn is_entered(&self) -> bool {
        self.sources.first().is_some_and(MemoryId::is_entry)
    }
}

/// What an extractor found in some turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// Statements for working memory. The built-in rules return none, because they do not reword.
    pub statements: Vec<Statement>,
    /// Fact operations to add to the log.
    pub operations: Vec<FactOperation>,
    /// Elements of the answer that could not be used, each with the reason; never their text.
    pub rejected: Vec<String>,
}

/// Output of one extraction, saved in one transaction. It replaces everything extracted from the same turns before.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// Ids of the turns that were read.
    pub turns: Vec<MemoryId>,
    /// The statements and operations that were extracted.
    pub found: Extracted,
    /// The stored watermark of extraction when the turns were read. Saving fails if it has changed since.
    pub after: u64,
    /// The sequence number up to which all turns have now been read.
    pub extracted: u64,
    /// Why the model's own answer was not used for these turns; `None` if it was used. Turns with a reason become dead
    /// letters and can be replayed.
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
    /// The sequence number up to which all turns have been read.
    pub extracted: u64,
    /// Number of failures since a result was last saved.
    pub attempts: u32,
    /// When the first of these failures happened; `None` if there were none.
    pub failing_since: Option<Timestamp>,
    /// Extraction is not retried before this instant.
    pub not_before: Option<Timestamp>,
    /// Why the last attempt failed; `None` if no attempt failed since a result was last saved.
    pub last_error: Option<String>,
}

/// What a model call is for. Token usage is recorded by purpose.
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

/// The input tokens that were read from the provider's prompt cache or written to it. They have other prices than the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CacheTokens {
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to the cache. Only Anthropic counts them.
    pub written: u64,
}

/// A model's reply and its token counts. It is stored, so that a retry does not pay again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Hash of model, prompt and schema: the same request has the same reply.
    pub key: Digest,
    /// What the reply is for.
    pub purpose: Purpose,
    /// Name of the model that replied.
    pub model: String,
    /// The text of the reply as received.
    pub text: String,
    /// Number of input tokens, including those in `cache`.
    pub tokens_in: u64,
    /// The input tokens that were read from the prompt cache or written to it.
    pub cache: CacheTokens,
    /// Number of output tokens.
    pub tokens_out: u64,
    /// A sequence number of the agent's memory, taken before the input was read. If something was erased after this number,
    /// the reply is not kept.
    pub read_seq: u64,
    /// Number of the token reservation that ends when the cost is recorded; `None` if nothing was reserved.
    pub reservation: Option<u64>,
    /// Id of the API key of the request that the call was made for, to which the cost is booked too; `None` if there is none.
    pub access_key: Option<String>,
}

/// The tokens of one agent on one UTC day, for one purpose and one model. Batches are counted apart from single calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The UTC day on which the cost was recorded.
    pub day: crate::Date,
    /// What the calls were for.
    pub purpose: Purpose,
    /// Name of the model.
    pub model: String,
    /// Whether the answers came in batches, at half the price.
    pub batch: bool,
    /// Number of calls that were answered.
    pub calls: u64,
    /// Number of input tokens, including those in `cache`.
    pub tokens_in: u64,
    /// The input tokens that were read from the prompt cache or written to it.
    pub cache: CacheTokens,
    /// Number of output tokens.
    pub tokens_out: u64,
}

impl std::ops::AddAssign for CacheTokens {
    fn add_assign(&mut self, other: CacheTokens) {
        self.read += other.read;
        self.written += other.written;
    }
}

impl Purpose {
    /// Returns the word for the purpose in reports and stores.
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
