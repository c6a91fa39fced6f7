//! `POST …/imports`: uploads the data of another program and imports it.

use std::fs::File;

use annals_service::Service;
use annals_service::wire::{ImportView, UploadRequest};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use futures::StreamExt;
use http_body_util::LengthLimitError;
use tokio::time::error::Elapsed;

use super::Problem;
use super::extract::{Adding, Named, QueryParams, too_large};

/// Imports what another program keeps: a ZIP archive or one file, also compressed with gzip, as the body of the request.
///
/// Answers when the upload is complete and readable; the import goes on in the background. A second import of the same or a later
/// export adds only what is new.
#[utoipa::path(
    post, path = "/v1/agents/{agent}/imports", tag = "messages",
    params(("agent" = String, Path, description = "Name of the agent; a new one begins with its first message"), UploadRequest),
    request_body(content = String, content_type = "application/octet-stream", description = "The archive or file"),
    responses((status = 202, description = "The upload is being imported", body = ImportView))
)]
pub(crate) async fn upload(
    State(service): State<Service>,
    Named(agent, _): Named<Adding>,
    QueryParams(request): QueryParams<UploadRequest>,
    body: Request,
) -> Result<(StatusCode, Json<ImportView>), Problem> {
    service.admit(&agent).await?;
    let file = spool(&service, body.into_body()).await?;
    let view = service.import_upload(&agent, request, file, service.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(view)))
}

/// Copies the body into a file without a name, on the disk of the data folder. The file vanishes when it is closed.
async fn spool(service: &Service, body: Body) -> Result<File, Problem> {
    let (mut writer, mut pieces) = (service.receive_upload()?, body.into_data_stream());
    while let Some(piece) = pieces.next().await {
        writer.write(&piece.map_err(|error| broken(&error))?).await?;
    }
    Ok(writer.finish().await?)
}

fn silent() -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the upload stopped arriving; send it again")
}

/// Returns the problem of a body that is too large, that stopped arriving, or that ended early.
fn broken(error: &axum::Error) -> Problem {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return too_large();
        }
        if error.is::<Elapsed>() {
            return silent();
        }
        cause = error.source();
    }
    Problem::malformed("the body", format!("ended early: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use annals_core::Grain;
    use annals_testkit::{agent, at};
    use axum::body::to_bytes;
    use axum::http::{Request as Call, header};
    use axum::middleware::from_fn_with_state;
    use axum::{Extension, Router};
    use serde_json::Value;
    use tower::ServiceExt;

    use super::*;
    use crate::access::{BodyLimits, Caller, bound_body};
    use crate::config::ServerConfig;
    use crate::fixture::{NOW, service};
    use crate::rest::routes;
    use crate::serve::{Lifetime, private};

    const MEMORY: &str = r#"{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}"#;
    const SESSION: &str = r#"{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-03-04T10:00:00Z","message":{"role":"user","content":"We sold the boat."}}"#;

    async fn call(app: &Router, method: &str, path: &str, body: impl Into<Body>) -> (u16, Value) {
        let call =
            Call::builder().method(method).uri(path).header(header::HOST, "localhost").body(body.into()).unwrap();
        let response = app.clone().oneshot(call).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Uploads, and waits until the import has ended.
    async fn import(app: &Router, query: &str, body: &'static str) -> Value {
        let (status, view) = call(app, "POST", &format!("/v1/agents/ann/imports?{query}"), body).await;
        assert_eq!(status, 202, "{view}");
        let path = format!("/v1/operations/{}", view["operation_id"].as_str().unwrap());
        loop {
            let (status, view) = call(app, "GET", &path, Body::empty()).await;
            assert_eq!(status, 200, "{view}");
            if view["status"] == "done" || view["status"] == "failed" {
                return view;
            }
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn upload_is_imported_once_and_a_dry_run_stores_nothing() {
        let service = service(Arc::new(|| at(NOW)));
        let app = private(&service, &ServerConfig::default(), Router::new(), &Lifetime::default());
        let view = import(&app, "from=claude-code&dry_run=true", SESSION).await;
        assert_eq!((&view["status"], &view["report"]["found"]["messages"]), (&"done".into(), &1.into()), "{view}");
        assert_eq!(view["report"]["stored"], Value::Null);
        assert!(service.memories_of(&agent("ann"), Grain::Working).await.unwrap().is_empty());
        let view = import(&app, "from=claude-code&me=Ann", SESSION).await;
        assert_eq!(view["report"]["stored"]["messages"]["new"], 1, "{view}");
        assert_eq!(view["bytes"], view["bytes_read"]);
        let view = import(&app, "from=claude-code&me=Ann", SESSION).await;
        assert_eq!(view["report"]["stored"]["messages"]["known"], 1, "{view}");
        let stored = service.memories_of(&agent("ann"), Grain::Working).await.unwrap();
        assert_eq!(stored.iter().map(|memory| memory.text.as_str()).collect::<Vec<_>>(), ["We sold the boat."]);
        let view = import(&app, "from=mcp-memory", MEMORY).await;
        assert_eq!(view["report"]["stored"]["facts"]["new"], 2, "{view}");
    }

    #[tokio::test]
    async fn upload_that_cannot_be_imported_is_a_problem() {
        let service = service(Arc::new(|| at(NOW)));
        let config = ServerConfig { max_upload_mib: 1, ..ServerConfig::default() };
        let app = private(&service, &config, Router::new(), &Lifetime::default());
        let large = "x".repeat(1024 * 1024 + 1);
        for (query, body, status, expect) in [
            ("from=slak", SESSION, 400, "from is \"slak\"; expected one of chatgpt"),
            ("dry_run=true", SESSION, 400, "from is missing"),
            ("from=chatgpt&zone=UTC", SESSION, 400, "zone is unknown"),
            ("from=chatgpt&time_zone=Mars", SESSION, 400, "Mars"),
            ("from=csv&columns=content", SESSION, 400, "columns contains \"content\""),
            ("from=chatgpt", "", 400, "the body is empty"),
            ("from=chatgpt", "PK\x03\x04damaged", 400, "is not a readable ZIP archive"),
            ("from=chatgpt", large.as_str(), 413, "exceeds the size limit"),
        ] {
            let path = format!("/v1/agents/ann/imports?{query}");
            let (found, problem) = call(&app, "POST", &path, body.to_owned()).await;
            let detail = problem["detail"].as_str().unwrap_or_default();
            assert!(found == status && detail.contains(expect), "{query}: {found} {problem}");
        }
        let (status, _) = call(&app, "GET", "/v1/operations/import-0", Body::empty()).await;
        assert_eq!(status, 404);
    }

    #[tokio::test]
    async fn upload_that_stops_arriving_is_a_timeout() {
        let uploads = routes(service(Arc::new(|| at(NOW)))).uploads.layer(Extension(Caller::local()));
        let limits = BodyLimits { most: 1024, silence: Duration::from_millis(20) };
        let app = uploads.layer(from_fn_with_state(limits, bound_body));
        let begun = futures::stream::iter([Ok::<_, std::io::Error>(SESSION)]).chain(futures::stream::pending());
        let (status, problem) =
            call(&app, "POST", "/v1/agents/ann/imports?from=claude-code", Body::from_stream(begun)).await;
        assert_eq!((status, &problem["code"]), (408, &"timeout".into()), "{problem}");
    }
}
