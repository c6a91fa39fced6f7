//! The lines of a call and of its answer.

use annals_core::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error_frame::ErrorFrame;

/// The first line of a call. Items of input follow, one JSON value per line.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    /// Version of the program that calls.
    pub version: String,
    pub call: String,
    /// Time that the operation uses as the current time; `None` for the clock of the service.
    pub now: Option<Timestamp>,
    /// Whether the caller shows progress.
    pub shows_progress: bool,
    pub request: Value,
}

/// A line of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frame<A = Value> {
    /// A stage of the operation begins.
    Begin {
        /// Number of the stage within the answer.
        stage: u64,
        /// What the stage does, as shown beside its progress bar, such as `embedding`.
        name: String,
        /// Total number of items of the stage.
        items: u64,
    },
    /// This many further items of a stage are finished.
    Advance { stage: u64, items: u64 },
    /// A note about the work of a stage.
    Note {
        stage: u64,
        /// Text for the user, shown beside the progress bar.
        text: String,
    },
    /// A stage ends.
    End { stage: u64 },
    /// An item of output.
    Item(Value),
    /// The answer; the last line.
    Answer(A),
    /// The operation failed; the last line.
    Failed(ErrorFrame),
    /// The service does not understand the call; the last line.
    NotUnderstood {
        /// Version of the service.
        version: String,
        /// What the service did not understand.
        reason: String,
    },
}
