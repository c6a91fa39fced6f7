//! What happens to sentences that their sources do not support.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a sentence of a model's summary that names, numbers, dates or negations of its sources do not support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ungrounded {
    /// It is kept and marked.
    #[default]
    Mark,
    /// It is left out. If nothing is left, the answer counts as unusable.
    Drop,
}
