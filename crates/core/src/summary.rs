//! Summaries as engines write them: sentences that each know what they were made from.

use serde::{Deserialize, Serialize};

use crate::{Date, Digest, Interval, MemoryId, Period};

/// One sentence of a summary, traced to its sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The local day it tells of.
    pub day: Date,
    /// Whose words these are, if one person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words, without date and speaker.
    pub text: String,
    /// The turns it comes from.
    pub from: Vec<MemoryId>,
}

/// What an engine answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The summary as people and agents read it.
    pub text: String,
    /// Its sentences, in order.
    pub sentences: Vec<Sentence>,
    /// Tokens paid for it; zero for the built-in engine.
    pub tokens: u64,
    /// Names, numbers and dates in it that no source contains; zero for the built-in engine, which rewords nothing.
    pub ungrounded: u32,
    /// Whether each sentence is a verbatim piece of a source. What was reworded cannot be cut apart again when a source is to be
    /// forgotten.
    pub verbatim: bool,
}

/// What a sealed summary was when what it is made of was pruned: all that is left of it, besides what came late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The text.
    pub text: String,
    /// Its sentences.
    pub sentences: Vec<Sentence>,
    /// What it was made from.
    pub sources: Vec<MemoryId>,
    /// Whether its sentences are verbatim pieces of turns.
    pub verbatim: bool,
}

impl Base {
    /// Hash of text and sentences, as part of the input of every amendment.
    pub fn digest(&self) -> Digest {
        let traces = self.sentences.iter().flat_map(|sentence| {
            let from: Vec<&str> = sentence.from.iter().map(MemoryId::as_str).collect();
            [sentence.text.clone(), from.join(" ")]
        });
        Digest::of(std::iter::once(self.text.clone()).chain(traces))
    }
}

/// The outcome of rolling up one period, ready to be saved in one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The period.
    pub period: Period,
    /// The cover it was built with.
    pub cover: Interval,
    /// The period's `dirty_seq` as read before its input was; becomes its `clean_seq`.
    pub read_seq: u64,
    /// Hash of the ids and contents of what was read.
    pub input_digest: Digest,
    /// Hash of prompt, model and engine.
    pub recipe: Digest,
    /// What was read, in order. Empty means that nothing is left to tell of: the summary goes.
    pub sources: Vec<MemoryId>,
    /// Whether it was written by the built-in engine in place of a model that could not; to be written again later.
    pub degraded: bool,
    /// The text; none when the input is what the stored summary was already made of, or when there is none.
    pub draft: Option<Draft>,
}
