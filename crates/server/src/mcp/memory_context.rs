//! The tool `memory_context`: what an answer to a prompt should know of, within a budget.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::refusal::Refusal;
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{ContextAnswer, ContextWish};

pub(super) struct MemoryContext;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// The person's message, or the question that is to be answered.
    prompt: String,
    /// The most tokens of what comes back.
    #[serde(default = "some")]
    #[schemars(range(min = 64, max = 100_000))]
    budget_tokens: u32,
    /// Who asks; what is known of them counts as well.
    speaker: Option<String>,
    /// The conversation that goes on: its last turns matter whatever is asked.
    conversation: Option<String>,
    /// First day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
}

fn some() -> u32 {
    1500
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

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<ContextAnswer, Refusal> {
        let Arguments { prompt, budget_tokens, speaker, conversation, from, to } = arguments;
        let wish = ContextWish {
            prompt,
            budget_tokens: budget_tokens.into(),
            speaker,
            conversation,
            from,
            to,
            documents: Vec::new(),
        };
        Ok(service.context(agent, wish, now).await?)
    }

    fn text(answer: &ContextAnswer) -> String {
        if answer.items.is_empty() {
            return "Memory holds nothing that fits. Try search_memory with other words, or other dates.".to_owned();
        }
        let more = match answer.omitted {
            0 => String::new(),
            omitted => format!("\n{omitted} more would have fitted; ask for a larger budget, or search_memory."),
        };
        format!("{}{more}", answer.text)
    }
}
