//! The tool `get_memory`: one memory in full, and what it was made from.

use annals_core::ports::Scope;
use annals_core::{Agent, Timestamp, Zones};
use annals_service::Service;
use annals_service::wire::{MemoryAnswer, MemoryView, VersionView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::structured::{MemoryReference, references};
use super::text::{self, Entry};
use super::tool::{Effect, Tool};

pub(super) struct GetMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The id, as shown in brackets in the lines of other answers.
    id: String,
    /// Whether to also show what it was made from: turns, or summaries of the finer grain.
    #[serde(default)]
    sources: bool,
}

/// One memory in full, and the memories that it was made from, in order of time, if requested.
pub(super) struct Answer {
    found: MemoryAnswer,
    sources: Option<Vec<MemoryView>>,
    zones: Zones,
    now: Timestamp,
}

impl Answer {
    /// Returns the entry of a former text, with the local day until which the memory had it.
    fn former(&self, version: &VersionView) -> Entry {
        let at = &version.replaced_at;
        let day = at.parse().map_or_else(|_| at.clone(), |at| self.zones.day_of(at).to_string());
        format!("until {day}: {}", version.text).into()
    }
}

/// One memory by its id.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Name of the agent.
    agent: String,
    /// Text for the model. The memory is between marks, as data.
    text: String,
    /// Grain, kind and days of the memory.
    memory: MemoryReference,
    /// What the memory was made from, in order of time, if requested.
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

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, now: Timestamp) -> Result<Answer, Refusal> {
        let found = service.memory(agent, &arguments.id).await?;
        let sources = if arguments.sources { Some(service.sources(agent, &arguments.id).await?.sources) } else { None };
        let zones = service.zones(agent).await?;
        Ok(Answer { found, sources, zones, now })
    }

    fn text(answer: &Answer) -> String {
        let memory = &answer.found.memory;
        let mut lines = vec![text::whole(memory)];
        lines.extend(answer.found.versions.iter().map(|former| answer.former(former)));
        lines.extend(answer.sources.iter().flatten().map(text::memory));
        let heading = match &answer.sources {
            None => "One memory".to_owned(),
            Some(sources) => format!("One memory, then {}", text::count(sources.len(), "source", "sources")),
        };
        // The name of the conversation is text of its sender, so it goes between the marks as well.
        lines.extend(memory.conversation.as_ref().map(|name| format!("conversation: {name}").into()));
        format!("{heading}. {}\n{}", text::zone(answer.zones.name_at(answer.now)), text::fenced(&lines))
    }

    fn structured(answer: Answer, text: &str) -> Structured {
        let Answer { found: MemoryAnswer { agent, memory, .. }, sources, .. } = answer;
        Structured { agent, text: text.to_owned(), memory: memory.into(), sources: sources.map(references) }
    }
}
