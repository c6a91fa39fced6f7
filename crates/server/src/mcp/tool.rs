//! What a tool is, the list of them, and how one is called by name.

use std::sync::LazyLock;

use annals_core::ports::Scope;
use annals_core::{Agent, Error, Timestamp};
use futures::future::BoxFuture;
use rmcp::model::{JsonObject, Tool as Definition};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::add_memory::AddMemory;
use super::forget_memory::ForgetMemory;
use super::get_memory::GetMemory;
use super::memory_context::MemoryContext;
use super::refusal::Refusal;
use super::search_facts::SearchFacts;
use super::search_memory::SearchMemory;
use super::timeline::Timeline;
use super::{Asker, definition};
use crate::{Service, arguments};

/// One tool, as a type.
pub(super) trait Tool: 'static {
    /// How it is called.
    const NAME: &'static str;
    /// What people see.
    const TITLE: &'static str;
    /// When a model should use it, and how.
    const DESCRIPTION: &'static str;
    /// What a key must have.
    const SCOPE: Scope;
    /// What it does to memory.
    const EFFECT: Effect;
    /// What it is called with.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// What the operation answers.
    type Answer: Send;
    /// What programs get of it: never the words of a memory but within the fenced text.
    type Structured: Serialize + JsonSchema + 'static;

    /// Does it.
    fn call(
        service: &Service,
        agent: &Agent,
        arguments: Self::Arguments,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;

    /// The answer in words for a model: what memory holds stands between marks, one dated line each.
    fn text(answer: &Self::Answer) -> String;

    /// The answer for programs, with its text. Some clients show a model this alone.
    fn structured(answer: Self::Answer, text: &str) -> Self::Structured;
}

/// What a tool does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// Something is there afterwards that was not there before.
    Adds,
    /// Something is gone afterwards.
    Destroys,
}

/// An answer, for a model and for programs.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// In words.
    pub(crate) text: String,
    /// As the schema of the tool's output says.
    pub(crate) structured: Value,
}

/// A tool in the list.
pub(super) struct Entry {
    pub(super) scope: Scope,
    pub(super) definition: Definition,
    run: Run,
}

type Run = for<'a> fn(&'a Service, &'a Agent, JsonObject, Timestamp) -> BoxFuture<'a, Result<Reply, Refusal>>;

/// All tools, those first that a model should try first.
pub(super) static TOOLS: LazyLock<[Entry; 7]> = LazyLock::new(|| {
    [
        entry::<SearchMemory>(),
        entry::<GetMemory>(),
        entry::<Timeline>(),
        entry::<SearchFacts>(),
        entry::<MemoryContext>(),
        entry::<AddMemory>(),
        entry::<ForgetMemory>(),
    ]
});

fn entry<T: Tool>() -> Entry {
    Entry {
        scope: T::SCOPE,
        definition: definition::define::<T>(),
        run: |service, agent, arguments, now| Box::pin(answer::<T>(service, agent, arguments, now)),
    }
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|entry| entry.definition.name == name)
}

/// Calls a tool by its name, as somebody who may or may not use it.
pub(crate) async fn run(
    service: &Service,
    asker: &Asker,
    name: &str,
    mut arguments: JsonObject,
) -> Result<Reply, Refusal> {
    let tool = find(name).ok_or_else(|| Refusal::NoSuchTool(name.to_owned()))?;
    if !asker.caller.may(tool.scope) {
        return Err(Refusal::Scope(tool.scope));
    }
    // Models fill what they do not mean with null or an empty text.
    arguments.retain(|_, value| !value.is_null() && value != "");
    let agent = asker.agent(service, arguments.remove("agent")).await?;
    // The memory of an agent begins with its first message, as over REST.
    let agent = if tool.scope == Scope::Ingest { agent } else { service.known(agent).await? };
    (tool.run)(service, &agent, arguments, service.now()).await
}

async fn answer<T: Tool>(
    service: &Service,
    agent: &Agent,
    arguments: JsonObject,
    now: Timestamp,
) -> Result<Reply, Refusal> {
    let arguments = arguments::from_value(Value::Object(arguments), "the call").map_err(Refusal::Arguments)?;
    let answer = T::call(service, agent, arguments, now).await?;
    let text = T::text(&answer);
    let structured = serde_json::to_value(T::structured(answer, &text));
    let structured = structured.map_err(|error| Error::storage("writing the answer", error))?;
    Ok(Reply { text, structured })
}
