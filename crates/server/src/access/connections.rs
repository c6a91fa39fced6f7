//! So many connections at once, and none that says nothing for long: each costs a file handle, whoever opened it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A listener whose connections are counted; one more waits until another closes.
pub struct Connections<L> {
    listener: L,
    free: Arc<Semaphore>,
    longest_silence: Duration,
}

impl<L: Listener> Connections<L> {
    /// Bounds the connections of a listener. The longest silence must be longer than any answer takes.
    pub fn new(listener: L, most: usize, longest_silence: Duration) -> Connections<L> {
        Connections { listener, free: Arc::new(Semaphore::new(most)), longest_silence }
    }
}

impl<L: Listener> Listener for Connections<L> {
    type Io = Connection<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let permit = Arc::clone(&self.free).acquire_owned().await.expect("it is never closed");
        let (io, address) = self.listener.accept().await;
        let silence = Silence { alarm: Box::pin(sleep(self.longest_silence)), longest: self.longest_silence };
        (Connection { io, silence, _permit: permit }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection that counts while it is open.
pub struct Connection<T> {
    io: T,
    silence: Silence,
    _permit: OwnedSemaphorePermit,
}

/// How long nothing was read or written.
struct Silence {
    alarm: Pin<Box<Sleep>>,
    longest: Duration,
}

impl Silence {
    /// What came of reading or writing; an error if nothing came of it for too long.
    fn judge<R>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
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
        this.silence.judge(context, outcome)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Connection<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.io).poll_write(context, bytes);
        this.silence.judge(context, outcome)
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
        this.silence.judge(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    /// Hands out one end of pipes whose other ends are kept.
    struct Pipes(Vec<DuplexStream>);

    impl Listener for Pipes {
        type Io = DuplexStream;
        type Addr = ();

        async fn accept(&mut self) -> (DuplexStream, ()) {
            let (ours, theirs) = duplex(64);
            self.0.push(theirs);
            (ours, ())
        }

        fn local_addr(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn connections(most: usize, longest_silence: Duration) -> Connections<Pipes> {
        Connections::new(Pipes(Vec::new()), most, longest_silence)
    }

    #[tokio::test]
    async fn one_more_waits_until_another_closes() {
        let mut connections = connections(2, Duration::from_secs(3600));
        let first = connections.accept().await;
        let _second = connections.accept().await;
        let third = tokio::time::timeout(Duration::from_millis(20), connections.accept()).await;
        assert!(third.is_err());
        drop(first);
        connections.accept().await;
    }

    #[tokio::test]
    async fn talk_puts_the_end_off() {
        let mut connections = connections(1, Duration::from_secs(3600));
        let (mut here, ()) = connections.accept().await;
        let mut there = connections.listener.0.pop().unwrap();
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
    async fn silence_ends_a_connection() {
        let mut connections = connections(1, Duration::from_millis(20));
        let (mut here, ()) = connections.accept().await;
        assert_eq!(here.read_exact(&mut [0]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
