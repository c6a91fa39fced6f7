//! Calls that search and list memories. Searches first make waiting messages searchable, so that a command finds what the
//! previous command stored. They do not if so many messages wait that this would take minutes.

use annals_core::{Agent, Error, Result};
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::Service;
use crate::wire::{
    ContextAnswer, ContextRequest, ConversationsAnswer, PageRequest, SearchAnswer, SearchRequest, TimelineAnswer,
    TimelineRequest,
};

/// Maximum number of changes for which a search waits until they are searchable. Two cores embed this many in about a minute.
const MAX_AWAITED: u64 = 5_000;

/// Makes the stored messages of an agent searchable. Returns why this was not done if too many wait, the embedding model
/// fails, or a store fails, for example on a full disk; the caller then searches what is searchable already. First embeds the
/// question, because that call to the model waits for a short time only.
async fn make_searchable(service: &Service, agent: &Agent, question: Option<&str>) -> Result<Option<String>> {
    let backlog = service.parts.writer.backlog(agent).await?;
    if backlog == 0 {
        return Ok(None);
    }
    if backlog > MAX_AWAITED {
        let how = "a running `annals serve`, `annals rollup` or the import itself makes them searchable";
        return Ok(Some(format!("{backlog} messages wait to be embedded; {how}")));
    }
    let made = match service.parts.writer.try_model(question.unwrap_or("question")).await {
        Err(error) if error.is_outage() => Err(error),
        _ => service.make_searchable(agent, &|_| ()).await,
    };
    match made {
        Err(error) if error.is_outage() || error.is_of_input() => {
            Ok(Some(format!("{error}; new messages are found when the model answers")))
        }
        Err(error @ Error::Storage { .. }) => Ok(Some(error.to_string())),
        made => made.map(|_| None),
    }
}

/// Searches memories.
#[derive(Debug, Serialize, Deserialize)]
pub struct Search {
    /// Name of the agent.
    pub agent: String,
    /// What to search for.
    pub request: SearchRequest,
}

impl Call for Search {
    const NAME: &'static str = "search";
    type Answer = SearchAnswer;

    async fn run(self, context: Context<'_>) -> Result<SearchAnswer> {
        let agent = context.agent(&self.agent).await?;
        let incomplete_because = make_searchable(context.service(), &agent, self.request.query.as_deref()).await?;
        let answer = context.service().search(&agent, self.request, context.now).await?;
        Ok(SearchAnswer { incomplete_because, ..answer })
    }
}

/// Returns the context for a prompt.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindContext {
    /// Name of the agent.
    pub agent: String,
    /// The prompt and the limits of its context.
    pub request: ContextRequest,
}

impl Call for FindContext {
    const NAME: &'static str = "find_context";
    type Answer = ContextAnswer;

    async fn run(self, context: Context<'_>) -> Result<ContextAnswer> {
        let agent = context.agent(&self.agent).await?;
        let incomplete_because = make_searchable(context.service(), &agent, Some(&self.request.prompt)).await?;
        let answer = context.service().context(&agent, self.request, context.now).await?;
        Ok(ContextAnswer { incomplete_because, ..answer })
    }
}

/// Returns a page of memories in order of time.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadTimeline {
    /// Name of the agent.
    pub agent: String,
    /// The range, and the page.
    pub request: TimelineRequest,
}

impl Call for ReadTimeline {
    const NAME: &'static str = "read_timeline";
    type Answer = TimelineAnswer;

    async fn run(self, context: Context<'_>) -> Result<TimelineAnswer> {
        let agent = context.agent(&self.agent).await?;
        context.service().timeline(&agent, self.request, context.now).await
    }
}

/// Returns a page of conversations.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListConversations {
    /// Name of the agent.
    pub agent: String,
    pub request: PageRequest,
}

impl Call for ListConversations {
    const NAME: &'static str = "list_conversations";
    type Answer = ConversationsAnswer;

    async fn run(self, context: Context<'_>) -> Result<ConversationsAnswer> {
        context.service().conversations(&context.agent(&self.agent).await?, self.request).await
    }
}
