//! Searches and contexts that a standby node answers itself, from copies of the tables.
//!
//! A request is passed to a service that only reads. Any answer but success is dropped, and the request is forwarded to the active
//! node as all others are: that node can do what this one cannot, and its errors are those that clients know.

use std::sync::Arc;
use std::time::Duration;

use annals_service::Service;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use parking_lot::{Mutex, RwLock};
use secrecy::SecretString;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tower::ServiceExt;

use super::reports::{send_access_counts, send_answered};
use super::standby::{ActiveNode, Standby, forward, marked};
use crate::access::{CountedKey, RequestLimits, guarded};
use crate::config::ServerConfig;
use crate::mcp::SEARCH_TOOLS;
use crate::request::{carried, tried};
use crate::rest::Problem;
use crate::serve::checked;

/// The paths of the requests that a standby node answers itself: REST, and MCP if the request calls one of [`SEARCH_TOOLS`].
const PATHS: [&str; 4] = ["/v1/agents/{agent}/search", "/v1/agents/{agent}/context", MCP, "/mcp/{agent}"];
const MCP: &str = "/mcp";

/// Maximum time for an answer.
const ANSWERING: Duration = Duration::from_secs(2);
/// How long all searches are forwarded after one took longer: the database or the bucket may hang.
const PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of searches under way. Further ones are forwarded. A search that takes too long goes on, and counts until it
/// ends, at most for `server.request_seconds`.
const AT_ONCE: usize = 64;
/// Maximum size of the body of a request that is kept to be forwarded. Longer ones are forwarded at once.
const MAX_BODY: usize = 1 << 20;
/// Maximum time without a byte of the body.
const SILENCE: Duration = Duration::from_secs(15);
const BROKEN: &str = "did not arrive completely: its sender stopped";

/// The service with which a standby node answers searches. It has none while the catalog cannot be read. Clones share it.
#[derive(Clone)]
pub struct Replica(Arc<Inner>);

struct Inner {
    service: RwLock<Option<Searches>>,
    under_way: Arc<Semaphore>,
    /// Until when all searches are forwarded.
    paused_until: Mutex<Option<Instant>>,
}

/// The routes of a service that only reads, and its limits.
type Searches = (Router, RequestLimits);

impl Default for Replica {
    fn default() -> Replica {
        let under_way = Arc::new(Semaphore::new(AT_ONCE));
        Replica(Arc::new(Inner { service: RwLock::default(), under_way, paused_until: Mutex::default() }))
    }
}

impl Replica {
    /// Answers searches with this service from now on.
    pub fn open(&self, service: &Service, config: &ServerConfig) {
        let limits = RequestLimits::new(service.limits());
        self.set(Some((checked(service, config, None, limits.clone()), limits)));
    }

    /// Forwards all requests from now on. Those under way are still answered.
    pub fn close(&self) {
        self.set(None);
    }

    fn set(&self, service: Option<Searches>) {
        let mut present = self.0.service.write();
        let former = std::mem::replace(&mut *present, service);
        // Dropping a service may take long, and must not hold up requests.
        drop(present);
        drop(former);
    }

    /// Returns whether there is a service, and searches are not forwarded now.
    fn is_open(&self) -> bool {
        let paused_until = *self.0.paused_until.lock();
        let is_paused = paused_until.is_some_and(|until| Instant::now() < until);
        !is_paused && self.0.service.read().is_some()
    }

    /// Returns the service and a permit for one search; `None` if the search is to be forwarded.
    fn begin(&self) -> Option<(Searches, OwnedSemaphorePermit)> {
        let service = self.0.service.read().clone()?;
        Some((service, self.0.under_way.clone().try_acquire_owned().ok()?))
    }

    fn pause(&self) {
        *self.0.paused_until.lock() = Some(Instant::now() + PAUSE);
    }
}

/// Sends the access counts of a service that only reads to the active node, if there are any.
pub async fn report_accesses(service: &Service, active: &ActiveNode, key: &SecretString) -> Result<(), String> {
    let counts = service.take_access_counts();
    if counts.is_empty() {
        return Ok(());
    }
    send_access_counts(active, key, &counts).await.map_err(|error| error.to_string())
}

/// Tells the active node how many searches of each key this node has answered, and forwards the searches of those keys that have
/// exceeded their rate.
pub async fn report_answered(replica: &Replica, active: &ActiveNode, key: &SecretString) -> Result<(), String> {
    let Some((_, limits)) = replica.0.service.read().clone() else {
        return Ok(());
    };
    let answered = limits.take_answered();
    if !answered.is_empty() {
        limits.set_exceeded(send_answered(active, key, &answered).await.map_err(|error| error.to_string())?);
    }
    Ok(())
}

pub(super) fn search_routes() -> Router<Standby> {
    PATHS.into_iter().fold(Router::new(), |routes, path| routes.route(path, post(answer).fallback(forward)))
}

/// Answers a search, or forwards it.
async fn answer(State(standby): State<Standby>, request: Request) -> Result<Response, Problem> {
    // Without a key the active node refuses the request, before it has a body.
    let has_key = request.headers().contains_key(AUTHORIZATION);
    if !has_key || !has_short_body(request.headers()) || !standby.replica.is_open() {
        return forward(State(standby), request).await;
    }
    let (head, body) = request.into_parts();
    let body = to_bytes(guarded(body, MAX_BODY, SILENCE), MAX_BODY).await;
    let body = body.map_err(|_| Problem::malformed("the body", BROKEN))?;
    let request = || Request::from_parts(head.clone(), Body::from(body.clone()));
    let is_search = !is_call(&request()) || calls_search(&body);
    if is_search && let Some(answer) = answer_here(&standby.replica, request()).await {
        standby.metrics.searched();
        return Ok(answer);
    }
    forward(State(standby), request()).await
}

/// Returns the answer of the service, if it is a success and comes in time.
async fn answer_here(replica: &Replica, request: Request) -> Option<Response> {
    let ((service, limits), permit) = replica.begin()?;
    let is_call = is_call(&request);
    let search = service.oneshot(marked(request));
    // Goes on with its permit if it takes too long.
    let search = tokio::spawn(carried(tried(async move { (search.await.ok(), permit).0 })));
    let Ok(searched) = timeout(ANSWERING, search).await else {
        replica.pause();
        return None;
    };
    let answer = searched.ok()??;
    let answer = if is_call { success_of_call(answer).await } else { success(answer) }?;
    answer.extensions().get::<CountedKey>().inspect(|key| limits.record_answered(key));
    Some(answer)
}

fn is_call(request: &Request) -> bool {
    request.uri().path().starts_with(MCP)
}

/// Returns whether a message of JSON-RPC calls a tool that only searches.
fn calls_search(message: &[u8]) -> bool {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    message["method"] == "tools/call" && SEARCH_TOOLS.iter().any(|tool| message["params"]["name"] == *tool)
}

fn success(answer: Response) -> Option<Response> {
    (answer.status() == StatusCode::OK).then_some(answer)
}

/// Returns the answer to a call of a tool, if the call succeeded. Failures have the status 200 too.
async fn success_of_call(answer: Response) -> Option<Response> {
    let (head, body) = success(answer)?.into_parts();
    let body = to_bytes(body, usize::MAX).await.ok()?;
    let message: Value = serde_json::from_slice(&body).ok()?;
    let has_succeeded = message["result"].is_object() && message["result"]["isError"] != true;
    has_succeeded.then(|| Response::from_parts(head, Body::from(body)))
}

fn has_short_body(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length <= MAX_BODY)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use annals_core::ports::Scope;
    use annals_service::config::Limits;
    use annals_service::metrics::NodeMetrics;
    use annals_service::wire::NewKey;
    use annals_testkit::{agent, at};
    use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
    use secrecy::ExposeSecret;
    use serde_json::json;
    use tokio::net::TcpListener;
    use tokio::sync::watch;

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    /// A standby node over a service with memories of the agent `ann`, and an active node that answers "forwarded".
    struct World {
        standby: Standby,
        key: String,
    }

    impl World {
        async fn new() -> World {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let (sender, active) = watch::channel(Some(listener.local_addr().unwrap().to_string()));
            tokio::spawn(async move { axum::serve(listener, Router::new().fallback(async || "forwarded")).await });
            // Kept, so that the active node stays known.
            std::mem::forget(sender);
            let service = service_with_memories(&agent("ann")).await;
            let key = NewKey {
                name: "test".into(),
                workspace: "default".into(),
                scopes: Scope::ALL.into(),
                agents: Vec::new(),
                expires_at: None,
                daily_tokens: None,
            };
            let fill = |bytes: &mut [u8]| {
                bytes.fill(7);
                Ok(())
            };
            let (key, _) = service.add_key(key, at(NOW), fill).await.unwrap();
            let metrics = NodeMetrics::new(Duration::from_secs(15), Instant::now());
            let standby = Standby { active, metrics, replica: Replica::default() };
            standby.replica.open(&service, &ServerConfig::default());
            World { standby, key: key.text.expose_secret().to_owned() }
        }

        async fn ask(&self, method: &str, path: &str, key: &str, body: &str) -> String {
            let request = Request::builder().method(method).uri(path).header(HOST, "localhost");
            let request = request.header(AUTHORIZATION, format!("Bearer {key}")).header(CONTENT_LENGTH, body.len());
            let request =
                request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "application/json, text/event-stream");
            let request = request.body(Body::from(body.to_owned())).unwrap();
            let routes = search_routes().fallback(forward).with_state(self.standby.clone());
            let answer = routes.oneshot(request).await.unwrap();
            String::from_utf8(to_bytes(answer.into_body(), usize::MAX).await.unwrap().to_vec()).unwrap()
        }

        async fn check(&self, method: &str, path: &str, body: Value, expect: &str) {
            let answer = self.ask(method, path, &self.key, &body.to_string()).await;
            assert!(answer.contains(expect), "{path} {body}: {answer}");
        }
    }

    fn call(tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    }

    #[tokio::test]
    async fn searches_that_succeed_are_answered_here_and_everything_else_is_forwarded() {
        let world = World::new().await;
        let trip = || json!({ "query": "sailing trip" });
        for (method, path, body, expect) in [
            ("POST", "/v1/agents/ann/search", trip(), "broke his arm"),
            ("POST", "/v1/agents/ann/context", json!({ "prompt": "sailing trip" }), "broke his arm"),
            ("POST", "/mcp/ann", call("search_memory", trip()), "broke his arm"),
            ("POST", "/mcp/ann", call("memory_context", json!({ "prompt": "sailing trip" })), "broke his arm"),
            (
                "POST",
                "/mcp",
                call("search_memory", json!({ "agent": "ann", "query": "sailing trip" })),
                "broke his arm",
            ),
            ("POST", "/v1/agents/ann/search", json!({ "query": "sailing trip", "limit": 0 }), "forwarded"),
            ("POST", "/v1/agents/ann/search", json!({ "queri": "sailing trip" }), "forwarded"),
            ("POST", "/v1/agents/nobody/search", trip(), "forwarded"),
            ("GET", "/v1/agents/ann/search", trip(), "forwarded"),
            ("GET", "/v1/agents/ann/timeline", Value::Null, "forwarded"),
            ("POST", "/mcp/ann", call("search_memory", json!({ "query": "trip", "limit": 0 })), "forwarded"),
            ("POST", "/mcp/ann", call("add_memory", json!({ "text": "tea" })), "forwarded"),
            ("POST", "/mcp/ann", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }), "forwarded"),
            ("POST", "/mcp/ann", json!("no message"), "forwarded"),
        ] {
            world.check(method, path, body, expect).await;
        }
        let search = "/v1/agents/ann/search";
        assert_eq!(world.ask("POST", search, "annals_wrong", &trip().to_string()).await, "forwarded");
        let long = format!("{{\"query\": \"{}\"}}", "x".repeat(MAX_BODY));
        assert_eq!(world.ask("POST", search, &world.key, &long).await, "forwarded");
        let counted = "annals_node_answered_searches_total 5\n";
        assert!(world.standby.metrics.text(Instant::now()).contains(counted));
        world.standby.replica.close();
        world.check("POST", search, trip(), "forwarded").await;
    }

    #[tokio::test]
    async fn all_searches_are_forwarded_for_a_while_after_one_has_hung() {
        let world = World::new().await;
        let ask = async || world.ask("POST", "/v1/agents/ann/search", &world.key, "{}").await;
        let set = |routes| world.standby.replica.set(Some((routes, RequestLimits::new(&Limits::default()))));
        set(Router::new().fallback(async || "here"));
        assert_eq!(ask().await, "here");
        set(Router::new().fallback(std::future::pending::<&str>));
        assert_eq!(ask().await, "forwarded");
        set(Router::new().fallback(async || "here"));
        assert_eq!(ask().await, "forwarded", "another one might hang too");
    }
}
