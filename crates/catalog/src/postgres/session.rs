//! A session with the server: settings, the lock that keeps a second service away, and prepared statements.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, Statement};

use super::Access;
use super::lease::TakenLease;
use super::sql::translated;
use super::tls;
use super::values::Bound;
use crate::db::{Error, Result, Sql};

/// The oldest server that is supported.
const OLDEST: i32 = 150_000;

/// How long to wait for the lock before the session is refused. The server may still hold it for a session of a killed service
/// or a lost connection.
const WAIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// The settings of every session. Plans are made for the values of each execution, so they do not depend on former values or on
/// tables that were small when a statement was prepared. Time limits that a server may have for other users do not end a
/// session. A statement fails after 30 seconds of waiting for a lock on a table. A commit waits for the disk, whatever the
/// database's default is.
const SETTINGS: &str = "SET application_name = 'annals'; SET jit = off; SET plan_cache_mode = force_custom_plan;
    SET default_transaction_isolation = 'read committed'; SET standard_conforming_strings = on;
    SET default_transaction_read_only = off; SET client_min_messages = warning;
    SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0;
    SET lock_timeout = '30s';
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/// The settings of a process that only reads. The server refuses its writes. It also ends what takes long: a process that stands
/// still within a read would hold locks and a view of the data, for which forgetting and migrations wait.
const READ_ONLY: &str = "SET default_transaction_read_only = on; SET idle_in_transaction_session_timeout = '5s';
    SET statement_timeout = '4s'; SET lock_timeout = '1s'";

/// The key of the lock of a service on one schema of one database, as an expression.
const LOCK_KEY: &str = "hashtextextended('annals ' || current_schema(), 0)";

/// The application name of a node's sessions on the catalog. `lease.rs` finds the session of a former node by it.
pub(super) const NODE: &str = "annals node";

pub(super) struct Session {
    pub(super) client: Client,
    /// Prepared statements by their SQL, then by the types of their values.
    statements: RefCell<HashMap<String, Vec<Prepared>>>,
}

/// A statement, and the types of its values.
type Prepared = (Vec<Type>, Statement);

impl Session {
    /// Connects. Takes the lock, except for a process that only reads. The session of a node is refused if another node has
    /// taken its lease. A process that is not a node is refused while any node has the lease, even if the lock is free for a
    /// moment, because that node still writes tables.
    pub(super) fn open(runtime: &Runtime, config: &Config, access: &Access) -> Result<Session, Error> {
        let session = Session::without_lock(runtime, config)?;
        match access {
            Access::Only => session.lock(runtime, None)?,
            Access::Node(lease) => session.lock(runtime, Some(lease))?,
            Access::ReadOnly => runtime.block_on(prepare_to_read(&session.client))?,
        }
        Ok(session)
    }

    fn lock(&self, runtime: &Runtime, lease: Option<&TakenLease>) -> Result<(), Error> {
        let client = &self.client;
        runtime.block_on(async {
            if lease.is_some() {
                client.batch_execute(&format!("SET application_name = '{NODE}'")).await?;
            }
            lock(client).await?;
            let checked = match lease {
                Some(lease) => check_lease(client, lease).await,
                None => check_no_lease(client).await,
            };
            if checked.is_err() {
                // The connection is only closed when its runtime runs again. Until then it would keep the present node out.
                client.batch_execute("SELECT pg_advisory_unlock_all()").await?;
            }
            checked
        })
    }

    /// Connects without taking the lock, which a running service may hold. Only for reading properties of the server.
    pub(super) fn without_lock(runtime: &Runtime, config: &Config) -> Result<Session, Error> {
        runtime.block_on(async {
            let client = tls::connect(config).await?;
            client.batch_execute(SETTINGS).await?;
            check_server(&client).await?;
            Ok(Session { client, statements: RefCell::default() })
        })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Rolls back an interrupted transaction. Returns whether the session can still be used.
    pub(super) fn rolls_back(&self, runtime: &Runtime) -> bool {
        runtime.block_on(self.client.batch_execute("ROLLBACK")).is_ok()
    }

    /// Prepares a statement for values of these types. Keeps the prepared form of [`Sql::Kept`], and returns it the next time.
    pub(super) async fn prepared(
        &self,
        sql: Sql<'_>,
        values: &[Bound<'_>],
    ) -> Result<Statement, tokio_postgres::Error> {
        let kinds: Vec<Type> = values.iter().map(Bound::kind).collect();
        let text = match sql {
            Sql::Once(text) => return self.client.prepare_typed(&translated(text), &kinds).await,
            Sql::Kept(text) => text,
        };
        if let Some(known) = self.kept(text, &kinds) {
            return Ok(known);
        }
        let statement = self.client.prepare_typed(&translated(text), &kinds).await?;
        self.statements.borrow_mut().entry(text.to_owned()).or_default().push((kinds, statement.clone()));
        Ok(statement)
    }

    fn kept(&self, sql: &str, kinds: &[Type]) -> Option<Statement> {
        let statements = self.statements.borrow();
        let forms = statements.get(sql)?;
        forms.iter().find(|(known, _)| known == kinds).map(|(_, statement)| statement.clone())
    }
}

/// Fails if the server is a standby of another one, which may be behind it.
async fn prepare_to_read(client: &Client) -> Result<(), Error> {
    client.batch_execute(READ_ONLY).await?;
    let is_behind = client.query_one("SELECT pg_is_in_recovery()", &[]).await?.get::<_, bool>(0);
    if is_behind { Err(Error::other("the server is a standby of another one")) } else { Ok(()) }
}

async fn check_server(client: &Client) -> Result<(), Error> {
    let sql = "SELECT current_setting('server_version_num')::int, current_setting('server_version'),
        current_setting('server_encoding'), current_schema()::text";
    let row = client.query_one(sql, &[]).await?;
    let (number, version, encoding): (i32, String, String) = (row.get(0), row.get(1), row.get(2));
    if number < OLDEST {
        return Err(Error::other(format!("the server is PostgreSQL {version}; annals needs 15 or newer")));
    }
    if encoding != "UTF8" {
        let why =
            format!("the database has the encoding {encoding}; create one with ENCODING 'UTF8' TEMPLATE template0");
        return Err(Error::other(why));
    }
    if row.get::<_, Option<String>>(3).is_none() {
        return Err(Error::other("the search path of the connection names no schema that exists; create the schema"));
    }
    Ok(())
}

async fn lock(client: &Client) -> Result<(), Error> {
    let begun = Instant::now();
    let take = format!("SELECT pg_try_advisory_lock({LOCK_KEY})");
    while !client.query_one(&take, &[]).await?.get::<_, bool>(0) {
        if begun.elapsed() > WAIT {
            let owner = client.query_opt(&owner_query(), &[]).await?;
            let owner = owner.map_or_else(|| "unknown".to_owned(), |row| row.get(0));
            let why = format!("another annals service uses this database ({owner}); stop it first");
            return Err(Error::other(why));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

fn owner_query() -> String {
    let session =
        "format('process %s of the server, connected from %s', pid, coalesce(host(client_addr), 'its machine'))";
    format!("SELECT {session} FROM {}", lock_holders())
}

/// Returns an SQL table expression for the session that holds the lock. Databases of one server share the list of locks.
pub(super) fn lock_holders() -> String {
    format!(
        "pg_locks JOIN pg_stat_activity USING (pid)
            WHERE locktype = 'advisory' AND granted AND datname = current_database()
                AND database = datid AND (classid::bigint << 32 | objid::bigint) = {LOCK_KEY}"
    )
}

/// Fails if another node has taken the lease. Runs after the lock is taken: a node that takes the lease from then on ends this
/// session.
async fn check_lease(client: &Client, TakenLease { node, epoch }: &TakenLease) -> Result<(), Error> {
    let held = "SELECT 1 FROM node_lease WHERE node = $1 AND epoch = $2";
    match client.query_opt(held, &[node, epoch]).await? {
        Some(_) => Ok(()),
        None => Err(Error::other("another node of the cluster has taken over")),
    }
}

/// Fails while a node of a cluster has the lease.
async fn check_no_lease(client: &Client) -> Result<(), Error> {
    let has_nodes = client.query_one("SELECT to_regclass('node_lease') IS NOT NULL", &[]).await?.get::<_, bool>(0);
    if !has_nodes {
        return Ok(());
    }
    let held = "SELECT address, ceil(extract(epoch FROM until - clock_timestamp()))::bigint
        FROM node_lease WHERE until > clock_timestamp()";
    let Some(lease) = client.query_opt(held, &[]).await? else { return Ok(()) };
    let (address, seconds): (String, i64) = (lease.get(0), lease.get(1));
    let why = format!(
        "the node {address} of a cluster uses this database; stop all nodes first, or if it was killed, wait {seconds} s until its \
         lease has ended"
    );
    Err(Error::other(why))
}
