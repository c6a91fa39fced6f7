//! Summaries as engines write them. Each sentence lists its sources.

use serde::{Deserialize, Serialize};

use crate::{Date, Digest, Interval, MemoryId, Period, RolledUp};

/// One sentence of a summary, traced to its sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The local day that the sentence is about.
    pub day: Date,
    /// The speaker, if the words are one person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The text, without date and speaker.
    pub text: String,
    /// The turns that it comes from.
    pub from: Vec<MemoryId>,
    /// Whether a model wrote something that its sources do not support: a name, number or date, or the opposite of what they
    /// say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ungrounded: bool,
}

/// Beginning of the sentence that the built-in engine writes for a period without anything worth quoting.
pub const SMALL_TALK: &str = "Small talk only";
/// Beginning of the sentence that the built-in engine writes for a record, such as a log, without anything worth quoting: its
/// entries need earlier ones to be understood, or are routine.
pub const BRIEF_NOTES: &str = "Brief notes only";

impl Sentence {
    /// Returns whether the sentence only says that there is nothing worth quoting.
    pub fn is_placeholder(&self) -> bool {
        is_placeholder(self.speaker.as_deref(), &self.text)
    }
}

/// Returns whether a sentence with this speaker and text only says that there is nothing worth quoting.
pub fn is_placeholder(speaker: Option<&str>, text: &str) -> bool {
    speaker.is_none() && [SMALL_TALK, BRIEF_NOTES].iter().any(|head| text.starts_with(head))
}

/// The output of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The summary as people and agents read it.
    pub text: String,
    /// The sentences of the text, in order.
    pub sentences: Vec<Sentence>,
    /// Tokens paid for it; zero for the built-in engine.
    pub tokens: u64,
    /// Number of names, numbers and dates in it that no source contains, and of sentences that say the opposite of their
    /// sources; zero for the built-in engine, which does not reword.
    pub ungrounded: u32,
    /// Whether each sentence is a verbatim piece of a source. Reworded sentences cannot be separated again when a
    /// source is forgotten.
    pub verbatim: bool,
}

impl Draft {
    /// Returns whether the draft may quote a source that has these sentences. It may if one of its sentences and one of these
    /// have a turn in common, or if the turns of either are unknown.
    pub fn may_quote(&self, of_source: &[Sentence]) -> bool {
        let is_unknown =
            |sentences: &[Sentence]| sentences.is_empty() || sentences.iter().any(|sentence| sentence.from.is_empty());
        let has_common_turn =
            |one: &Sentence| of_source.iter().any(|other| one.from.iter().any(|id| other.from.contains(id)));
        is_unknown(&self.sentences) || is_unknown(of_source) || self.sentences.iter().any(has_common_turn)
    }
}

/// Who wrote a summary, for display only. The recipe, not the author, decides whether a summary is outdated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The engine with its version: `extractive 3`, `endpoint 1`.
    pub engine: String,
    /// The model; `None` for the built-in engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompt with the beginning of its digest; `None` for the built-in engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// A sealed summary at the time when its children were pruned. Amendments are made from it and from late input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The text of the summary.
    pub text: String,
    /// The sentences of the text.
    pub sentences: Vec<Sentence>,
    /// The memories that it was made from.
    pub sources: Vec<MemoryId>,
    /// Whether the sentences are verbatim pieces of turns.
    pub verbatim: bool,
}

impl Base {
    /// Returns the hash of text, sentences and their sources. It is part of the input digest of every amendment.
    pub fn digest(&self) -> Digest {
        let sentences = self.sentences.iter().flat_map(|sentence| {
            let from: Vec<&str> = sentence.from.iter().map(MemoryId::as_str).collect();
            [sentence.text.clone(), from.join(" ")]
        });
        Digest::of(std::iter::once(self.text.clone()).chain(sentences))
    }
}

/// The outcome of rolling up one period, ready to be saved in one transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The period that was rolled up.
    pub period: Period,
    /// The instants that the period covered when it was rolled up.
    pub cover: Interval,
    /// The period's `dirty_seq`, read before the input. It becomes the `clean_seq`.
    pub read_seq: u64,
    /// The period's last roll-up, read before the input. Saving fails with `Stale` if the period was rolled up since.
    pub replaces: RolledUp,
    /// Hash of the ids and contents of the input.
    pub input_digest: Digest,
    /// Hash of prompt, model and engine.
    pub recipe: Digest,
    /// Who wrote the text, if recorded.
    pub author: Option<Author>,
    /// The input, in order. If it is empty, nothing is left to summarise and the summary is removed, except for a sealed period
    /// with a draft.
    pub sources: Vec<MemoryId>,
    /// Whether the built-in engine wrote it because the model could not. It is written again later.
    pub degraded: bool,
    /// The new text; `None` if the stored summary was already made from the same input, or if there is no input.
    pub draft: Option<Draft>,
}
