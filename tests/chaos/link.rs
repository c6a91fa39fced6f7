//! A network link that can fail: a TCP proxy before one server. It forwards bytes without reading them. It can also answer an
//! HTTP request itself.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The condition of a link, which says what happens to its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    Up,
    /// Connections are closed.
    Closed,
    /// Nothing arrives until the link has another condition. Then everything that was sent arrives.
    Silent,
    /// The server gets what is sent, but its answer is lost.
    Unanswered,
    /// New connections get the status 503, as from an overloaded bucket.
    Unavailable,
}

const UNAVAILABLE: &[u8] =
    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A link that runs until the runtime of the test ends.
pub struct Link {
    pub address: SocketAddr,
    condition: watch::Sender<Condition>,
}

impl Link {
    /// Listens for the server at `target`.
    pub async fn to(target: SocketAddr) -> Link {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, condition) = (listener.local_addr().unwrap(), watch::Sender::new(Condition::Up));
        let link = Link { address, condition };
        let changes = link.condition.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connection(client, target, changes.clone()));
            }
        });
        link
    }

    pub fn set(&self, condition: Condition) {
        self.condition.send_replace(condition);
    }
}

/// Forwards both ways until one side or the link closes the connection.
async fn connection(mut client: TcpStream, target: SocketAddr, condition: watch::Receiver<Condition>) {
    let now = *condition.borrow();
    match now {
        Condition::Closed => return,
        Condition::Unavailable => {
            let _ = client.read(&mut [0; 1 << 16]).await;
            let _ = client.write_all(UNAVAILABLE).await;
            return;
        }
        _ => {}
    }
    let Ok(mut server) = TcpStream::connect(target).await else { return };
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    tokio::select! {
        () = forward(from_client, to_server, condition.clone(), false) => {}
        () = forward(from_server, to_client, condition, true) => {}
    }
}

async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut condition: watch::Receiver<Condition>,
    is_answer: bool,
) {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let count = tokio::select! {
            count = from.read(&mut bytes) => count.unwrap_or(0),
            _ = condition.wait_for(|now| *now == Condition::Closed) => 0,
        };
        let Ok(now) = condition.wait_for(|now| *now != Condition::Silent).await.map(|now| *now) else { return };
        let is_lost = now == Condition::Closed || is_answer && now == Condition::Unanswered;
        if count == 0 || is_lost || to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
