//! The tool `get_memory`: one memory in full, and what it was made from.

use annals_core::Agent;
use annals_core::Timestamp;
use annals_core::ports::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{MemoryReference, references};
use super::text;
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{MemoryAnswer, MemoryView};

pub(super) struct GetMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// The id, as it stands in brackets in the lines of other answers.
    id: String,
    /// Whether to show what it was made from as well: the turns of a summary or statement.
    #[serde(default)]
    sources: bool,
}

/// One memory in full, and what it was made from, in order of time, when that was asked for.
pub(super) struct Answer {
    found: MemoryAnswer,
    sources: Option<Vec<MemoryView>>,
}

/// What one memory is.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Whose memory.
    agent: String,
    /// For the model: the memory stands between marks, as data.
    text: String,
    /// The memory.
    memory: MemoryReference,
    /// What it was made from, in order of time, when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Vec<MemoryReference>>,
}

impl Tool for GetMemory {
    const NAME: &'static str = "get_memory";
    const TITLE: &'static str = "Get one memory";
    const DESCRIPTION: &'static str = "Shows one memory in full by its id; with sources also what it was made from, to see who \
        said something, when, and in which words.";
    const SCOPE: Scope = Scope::Search;
    const EFFECT: Effect = Effect::Reads;
    type Arguments = Arguments;
    type Answer = Answer;
    type Structured = Structured;

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, _: Timestamp) -> Result<Answer, Refusal> {
        let found = service.memory(agent, &arguments.id).await?;
        let sources = if arguments.sources { Some(service.sources(agent, &arguments.id).await?.sources) } else { None };
        Ok(Answer { found, sources })
    }

    fn text(answer: &Answer) -> String {
        let memory = &answer.found.memory;
        let mut lines = vec![format!("{}: {}", text::heading(memory), memory.text)];
        lines.extend(
            answer.found.versions.iter().map(|former| format!("until {}: {}", former.replaced_at, former.text)),
        );
        lines.extend(answer.sources.iter().flatten().map(text::memory));
        let told = match &answer.sources {
            None => "One memory".to_owned(),
            Some(sources) => format!("One memory, then {}", text::count(sources.len(), "source", "sources")),
        };
        // Its name is words of whoever sent it, like all that stands between the marks.
        lines.extend(memory.conversation.as_ref().map(|name| format!("conversation: {name}")));
        format!("{told}.\n{}", text::fenced(&lines))
    }

    fn structured(answer: Answer, text: &str) -> Structured {
        let Answer { found: MemoryAnswer { agent, memory, .. }, sources } = answer;
        Structured { agent, text: text.to_owned(), memory: memory.into(), sources: sources.map(references) }
    }
}
