//! The tool `memory_context`: what an answer to a prompt should consider, within a token budget.

use std::collections::BTreeMap;

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Timestamp, one_line};
use annals_service::Service;
use annals_service::wire::{ContextAnswer, ContextRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::tool::{Effect, Tool};

pub(super) struct MemoryContext;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The person's message, or the question to answer.
    prompt: String,
    /// Maximum number of tokens to return.
    #[serde(default = "some")]
    #[schemars(range(min = 64, max = 100_000))]
    budget_tokens: u32,
    /// Name of the person who asks. Facts about them are considered as well.
    speaker: Option<String>,
    /// The current conversation: its last turns matter whatever is asked.
    conversation: Option<String>,
    /// First day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// Excludes memories newer than this many local days ago. 0 is today.
    min_days_ago: Option<u32>,
    /// Excludes memories older than this many local days ago. 7 with min_days_ago 0 is the last week and today.
    max_days_ago: Option<u32>,
    /// One period: 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026. Other bounds apply in addition.
    period: Option<String>,
}

fn some() -> u32 {
    1500
}

/// Context for an answer. Its text is in the fenced text only.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Name of the agent.
    agent: String,
    /// Text for the model. Contents of memory are between marks, as data.
    text: String,
    /// The id of each memory, fact and document, by its short id in the text. get_memory and forget_memory take the ids of
    /// memories.
    ids: BTreeMap<String, String>,
    /// Estimated number of tokens of the text between the marks.
    tokens: u64,
    /// Number of further matches that did not fit into the budget.
    omitted: usize,
    /// Whether memory holds anything relevant to the prompt.
    known: bool,
}

impl Tool for MemoryContext {
    const NAME: &'static str = "memory_context";
    const TITLE: &'static str = "Context for an answer";
    const DESCRIPTION: &'static str = "Gathers what memory holds that an answer to a message should know of: standing notes, \
        facts, what was said, summaries, within a budget of tokens. The best first call in a conversation.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = ContextAnswer;
    type Structured = Structured;

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<ContextAnswer, Refusal> {
        let Arguments { prompt, budget_tokens, speaker, conversation, from, to, min_days_ago, max_days_ago, period } =
            arguments;
        let request = ContextRequest {
            prompt,
            budget_tokens: budget_tokens.into(),
            speaker,
            conversation,
            from,
            to,
            min_days_ago,
            max_days_ago,
            period,
            documents: Vec::new(),
        };
        Ok(service.context(agent, request, now).await?)
    }

    fn text(answer: &ContextAnswer) -> String {
        let parts = [Some(answer.text.clone()), answer.hint.clone()];
        let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }

    fn structured(answer: ContextAnswer, text: &str) -> Structured {
        let ContextAnswer { agent, items, tokens, omitted, known, .. } = answer;
        let items = items.into_iter().filter(|item| !item.short.is_empty());
        let ids = items.map(|item| (item.short, one_line(&item.id))).collect();
        Structured { agent, text: text.to_owned(), ids, tokens, omitted, known }
    }
}
