//! Forgetting: what goes, and the proof that it went.

use annals_core::ports::Reach;
use annals_core::{Date, Period};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is to be forgotten: exactly one of ids, conversation, subject, or a range of days.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// Memories by id: turns, statements and entries by hand. Summaries are made of others and are written anew.
    #[serde(default)]
    pub ids: Vec<String>,
    /// A whole conversation.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Whatever names this person or thing, in its words, facts, conversation or id, or was said by them.
    #[serde(default)]
    pub subject: Option<String>,
    /// First day of what was said, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day of what was said, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// Only says what would go. This is the default; `false` does it, and it cannot be taken back.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub dry_run: bool,
}

fn yes() -> bool {
    true
}

/// What goes, or would go.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ForgetAnswer {
    /// Whose.
    pub agent: String,
    /// Whether it was done.
    pub done: bool,
    /// Turns.
    pub turns: Vec<String>,
    /// Turns that retention pruned before: what was made of them goes, and they are not stored again.
    pub pruned: Vec<String>,
    /// How many pruned turns cannot be told to belong to it or not: they were pruned by an earlier version, or in another
    /// folder, and only their ids are known.
    pub unresolved: u64,
    /// Sealed summaries that may still hold something of these. Look at them, and correct them.
    pub unresolved_in: Vec<String>,
    /// Of a subject: pruned turns that stay, since nothing that is left of them names it. Their own words are gone.
    pub unread: u64,
    /// Of a subject: other names that were not followed, for only others said that they are the same.
    pub unfollowed: Vec<String>,
    /// Statements drawn out of them, or naming the subject.
    pub statements: Vec<String>,
    /// Operations of the fact log: those drawn out of these turns, and those that name the subject anywhere.
    pub operations: Vec<String>,
    /// Dead letters.
    pub dead_letters: u64,
    /// Blocks that name the subject.
    pub blocks: Vec<String>,
    /// Summaries that are written anew from what is left.
    pub rebuilt: Vec<String>,
    /// Sealed summaries that lose the sentences that came from it.
    pub cut: Vec<String>,
    /// Sealed summaries that a model wrote: they cannot be cut and go altogether.
    pub lost: Vec<String>,
    /// The search for what went, once it is done.
    pub proof: Option<ProofView>,
}

/// What was looked for after forgetting, where, and whether anything was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, ToSchema)]
pub struct ProofView {
    /// Sentences that were looked for.
    pub sentences: usize,
    /// Files that were read as bytes, besides every decoded table.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Places that still hold one of the sentences; none if all is gone.
    pub still_in: Vec<String>,
    /// Whether all is gone.
    pub clean: bool,
}

impl ForgetAnswer {
    /// The view of what goes.
    pub fn new(agent: &annals_core::Agent, reach: &Reach, proof: Option<ProofView>) -> ForgetAnswer {
        let labels = |periods: &[Period]| periods.iter().map(Period::to_string).collect();
        let ids = |ids: &[annals_core::MemoryId]| ids.iter().map(annals_core::MemoryId::to_string).collect();
        ForgetAnswer {
            agent: agent.name().to_owned(),
            done: proof.is_some(),
            turns: ids(&reach.turns),
            pruned: ids(&reach.pruned),
            unresolved: reach.unresolved,
            unresolved_in: labels(&reach.unresolved_in),
            unread: reach.unread,
            unfollowed: reach.unfollowed.clone(),
            statements: ids(&reach.statements),
            operations: reach.operations.clone(),
            dead_letters: reach.letters,
            blocks: reach.blocks.clone(),
            rebuilt: labels(&reach.rebuilt),
            cut: labels(&reach.cut),
            lost: labels(&reach.lost),
            proof,
        }
    }
}
