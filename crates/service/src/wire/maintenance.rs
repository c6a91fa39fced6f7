//! The request to apply retention, and the answers of maintenance: import, export, rebuilding, checks, verification, retention,
//! extraction, dead letters, copies of the catalog.

use std::collections::BTreeMap;

use annals_core::{Agent, DeadLetter, Grain, MemoryId, Stage, Timestamp};
use annals_retention::{Held, Hold, Totals};
use annals_summarizer::Gap;
use annals_writer::{Discrepancy, ExtractionPassed};
use serde::{Deserialize, Serialize};

use super::{NotYetDueView, ReembeddingView};

/// Result of an import of messages or of exports.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ImportAnswer {
    /// Number of agents in the imported files.
    pub agents: u64,
    /// Number of new messages.
    pub accepted: u64,
    /// Number of messages that were stored already.
    pub duplicate: u64,
    /// Number of messages that replaced stored ones.
    pub revised: u64,
    /// Number of changes that were made searchable.
    pub searchable: u64,
    /// Number of memories that could not be made searchable.
    pub dead: u64,
    /// Number of messages that were skipped because they were forgotten before.
    pub forgotten: u64,
    /// Number of credentials that were masked.
    pub masked: u64,
    /// Number of records restored from exports.
    pub restored: u64,
    /// Number of messages among `restored`.
    pub restored_messages: u64,
    /// Number of summaries among `restored`.
    pub restored_summaries: u64,
    /// Number of fact operations among `restored`.
    pub restored_facts: u64,
    /// Files and lines of changed messages that replaced corrections made by hand.
    pub replaced_corrections: Vec<String>,
    /// Unknown fields, which were ignored, with the number of lines that contain each.
    pub ignored_fields: BTreeMap<String, u64>,
}

/// Result of reading messages for facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionView {
    /// Number of messages that were read.
    pub turns: u64,
    /// Number of fact operations found.
    pub operations: u64,
    /// Number of statements found.
    pub statements: u64,
    /// Number of facts and statements in answers of a model that could not be used, for example because of a missing field.
    pub rejected: u64,
    /// Number of messages that the built-in rules read in place of the model.
    pub degraded: u64,
    /// Why messages are left that were not read, for example because the model is unavailable. Null if all were read.
    pub waiting: Option<String>,
}

impl From<ExtractionPassed> for ExtractionView {
    fn from(passed: ExtractionPassed) -> ExtractionView {
        let ExtractionPassed { turns, operations, statements, rejected, degraded, waiting, .. } = passed;
        ExtractionView { turns, operations, statements, rejected, degraded, waiting }
    }
}

/// A memory that could not be indexed or read for facts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeadLetterView {
    /// Current name of the agent.
    pub agent: String,
    /// Grain of the memory: `working` for a message.
    pub grain: Grain,
    /// Id of the memory that was not processed.
    pub memory: MemoryId,
    /// The error of the last attempt.
    pub error: String,
    /// What failed: indexing the memory (`table`), or reading it for facts with a model (`extraction`).
    pub stage: Stage,
    /// When the last attempt failed.
    pub at: Timestamp,
}

impl From<DeadLetter> for DeadLetterView {
    fn from(letter: DeadLetter) -> DeadLetterView {
        let DeadLetter { agent, grain, memory, stage, error, at } = letter;
        DeadLetterView { agent: agent.name().to_owned(), grain, memory, error, stage, at }
    }
}

/// Result of trying dead letters again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayAnswer {
    /// Number of dead letters of tables that were removed, plus the number of messages that were read for facts. A dead letter
    /// is also removed if its memory no longer exists.
    pub alive: u64,
    /// Number of dead letters that are left.
    pub dead: u64,
}

/// Number of records of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExportAnswer {
    /// Present name of the agent.
    pub agent: String,
    /// Number of records in the export. The last line is not a record.
    pub records: u64,
}

/// The last line of an export. A file without it is incomplete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename = "end")]
pub struct ExportEnd {
    /// Number of lines before this one. Each is a record.
    pub records: u64,
}

/// The format of an export, in the field `format` of its first line. Exports before format 2 have neither the field nor an
/// [`ExportEnd`].
pub const EXPORT_FORMAT: u64 = 2;

/// Result of rebuilding tables.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RebuildAnswer {
    /// Number of memories in the rebuilt tables.
    pub memories: u64,
}

/// Result of a quick check that reads a little from every store.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CheckedView {
    /// Number of agents with stores that could be read: all of them, or the call fails.
    pub agents: u64,
    /// Number of agents with a table of another embedding model than the configured one.
    #[serde(default)]
    pub of_another_model: u64,
}

/// A copy of the catalog.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CatalogCopy {
    /// Sequence number of the last change in the copy.
    pub sequence: i64,
}

/// A request to prune what is past a plan.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetainRequest {
    /// Reports what would be pruned under this plan, instead of pruning under the agent's own.
    pub plan: Option<String>,
    /// Only reports what would be pruned.
    pub dry_run: bool,
    /// Prunes even if the clock could not be confirmed.
    pub trust_clock: bool,
}

/// What retention pruned of several agents, or would prune.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RetentionAnswer {
    /// Whether the clock was confirmed, or the request trusts it. If not, nothing is pruned.
    pub clock_confirmed: bool,
    /// Why nothing is pruned, if the clock was not confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_doubt: Option<String>,
    /// One entry for each agent.
    pub agents: Vec<RetainAnswer>,
}

/// What retention pruned, or would prune.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RetainAnswer {
    /// Current name of the agent.
    pub agent: String,
    /// Name of the plan that was applied: the agent's own, or the one in the request.
    pub plan: String,
    /// Whether the memories were pruned. False for a dry run, if the request names a plan, or if the clock was not confirmed.
    pub pruned: bool,
    /// What was pruned, or would be, per grain.
    pub grains: BTreeMap<String, TotalsView>,
    /// Memories that are past the plan but kept.
    pub kept: Vec<KeptView>,
}

/// The size of sets of memories. The memories of a set are covered by the summary of one period.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TotalsView {
    /// Number of sets.
    pub sets: u64,
    /// Number of memories in these sets.
    pub memories: u64,
    /// Size of the text of these memories in bytes.
    pub bytes: u64,
}

/// Memories of one period that are past the plan and are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptView {
    /// Label of the period with the summary that covers them, or has to cover them.
    pub period: String,
    /// Number of memories that are kept.
    pub memories: u64,
    /// Why they are kept.
    pub why: String,
}

impl RetainAnswer {
    pub fn new(agent: &Agent, plan: String, pruned: bool, totals: &[Totals; 6], held: &[Held]) -> RetainAnswer {
        let view = |totals: &Totals| TotalsView { sets: totals.sets, memories: totals.rows, bytes: totals.bytes };
        let kept = |held: &Held| KeptView {
            period: held.children.parent.to_string(),
            memories: held.children.rows,
            why: reason(held.hold).to_owned(),
        };
        RetainAnswer {
            agent: agent.name().to_owned(),
            plan,
            pruned,
            grains: Grain::ALL.iter().zip(totals).map(|(grain, totals)| (grain.to_string(), view(totals))).collect(),
            kept: held.iter().map(kept).collect(),
        }
    }
}

fn reason(hold: Hold) -> &'static str {
    match hold {
        Hold::Pinned => "something in it is pinned",
        Hold::Uncovered => "no summary covers all of it yet; `annals rollup` writes it",
        Hold::Degraded => "its summary was written by the built-in engine, and the model still has to rewrite it",
        Hold::Unread => "facts were not extracted from it yet; `annals rollup` extracts them",
        Hold::Finer => "memories of a finer grain below it are still kept",
    }
}

/// Result of a verification of all stores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerifyAnswer {
    /// Whether all stores are complete and undamaged.
    pub sound: bool,
    /// Descriptions of damage in the catalog; empty if it is sound.
    pub catalog: Vec<String>,
    /// One entry for each agent.
    pub agents: Vec<AgentVerification>,
}

/// Result of the verification of one agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentVerification {
    /// Current name of the agent.
    pub agent: String,
    /// Number of memories in the catalog.
    pub memories: u64,
    /// Days that are missing in a summary that should cover them.
    pub missing_days: Vec<MissingDay>,
    /// Periods that are over and still wait for late messages. This is not a fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_yet_due: Vec<NotYetDueView>,
    /// Differences between tables and the catalog.
    pub tables: Vec<DiscrepancyView>,
    /// Whether the table of facts differs from the log of facts.
    pub facts_differ: bool,
    /// The embedding model of each table with rows, by grain. The model is empty if the vectors are placeholders.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    /// Progress of embedding the tables again with the configured model. Absent if all tables are of that model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reembedding: Option<ReembeddingView>,
}

/// A day that is not in the summary of a period.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MissingDay {
    /// The local day, as in `2026-03-04`.
    pub day: String,
    /// Label of the period with a summary that should cover the day.
    pub period: String,
}

/// A difference between a table and the catalog.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiscrepancyView {
    /// `missing`: the table lacks the memory. `extra`: the catalog lacks it. `stale`: the table has an older text. `damaged`:
    /// the table cannot be read.
    pub problem: String,
    /// Grain of the table.
    pub grain: String,
    /// Id of the memory, or a description of the damage.
    pub what: String,
}

impl From<&Gap> for MissingDay {
    fn from(gap: &Gap) -> MissingDay {
        MissingDay { day: gap.day.to_string(), period: gap.period.to_string() }
    }
}

impl From<&Discrepancy> for DiscrepancyView {
    fn from(found: &Discrepancy) -> DiscrepancyView {
        let (problem, what) = match found {
            Discrepancy::Missing(_, memory) => ("missing", memory.as_str()),
            Discrepancy::Extra(_, memory) => ("extra", memory.as_str()),
            Discrepancy::Stale(_, memory) => ("stale", memory.as_str()),
            Discrepancy::Damaged(_, why) => ("damaged", why.as_str()),
        };
        DiscrepancyView { problem: problem.to_owned(), grain: found.grain().to_string(), what: what.to_owned() }
    }
}
