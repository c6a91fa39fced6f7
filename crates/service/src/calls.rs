//! The operations as calls. A call has a name, and a request and an answer as plain data, so that it can be sent to another
//! process.
//!
//! The command makes calls in its own process, or sends them to the process that owns the data folder. Both run the same
//! [`Call::run`]. A call adds to its operation only what belongs to a request: which agents it addresses, and what happens
//! before and after the operation. Does not depend on sockets or the terminal.
//!
//! The field `agent` of a call is the present or a former name of an agent in the default workspace. In calls that can create
//! an agent, it can also be a new name.

mod agents;
mod costs;
mod documents;
mod facts;
mod host;
mod import;
mod jobs;
mod keys;
mod maintenance;
mod memories;
mod searches;
mod transfer;

use annals_core::{Agent, Result, Timestamp};
use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Caller, ProgressSink, Service};

pub use agents::{ChangeSettings, CreateAgent, DeleteAgent, GetSettings, ListAgents, ListPlans, RenameAgent};
pub use costs::{ListPrices, ReadCosts, RemovePrice, SetPrice};
pub use documents::{DeleteDocument, GetDocument, ListDocuments};
pub use facts::{EnterFact, ExportFacts, FindFacts};
pub use host::{Host, Input, NoInput, NoOutput, Output};
pub use import::{AgentNames, ExportedAgent, Import, ImportItems, ImportLine, MessageItem};
pub use jobs::{ListJobs, RunJob};
pub use keys::{AddKey, LimitKey, ListKeys, RevokeKey};
pub use maintenance::{
    AbandonBatches, BatchRollup, CheckReadable, CopyCatalog, Dump, ListBatches, ListDeadLetters, Rebuild,
    ReplayDeadLetters, Retain, Rollup, Status, Verify,
};
pub use memories::{Correct, Forget, GetMemory, GetSources};
pub use searches::{FindContext, ListConversations, ReadTimeline, Search};
pub use transfer::{Export, ListMemories};

/// A request that another process can send.
pub trait Call: Serialize + DeserializeOwned + Send + 'static {
    /// The name by which another process sends the call. No other call has it.
    const NAME: &'static str;

    type Answer: Serialize + DeserializeOwned + Send;

    /// Runs the operation in the process that owns the data folder.
    fn run(self, context: Context<'_>) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// A call that sends any number of items before its answer, such as the lines of an export.
pub trait SendsItems: Call {
    type Item: Serialize + DeserializeOwned + Send;
}

/// The process, time, input and output that a call runs with.
pub struct Context<'a> {
    pub host: &'a dyn Host,
    /// The time at which the call began. The operations take it as the current time.
    pub now: Timestamp,
    /// Shows the user how far the call is.
    pub progress: &'a dyn ProgressSink,
    /// The items that come with the request.
    pub input: &'a mut dyn Input,
    /// Receives items that come before the answer.
    pub output: &'a mut dyn Output,
}

// The futures borrow the service and not the context, which cannot be shared between threads.
impl<'a> Context<'a> {
    pub fn service(&self) -> &'a Service {
        self.host.service()
    }

    /// Returns the agent of this name of the default workspace, which must exist.
    pub fn agent<'n>(&self, name: &'n str) -> impl Future<Output = Result<Agent>> + Send + use<'a, 'n> {
        let service = self.service();
        async move { service.known(service.agent(&Caller::local(), name).await?).await }
    }

    /// Returns the agent of this name of the default workspace, which need not exist.
    pub fn new_agent<'n>(&self, name: &'n str) -> impl Future<Output = Result<Agent>> + Send + use<'a, 'n> {
        let service = self.service();
        async move { service.agent(&Caller::local(), name).await }
    }

    /// Returns the agent of this name of the default workspace, which must exist; without a name, returns the agents of all
    /// workspaces.
    pub fn agents<'n>(&self, name: Option<&'n str>) -> impl Future<Output = Result<Vec<Agent>>> + Send + use<'a, 'n> {
        self.service().agents_named(name)
    }

    /// Sends an item to the caller. Fails if the caller has gone.
    pub async fn send(&mut self, item: &(impl Serialize + Sync)) -> Result<()> {
        self.output.send(serde_json::to_value(item).expect("wire types are plain data")).await
    }
}

/// The reason why a call of another process was not answered.
#[derive(Debug)]
pub enum Refusal {
    /// No call has this name.
    Unknown,
    /// The request has another format than this version of Annals expects.
    Unreadable(serde_json::Error),
    /// The operation failed.
    Failed(annals_core::Error),
}

type Run = for<'a> fn(Value, Context<'a>) -> BoxFuture<'a, std::result::Result<Value, Refusal>>;

/// Every call, by name.
const CALLS: [(&str, Run); 48] = [
    entry::<ListAgents>(),
    entry::<GetSettings>(),
    entry::<CreateAgent>(),
    entry::<ChangeSettings>(),
    entry::<RenameAgent>(),
    entry::<DeleteAgent>(),
    entry::<ListPlans>(),
    entry::<Search>(),
    entry::<FindContext>(),
    entry::<ReadTimeline>(),
    entry::<ListConversations>(),
    entry::<ListDocuments>(),
    entry::<GetDocument>(),
    entry::<DeleteDocument>(),
    entry::<FindFacts>(),
    entry::<EnterFact>(),
    entry::<ExportFacts>(),
    entry::<GetMemory>(),
    entry::<GetSources>(),
    entry::<Correct>(),
    entry::<Forget>(),
    entry::<Rollup>(),
    entry::<BatchRollup>(),
    entry::<ListBatches>(),
    entry::<AbandonBatches>(),
    entry::<Retain>(),
    entry::<Status>(),
    entry::<ListDeadLetters>(),
    entry::<ReplayDeadLetters>(),
    entry::<Verify>(),
    entry::<Rebuild>(),
    entry::<Dump>(),
    entry::<Import>(),
    entry::<ImportItems>(),
    entry::<Export>(),
    entry::<ListMemories>(),
    entry::<CheckReadable>(),
    entry::<CopyCatalog>(),
    entry::<AddKey>(),
    entry::<ListKeys>(),
    entry::<LimitKey>(),
    entry::<RevokeKey>(),
    entry::<ReadCosts>(),
    entry::<ListPrices>(),
    entry::<SetPrice>(),
    entry::<RemovePrice>(),
    entry::<ListJobs>(),
    entry::<RunJob>(),
];

const fn entry<C: Call>() -> (&'static str, Run) {
    (C::NAME, run::<C>)
}

fn run<'a, C: Call>(request: Value, context: Context<'a>) -> BoxFuture<'a, std::result::Result<Value, Refusal>> {
    Box::pin(async move {
        let call: C = serde_json::from_value(request).map_err(Refusal::Unreadable)?;
        let answer = call.run(context).await.map_err(Refusal::Failed)?;
        Ok(serde_json::to_value(answer).expect("wire types are plain data"))
    })
}

/// Runs the call of this name with the request as JSON, and returns its answer as JSON.
pub async fn answer(name: &str, request: Value, context: Context<'_>) -> std::result::Result<Value, Refusal> {
    let found = CALLS.iter().find(|(known, _)| *known == name);
    let (_, run) = found.ok_or(Refusal::Unknown)?;
    run(request, context).await
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::CALLS;

    #[test]
    fn each_call_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = CALLS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), CALLS.len());
    }
}
