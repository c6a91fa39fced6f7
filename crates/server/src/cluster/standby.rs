//! A node of a cluster that stands by. It forwards each request to the active node, without reading it, except searches that it
//! can answer itself (`replica.rs`).
//!
//! A request waits up to [`MAX_WAIT`] while no node is active, and then fails. It is sent once: if the active node ends before
//! it answers, the request may have been carried out, so the caller decides whether to send it again. The active node finds the
//! header `Via` and requires a key, even if the standby node is on the same machine. A request that nodes have forwarded
//! [`MAX_FORWARDED`] times is refused, so that it never goes in a circle.

use std::io;
use std::time::{Duration, Instant};

use annals_service::metrics::{Forwarded, Metrics, NodeMetrics};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, EXPECT, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use futures::{StreamExt, stream};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use secrecy::SecretString;
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::active::node_metrics_route;
use super::replica::{Replica, search_routes};
use super::requests::forwarding_route;
use crate::access::serve_connections;
use crate::config::ServerConfig;
use crate::request::{REQUEST_ID, identify, request_id};
use crate::rest::{Health, Problem, alive};
use crate::serve::connection_limits;

/// The active node as `host:port`; `None` while no node is known to be active.
pub type ActiveNode = watch::Receiver<Option<String>>;

/// The state of a standby node: the active node, and its own metrics.
#[derive(Clone)]
pub struct Standby {
    /// The node that requests are forwarded to.
    pub active: ActiveNode,
    pub metrics: NodeMetrics,
    /// What this node answers itself.
    pub replica: Replica,
}

/// Maximum time that a request waits for an active node. A little longer than a failover with the default lease takes.
const MAX_WAIT: Duration = Duration::from_secs(25);
/// Pause between two attempts to reach the active node.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum time for opening a connection to the active node.
const CONNECTING: Duration = Duration::from_secs(3);

/// How long an answer may go on after another node has become active. Longer than a node that is told to stop takes for its answers
/// by default.
const GRACE: Duration = Duration::from_secs(30);

/// The value of `Via` that marks a forwarded request.
const NODE: &str = "1.1 annals-node";

/// Maximum number of times that a request is forwarded. A standby node forwards it to the active node. If that node is still
/// taking over, it keeps the request until its data folder is open, and then forwards it to itself.
const MAX_FORWARDED: usize = 2;

/// Headers that concern one connection only, or that this node has already acted on.
const OF_CONNECTION: [HeaderName; 7] =
    [CONNECTION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, EXPECT, HeaderName::from_static("keep-alive")];

/// Where a standby node receives requests.
pub struct StandbyListeners {
    /// Listener for requests of clients.
    pub tcp: TcpListener,
    /// The socket in the data folder, for calls of commands, and the key of the cluster, with which they are forwarded.
    pub unix: Option<(UnixListener, SecretString)>,
}

/// Forwards requests to the active node until `stop`. Then finishes those in progress.
pub async fn stand_by(
    listeners: StandbyListeners,
    config: &ServerConfig,
    standby: Standby,
    stop: CancellationToken,
) -> io::Result<()> {
    let calls = async {
        let Some((unix, key)) = listeners.unix else { return Ok(()) };
        let routes = forwarding_route(standby.clone(), key);
        axum::serve(unix, routes).with_graceful_shutdown(stop.clone().cancelled_owned()).await
    };
    let requests = serve_connections(listeners.tcp, routes(standby.clone()), connection_limits(config), stop.clone());
    tokio::try_join!(calls, requests).map(|_| ())
}

fn routes(standby: Standby) -> Router {
    let metrics = node_metrics_route(standby.metrics.clone());
    let routes = Router::new().route("/healthz", get(alive)).route("/readyz", get(ready)).merge(search_routes());
    routes.fallback(forward).with_state(standby).merge(metrics).layer(from_fn_with_state(Metrics::new(), identify))
}

/// Answers 200 if requests can be forwarded. A database that does not answer this node most likely answers no node, so this
/// counts as not ready too.
async fn ready(State(standby): State<Standby>) -> Result<Json<Health>, Problem> {
    if standby.active.borrow().is_none() {
        return Err(no_active_node());
    }
    if !standby.metrics.reaches_database(Instant::now()) {
        return Err(no_database());
    }
    Ok(Json(Health::of("standing by")))
}

pub(crate) async fn forward(State(standby): State<Standby>, request: Request) -> Result<Response, Problem> {
    if times_forwarded(request.headers()) >= MAX_FORWARDED {
        standby.metrics.forwarded(Forwarded::Unreachable);
        return Err(no_active_node());
    }
    send(standby, request).await
}

/// Returns how many nodes have forwarded a request. A proxy between them may have joined their headers.
fn times_forwarded(headers: &HeaderMap) -> usize {
    let vias = headers.get_all(VIA).iter().filter_map(|via| via.to_str().ok());
    vias.flat_map(|vias| vias.split(',')).filter(|via| via.trim() == NODE).count()
}

/// Sends a request to the active node, and returns its answer as soon as the head has arrived. Fails if no active node can be
/// reached within [`MAX_WAIT`], or if the connection breaks or another node becomes active before the answer. The body breaks off
/// then too: a machine without power closes no connection.
pub(crate) async fn send(standby: Standby, request: Request) -> Result<Response, Problem> {
    let Standby { mut active, metrics, .. } = standby;
    let connected = timeout(MAX_WAIT, connect(&active)).await;
    let Ok((node, mut connection)) = connected else {
        metrics.forwarded(Forwarded::Unreachable);
        return Err(unreachable(&active));
    };
    let answer = tokio::select! {
        answer = connection.send_request(marked(request)) => answer.ok(),
        () = replaced(&mut active, &node) => None,
    };
    metrics.forwarded(if answer.is_some() { Forwarded::Answered } else { Forwarded::Lost });
    let answer = answer.ok_or_else(lost)?;
    let (mut head, body) = answer.into_parts();
    remove_headers_of_connection(&mut head.headers);
    Ok(Response::from_parts(head, until_replaced(Body::new(body), active, node, GRACE)))
}

/// Returns a body that fails when another node than the one that sends it has been active for a while. A node that was told to stop,
/// and a service that `annals adopt` copies, still finish their answers.
fn until_replaced(body: Body, mut active: ActiveNode, node: String, grace: Duration) -> Body {
    let pieces = body.into_data_stream().map(Some).chain(stream::once(std::future::ready(None)));
    let end = stream::once(async move {
        replaced(&mut active, &node).await;
        sleep(grace).await;
        Some(Err(axum::Error::new("another node became active before the end of the answer")))
    });
    let until_end = stream::select(pieces, end).take_while(|piece| std::future::ready(piece.is_some()));
    Body::from_stream(until_end.filter_map(std::future::ready))
}

/// Connects to the active node. Tries again until it succeeds: the node may have ended, or may just have become active.
pub(crate) async fn connect(active: &ActiveNode) -> (String, SendRequest<Body>) {
    loop {
        let node = active.borrow().clone();
        if let Some(node) = node
            && let Ok(Ok(stream)) = timeout(CONNECTING, TcpStream::connect(&node)).await
            && let Ok((sender, connection)) = handshake(TokioIo::new(stream)).await
        {
            // A failure of the connection appears as an error of the request or of the answer's body.
            tokio::spawn(connection);
            return (node, sender);
        }
        sleep(PAUSE).await;
    }
}

/// Waits until another node is active.
pub(crate) async fn replaced(active: &mut ActiveNode, node: &str) {
    let _ = active.wait_for(|active| active.as_ref().is_some_and(|active| active != node)).await;
}

/// Marks a request as one that came through a standby node, and removes the headers of its connection.
pub(crate) fn marked(mut request: Request) -> Request {
    remove_headers_of_connection(request.headers_mut());
    request.headers_mut().append(VIA, HeaderValue::from_static(NODE));
    if let Some(id) = HeaderValue::from_str(&request_id()).ok().filter(|id| !id.is_empty()) {
        request.headers_mut().insert(REQUEST_ID, id);
    }
    request
}

fn remove_headers_of_connection(headers: &mut HeaderMap) {
    for name in &OF_CONNECTION {
        headers.remove(name);
    }
}

fn no_active_node() -> Problem {
    let detail = "no node of the cluster is active now; nothing of this request was done";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no_active_node", detail).after(1)
}

fn no_database() -> Problem {
    let detail = "the database has not answered this node for as long as a lease";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "storage", detail).after(1)
}

fn unreachable(active: &ActiveNode) -> Problem {
    let Some(node) = &*active.borrow() else { return no_active_node() };
    let detail = format!("the active node {node} cannot be reached; nothing of this request was done");
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no_active_node", detail).after(1)
}

fn lost() -> Problem {
    let detail = "the active node ended before it answered; the request may have been carried out or not";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "active_node_lost", detail).after(1)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::{Bytes, to_bytes};
    use tower::ServiceExt;

    use super::*;

    async fn listen(routes: Router) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        address
    }

    fn standby(active: ActiveNode) -> Standby {
        let metrics = NodeMetrics::new(Duration::from_secs(15), Instant::now());
        Standby { active, metrics, replica: Replica::default() }
    }

    /// Returns the status of an answer, and its text.
    async fn ask(active: Option<&str>, request: Request) -> (u16, String) {
        let (_sender, active) = watch::channel(active.map(str::to_owned));
        let answer = routes(standby(active)).oneshot(request).await.unwrap();
        let status = answer.status().as_u16();
        (status, String::from_utf8(to_bytes(answer.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap())
    }

    fn request(method: &str, path: &str, body: impl Into<Body>) -> Request {
        Request::builder().method(method).uri(path).body(body.into()).unwrap()
    }

    #[tokio::test]
    async fn request_and_answer_pass_unchanged() {
        async fn echo(request: Request) -> (StatusCode, String) {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, 1 << 20).await.unwrap();
            assert!(head.headers.contains_key(REQUEST_ID), "both nodes log one id");
            let headers = ["authorization", "via", "connection"].map(|name| head.headers.get(name).cloned());
            (StatusCode::ACCEPTED, format!("{} {} {headers:?} {body:?}", head.method, head.uri))
        }
        let node = listen(Router::new().fallback(echo)).await;
        let pieces = stream::iter(["te", "a"].map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
        let mut request = request("POST", "/v1/agents/ann/messages?wait=searchable", Body::from_stream(pieces));
        request.headers_mut().insert("authorization", HeaderValue::from_static("Bearer x"));
        request.headers_mut().insert("connection", HeaderValue::from_static("keep-alive"));
        let (status, text) = ask(Some(&node), request).await;
        let expect = "POST /v1/agents/ann/messages?wait=searchable [Some(\"Bearer x\"), Some(\"1.1 annals-node\"), None] b\"tea\"";
        assert_eq!((status, text.as_str()), (202, expect));
    }

    #[tokio::test]
    async fn standby_node_answers_probes_itself() {
        assert_eq!(ask(None, request("GET", "/healthz", "")).await.0, 200);
        assert_eq!(ask(None, request("GET", "/readyz", "")).await.0, 503);
        assert_eq!(ask(Some("127.0.0.1:1"), request("GET", "/readyz", "")).await.0, 200);
        assert!(ask(None, request("GET", "/metrics/node", "")).await.1.contains("annals_node_active 0"));
    }

    #[tokio::test]
    async fn standby_node_that_does_not_reach_the_database_is_not_ready() {
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        let metrics = NodeMetrics::new(Duration::from_secs(15), long_ago);
        let (_sender, active) = watch::channel(Some("127.0.0.1:1".to_owned()));
        let asked =
            routes(Standby { metrics: metrics.clone(), ..standby(active) }).oneshot(request("GET", "/readyz", ""));
        assert_eq!(asked.await.unwrap().status(), 503);
        metrics.database_answered(Instant::now());
        let (_sender, active) = watch::channel(Some("127.0.0.1:1".to_owned()));
        let asked = routes(Standby { metrics, ..standby(active) }).oneshot(request("GET", "/readyz", ""));
        assert_eq!(asked.await.unwrap().status(), 200);
    }

    #[tokio::test]
    async fn forwarded_requests_are_counted() {
        let node = listen(Router::new().fallback(async || "here")).await;
        let (_sender, active) = watch::channel(Some(node));
        let standby = standby(active);
        routes(standby.clone()).oneshot(request("GET", "/", "")).await.unwrap();
        let text = standby.metrics.text(Instant::now());
        assert!(text.contains("annals_node_forwarded_requests_total{outcome=\"answered\"} 1"), "{text}");
    }

    #[tokio::test]
    async fn request_waits_for_an_active_node() {
        let node = listen(Router::new().fallback(async || "here")).await;
        let (sender, active) = watch::channel(Some("127.0.0.1:1".to_owned()));
        let asked = tokio::spawn(routes(standby(active)).oneshot(request("GET", "/", "")));
        sleep(PAUSE).await;
        sender.send_replace(Some(node));
        assert_eq!(asked.await.unwrap().unwrap().status(), 200);
    }

    #[tokio::test]
    async fn request_of_another_node_waits_until_this_one_has_opened_its_folder() {
        let node = listen(Router::new().fallback(async || "here")).await;
        let (sender, active) = watch::channel(None);
        let opening = listen(routes(standby(active))).await;
        let asked = tokio::spawn(async move { ask(Some(&opening), request("GET", "/", "")).await });
        sleep(PAUSE).await;
        sender.send_replace(Some(node));
        assert_eq!(asked.await.unwrap(), (200, "here".to_owned()));
    }

    #[tokio::test]
    async fn answer_breaks_off_after_another_node_has_become_active() {
        let first = stream::once(std::future::ready(Ok::<_, Infallible>(Bytes::from("tea"))));
        let endless = Body::from_stream(first.chain(stream::pending()));
        let (sender, active) = watch::channel(Some("a:1".to_owned()));
        let mut pieces = until_replaced(endless, active, "a:1".to_owned(), Duration::ZERO).into_data_stream();
        assert_eq!(pieces.next().await.unwrap().unwrap(), "tea");
        sender.send_replace(Some("b:1".to_owned()));
        assert!(pieces.next().await.unwrap().is_err());
    }

    #[test]
    fn forwarding_nodes_are_counted_also_if_a_proxy_joins_their_headers() {
        fn check(vias: &[&'static str], expect: usize) {
            let headers = vias.iter().map(|via| (VIA, HeaderValue::from_static(via))).collect();
            assert_eq!(times_forwarded(&headers), expect, "{vias:?}");
        }
        check(&[], 0);
        check(&["1.1 proxy"], 0);
        check(&[NODE, "1.1 proxy"], 1);
        check(&["1.1 annals-node, 1.1 proxy,1.1 annals-node"], 2);
    }

    #[tokio::test]
    async fn request_is_not_sent_twice_and_not_in_a_circle() {
        let (sender, active) = watch::channel(None);
        let node = listen(routes(standby(active.clone()))).await;
        sender.send_replace(Some(node.clone()));
        let (status, text) = ask(Some(&node), request("POST", "/", "tea")).await;
        assert!(status == 503 && text.contains("no_active_node"), "{status} {text}");

        let stuck = listen(Router::new().fallback(std::future::pending::<&str>)).await;
        let (sender, active) = watch::channel(Some(stuck));
        let asked = tokio::spawn(routes(standby(active)).oneshot(request("POST", "/", "tea")));
        sleep(PAUSE).await;
        sender.send_replace(Some("127.0.0.1:1".to_owned()));
        assert_eq!(asked.await.unwrap().unwrap().status(), 503);
    }
}
