//! A proxy between the driver and a server for tests, which closes the connection at a chosen statement.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// When the proxy closes the connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cut {
    /// The server does not get the statement.
    Before,
    /// The server has answered, and the answer is lost.
    After,
}

/// The name of a server's socket in its folder.
const SOCKET: &str = ".s.PGSQL.5432";

/// Size of the read buffer in bytes. All messages of these tests fit into it.
const BYTES: usize = 1 << 16;

pub(super) struct Proxy {
    folder: tempfile::TempDir,
    /// How many connections will still be closed.
    cuts: Arc<AtomicUsize>,
}

impl Proxy {
    /// Listens for a server with a socket in the folder `server`. Connections are closed where a message has the text
    /// `statement`.
    pub(super) fn new(server: &Path, statement: &'static str, cut: Cut) -> Proxy {
        let (folder, cuts) = (tempfile::tempdir().unwrap(), Arc::new(AtomicUsize::new(0)));
        let (listener, server) = (UnixListener::bind(folder.path().join(SOCKET)).unwrap(), server.join(SOCKET));
        let left = Arc::clone(&cuts);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server, left) =
                    (client.unwrap(), UnixStream::connect(&server).unwrap(), Arc::clone(&left));
                std::thread::spawn(move || forward(&client, &server, statement, cut, &left));
            }
        });
        Proxy { folder, cuts }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// Makes the proxy close the next `cuts` connections that send the statement.
    pub(super) fn cut_next(&self, cuts: usize) {
        self.cuts.store(cuts, Ordering::SeqCst);
    }

    /// Returns how many connections the proxy will still close.
    pub(super) fn cuts_left(&self) -> usize {
        self.cuts.load(Ordering::SeqCst)
    }
}

/// Forwards both ways until one side or the proxy closes the connection.
fn forward(client: &UnixStream, server: &UnixStream, statement: &str, cut: Cut, left: &AtomicUsize) {
    let (mut answers, mut to_client) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let answering = std::thread::spawn(move || {
        let _ = std::io::copy(&mut answers, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let (mut from, mut to, mut bytes) = (client, server, vec![0; BYTES]);
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let is_it = bytes[..count].windows(statement.len()).any(|window| window == statement.as_bytes());
        let is_cut = is_it && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if is_cut {
            // No answer passes from here on.
            let _ = client.shutdown(Shutdown::Both);
            if cut == Cut::After {
                to.write_all(&bytes[..count]).unwrap();
                // The server closes after it has done its work and read the end of its input.
                let _ = to.shutdown(Shutdown::Write);
                answering.join().unwrap();
            }
            break;
        }
        to.write_all(&bytes[..count]).unwrap();
    }
    let _ = server.shutdown(Shutdown::Both);
}
