//! Calls that search and list memories. Searches first make waiting messages searchable, so that a command finds what the
//! previous command stored. If more than 5,000 changes wait, which takes minutes, a search does not wait for them.

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

/// Makes the stored messages of an agent searchable. Returns `None` if all are searchable then. Otherwise returns the reason:
/// too many messages wait, the embedding model fails or refuses a text, or a store fails, for example on a full disk. The
/// caller then searches what is searchable already. Fails on other errors, such as a damaged table. Embeds the question first,
/// because that call to the model has a short time limit.
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

/// Searches the memories of an agent, waiting messages included if they are not too many.
#[derive(Debug, Serialize, Deserialize)]
pub struct Search {
    pub agent: String,
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

/// Returns the context for a prompt, from waiting messages too if they are not too many.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindContext {
    pub agent: String,
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
    pub agent: String,
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

/// Returns a page of an agent's conversations, ordered by name.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListConversations {
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
