//! Requests to forget, reports of what is erased, and the proof that nothing is left.

use annals_core::ports::ErasureReport;
use annals_core::{Date, Period};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::MemoryView;

/// What to forget: exactly one of ids, conversation, subject, or a range of days.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// Ids of memories: turns, statements and manual entries. The id of a passage selects its whole document. Summaries are
    /// derived from other memories and are written again.
    #[serde(default)]
    pub ids: Vec<String>,
    /// A whole conversation, by name.
    #[serde(default)]
    pub conversation: Option<String>,
    /// A person or thing. Forgets everything that names it in text, facts, conversation or id, and everything that it said.
    #[serde(default)]
    pub subject: Option<String>,
    /// First day of the messages and documents to forget, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub from: Option<Date>,
    /// Last day of the messages and documents to forget, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    pub to: Option<Date>,
    /// Only reports what would be erased. This is the default. `false` erases it, which cannot be undone.
    #[serde(default = "yes")]
    #[schema(default = true)]
    pub dry_run: bool,
}

fn yes() -> bool {
    true
}

/// What was erased, or would be erased.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ForgetAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// Whether the erasure was carried out. False for a dry run.
    pub done: bool,
    /// Ids of the turns that are erased.
    pub turns: Vec<String>,
    /// Ids of matching turns that retention pruned earlier. What was derived from them is erased. If they are sent again, they
    /// are not stored.
    pub pruned: Vec<String>,
    /// Number of pruned turns that cannot be checked against the request. They were pruned by an earlier version or in another
    /// folder, so only their ids are known.
    pub unresolved: u64,
    /// Sealed summaries that may still contain something from the turns in `unresolved`. Check them, and correct them.
    pub unresolved_in: Vec<String>,
    /// Only for a subject: number of pruned turns that are not erased, because nothing that is left of them names the subject.
    /// The text of these turns was pruned, so it cannot be searched.
    pub unread: u64,
    /// Only for a subject: other names that may be its own and were not followed. Only other people said that they belong to the
    /// subject, or somebody speaks under a longer name that contains that of the subject.
    pub unfollowed: Vec<String>,
    /// Only for a subject of several words: other memories that name only a part of it, such as the surname. They are not
    /// erased.
    #[serde(default)]
    pub partly_named: Vec<PartlyNamed>,
    /// Only for a subject: names of the agent's own prompts that contain it. They are not changed: edit them.
    #[serde(default)]
    pub prompts: Vec<String>,
    /// Ids of statements that were extracted from the turns, or that name the subject.
    pub statements: Vec<String>,
    /// Only for a subject: ids of memories that stay, but lose former texts that name the subject.
    #[serde(default)]
    pub former_texts: Vec<String>,
    /// Operations of the fact log: those extracted from the turns, and those that name the subject anywhere.
    pub operations: Vec<String>,
    /// Number of erased dead letters: records of memories that could not be indexed or read for facts.
    pub dead_letters: u64,
    /// Names of blocks that contain the subject.
    pub blocks: Vec<String>,
    /// Documents, as collection/key: those that name the subject, were written on these days, or hold one of the passages.
    pub documents: Vec<String>,
    /// Periods with summaries that are written again from what is left.
    pub rebuilt: Vec<String>,
    /// Why the summaries in `rebuilt` could not be written yet; the next roll-up writes them. Null if they were written, and
    /// for a dry run.
    #[serde(default)]
    pub not_rewritten: Option<String>,
    /// Periods with sealed summaries that lose the sentences that came from the erased memories.
    pub cut: Vec<String>,
    /// Periods with sealed summaries that a model wrote. They cannot be cut, so they are erased completely. If the whole agent
    /// is deleted, all periods with summaries.
    pub lost: Vec<String>,
    /// Result of the search for leftovers. Null for a dry run.
    pub proof: Option<ProofView>,
}

/// Memories that name a part of a subject, but not the whole name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct PartlyNamed {
    /// The part of the name. To forget these memories too, forget this part as a subject.
    pub name: String,
    /// Number of turns and statements that contain this part, but not the whole name.
    pub memories: usize,
    /// Ids of up to five of these turns and statements.
    pub ids: Vec<String>,
}

/// What was erased, or would be, with examples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ForgetReport {
    /// The memories that were erased, or would be.
    pub answer: ForgetAnswer,
    /// Some of the memories that would be erased, to help a person decide. Empty once they are erased.
    pub samples: Vec<MemoryView>,
}

/// Result of the search for leftovers after an erasure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ProofView {
    /// Number of sentences searched for.
    pub sentences: usize,
    /// Number of files read as bytes, in addition to every decoded table.
    pub files: u64,
    /// Size of these files in bytes.
    pub bytes: u64,
    /// Tables and files that still contain one of the sentences. Empty if the erasure is complete.
    pub still_in: Vec<String>,
    /// Whether `still_in` is empty.
    pub clean: bool,
}

impl ForgetAnswer {
    /// Returns whether nothing matches the request.
    pub fn reaches_nothing(&self) -> bool {
        let ForgetAnswer { turns, pruned, statements, former_texts, operations, blocks, documents, .. } = self;
        let ForgetAnswer { rebuilt, cut, lost, dead_letters, .. } = self;
        let ids = [turns, pruned, statements, former_texts, operations, blocks, documents, rebuilt, cut, lost];
        ids.iter().all(|ids| ids.is_empty()) && *dead_letters == 0
    }

    /// Builds the answer from a report. `done` is true if there is a proof.
    pub fn new(agent: &annals_core::Agent, report: &ErasureReport, proof: Option<ProofView>) -> ForgetAnswer {
        let labels = |periods: &[Period]| periods.iter().map(Period::to_string).collect();
        let ids = |ids: &[annals_core::MemoryId]| ids.iter().map(annals_core::MemoryId::to_string).collect();
        ForgetAnswer {
            agent: agent.name().to_owned(),
            done: proof.is_some(),
            turns: ids(&report.turns),
            pruned: ids(&report.pruned),
            unresolved: report.unresolved,
            unresolved_in: labels(&report.unresolved_in),
            unread: report.unread,
            unfollowed: report.unfollowed.clone(),
            partly_named: Vec::new(),
            prompts: report.prompts.clone(),
            statements: ids(&report.statements),
            former_texts: ids(&report.former_texts),
            operations: report.operations.clone(),
            dead_letters: report.letters,
            blocks: report.blocks.clone(),
            documents: report.documents.iter().map(ToString::to_string).collect(),
            rebuilt: labels(&report.rebuilt),
            not_rewritten: None,
            cut: labels(&report.cut),
            lost: labels(&report.lost),
            proof,
        }
    }
}
