//! MCP over a byte stream, for `annals mcp`: a request to the data folder's own socket is upgraded, and from then on the
//! connection carries one JSON message per line in both directions.
//!
//! Relies on the socket being reachable by processes of the same user only. A stream belongs to one agent, or to all agents of
//! the workspace. When the process stops, a stream answers what it has read and ends; the other side sends the rest to the next
//! owner of the folder.

use std::io;
use std::time::Duration;

use annals_core::Digest;
use annals_core::ports::{RequestKey, Scope};
use annals_service::{Activity, Service};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use rmcp::model::{JsonObject, RequestId};
use rmcp::service::serve_server;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, DuplexStream};
use tokio_util::sync::CancellationToken;

use super::Asker;
use super::handler::Handler;
use super::http::asker;
use crate::rest::Problem;
use crate::serve::Lifetime;

/// Protocol to which the connection is upgraded.
pub(super) const PROTOCOL: &str = "mcp";
/// Path of the stream. The name of an agent may follow.
pub(super) const PATH: &str = "/stream";

/// Maximum bytes of requests that are read before the MCP server takes them.
const BUFFER: usize = 64 << 10;
/// Time within which the MCP server begins each received call. If no call has been under way for this long, all calls are
/// finished.
const SETTLED: Duration = Duration::from_millis(50);

/// Header that names a conversation, so that calls which are sent again on another stream are recognised.
pub(super) const CONVERSATION: &str = "x-annals-conversation";

/// Start of a query that names the scopes of the stream.
pub(super) const SCOPES: &str = "scopes=";

/// What belongs to a byte stream besides its caller.
#[derive(Clone, Default)]
pub(super) struct Carried {
    /// Counts the calls under way.
    pub(super) calls: Activity,
    /// The conversation that the stream carries. Another stream may have carried its beginning.
    conversation: Option<Digest>,
}

impl Carried {
    /// Returns the idempotency key of a call, which is the same if the call is sent again on another stream. `None` if the
    /// stream names no conversation.
    pub(super) fn key(&self, id: &RequestId, tool: &str, arguments: &JsonObject) -> Option<RequestKey> {
        let conversation = self.conversation.as_ref()?.to_string();
        let body = Digest::of([tool.as_bytes(), json!(arguments).to_string().as_bytes()]);
        // The body distinguishes calls of clients that use an id twice.
        let key = Digest::of([conversation.as_bytes(), id.to_string().as_bytes(), body.to_string().as_bytes()]);
        Some(RequestKey { key, body })
    }
}

/// Returns the routes of the streams, for the private socket only.
pub(crate) fn streams(service: &Service, lifetime: &Lifetime) -> Router {
    let with_agent = format!("{PATH}/{{agent}}");
    let state = (service.clone(), lifetime.clone());
    Router::new().route(PATH, get(open)).route(&with_agent, get(open)).with_state(state)
}

async fn open(
    State((service, lifetime)): State<(Service, Lifetime)>,
    mut request: Request,
) -> Result<Response, Problem> {
    let upgrade = hyper::upgrade::on(&mut request);
    let (mut parts, _) = request.into_parts();
    let asker = asker(&service, &mut parts).await?;
    let asker = match scopes(&parts.uri)? {
        Some(scopes) => Asker { caller: asker.caller.with_scopes(&scopes), ..asker },
        None => asker,
    };
    if parts.headers.get(header::UPGRADE).is_none_or(|value| value != PROTOCOL) {
        let detail = format!("this path carries a byte stream: send Connection: upgrade and Upgrade: {PROTOCOL}");
        return Err(Problem::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", detail));
    }
    let carried = Carried { calls: Activity::default(), conversation: conversation(&parts.headers) };
    // Counted from here on, so that the process does not seem idle between the answer and the stream.
    let busy = service.activity().begin();
    lifetime.tasks.spawn(async move {
        let _busy = busy;
        carry(Handler::of_stream(service, asker, carried.clone()), upgrade, &carried.calls, &lifetime.stop).await;
    });
    let headers = [(header::CONNECTION, "upgrade"), (header::UPGRADE, PROTOCOL)];
    Ok((StatusCode::SWITCHING_PROTOCOLS, headers).into_response())
}

/// Returns a hash of the name of the conversation that the stream carries, if the other side gives a name.
fn conversation(headers: &HeaderMap) -> Option<Digest> {
    headers.get(CONVERSATION).map(|name| Digest::of([name.as_bytes()]))
}

/// Returns the scopes of the stream, if the query names them: `?scopes=search,ingest`.
fn scopes(uri: &Uri) -> Result<Option<Vec<Scope>>, Problem> {
    let query = uri.query().and_then(|query| query.strip_prefix(SCOPES));
    let parse = |words: &str| words.split(',').map(str::parse).collect::<annals_core::Result<Vec<Scope>>>();
    Ok(query.map(parse).transpose()?)
}

/// Answers until the other side ends the stream, or until `stop`. Errors are logged and affect no other stream.
async fn carry(handler: Handler, upgrade: OnUpgrade, calls: &Activity, stop: &CancellationToken) {
    let upgraded = match upgrade.await {
        Ok(upgraded) => upgraded,
        Err(error) => return tracing::debug!(%error, "an MCP stream closed before it was opened"),
    };
    let (from, to) = tokio::io::split(TokioIo::new(upgraded));
    let (feed, input) = tokio::io::duplex(BUFFER);
    let serving = async {
        match serve_server(handler, (input, to)).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::warn!(%error, "an MCP stream ended with an error");
                }
            }
            Err(error) => tracing::debug!(%error, "an MCP stream ended before it was initialized"),
        }
    };
    let feeding = async {
        if let Err(error) = feed_lines(from, feed, calls, stop).await {
            tracing::debug!(%error, "an MCP stream broke off");
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = serving => {}
        () = feeding => {}
    }
}

/// Passes whole lines on until the other side ends or `stop` is cancelled. Then waits until no call is under way: after the end
/// of its input the MCP server gives running calls only a few seconds for their answers.
async fn feed_lines(
    from: impl AsyncRead + Unpin,
    mut feed: DuplexStream,
    calls: &Activity,
    stop: &CancellationToken,
) -> io::Result<()> {
    let mut lines = BufReader::new(from).lines();
    loop {
        let line = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            line = lines.next_line() => line?,
        };
        let Some(mut line) = line else { break };
        line.push('\n');
        feed.write_all(line.as_bytes()).await?;
    }
    calls.idle_for(SETTLED).await;
    Ok(())
}
