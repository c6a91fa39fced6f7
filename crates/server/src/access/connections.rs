//! Connections of the public listener. Each costs a file handle, even without a valid key. So their number is limited, in total
//! and per peer. A connection is closed if a request head takes too long to arrive, or if no byte passes for too long.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::Peer;

/// Pause after a failure to accept connections.
const PAUSE: Duration = Duration::from_secs(1);
/// Maximum size of a request head in bytes. It includes the query string.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Limits on the number of connections, and on how long each may take.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of open connections. Further ones wait until another closes.
    pub most: usize,
    /// Maximum number of open connections of one peer. Further ones are closed at once.
    pub most_per_peer: usize,
    /// Maximum time until a request head has arrived, from the opening of the connection or from the end of the previous
    /// request.
    pub head: Duration,
    /// Maximum time without a byte in either direction. Must be longer than any answer takes.
    pub silence: Duration,
}

/// Serves connections until `stop`, then finishes the requests in progress.
pub async fn serve_connections(
    listener: TcpListener,
    app: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let (slots, tasks) = (Slots::new(&limits), TaskTracker::new());
    while let Some((stream, address, permit)) = stop.run_until_cancelled(next(&listener, &slots)).await {
        let peer = Peer::at(address.ip());
        // A peer with too many connections is disconnected, so that it does not block others.
        let Some(slot) = slots.of_peer(peer) else { continue };
        let connection = Connection::new(stream, limits.silence, Some((permit, slot)));
        tasks.spawn(serve_one(connection, app.clone(), peer, limits.head, stop.clone()));
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
    Ok(())
}

/// Waits until one more connection is allowed, then accepts it.
async fn next(listener: &TcpListener, slots: &Slots) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let permit = slots.next().await;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => return (stream, address, permit),
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_the_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn serve_one(
    connection: Connection<TcpStream>,
    app: Router,
    peer: Peer,
    head: Duration,
    stop: CancellationToken,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().oneshot(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(MAX_HEAD_BYTES);
    let served = http.serve_connection(TokioIo::new(connection), service).with_upgrades();
    tokio::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Counts the open connections, in total and per peer.
struct Slots {
    free: Arc<Semaphore>,
    most_per_peer: usize,
    of_peers: Arc<Mutex<HashMap<Peer, usize>>>,
}

impl Slots {
    fn new(limits: &ConnectionLimits) -> Slots {
        let free = Arc::new(Semaphore::new(limits.most));
        Slots { free, most_per_peer: limits.most_per_peer, of_peers: Arc::default() }
    }

    async fn next(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_owned().await.expect("it is never closed")
    }

    /// Takes a slot for this peer. None if the peer has its maximum.
    fn of_peer(&self, peer: Peer) -> Option<PeerSlot> {
        let mut of_peers = self.of_peers.lock();
        let open = of_peers.entry(peer).or_default();
        (*open < self.most_per_peer).then(|| {
            *open += 1;
            PeerSlot { peer, of_peers: Arc::clone(&self.of_peers) }
        })
    }
}

/// One connection in the count of a peer. Dropping it lowers the count.
struct PeerSlot {
    peer: Peer,
    of_peers: Arc<Mutex<HashMap<Peer, usize>>>,
}

impl Drop for PeerSlot {
    fn drop(&mut self) {
        let mut of_peers = self.of_peers.lock();
        if let Some(open) = of_peers.get_mut(&self.peer) {
            *open -= 1;
            if *open == 0 {
                of_peers.remove(&self.peer);
            }
        }
    }
}

/// A connection that holds its slots while it is open.
struct Connection<T> {
    io: T,
    silence: Silence,
    _slots: Option<(OwnedSemaphorePermit, PeerSlot)>,
}

impl<T> Connection<T> {
    fn new(io: T, longest: Duration, slots: Option<(OwnedSemaphorePermit, PeerSlot)>) -> Connection<T> {
        let silence = Silence { alarm: Box::pin(sleep(longest)), longest };
        Connection { io, silence, _slots: slots }
    }
}

/// Idle timer of a connection: restarts when bytes are read or written.
struct Silence {
    alarm: Pin<Box<Sleep>>,
    longest: Duration,
}

impl Silence {
    /// Returns the outcome of a read or write. A finished read or write restarts the timer. If the timer has run out, a pending
    /// one becomes a timeout error.
    fn check_timeout<R>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if outcome.is_ready() {
            self.alarm.as_mut().reset(Instant::now() + self.longest);
            return outcome;
        }
        ready!(self.alarm.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Connection<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.io).poll_read(context, into);
        this.silence.check_timeout(context, outcome)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Connection<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.io).poll_write(context, bytes);
        this.silence.check_timeout(context, outcome)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.io).poll_write_vectored(context, slices);
        this.silence.check_timeout(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn limits() -> ConnectionLimits {
        ConnectionLimits { most: 2, most_per_peer: 2, head: LONG, silence: LONG }
    }

    fn peer(address: &str) -> Peer {
        Peer::at(address.parse().unwrap())
    }

    #[tokio::test]
    async fn connection_over_the_limit_waits_until_another_closes() {
        let slots = Slots::new(&limits());
        let first = slots.next().await;
        let _second = slots.next().await;
        assert!(tokio::time::timeout(Duration::from_millis(20), slots.next()).await.is_err());
        drop(first);
        drop(slots.next().await);
    }

    #[test]
    fn slots_are_limited_per_peer() {
        let slots = Slots::new(&limits());
        let first = slots.of_peer(peer("192.0.2.1"));
        let second = slots.of_peer(peer("192.0.2.1"));
        assert!(first.is_some() && second.is_some() && slots.of_peer(peer("192.0.2.1")).is_none());
        assert!(slots.of_peer(peer("192.0.2.2")).is_some());
        drop(first);
        assert!(slots.of_peer(peer("192.0.2.1")).is_some());
        drop(second);
        assert!(slots.of_peers.lock().is_empty(), "nothing is kept of peers that left");
    }

    #[tokio::test]
    async fn slow_head_ends_the_connection_and_a_prompt_one_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().route("/", get(async || "here"));
        let limits = ConnectionLimits { head: Duration::from_millis(300), ..limits() };
        let stop = CancellationToken::new();
        let served = tokio::spawn(serve_connections(listener, app, limits, stop.clone()));
        let mut prompt = TcpStream::connect(address).await.unwrap();
        prompt.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        prompt.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("here"), "{answer}");
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
        let drip = async {
            while slow.write_all(b"x").await.is_ok() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), drip).await.expect("it was held as long as bytes came");
        stop.cancel();
        served.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn traffic_restarts_the_idle_timer() {
        let (ours, mut there) = duplex(64);
        let mut here = Connection::new(ours, LONG, None);
        for reads in [true, false] {
            let before = here.silence.alarm.deadline();
            sleep(Duration::from_millis(5)).await;
            if reads {
                there.write_all(b"x").await.unwrap();
                here.read_exact(&mut [0]).await.unwrap();
            } else {
                here.write_all(b"x").await.unwrap();
            }
            assert!(here.silence.alarm.deadline() > before);
        }
    }

    #[tokio::test]
    async fn idle_connection_times_out() {
        let (ours, _there) = duplex(64);
        let mut here = Connection::new(ours, Duration::from_millis(20), None);
        assert_eq!(here.read_exact(&mut [0]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
