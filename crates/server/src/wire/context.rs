//! Context for a prompt, and the blocks that are always in it.

use annals_core::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a prompt should be answered with in mind.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextWish {
    /// The prompt, or the last message.
    #[schema(example = "What should I bring Ann for her birthday?", min_length = 1)]
    pub prompt: String,
    /// The most tokens of the text that comes back: 64 to 100,000.
    #[serde(default = "budget")]
    #[schema(minimum = 64, maximum = 100_000, default = 2000)]
    pub budget_tokens: u64,
    /// Who asks; what is known about them counts as well.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The conversation that is going on.
    #[serde(default)]
    pub conversation: Option<String>,
    /// First day, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>")]
    pub from: Option<Date>,
    /// Last day, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Date>,
    /// Texts of your own that compete for the budget.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub documents: Vec<DocumentIn>,
}

fn budget() -> u64 {
    2000
}

/// A text of the caller's.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentIn {
    /// What to call it in the answer.
    pub id: String,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// Its words.
    pub text: String,
}

/// Context within the budget.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ContextAnswer {
    /// Whose memory.
    pub agent: String,
    /// To be put into a prompt as it is: lines with short ids below their days, fenced as data, so that a model does not take them
    /// for instructions.
    pub text: String,
    /// What the text is made of, in its order.
    pub items: Vec<ContextItemView>,
    /// Tokens of the text, as estimated.
    pub tokens: u64,
    /// How many more would have fitted the question but not the budget.
    pub omitted: usize,
    /// Whether memory knows anything about the prompt. If not, the text holds facts about the speaker at most, besides blocks,
    /// documents and the conversation that goes on.
    pub known: bool,
    /// What to try, where something was left out or nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the configured model has put the best into its order; absent where none is configured for this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<bool>,
    /// Why it has not, though it was asked: the order is then the one without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reranked_because: Option<String>,
}

/// One piece of context.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct ContextItemView {
    /// Id of the memory, fact or document, or name of the block.
    pub id: String,
    /// Its id in the text, unique within this answer; absent of a block.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false, example = "t1")]
    #[schemars(default)]
    pub short: String,
    /// `block`, `fact`, `turn`, `statement`, `summary` or `document`.
    pub kind: String,
    /// What it covers in time, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<String>,
    /// The words; of a summary one line a sentence.
    pub text: String,
    /// How well it fits.
    pub score: f64,
    /// Tokens, as estimated.
    pub tokens: u64,
}

/// A small text that is always in context: persona, human, project …
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockView {
    /// Its name: 1 to 64 bytes.
    #[schema(example = "human", min_length = 1, max_length = 64)]
    pub name: String,
    /// The words, at most 16 KiB; an empty text removes the block.
    #[schema(example = "Ann, a nurse in Bern. Prefers short answers.")]
    pub text: String,
    /// When it was last written. Sent back in a request it means nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, read_only)]
    #[schemars(with = "Option<String>")]
    pub updated_at: Option<annals_core::Timestamp>,
}

/// Blocks to write; those that are not named stay as they are.
#[derive(Clone, Debug, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlocksRequest {
    /// The blocks.
    #[schema(max_items = 32)]
    pub blocks: Vec<BlockView>,
}

/// An agent's blocks, by name.
#[derive(Clone, Debug, Serialize, JsonSchema, ToSchema)]
pub struct BlocksView {
    /// Whose.
    pub agent: String,
    /// The blocks.
    pub blocks: Vec<BlockView>,
}
