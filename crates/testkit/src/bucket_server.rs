//! Buckets for tests, on a server with S3's interface: the package moto, in the Python environment that `scripts/test` makes and
//! names in `ANNALS_TEST_MOTO`. It is started once for a test process and stopped with it. It keeps everything in memory.
//!
//! `scripts/test-buckets` names the bucket of another server in `ANNALS_TEST_BUCKET` and `ANNALS_TEST_BUCKET_ENDPOINT`. Then all
//! tests use that one, each below a prefix of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The environment variable with the path of a `python` that has moto.
const PROGRAM: &str = "ANNALS_TEST_MOTO";

/// Runs the server until the standard input of the shell is closed, at the latest when the test process ends.
const RUN: &str = r#""$1" -c "$3" "$2" >/dev/null 2>&1 & read -r _; kill $!"#;

/// Handles one request after another, each when it has arrived completely. `moto_server` would handle several requests at once,
/// and then let more than one of them create the same object. A server without threads would wait for a client that hangs.
const SERVE: &str = "import io, sys, threading
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
moto, one_at_a_time = DomainDispatcherApplication(create_backend_app), threading.Lock()
def serve(environ, start_response):
    length = int(environ.get('CONTENT_LENGTH') or 0)
    environ['wsgi.input'] = io.BytesIO(environ['wsgi.input'].read(length))
    with one_at_a_time:
        return [b''.join(moto(environ, start_response))]
run_simple('127.0.0.1', int(sys.argv[1]), serve, threaded=True)";

struct Server {
    address: SocketAddr,
    /// The shell. The server runs until the standard input of this process is closed.
    _process: Child,
}

static STARTED: OnceLock<Option<Server>> = OnceLock::new();
static BUCKETS: AtomicU32 = AtomicU32::new(0);

/// An empty bucket, or an empty prefix of one, for one test.
#[derive(Clone, Debug)]
pub struct TestBucket {
    /// As in `objects.url`, with or without a prefix.
    pub url: String,
    /// The URL of the server, without the bucket.
    pub endpoint: String,
}

impl TestBucket {
    /// Returns a prefix of the bucket that the environment names, or else a new bucket of moto, which accepts any credentials.
    /// Without either, reports that the test is skipped, and returns `None`.
    pub fn new() -> Option<TestBucket> {
        let name = format!("test-{}-{}", std::process::id(), BUCKETS.fetch_add(1, Ordering::Relaxed));
        match (std::env::var("ANNALS_TEST_BUCKET"), std::env::var("ANNALS_TEST_BUCKET_ENDPOINT")) {
            (Ok(url), Ok(endpoint)) => Some(TestBucket { url: format!("{url}/{name}"), endpoint }),
            _ => TestBucket::of_moto(),
        }
    }

    /// Creates a bucket of moto.
    pub fn of_moto() -> Option<TestBucket> {
        let Some(server) = STARTED.get_or_init(start) else {
            let _ = writeln!(
                std::io::stderr(),
                "skipped: {PROGRAM} does not name a Python with moto; scripts/test installs one"
            );
            return None;
        };
        let name = format!("test-{}-{}", std::process::id(), BUCKETS.fetch_add(1, Ordering::Relaxed));
        let answer = put(server.address, &name).unwrap();
        assert!(answer.lines().next().is_some_and(|status| status.contains(" 200 ")), "{answer}");
        Some(TestBucket { url: format!("s3://{name}"), endpoint: format!("http://{}", server.address) })
    }
}

fn start() -> Option<Server> {
    let program = std::env::var_os(PROGRAM).filter(|program| !program.is_empty())?;
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", RUN, "sh"]).arg(program).arg(address.port().to_string()).arg(SERVE);
    let process = command.stdin(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(120), "moto does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Server { address, _process: process })
}

/// Creates a bucket, with the fewest headers that the server accepts.
fn put(server: SocketAddr, bucket: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(server)?;
    write!(stream, "PUT /{bucket} HTTP/1.1\r\nHost: {server}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
