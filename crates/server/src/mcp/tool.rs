//! The trait of a tool, the list of all tools, and calls by name.

use std::sync::LazyLock;

use annals_core::ports::{RequestKey, Scope};
use annals_core::{Agent, Error, Timestamp};
use annals_service::Service;
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
use crate::arguments;

/// A tool. Implemented by a type without data.
pub(super) trait Tool: 'static {
    /// Name by which models call the tool, such as `search_memory`.
    const NAME: &'static str;
    /// Title that MCP clients show to people.
    const TITLE: &'static str;
    /// When a model should use it, and how.
    const DESCRIPTION: &'static str;
    /// Scope that a key needs to list and to call the tool.
    const SCOPE: Scope;
    const EFFECT: Effect;
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// Result of [`Tool::call`], before it is formatted.
    type Answer: Send;
    /// Answer for programs. It contains text of a memory only within the fenced text.
    type Structured: Serialize + JsonSchema + 'static;

    /// Adds the key by which a call that is sent again is recognised. By default the key is ignored: most tools may run twice
    /// without harm.
    fn keyed(arguments: Self::Arguments, _: RequestKey) -> Self::Arguments {
        arguments
    }

    /// Runs the operation of the service that the tool stands for.
    fn call(
        service: &Service,
        agent: &Agent,
        arguments: Self::Arguments,
        now: Timestamp,
    ) -> impl Future<Output = Result<Self::Answer, Refusal>> + Send;

    /// Returns the answer as text for a model. Contents of memory are between marks, as dated entries.
    fn text(answer: &Self::Answer) -> String;

    /// Returns the answer for programs. It includes `text`, because some clients show a model only this answer.
    fn structured(answer: Self::Answer, text: &str) -> Self::Structured;
}

/// Effect of a tool on memory. Announced to MCP clients as hints, by which they may ask the user before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Changes nothing.
    Reads,
    /// Adds something.
    Adds,
    /// Removes something.
    Destroys,
}

/// The answer of a call, in both of its forms.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// Text for a model.
    pub(crate) text: String,
    /// Value that fits the output schema of the tool.
    pub(crate) structured: Value,
}

/// A tool, with its types erased.
pub(super) struct Entry {
    pub(super) scope: Scope,
    pub(super) definition: Definition,
    run: Run,
}

type Run = for<'a> fn(
    &'a Service,
    &'a Agent,
    JsonObject,
    Option<RequestKey>,
    Timestamp,
) -> BoxFuture<'a, Result<Reply, Refusal>>;

/// All tools, in the order in which they are listed.
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
        run: |service, agent, arguments, key, now| Box::pin(answer::<T>(service, agent, arguments, key, now)),
    }
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|entry| entry.definition.name == name)
}

/// Calls a tool by its name, if the caller has the scope for it.
pub(crate) async fn run(service: &Service, asker: &Asker, name: &str, arguments: JsonObject) -> Result<Reply, Refusal> {
    run_once(service, asker, name, arguments, None).await
}

/// Does the same as [`run`]. A call of `add_memory` with the key of an earlier call adds nothing.
pub(super) async fn run_once(
    service: &Service,
    asker: &Asker,
    name: &str,
    mut arguments: JsonObject,
    key: Option<RequestKey>,
) -> Result<Reply, Refusal> {
    let tool = find(name).ok_or_else(|| Refusal::NoSuchTool(name.to_owned()))?;
    if !asker.caller.may(tool.scope) {
        return Err(Refusal::Scope(tool.scope));
    }
    // Models send null or an empty text for arguments that they do not use.
    arguments.retain(|_, value| !value.is_null() && value != "");
    let agent = asker.agent(service, arguments.remove("agent")).await?;
    // A new agent begins with its first message, as over REST, so it need not exist.
    let agent = if tool.scope == Scope::Ingest { agent } else { service.known(agent).await? };
    (tool.run)(&service.called_by(&asker.caller), &agent, arguments, key, service.now()).await
}

async fn answer<T: Tool>(
    service: &Service,
    agent: &Agent,
    arguments: JsonObject,
    key: Option<RequestKey>,
    now: Timestamp,
) -> Result<Reply, Refusal> {
    let arguments = arguments::from_value(Value::Object(arguments), "the call").map_err(Refusal::Arguments)?;
    let arguments = match key {
        Some(key) => T::keyed(arguments, key),
        None => arguments,
    };
    let answer = T::call(service, agent, arguments, now).await?;
    let text = T::text(&answer);
    let structured = serde_json::to_value(T::structured(answer, &text));
    let structured = structured.map_err(|error| Error::storage("writing the answer", error))?;
    Ok(Reply { text, structured })
}

// Names of grains for schemas that a model reads. Without comments the schema is a plain list of names, which costs few tokens and
// is understood by all providers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum GrainName {
    Working,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}
