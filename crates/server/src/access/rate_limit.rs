//! Limits the requests of one caller per minute, its concurrent requests, and the failed authentications of one peer.
//!
//! A limit belongs to a valid key, or to the peer if the caller needs no key. An invalid key gets no limit of its own. Once
//! `MAX_PEERS` owners are counted, all peers share one limit, so that strangers cannot fill the memory. Failed authentications
//! of a peer never refuse a valid key, so that nobody behind the same proxy can lock it out.
//!
//! A request counts as in progress once its body has arrived, so that a slow sender does not keep other requests of the same
//! caller out. An upload counts from its beginning, because it is handled while it arrives. Concurrent uploads have a limit of
//! their own, so that they do not keep other requests out.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::{Arc, Weak};
use std::time::Duration;

use annals_service::MAX_MESSAGES;
use annals_service::config::Limits;
use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::rate_across_nodes::{AcrossNodes, CountedKey};
use super::{Caller, Peer};
use crate::rest::{Problem, whole_body};

/// Failed authentications that one peer may have per minute. Further ones are answered with 429 instead of 401. A person who
/// mistypes stays below it; keys are too long to be guessed at any rate.
const WRONG_KEYS: NonZeroU32 = NonZeroU32::new(30).expect("it is not zero");
/// Number of counted owners from which on all peers share one limit, even those that were counted before. Valid keys always
/// keep limits of their own.
const MAX_PEERS: usize = 4096;

/// Maximum number of requests of one owner that wait, for each that may be in progress: their bodies are in memory.
const MAX_WAITING: usize = 4;

/// Time that a request waits for its turn.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The limits of all callers. Cheap to clone; clones share the counts.
#[derive(Clone)]
pub struct RequestLimits(Arc<Counts>);

struct Counts {
    /// The rate of each owner.
    per_minute: NonZeroU32,
    requests: DefaultKeyedRateLimiter<Holder>,
    concurrent: usize,
    /// How long a request waits while its caller has as many in progress as it may.
    max_wait: Duration,
    under_way: Mutex<HashMap<(Work, Holder), Weak<Semaphore>>>,
    wrong_keys: DefaultKeyedRateLimiter<Peer>,
    across_nodes: AcrossNodes,
}

/// Owner of a limit: the id of a key, or a peer that needs no key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    Key(String),
    Peer(Peer),
}

/// Kinds of work. The concurrency of each is limited separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Work {
    Request,
    Upload,
    /// A request that waits for its turn.
    Waiting,
}

impl RequestLimits {
    /// Creates the limits with no requests counted yet. A limit of 0 counts as 1.
    pub fn new(limits: &Limits) -> RequestLimits {
        let per_minute = at_least_one(limits.requests_per_minute);
        let requests = Quota::per_minute(per_minute);
        RequestLimits(Arc::new(Counts {
            per_minute,
            requests: RateLimiter::keyed(requests.allow_burst(at_least_one(limits.burst))),
            concurrent: limits.concurrent.max(1) as usize,
            max_wait: MAX_WAIT,
            under_way: Mutex::default(),
            wrong_keys: RateLimiter::keyed(Quota::per_minute(WRONG_KEYS)),
            across_nodes: AcrossNodes::default(),
        }))
    }

    /// Counts a request, and returns the owner of its limits; `None` for a request without a caller. Fails with 429 and the
    /// time until a retry if the owner has sent too many requests.
    fn count(&self, request: &Request) -> Result<Option<Holder>, Problem> {
        let Some(caller) = request.extensions().get::<Caller>() else { return Ok(None) };
        let holder = self.holder(caller, Peer::of(request));
        self.count_of(&holder).map_err(|problem| advise(problem, request.uri().path()))?;
        Ok(Some(holder))
    }

    pub(super) fn count_of(&self, holder: &Holder) -> Result<(), Problem> {
        if let Holder::Key(key) = holder
            && self.0.across_nodes.has_exceeded(key)
        {
            let detail = "this key has sent too many requests to other nodes";
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail));
        }
        self.settle(holder)?;
        self.0.requests.check_key(holder).map_err(|until| too_many("too many requests", &until))
    }

    /// Counts the requests of a key that other nodes have answered. Fails with 429 and the time until a retry if the rate does not
    /// allow all of them yet.
    pub(super) fn settle(&self, holder: &Holder) -> Result<(), Problem> {
        let Holder::Key(key) = holder else { return Ok(()) };
        let settled = self.0.across_nodes.settle(key, || self.0.requests.check_key(holder));
        let later = || Duration::from_secs(60) * self.0.across_nodes.owed(key) / self.0.per_minute.get();
        settled.map_err(|until| too_many_for("too many requests", wait(&until) + later()))
    }

    pub(super) fn across_nodes(&self) -> &AcrossNodes {
        &self.0.across_nodes
    }

    /// Begins work, which is in progress until the permit is dropped. A request waits for its turn; many clients send a batch at
    /// once and repeat nothing. Fails with 503 and the time until a retry if too much work of the owner stays in progress.
    async fn begin(&self, work: Work, holder: Holder) -> Result<OwnedSemaphorePermit, Problem> {
        let semaphore = self.semaphore(work, holder.clone());
        if let Ok(permit) = semaphore.clone().try_acquire_owned() {
            return Ok(permit);
        }
        let busy = || {
            let detail = format!("{} requests of this caller are already running", self.0.concurrent);
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail).after(1)
        };
        if work == Work::Upload {
            return Err(busy());
        }
        let _waiting = self.semaphore(Work::Waiting, holder).try_acquire_owned().map_err(|_| busy())?;
        let permit = timeout(self.0.max_wait, semaphore.acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(busy)
    }

    /// Counts a failed authentication of a peer. Fails with 429 and the time until a retry if the peer has more than
    /// `WRONG_KEYS` per minute.
    pub fn record_wrong_key(&self, peer: Peer) -> Result<(), Problem> {
        let peer = counted_peer(&self.0.wrong_keys, peer);
        self.0
            .wrong_keys
            .check_key(&peer)
            .map_err(|until| too_many("too many requests with an invalid API key", &until))
    }

    fn holder(&self, caller: &Caller, peer: Peer) -> Holder {
        match &caller.key {
            Some(id) => Holder::Key(id.clone()),
            None => Holder::Peer(counted_peer(&self.0.requests, peer)),
        }
    }

    fn semaphore(&self, work: Work, holder: Holder) -> Arc<Semaphore> {
        let mut semaphores = self.0.under_way.lock();
        let key = (work, holder);
        if let Some(semaphore) = semaphores.get(&key).and_then(Weak::upgrade) {
            return semaphore;
        }
        semaphores.retain(|_, semaphore| semaphore.strong_count() > 0);
        let permits = if work == Work::Waiting { MAX_WAITING * self.0.concurrent } else { self.0.concurrent };
        let semaphore = Arc::new(Semaphore::new(permits));
        semaphores.insert(key, Arc::downgrade(&semaphore));
        semaphore
    }
}

/// Returns the peer, or [`Peer::OTHERS`] if [`MAX_PEERS`] owners are still counted after idle ones are removed.
fn counted_peer<K: Hash + Eq + Clone>(counts: &DefaultKeyedRateLimiter<K>, peer: Peer) -> Peer {
    if counts.len() >= MAX_PEERS {
        counts.retain_recent();
    }
    if counts.len() >= MAX_PEERS { Peer::OTHERS } else { peer }
}

fn at_least_one(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

fn too_many(what: &str, until: &NotUntil<governor::clock::QuantaInstant>) -> Problem {
    too_many_for(what, wait(until))
}

fn wait(until: &NotUntil<governor::clock::QuantaInstant>) -> Duration {
    until.wait_time_from(DefaultClock::default().now())
}

fn too_many_for(what: &str, wait: Duration) -> Problem {
    let seconds = (wait + Duration::from_millis(999)).as_secs().max(1);
    let detail = format!("{what}; try again in {seconds} s");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).after(seconds)
}

/// Applies the limits to every request that has a caller. Reads the whole body before it counts the request as in progress.
pub async fn limit(State(limits): State<RequestLimits>, request: Request, next: Next) -> Result<Response, Problem> {
    let Some(holder) = limits.count(&request)? else { return Ok(next.run(request).await) };
    let request = with_whole_body(request).await?;
    let counted = if let Holder::Key(id) = &holder { Some(CountedKey(id.clone())) } else { None };
    let _permit = limits.begin(Work::Request, holder).await?;
    let mut response = next.run(request).await;
    counted.and_then(|key| response.extensions_mut().insert(key));
    Ok(response)
}

/// Applies the limits to every upload that has a caller. An upload is in progress while its body arrives.
pub async fn limit_uploads(
    State(limits): State<RequestLimits>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let Some(holder) = limits.count(&request)? else { return Ok(next.run(request).await) };
    let _permit = limits.begin(Work::Upload, holder).await?;
    Ok(next.run(request).await)
}

async fn with_whole_body(request: Request) -> Result<Request, Problem> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let bytes = whole_body(Request::from_parts(parts.clone(), body)).await?;
    Ok(Request::from_parts(parts, bytes.into()))
}

/// Adds a hint to a 429 for messages: one request may contain many of them, so a client that imports a history need not send
/// one at a time.
fn advise(problem: Problem, path: &str) -> Problem {
    if !path.ends_with("/messages") {
        return problem;
    }
    problem.and(&format!("one request may contain up to {MAX_MESSAGES} messages, also of several conversations"))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use annals_core::Timestamp;
    use annals_core::ports::{Key, Scope};
    use axum::Router;
    use axum::body::{Body, Bytes};
    use axum::extract::ConnectInfo;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use tower::ServiceExt;

    use super::*;

    fn limits(burst: u32, concurrent: u32) -> RequestLimits {
        // The rate allows one more request per minute; no test takes that long.
        RequestLimits::new(&Limits { requests_per_minute: 1, burst, concurrent, ..Limits::default() })
    }

    fn without_waiting(mut limits: RequestLimits) -> RequestLimits {
        Arc::get_mut(&mut limits.0).unwrap().max_wait = Duration::ZERO;
        limits
    }

    fn holder_of(id: &str) -> Caller {
        Caller::of(Key {
            id: id.into(),
            name: id.into(),
            workspace: "default".into(),
            scopes: Scope::ALL.into(),
            agents: Vec::new(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            revoked_at: None,
            daily_tokens: None,
        })
    }

    fn peer(number: u32) -> Peer {
        Peer::at(IpAddr::V4(Ipv4Addr::from(number)))
    }

    async fn enter(limits: &RequestLimits, caller: &Caller, peer: Peer) -> Result<OwnedSemaphorePermit, Problem> {
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(caller.clone());
        request.extensions_mut().insert(ConnectInfo(peer));
        limits.begin(Work::Request, limits.count(&request)?.unwrap()).await
    }

    fn refusal<T>(result: Result<T, Problem>) -> Option<(u16, &'static str)> {
        result.err().map(|problem| (problem.status().as_u16(), problem.code()))
    }

    #[tokio::test]
    async fn rate_limit_of_a_key_holds_across_peers() {
        let limits = limits(2, 9);
        let (one, other) = (holder_of("one"), holder_of("other"));
        for number in 0..2 {
            assert_eq!(refusal(enter(&limits, &one, peer(number)).await), None);
        }
        assert_eq!(refusal(enter(&limits, &one, peer(2)).await), Some((429, "rate_limited")));
        assert_eq!(refusal(enter(&limits, &other, peer(0)).await), None);
    }

    #[tokio::test]
    async fn rate_limit_is_per_peer_without_keys() {
        let limits = limits(1, 9);
        assert_eq!(refusal(enter(&limits, &Caller::local(), peer(1)).await), None);
        assert_eq!(refusal(enter(&limits, &Caller::local(), peer(1)).await), Some((429, "rate_limited")));
        assert_eq!(refusal(enter(&limits, &Caller::local(), peer(2)).await), None);
    }

    #[tokio::test]
    async fn concurrent_requests_are_limited_per_key() {
        let limits = without_waiting(limits(9, 2));
        let one = holder_of("one");
        let first = enter(&limits, &one, peer(1)).await.unwrap();
        let _second = enter(&limits, &one, peer(1)).await.unwrap();
        assert_eq!(refusal(enter(&limits, &one, peer(1)).await), Some((503, "busy")));
        assert_eq!(refusal(enter(&limits, &holder_of("other"), peer(1)).await), None);
        drop(first);
        assert_eq!(refusal(enter(&limits, &one, peer(1)).await), None);
    }

    #[tokio::test]
    async fn request_waits_for_its_turn() {
        let limits = limits(9, 1);
        let first = enter(&limits, &Caller::local(), peer(1)).await.unwrap();
        let waiting = tokio::spawn({
            let limits = limits.clone();
            async move { refusal(enter(&limits, &Caller::local(), peer(1)).await) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        assert_eq!(waiting.await.unwrap(), None);
    }

    #[tokio::test]
    async fn body_that_does_not_arrive_does_not_keep_other_requests_out() {
        let limits = limits(9, 1);
        let on = |path: &str| Router::new().route(path, post(async |body: Bytes| body.len().to_string()));
        let uploads = on("/uploads").layer(from_fn_with_state(limits.clone(), limit_uploads));
        let app = on("/").layer(from_fn_with_state(limits, limit)).merge(uploads);
        let send = |path: &str, body: Body| {
            let request = Request::post(path).extension(Caller::local()).body(body).unwrap();
            app.clone().oneshot(request)
        };
        let silent = || Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        let _stalled = [send("/", silent()), send("/uploads", silent())].map(tokio::spawn);
        tokio::task::yield_now().await;
        assert_eq!(send("/", Body::from("tea")).await.unwrap().status(), StatusCode::OK);
        let refused = send("/uploads", Body::from("tea")).await.unwrap();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    }

    #[tokio::test]
    async fn failed_authentications_are_limited_per_peer() {
        let limits = limits(9, 9);
        for _ in 0..WRONG_KEYS.get() {
            assert_eq!(refusal(limits.record_wrong_key(peer(1))), None);
        }
        assert_eq!(refusal(limits.record_wrong_key(peer(1))), Some((429, "rate_limited")));
        assert_eq!(refusal(limits.record_wrong_key(peer(2))), None);
        assert_eq!(refusal(enter(&limits, &holder_of("one"), peer(1)).await), None);
    }

    #[tokio::test]
    async fn number_of_counted_peers_is_bounded() {
        let limits = without_waiting(limits(1, 1));
        for number in 0..2 * MAX_PEERS as u32 {
            let _ = limits.record_wrong_key(peer(number));
            let _ = enter(&limits, &Caller::local(), peer(number)).await;
        }
        assert!(limits.0.wrong_keys.len() <= MAX_PEERS + 1);
        assert!(limits.0.requests.len() <= MAX_PEERS + 1);
        assert!(limits.0.under_way.lock().len() <= 1);
    }
}
