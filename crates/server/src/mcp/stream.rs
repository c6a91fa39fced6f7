//! MCP over a byte stream, for `annals mcp`: a request to the data folder's own socket is upgraded, and from then on the
//! connection carries one JSON message per line in both directions.
//!
//! Relies on the socket being reachable by processes of the same user only. A stream belongs to one agent, or to all agents of
//! the workspace.

use annals_core::ports::Scope;
use annals_service::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use rmcp::service::serve_server;

use super::Asker;
use super::handler::Handler;
use super::http::asker;
use crate::rest::Problem;

/// Protocol to which the connection is upgraded.
pub(super) const PROTOCOL: &str = "mcp";
/// Path of the stream. The name of an agent may follow.
pub(super) const PATH: &str = "/stream";

/// Start of a query that names the scopes of the stream.
pub(super) const SCOPES: &str = "scopes=";

/// Returns the routes of the streams, for the private socket only.
pub(crate) fn streams(service: &Service) -> Router {
    let with_agent = format!("{PATH}/{{agent}}");
    Router::new().route(PATH, get(open)).route(&with_agent, get(open)).with_state(service.clone())
}

async fn open(State(service): State<Service>, mut request: Request) -> Result<Response, Problem> {
    let upgrade = hyper::upgrade::on(&mut request);
    let (mut parts, _) = request.into_parts();
    let asker = asker(&mut parts).await?;
    let asker = match scopes(&parts.uri)? {
        Some(scopes) => Asker { caller: asker.caller.with_scopes(&scopes), ..asker },
        None => asker,
    };
    if parts.headers.get(header::UPGRADE).is_none_or(|value| value != PROTOCOL) {
        let detail = format!("this path carries a byte stream: send Connection: upgrade and Upgrade: {PROTOCOL}");
        return Err(Problem::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", detail));
    }
    // Counted from here on, so that the process does not seem idle between the answer and the stream.
    let busy = service.activity().begin();
    tokio::spawn(async move {
        let _busy = busy;
        carry(Handler::of_stream(service, asker), upgrade).await;
    });
    let headers = [(header::CONNECTION, "upgrade"), (header::UPGRADE, PROTOCOL)];
    Ok((StatusCode::SWITCHING_PROTOCOLS, headers).into_response())
}

/// Returns the scopes of the stream, if the query names them: `?scopes=search,ingest`.
fn scopes(uri: &Uri) -> Result<Option<Vec<Scope>>, Problem> {
    let query = uri.query().and_then(|query| query.strip_prefix(SCOPES));
    let parse = |words: &str| words.split(',').map(str::parse).collect::<annals_core::Result<Vec<Scope>>>();
    Ok(query.map(parse).transpose()?)
}

/// Answers until the other side ends the stream. Errors are logged and affect no other stream.
async fn carry(handler: Handler, upgrade: OnUpgrade) {
    let upgraded = match upgrade.await {
        Ok(upgraded) => upgraded,
        Err(error) => return tracing::debug!(%error, "an MCP stream closed before it was opened"),
    };
    match serve_server(handler, TokioIo::new(upgraded)).await {
        Ok(running) => {
            if let Err(error) = running.waiting().await {
                tracing::warn!(%error, "an MCP stream ended with an error");
            }
        }
        Err(error) => tracing::debug!(%error, "an MCP stream ended before it was initialized"),
    }
}
