//! Refuses writes to a bucket once this process may not write any more, for example because another node has taken over.
//!
//! The guard checks the condition before each request that writes, and before each retry of one, because `object_store`
//! retries by itself. A write under way is given up after a time limit. The store may still carry it out. So the guard makes
//! a late write rare, and readers of the objects must detect one.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use tokio::sync::RwLock;

/// When this process may write.
#[derive(Clone)]
pub struct WriteGuard {
    /// Returns whether this process may write now.
    pub may_write: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The time limit of a request that writes.
    pub time_limit: Duration,
    /// Each request that writes holds this for reading. While it is held for writing, no write is under way.
    pub writes: Arc<RwLock<()>>,
}

impl fmt::Debug for WriteGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteGuard").field("time_limit", &self.time_limit).finish_non_exhaustive()
    }
}

/// Makes HTTP clients that apply the guard, if there is one, to requests that write.
#[derive(Debug)]
pub(crate) struct Connector(pub Option<WriteGuard>);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(match self.0.clone() {
            Some(guard) => HttpClient::new(GuardedClient { client, guard }),
            None => client,
        })
    }
}

#[derive(Debug)]
struct GuardedClient {
    client: HttpClient,
    guard: WriteGuard,
}

#[async_trait]
impl HttpService for GuardedClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if request.method().is_safe() {
            return self.client.execute(request).await;
        }
        let _under_way = self.guard.writes.read().await;
        if !(self.guard.may_write)() {
            return Err(failed(HttpErrorKind::Unknown, "this process may not write to the bucket any more"));
        }
        let answer = tokio::time::timeout(self.guard.time_limit, self.client.execute(request)).await;
        answer.unwrap_or_else(|_| Err(failed(HttpErrorKind::Timeout, "a write to the bucket took too long")))
    }
}

fn failed(kind: HttpErrorKind, reason: &str) -> HttpError {
    HttpError::new(kind, io::Error::other(reason))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use object_store::client::{HttpRequestBody, HttpResponseBody};

    use super::*;

    /// Answers no request if `hangs`, and counts requests.
    #[derive(Debug, Default)]
    struct Server {
        hangs: bool,
        requests: Arc<AtomicUsize>,
    }

    #[async_trait]
    impl HttpService for Server {
        async fn call(&self, _: HttpRequest) -> Result<HttpResponse, HttpError> {
            self.requests.fetch_add(1, Ordering::Relaxed);
            if self.hangs {
                std::future::pending::<()>().await;
            }
            Ok(HttpResponse::new(HttpResponseBody::from(String::new())))
        }
    }

    /// Sends a request; `expect` is the kind of its error, and whether it was sent.
    async fn check(method: &str, may_write: bool, hangs: bool, expect: (Option<HttpErrorKind>, bool)) {
        let requests = Arc::new(AtomicUsize::new(0));
        let client = HttpClient::new(Server { hangs, requests: requests.clone() });
        let may = AtomicBool::new(may_write);
        let may_write: Arc<dyn Fn() -> bool + Send + Sync> = Arc::new(move || may.load(Ordering::Relaxed));
        let guard = WriteGuard { may_write, time_limit: Duration::from_millis(20), writes: Arc::default() };
        let guarded = GuardedClient { client, guard };
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.method_mut() = method.parse().unwrap();
        // Five hundred times the limit of the guard, so that a call without a limit fails instead of hanging.
        let called = tokio::time::timeout(Duration::from_secs(10), guarded.call(request)).await.unwrap();
        let kind = called.err().map(|error| error.kind());
        assert_eq!((kind, requests.load(Ordering::Relaxed) > 0), expect, "{method}");
    }

    #[tokio::test]
    async fn write_under_way_is_waited_for() {
        let client = HttpClient::new(Server { hangs: true, ..Server::default() });
        let writes = Arc::<RwLock<()>>::default();
        let guard =
            WriteGuard { may_write: Arc::new(|| true), time_limit: Duration::from_millis(50), writes: writes.clone() };
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.method_mut() = "PUT".parse().unwrap();
        let guarded = GuardedClient { client, guard };
        let mut write = std::pin::pin!(guarded.call(request));
        assert!(futures::poll!(&mut write).is_pending());
        assert!(writes.try_write().is_err());
        assert!(write.await.is_err());
        assert!(writes.try_write().is_ok());
    }

    #[tokio::test]
    async fn writes_are_sent_only_while_the_process_may_write() {
        for method in ["PUT", "POST", "DELETE"] {
            check(method, true, false, (None, true)).await;
            check(method, false, false, (Some(HttpErrorKind::Unknown), false)).await;
            check(method, true, true, (Some(HttpErrorKind::Timeout), true)).await;
        }
        for method in ["GET", "HEAD"] {
            check(method, false, false, (None, true)).await;
        }
    }
}
