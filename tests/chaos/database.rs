//! Two PostgreSQL servers: the primary, and a standby that gets every commit before the commit is acknowledged. The primary can
//! be killed and started again, or killed and replaced by the standby.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::cluster::node::{ports, until};
use annals_testkit::postgres_server::{open_to_server, server_shell};

/// Creates a server. The arguments are the folder of PostgreSQL's programs, the folder of the server, and its port.
const CREATE: &str = r#"mkdir "$2" && "$1/initdb" -D "$2/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null &&
cat >>"$2/data/postgresql.conf" <<END
fsync = off
full_page_writes = off
synchronous_standby_names = '*'
wal_keep_size = 256MB
END"#;

/// Copies the primary. The arguments are those of [`CREATE`], and the port of the primary.
const COPY: &str = r#"rm -rf "$2"; mkdir "$2" &&
"$1/pg_basebackup" -D "$2/data" -h 127.0.0.1 -p "$4" -U postgres -R -X stream -c fast --no-sync >"$2/copy.log" 2>&1"#;

/// Runs the server until it ends or its input ends, which is at the latest when the test process ends.
const RUN: &str = r#"exec 3<&0
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses=127.0.0.1 -c port="$3" >>"$2/log" 2>&1 3<&- &
server=$!
{ read -r _ <&3; kill -INT $server 2>/dev/null; } &
wait $server"#;

/// Kills all processes of the server at once, as a power cut would.
const KILL: &str = r#"first="$(head -n 1 "$2/data/postmaster.pid")"; others="$(pgrep -P "$first")"; kill -9 "$first" && { kill -9 $others || true; }"#;

const PROMOTE: &str = "SELECT pg_promote()";

/// Longest time in which a server starts.
const START: Duration = Duration::from_secs(180);

pub struct PostgresPair {
    folder: TempDir,
    ports: [u16; 2],
    servers: [Option<Child>; 2],
    primary: usize,
}

impl PostgresPair {
    /// Starts the primary and the standby. Returns `None` if PostgreSQL is not installed.
    pub async fn start() -> Option<PostgresPair> {
        let (folder, first) = (tempfile::tempdir().unwrap(), ports(2));
        open_to_server(folder.path());
        let mut pair = PostgresPair { folder, ports: [first, first + 1], servers: [None, None], primary: 0 };
        pair.finish(0, CREATE, None)?;
        pair.run(0).await;
        pair.replace_standby().await;
        Some(pair)
    }

    pub fn addresses(&self) -> [SocketAddr; 2] {
        self.ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
    }

    /// Kills the primary and starts it again.
    pub async fn restart_primary(&mut self) {
        self.kill_primary();
        self.run(self.primary).await;
    }

    /// Kills the primary, makes its standby the primary, and starts a new standby in its place.
    pub async fn promote_standby(&mut self) {
        self.kill_primary();
        self.primary = 1 - self.primary;
        self.sql(self.primary, PROMOTE).await.unwrap();
        self.replace_standby().await;
    }

    fn kill_primary(&mut self) {
        self.finish(self.primary, KILL, None).unwrap();
        if let Some(mut server) = self.servers[self.primary].take() {
            drop(server.stdin.take());
            server.wait().unwrap();
        }
    }

    async fn replace_standby(&mut self) {
        let standby = 1 - self.primary;
        self.finish(standby, COPY, Some(self.ports[self.primary])).unwrap();
        self.run(standby).await;
    }

    /// Starts a server and waits until it answers. On a busy machine, a killed server needs many seconds to recover. Starts it
    /// again if it ends, as it does until the processes of the killed one have ended.
    async fn run(&mut self, server: usize) {
        let begun = std::time::Instant::now();
        let spawn = || self.command(server, RUN, None).unwrap().stdin(Stdio::piped()).spawn().unwrap();
        let mut running = spawn();
        while self.sql(server, "SELECT 1").await.is_err() {
            assert!(begun.elapsed() < START, "PostgreSQL does not start");
            tokio::time::sleep(Duration::from_millis(50)).await;
            if running.try_wait().unwrap().is_some() {
                running = spawn();
            }
        }
        self.servers[server] = Some(running);
    }

    /// Runs a script to its end. Returns `None` if PostgreSQL is not installed.
    fn finish(&self, server: usize, script: &str, primary: Option<u16>) -> Option<()> {
        let status = self.command(server, script, primary)?.status().unwrap();
        assert!(status.success(), "{script}");
        Some(())
    }

    fn command(&self, server: usize, script: &str, primary: Option<u16>) -> Option<std::process::Command> {
        let mut command = server_shell(script)?;
        command.arg(self.folder.path().join(server.to_string())).arg(self.ports[server].to_string());
        command.args(primary.map(|port| port.to_string())).current_dir(Path::new("/"));
        Some(command)
    }

    async fn sql(&self, server: usize, sql: &str) -> Result<(), tokio_postgres::Error> {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.ports[server]);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let done = client.batch_execute(sql).await;
        connection.abort();
        done
    }

    /// Waits until the standby is synchronous.
    pub async fn until_synchronous(&self) {
        until("the standby follows", async || self.sql(self.primary, IS_FOLLOWED).await.is_ok()).await;
    }
}

/// A query that fails while no standby is synchronous.
const IS_FOLLOWED: &str = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')";

impl Drop for PostgresPair {
    /// Waits until the servers have ended, because they write into the folder until then.
    fn drop(&mut self) {
        for mut server in self.servers.iter_mut().filter_map(Option::take) {
            drop(server.stdin.take());
            let _ = server.wait();
        }
    }
}
