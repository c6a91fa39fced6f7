//! The tool `add_memory`: stores a text word for word.

use std::time::Duration;

use annals_core::ports::{RequestKey, Scope};
use annals_core::{Agent, IngestReceipt, Role, Timestamp};
use annals_service::Service;
use annals_service::wire::{IngestRequest, Ingested, MessageIn, Progress};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::tool::{Effect, Tool};

/// Maximum time that an answer waits until the message is searchable: long enough for a Raspberry Pi to embed one message.
/// After that the answer only says that it is not searchable yet.
const WAIT: Duration = Duration::from_secs(5);

pub(super) struct AddMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// What to remember, in full sentences that can be understood without this conversation.
    content: String,
    /// Who says it: user for the person, assistant for yourself.
    #[serde(default)]
    role: Assertion,
    /// The speaker's name, such as Ann. Give it whenever you know it: facts are kept under it, and without it under "user".
    name: Option<String>,
    /// When it was said or happened, with an offset, such as 2026-03-04T18:30:00Z; now if it is left out.
    #[schemars(with = "Option<String>", extend("format" = "date-time"))]
    at: Option<Timestamp>,
    /// The conversation it belongs to.
    #[serde(default = "notes")]
    conversation: String,
    /// Set by the stream that the call came on.
    #[serde(skip)]
    key: Option<RequestKey>,
}

/// Roles for which a model may store memories. Instructions and answers of tools are no memories.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Assertion {
    #[default]
    User,
    Assistant,
}

impl From<Assertion> for Role {
    fn from(assertion: Assertion) -> Role {
        match assertion {
            Assertion::User => Role::User,
            Assertion::Assistant => Role::Assistant,
        }
    }
}

fn notes() -> String {
    "notes".to_owned()
}

impl Tool for AddMemory {
    const NAME: &'static str = "add_memory";
    const TITLE: &'static str = "Remember something";
    const DESCRIPTION: &'static str = "Keeps something word for word in long-term memory: a fact, a preference, a decision, a \
        plan. It is stored for good when this answers, searchable a moment later, and part of the summaries of its day, week, \
        month, quarter and year once they are over. Do not add what memory itself told you.";
    const SCOPE: Scope = Scope::Ingest;
    const EFFECT: Effect = Effect::Adds;
    type Arguments = Arguments;
    type Answer = Ingested;
    type Structured = Ingested;

    fn keyed(arguments: Arguments, key: RequestKey) -> Arguments {
        Arguments { key: Some(key), ..arguments }
    }

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, now: Timestamp) -> Result<Ingested, Refusal> {
        let settings = service.admit(agent).await?;
        let accepted = match arguments.key {
            Some(key) => service.ingest_once(agent, &settings, &key, request(arguments), now).await?,
            None => service.ingest(agent, &settings, request(arguments), now).await?,
        };
        let status = service.wait(agent, &accepted.operation, Progress::Searchable, WAIT).await?;
        let IngestReceipt { id, accepted: new, duplicate, revised, forgotten, masked, .. } = accepted.operation;
        Ok(Ingested {
            operation_id: id,
            status,
            accepted: new,
            duplicate,
            revised,
            forgotten,
            masked,
            ignored_fields: accepted.ignored,
        })
    }

    fn text(answer: &Ingested) -> String {
        let kept = match answer {
            Ingested { accepted: 0, forgotten: 1.., .. } => "Not stored, because it was forgotten before.",
            Ingested { accepted: 0, .. } => "It was already stored.",
            Ingested { status: Progress::Accepted, .. } => "Stored for good; searches will find it soon.",
            _ => "Stored for good, and found by searches.",
        };
        let masked = if answer.masked > 0 { " A credential in it was masked." } else { "" };
        format!("{kept}{masked}")
    }

    fn structured(answer: Ingested, _: &str) -> Ingested {
        answer
    }
}

fn request(arguments: Arguments) -> IngestRequest {
    let message = MessageIn {
        role: arguments.role.into(),
        content: arguments.content,
        conversation: Some(arguments.conversation),
        id: None,
        name: arguments.name,
        at: arguments.at,
        attachment: None,
        other: Default::default(),
    };
    IngestRequest { messages: vec![message], conversation: None, revise: false }
}
