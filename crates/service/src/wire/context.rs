//! Context for a prompt, and the blocks that are part of every context.

use annals_core::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for the context of a prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// The prompt to answer, or the last message of the conversation. Memories, facts and documents are searched with it.
    #[schema(example = "What should I bring Ann for her birthday?", min_length = 1)]
    pub prompt: String,
    /// Maximum number of tokens of the returned text: 64 to 100,000.
    #[serde(default = "budget")]
    #[schema(minimum = 64, maximum = 100_000, default = 2000)]
    pub budget_tokens: u64,
    /// Name of the person who asks. Facts about them are considered as well.
    #[serde(default)]
    pub speaker: Option<String>,
    /// Name of the conversation that the prompt belongs to. The last turns of it are considered as well, whether or not they
    /// match.
    #[serde(default)]
    pub conversation: Option<String>,
    /// First local day of the memories to consider, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>")]
    pub from: Option<Date>,
    /// Last local day of the memories to consider, inclusive.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = Date)]
    #[schemars(with = "Option<String>")]
    pub to: Option<Date>,
    /// Excludes memories newer than this many local days ago. 0 is today.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago.
    #[serde(default)]
    #[schema(maximum = 1_000_000)]
    pub max_days_ago: Option<u32>,
    /// One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition.
    #[serde(default)]
    pub period: Option<String>,
    /// Your own texts, with at most 512 KiB together. Their parts compete with memories for the budget. They are not stored.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub documents: Vec<DocumentIn>,
}

fn budget() -> u64 {
    2000
}

/// A text of your own, from which the context may quote.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentIn {
    /// Id of the text, which the answer repeats in `items`: at most 1,024 bytes.
    pub id: String,
    /// Title of the text, which is compared with the prompt together with every part: at most 1,024 bytes.
    #[serde(default)]
    pub title: Option<String>,
    /// The text itself. Long texts are split into parts.
    pub text: String,
}

/// Context within the token budget.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ContextAnswer {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// Text to insert into a prompt as it is: lines with short ids below their days, fenced as data so that a model does not
    /// take them for instructions.
    pub text: String,
    /// The pieces of the text, in the same order.
    pub items: Vec<ContextItemView>,
    /// Estimated number of tokens of the text.
    pub tokens: u64,
    /// Number of further matches that did not fit into the budget.
    pub omitted: usize,
    /// Whether memory holds anything relevant to the prompt. If not, the text contains at most a few lines that resemble the
    /// prompt and facts about the speaker, besides blocks, documents and the current conversation.
    pub known: bool,
    /// What to try, if something was left out or nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none
    /// may read this agent's memories, or there was nothing to order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<bool>,
    /// Why the rerank model did not order the results although it was called. The results then keep the order that they have
    /// without the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_reranked_because: Option<String>,
    /// Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if
    /// vectors were compared everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_alone_because: Option<String>,
    /// Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are
    /// searchable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete_because: Option<String>,
}

/// One piece of the context: a block, fact, memory or part of a document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ContextItemView {
    /// Id of the memory, fact or document, or name of the block.
    pub id: String,
    /// Id within the text. Only the parts of one document of the request share an id. Absent for a block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, example = "t1")]
    pub short: String,
    /// `block`, `fact`, `turn`, `statement`, `summary` or `document`.
    pub kind: String,
    /// Days that the piece covers; of a fact, the days on which it was said. Absent for blocks and documents of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<String>,
    /// The text. A summary has one line per sentence.
    pub text: String,
    /// Relevance to the prompt: higher is better, comparable within one answer only.
    pub score: f64,
    /// Estimated number of tokens that the piece takes in the text.
    pub tokens: u64,
}

/// A short text that is part of every context, such as persona, human or project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockView {
    /// Name of the block: 1 to 64 bytes.
    #[schema(example = "human", min_length = 1, max_length = 64)]
    pub name: String,
    /// Content of the block: at most 16 KiB. An empty text removes the block.
    #[schema(example = "Ann, a nurse in Bern. Prefers short answers.")]
    pub text: String,
    /// When the block was last written. Ignored in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime, read_only)]
    #[schemars(with = "Option<String>")]
    pub updated_at: Option<annals_core::Timestamp>,
}

/// Blocks to write. Blocks that are not listed stay unchanged.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlocksRequest {
    /// Blocks to write. One with an empty text is removed. Of several with one name, the last counts.
    #[schema(max_items = 32)]
    pub blocks: Vec<BlockView>,
}

/// Blocks of an agent, ordered by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct BlocksView {
    /// Current name of the agent. Requests may also use its former names.
    pub agent: String,
    /// All blocks of the agent.
    pub blocks: Vec<BlockView>,
}
