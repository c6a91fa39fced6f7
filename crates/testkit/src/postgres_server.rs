//! Provides a PostgreSQL server for tests: the server at the URL in `ANNALS_TEST_POSTGRES`, or a server that is started for the
//! test process and stopped with it. Each catalog of a test has its own schema.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The environment variable with the URL of a database in which the tests may create schemas.
const SERVER: &str = "ANNALS_TEST_POSTGRES";

/// The environment variable that makes tests fail, not skip, if there is no server. Set in CI.
const REQUIRED: &str = "ANNALS_TEST_POSTGRES_REQUIRED";

/// Shell script that runs the server until its input ends, at the latest when the test process ends. With a port as third
/// argument, the server also accepts encrypted connections from this machine; `ca.pem` then holds the authority that signed its
/// certificate for `localhost`.
const RUN: &str = r#"initdb="$1/initdb" postgres="$1/postgres" folder="$2"
"$initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null || exit 1
if [ -n "$3" ]; then
    cd "$folder" && openssl req -x509 -nodes -newkey rsa:2048 -subj /CN=ca -keyout ca.key -out ca.pem 2>/dev/null &&
        openssl req -x509 -CA ca.pem -CAkey ca.key -nodes -newkey rsa:2048 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
            -keyout key.pem -out cert.pem 2>/dev/null || exit 1
    sed -i 's/^host /hostssl /' data/pg_hba.conf
    tls="-c listen_addresses=localhost -c port=$3 -c ssl=on -c ssl_cert_file=$folder/cert.pem -c ssl_key_file=$folder/key.pem"
fi
"$postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c full_page_writes=off \
    -c max_connections=200 $tls >"$folder/log" 2>&1 &
read -r _
kill -INT $! && wait $!
rm -rf "$folder/data" "$folder/log" "$folder"/*.key "$folder"/*.pem
"#;

struct Server {
    url: String,
    /// The folder of the server's socket, if the server was started for the tests.
    folder: Option<PathBuf>,
    /// The shell with the script. The server runs until the standard input of this process is closed.
    _process: Option<Child>,
}

static STARTED: OnceLock<Option<Server>> = OnceLock::new();
static SCHEMAS: AtomicU32 = AtomicU32::new(0);

/// A schema for one catalog.
pub struct Schema {
    /// The URL under which a catalog opens this schema.
    pub url: String,
    pub name: String,
}

/// Reports that a test is skipped because something is missing. Panics if the tests are required.
pub fn skipped(missing: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "{missing}");
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}

fn in_schema(server: &str, name: &str) -> String {
    let mark = if server.contains('?') { '&' } else { '?' };
    format!("{server}{mark}options=-csearch_path%3D{name}")
}

impl Schema {
    /// Creates a schema. Without a server, reports that the test is skipped, and returns `None`.
    pub fn new() -> Option<Schema> {
        let Some(server) = STARTED.get_or_init(start) else {
            skipped("no PostgreSQL server; install it (apt-get install postgresql) or set ANNALS_TEST_POSTGRES");
            return None;
        };
        let name = format!("test_{}_{}", std::process::id(), SCHEMAS.fetch_add(1, Ordering::Relaxed));
        sql(&server.url, &format!("CREATE SCHEMA {name}")).unwrap();
        Some(Schema { url: in_schema(&server.url, &name), name })
    }

    /// Returns the folder of the server's socket; `None` if the server was not started for the tests.
    pub fn folder(&self) -> Option<PathBuf> {
        STARTED.get()?.as_ref()?.folder.clone()
    }

    /// Returns the URL of the schema at a server that listens on a socket in another folder.
    pub fn url_at(&self, folder: &Path) -> String {
        in_schema(&url_of(folder), &self.name)
    }

    /// Runs statements over a connection of their own.
    pub fn sql(&self, sql: &str) {
        self::sql(&self.url, sql).unwrap();
    }

    /// Returns a function that ends the session of the service, as a restart of the server does.
    pub fn cutter(&self) -> impl Fn() + Send + Sync + 'static {
        let url = self.url.clone();
        move || sql(&url, END_SESSIONS).unwrap()
    }

    /// Runs statements in a transaction that is open until the answer is dropped.
    pub fn transaction(&self, sql: &str) -> impl Drop + use<> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (url, sql) = (self.url.clone(), format!("BEGIN; {sql}"));
        let begun = runtime.spawn(async move {
            let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            let connection = tokio::spawn(connection);
            client.batch_execute(&sql).await.unwrap();
            (client, connection)
        });
        let client =
            std::thread::scope(|scope| scope.spawn(|| futures::executor::block_on(begun).unwrap()).join().unwrap());
        Held { client: Some(client), runtime: Some(runtime) }
    }
}

/// Ends the sessions of the services that have a catalog in this schema open, and waits up to five seconds for each to end.
const END_SESSIONS: &str = "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
        AND (classid::bigint << 32 | objid::bigint) = hashtextextended('annals ' || current_schema(), 0)";

/// A connection with an open transaction.
struct Held<C> {
    client: Option<C>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl<C> Drop for Held<C> {
    fn drop(&mut self) {
        drop(self.client.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // This fails if a failed test still holds a connection. A server that was started for the tests is removed as a whole.
        let _ = sql(&self.url, &format!("SET lock_timeout = 1000; DROP SCHEMA {} CASCADE", self.name));
    }
}

/// Runs statements over a new connection. Uses a thread of its own, because tests run in a runtime.
fn sql(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
            tokio::spawn(connection);
            client.batch_execute(sql).await
        })
    };
    std::thread::scope(|scope| scope.spawn(run).join().unwrap())
}

fn start() -> Option<Server> {
    if let Ok(url) = std::env::var(SERVER) {
        return Some(Server { url, folder: None, _process: None });
    }
    let (folder, process) = launch("")?;
    let url = url_of(&folder);
    let begun = Instant::now();
    while sql(&url, "SELECT 1").is_err() {
        if begun.elapsed() > Duration::from_secs(60) {
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Server { url, folder: Some(folder), _process: Some(process) })
}

/// Starts a new server, which also takes encrypted connections if a port is given. Returns its folder and its process; the
/// server runs until the input of the process is closed. Returns `None` if PostgreSQL is not installed or the shell cannot be
/// started.
pub fn launch(tls_port: &str) -> Option<(PathBuf, Child)> {
    let (mut command, folder) = (server_shell(RUN)?, tempfile::tempdir().unwrap().keep());
    open_to_server(&folder);
    command.arg(&folder).arg(tls_port).current_dir(&folder);
    Some((folder, command.stdin(Stdio::piped()).spawn().ok()?))
}

/// Prepares a script for a server, with the folder of PostgreSQL's programs as its first argument. The script does not run as
/// root, because the server refuses to run as root. Returns `None` if PostgreSQL is not installed.
pub fn server_shell(script: &str) -> Option<Command> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = Command::new(if is_root { "runuser" } else { "sh" });
    if is_root {
        command.args(["-u", "postgres", "--", "sh"]);
    }
    command.args(["-c", script, "sh"]).arg(binaries()?);
    Some(command)
}

/// Allows the user that the server runs as to write into a folder.
pub fn open_to_server(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
}

fn url_of(folder: &Path) -> String {
    format!("postgres://postgres@{}/postgres", folder.display().to_string().replace('/', "%2F"))
}

/// Returns the folder with the programs of the newest server, from the search path and Debian's packages; `None` if there is
/// none.
fn binaries() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let packaged = versions.map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = std::env::split_paths(&path).chain(packaged).collect();
    all.retain(|folder| is_program(&folder.join("initdb")) && is_program(&folder.join("postgres")));
    all.into_iter().max_by(|a, b| version(a).total_cmp(&version(b)))
}

/// Returns the version in the path `…/VERSION/bin`; 0 if there is none.
fn version(folder: &Path) -> f64 {
    let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
    name.to_string_lossy().parse().unwrap_or_default()
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}
