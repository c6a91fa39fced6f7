//! What is drawn out of turns besides their words: statements and fact operations.

use serde::{Deserialize, Serialize};

use crate::{Digest, FactOperation, Interval, MemoryId, Period, Timestamp};

/// A sentence about somebody that stands on its own, drawn out of turns by a model: a row of kind `fact` in working memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// `f-` and a hash of its first source and text.
    pub id: MemoryId,
    /// The words.
    pub text: String,
    /// What it is, in a word: preference, event, plan, relation, attribute …
    pub topic: String,
    /// From 0 to 1: whether it will matter later.
    pub importance: f64,
    /// From 0 to 1: how surely it was said; none if that was not told, as by versions that did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Whom it is about.
    pub who: Vec<String>,
    /// When what it tells of happens or happened, if that was said.
    pub when: Option<Timestamp>,
    /// The day of its first source.
    pub day: Period,
    /// The moment of its first source.
    pub cover: Interval,
    /// The turns it comes from.
    pub sources: Vec<MemoryId>,
}

/// What an extractor answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// Statements for working memory; none from the built-in rules, which reword nothing.
    pub statements: Vec<Statement>,
    /// Operations for the log.
    pub operations: Vec<FactOperation>,
    /// Elements of the answer that could not be used, and why; never their words.
    pub rejected: Vec<String>,
}

/// Output of one extraction, to be saved in one piece. It replaces all that was drawn out of the same turns before.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// The turns that were read.
    pub turns: Vec<MemoryId>,
    /// What was found.
    pub found: Extracted,
    /// The catalog sequence up to which all turns have now been read.
    pub extracted: u64,
    /// Why the model's own answer was not used for these turns; they are listed and can be replayed.
    pub degraded: Option<String>,
}

/// How far extraction has come for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractionLane {
    /// The catalog sequence up to which all turns have been read.
    pub extracted: u64,
    /// Failures since it last went on.
    pub attempts: u32,
    /// When the first of these failures was.
    pub failing_since: Option<Timestamp>,
    /// Not to be tried before.
    pub not_before: Option<Timestamp>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
}

/// What work a model was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Statements and facts.
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
    /// The order of what was found.
    Rerank,
}

/// A model's answer, kept so that a retry does not pay again, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Hash of model, prompt and schema: the same question has the same answer.
    pub key: Digest,
    /// What it was for.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// The answer as it came.
    pub text: String,
    /// Tokens of the question.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// A change that is no later than the reading of what was asked about: an answer drawn from something that was erased
    /// since is not kept.
    pub read_seq: u64,
}

/// What one agent's work of one kind has cost on one UTC day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The UTC day.
    pub day: crate::Date,
    /// The work.
    pub purpose: Purpose,
    /// The model.
    pub model: String,
    /// Calls that were answered.
    pub calls: u64,
    /// Tokens of the questions.
    pub tokens_in: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
}

impl Purpose {
    /// The word in reports.
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

    /// The work of writing summaries of a grain.
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
