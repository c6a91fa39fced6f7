//! `POST …/messages`, `DELETE …/conversations/{id}`, `GET /v1/operations/{id}`.

use std::time::Duration;

use annals_core::ports::{RequestKey, Target};
use annals_core::{Digest, Error, IngestReceipt, ObjectKind};
use annals_service::wire::{ForgetAnswer, ImportView, IngestRequest, Ingested, OperationView, Progress};
use annals_service::{Accepted, Service};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Problem;
use super::extract::{Adding, Administering, Billed, Body, Id, Known, Named, Permitted, QueryParams};
use crate::access::Caller;

/// Maximum of `timeout_seconds`.
pub(crate) const MAX_WAIT: u64 = 60;
const DEFAULT_WAIT: u64 = 10;
/// Maximum length of an Idempotency-Key in bytes.
const MAX_KEY_LENGTH: usize = 255;

/// What to wait for, and how long.
#[derive(Debug, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Waiting {
    /// Answers only when the messages have reached this state, or when the time is over. `status` says which.
    wait: Option<Progress>,
    /// Maximum time to wait: 0 to 60 seconds. Default: 10.
    #[param(minimum = 0, maximum = 60)]
    #[serde(default = "usual_wait")]
    timeout_seconds: u64,
}

fn usual_wait() -> u64 {
    DEFAULT_WAIT
}

/// Stores messages of one or more conversations. When this answers, they are committed and fsynced.
///
/// They are searchable a moment later, and become part of the summaries when their day is over. Sending the same messages again
/// is harmless if they have an `id`, or the request has an `Idempotency-Key`.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/messages", tag = "messages",
    params(("agent" = String, Path, description = "Name of the agent; a new one begins with its first message"), Waiting,
        ("Idempotency-Key" = Option<String>, Header, description = "Key for safe retries: a request repeated with the same key gets the first answer again")),
    request_body = IngestRequest,
    responses((status = 202, description = "Stored for good", body = Ingested))
)]
pub(crate) async fn ingest(
    Billed(service): Billed,
    Named(agent, _): Named<Adding>,
    QueryParams(waiting): QueryParams<Waiting>,
    headers: HeaderMap,
    body: Body<IngestRequest>,
) -> Result<(StatusCode, Json<Ingested>), Problem> {
    if waiting.timeout_seconds > MAX_WAIT {
        return Err(Problem::malformed("timeout_seconds", format!("is above {MAX_WAIT}")));
    }
    let settings = service.admit(&agent).await?;
    let now = service.now();
    let accepted = match idempotency_key(&headers)? {
        None => service.ingest(&agent, &settings, body.value, now).await?,
        Some(key) => {
            let key = RequestKey { key: Digest::of([key]), body: Digest::of([&body.bytes]) };
            service.ingest_once(&agent, &settings, &key, body.value, now).await?
        }
    };
    let operation = &accepted.operation;
    let status = match waiting.wait {
        // Reading the progress would only delay the answer.
        None => Progress::Accepted,
        Some(goal) => {
            if goal == Progress::Extracted {
                service.read_soon(&agent);
            }
            service.wait(&agent, operation, goal, Duration::from_secs(waiting.timeout_seconds)).await?
        }
    };
    Ok((StatusCode::ACCEPTED, Json(view(accepted, status))))
}

fn view(accepted: Accepted, status: Progress) -> Ingested {
    let IngestReceipt { id, accepted: new, duplicate, revised, forgotten, masked, .. } = accepted.operation;
    Ingested {
        operation_id: id,
        status,
        accepted: new,
        duplicate,
        revised,
        forgotten,
        masked,
        ignored_fields: accepted.ignored,
    }
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<&[u8]>, Problem> {
    match headers.get("idempotency-key").map(axum::http::HeaderValue::as_bytes) {
        Some([]) => Err(Problem::malformed("Idempotency-Key", "is empty")),
        Some(key) if key.len() > MAX_KEY_LENGTH => {
            Err(Problem::malformed("Idempotency-Key", format!("has {} bytes; {MAX_KEY_LENGTH} are allowed", key.len())))
        }
        key => Ok(key),
    }
}

/// Returns the progress of an accepted request or upload.
#[utoipa::path(
    get, path = "/v1/operations/{id}", tag = "messages",
    params(("id" = String, Path, description = "The `operation_id` of an answer")),
    responses((status = 200, description = "State of the operation", body = OperationState))
)]
pub(crate) async fn operation(
    State(service): State<Service>,
    Permitted(caller, _): Permitted<Adding>,
    Id(id): Id,
) -> Result<Json<OperationState>, Problem> {
    let found = match service.upload(caller.workspace(), &id).await? {
        Some((agent, import)) => (agent, OperationState::Import(Box::new(import))),
        None => {
            let (agent, view) = service.operation(caller.workspace(), &id).await?;
            (agent, OperationState::Messages(view))
        }
    };
    let (agent, view) = found;
    if !Caller::opens(&caller, &agent) {
        return Err(Error::NotFound { what: ObjectKind::Operation, name: id }.into());
    }
    Ok(Json(view))
}

/// State of an operation: of stored messages, or of an upload that is being imported.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OperationState {
    /// Progress of stored messages.
    Messages(OperationView),
    /// Progress of an upload.
    Import(Box<ImportView>),
}

/// Whether to erase, or only to report.
#[derive(Debug, Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Dry {
    /// Only reports what would be erased. This is the default. `false` erases it, which cannot be undone.
    #[serde(default = "yes")]
    pub(super) dry_run: bool,
}

fn yes() -> bool {
    true
}

/// Forgets a conversation and everything derived from it. Only reports what would be erased unless `dry_run=false`.
#[utoipa::path(
    delete, path = "/v1/agents/{agent}/conversations/{id}", tag = "forgetting",
    params(("agent" = String, Path, description = "Name of the agent"), ("id" = String, Path, description = "The conversation"), Dry),
    responses((status = 200, description = "What was forgotten, or would be", body = ForgetAnswer))
)]
pub(crate) async fn forget_conversation(
    Billed(service): Billed,
    Known(agent, _): Known<Administering>,
    Id(id): Id,
    QueryParams(dry): QueryParams<Dry>,
) -> Result<Json<ForgetAnswer>, Problem> {
    let target = Target::Conversation(id);
    Ok(Json(service.forget_target(&agent, &target, dry.dry_run, service.now()).await?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::ports::Scope;
    use annals_service::wire::NewKey;
    use annals_testkit::{Faulty, MemoryCatalog, at};
    use axum::body;
    use axum::http::{Request, header};
    use secrecy::ExposeSecret;
    use serde_json::json;
    use tower::ServiceExt;

    use crate::config::ServerConfig;
    use crate::fixture::{NOW, over};
    use crate::public;

    /// The four calls: find the key, find the agent by its name, read its state, store the messages.
    #[tokio::test]
    async fn storing_messages_calls_the_catalog_four_times() {
        let catalog = Arc::new(Faulty::during(MemoryCatalog::new(), 0..0));
        let service = over(catalog.clone(), Arc::new(|| at(NOW)));
        let request = NewKey {
            name: "key".into(),
            workspace: "default".into(),
            scopes: [Scope::Ingest].into(),
            agents: Vec::new(),
            expires_at: None,
            daily_tokens: None,
        };
        let (issued, _) = service.add_key(request, at(NOW), getrandom::fill).await.unwrap();
        let before = catalog.calls();
        let body = json!({ "conversation": "c", "messages": [{ "role": "user", "content": "tea" }] });
        let request = Request::post("/v1/agents/ann/messages")
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", issued.text.expose_secret()))
            .body(body::Body::from(body.to_string()))
            .unwrap();
        let answer = public(&service, &ServerConfig::default()).oneshot(request).await.unwrap();
        assert_eq!(answer.status().as_u16(), 202);
        assert_eq!(catalog.calls() - before, 4);
    }
}
