//! Limits on the size and the duration of a request.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody};
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::try_unfold;
use http_body_util::Limited;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::request::carried;
use crate::rest::{MAX_WAIT, Problem, too_large};

/// Maximum bytes of a refused body that are read and dropped. A body that declares a greater length is not read at all. Most
/// clients read the answer only after they have sent the whole body, and report a broken connection if the server closes it
/// before.
const MAX_DRAINED: u64 = 64 << 20;
/// Maximum time for reading a refused body.
const MAX_DRAINING: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// Maximum size of the body in bytes.
    pub most: usize,
    /// Maximum time until the next chunk of the body arrives, the first one included. While it waits, a body occupies a
    /// connection, and memory for the bytes that have arrived.
    pub silence: Duration,
}

/// Refuses bodies that declare a length over the limit, and aborts bodies that turn out to be longer or stop arriving.
pub async fn bound_body(State(limits): State<BodyLimits>, request: Request, next: Next) -> Result<Response, Problem> {
    let BodyLimits { most, silence } = limits;
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if let Some(declared) = declared.filter(|declared| *declared > most as u64) {
        if declared <= MAX_DRAINED {
            drain(&mut request.into_body().into_data_stream()).await;
        }
        return Err(too_large());
    }
    Ok(next.run(request.map(|body| Body::new(Limited::new(guarded(body, most, silence), most)))).await)
}

/// Returns a body that fails once nothing has arrived for the given time. A body of more than `most` bytes is drained before
/// the caller receives the chunk that exceeds the limit.
pub(crate) fn guarded(body: Body, most: usize, silence: Duration) -> Body {
    if body.is_end_stream() {
        return body;
    }
    Body::from_stream(try_unfold((body.into_data_stream(), 0), move |(mut chunks, received)| async move {
        let Some(chunk) = timeout(silence, chunks.next()).await.map_err(axum::Error::new)?.transpose()? else {
            return Ok(None);
        };
        let received = received + chunk.len();
        if received > most {
            drain(&mut chunks).await;
        }
        Ok::<_, axum::Error>(Some((chunk, (chunks, received))))
    }))
}

/// Reads a body to its end, or until it fails, without keeping it in memory. Stops at [`MAX_DRAINED`] and [`MAX_DRAINING`].
async fn drain(chunks: &mut BodyDataStream) {
    let read = async {
        let mut drained = 0;
        while let Some(Ok(chunk)) = chunks.next().await {
            drained += chunk.len() as u64;
            if drained > MAX_DRAINED {
                break;
            }
        }
    };
    let _ = timeout(MAX_DRAINING, read).await;
}

/// Answers with 504 if the work is not done when the time is over. Work for a safe method is then cancelled. Any other work
/// continues without an answer, as after a disconnection of the client. If the work panics, the answer is 500.
pub async fn bound_time(State(longest): State<Duration>, request: Request, next: Next) -> Response {
    let longest = longest + requested_wait(request.uri());
    let only_reads = request.method().is_safe();
    let work = tokio::spawn(carried(next.run(request)));
    let answer =
        if only_reads { timeout(longest, AbortOnDropHandle::new(work)).await } else { timeout(longest, work).await };
    match answer {
        Ok(Ok(response)) => response,
        // The panic is already in the log. Its message may contain a user's text, so it is left out here.
        Ok(Err(_)) => {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error; see the log of the service")
                .into_response()
        }
        Err(_) => late(longest, only_reads).into_response(),
    }
}

fn late(longest: Duration, only_reads: bool) -> Problem {
    let rest = if only_reads { "" } else { "; the service continues it, so it may still succeed" };
    let detail = format!("the request took longer than {} s{rest}", longest.as_secs());
    Problem::new(StatusCode::GATEWAY_TIMEOUT, "timeout", detail).after(10)
}

/// Returns the time by which the limit is extended: the longest wait that a request may ask for if the query has `wait=`,
/// otherwise zero. Such a request stores its messages first, and then waits for them to become searchable.
fn requested_wait(uri: &Uri) -> Duration {
    let waits = uri.query().is_some_and(|query| query.split('&').any(|part| part.starts_with("wait=")));
    Duration::from_secs(if waits { MAX_WAIT } else { 0 })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use axum::Router;
    use axum::body::Bytes;
    use axum::extract::DefaultBodyLimit;
    use axum::middleware::from_fn_with_state;
    use axum::routing::{get, post};
    use http_body_util::BodyExt;
    use tokio::sync::Notify;
    use tower::ServiceExt;

    use super::*;

    const TEN_BYTES: BodyLimits = BodyLimits { most: 10, silence: Duration::from_secs(5) };

    async fn status(app: &Router, request: axum::http::request::Builder, body: Body) -> u16 {
        app.clone().oneshot(request.body(body).unwrap()).await.unwrap().status().as_u16()
    }

    #[tokio::test]
    async fn body_over_the_limit_is_refused_by_declared_and_by_actual_length() {
        let app = Router::new()
            .route("/", post(async |body: Bytes| body.len().to_string()))
            .layer(DefaultBodyLimit::disable())
            .layer(from_fn_with_state(TEN_BYTES, bound_body));
        let streamed = |bytes: usize| {
            let chunks = (0..bytes).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(b"x")));
            Body::from_stream(futures::stream::iter(chunks))
        };
        let post = || Request::post("/");
        assert_eq!(status(&app, post(), streamed(10)).await, 200);
        assert_eq!(status(&app, post(), streamed(11)).await, 413);
        assert_eq!(status(&app, post().header("content-length", "10"), Body::from("x".repeat(10))).await, 200);
        assert_eq!(status(&app, post().header("content-length", "11"), Body::empty()).await, 413);
        assert_eq!(status(&app, post().header("content-length", "x"), streamed(11)).await, 413);
    }

    #[tokio::test]
    async fn body_over_the_limit_is_read_to_its_end_before_the_answer() {
        let app = Router::new()
            .route("/", post(async |body: Bytes| body.len().to_string()))
            .layer(DefaultBodyLimit::disable())
            .layer(from_fn_with_state(TEN_BYTES, bound_body));
        let sent = Arc::new(AtomicU64::new(0));
        let counter = sent.clone();
        let chunks = (0..50).map(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            Ok::<_, std::io::Error>(Bytes::from_static(b"x"))
        });
        let body = Body::from_stream(futures::stream::iter(chunks));
        assert_eq!(status(&app, Request::post("/"), body).await, 413);
        assert_eq!(sent.load(Ordering::SeqCst), 50);
    }

    #[tokio::test]
    async fn body_that_falls_silent_fails() {
        let read = async |body: Body| guarded(body, 10, Duration::from_millis(20)).collect().await.is_ok();
        let begun = || futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"x"))]);
        assert!(read(Body::empty()).await);
        assert!(read(Body::from_stream(begun())).await);
        assert!(!read(Body::from_stream(begun().chain(futures::stream::pending()))).await);
    }

    #[tokio::test]
    async fn request_over_the_time_limit_gets_504_and_its_changes_are_finished() {
        let (done, release) = (Arc::new(AtomicU64::new(0)), Arc::new(Notify::new()));
        let work = {
            let (done, release) = (done.clone(), release.clone());
            move || {
                let (done, release) = (done.clone(), release.clone());
                async move {
                    release.notified().await;
                    done.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        let app = Router::new()
            .route("/", get(work.clone()).post(work))
            .layer(from_fn_with_state(Duration::from_millis(20), bound_time));
        assert_eq!(status(&app, Request::get("/"), Body::empty()).await, 504);
        assert_eq!(status(&app, Request::post("/"), Body::empty()).await, 504);
        // Only the POST handler is still waiting. It takes the first notification; nothing takes the second.
        release.notify_one();
        while done.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        release.notify_one();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(done.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn panic_is_answered_without_its_message() {
        async fn fails() {
            panic!("secret words");
        }
        let app = Router::new().route("/", get(fails)).layer(from_fn_with_state(Duration::from_secs(5), bound_time));
        let response = app.oneshot(Request::get("/").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
    }

    #[test]
    fn requested_wait_is_added_to_the_time_limit() {
        for (uri, expect) in [("/a", 0), ("/a?wait=searchable", 60), ("/a?b=c&wait=x", 60), ("/a?await=x", 0)] {
            assert_eq!(requested_wait(&Uri::from_static(uri)).as_secs(), expect, "{uri}");
        }
    }
}
