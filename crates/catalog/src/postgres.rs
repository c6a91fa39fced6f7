//! The PostgreSQL driver: one connection as a [`Db`].
//!
//! The connection runs on a small runtime of its own, on the thread that owns it: a statement blocks that thread until its rows
//! have arrived. All rows of a query are collected first, so a row callback may run other statements. Statements that begin a
//! transaction, and that begin and end its savepoints, are sent together with the next statement, without a round trip of their
//! own.
//!
//! A lost connection interrupts the work under way, and the transaction with it; [`Transactions::ready`] connects again
//! (`session.rs`), and the work is repeated. `commits.rs` finds whether an interrupted commit happened.
//!
//! Relies on being the only service on the database, which the lock of the session ensures. A process that only reads takes no
//! lock; the server refuses its writes.

pub(crate) mod backend;
mod commits;
mod data_folder;
mod durability;
mod errors;
mod lease;
mod present;
mod schema;
mod session;
mod sql;
mod tables;
mod texts;
mod tls;
mod values;

#[cfg(test)]
mod lost;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Statement};

pub use backend::ServerBackend;
pub use durability::{Durability, PostgresServer};
pub use lease::{Claimed, Lease, Node, TakenLease};
pub use schema::is_url;
pub(crate) use schema::{examine, open};

use crate::db::{AgentTable, Db, Error, Result, Row, Sql, Transactions, Values};
use commits::Marks;
use session::Session;
use values::{Bound, Decoded};

/// How long the first work after the loss of the connection waits for the server, for example while the server restarts. If the
/// server is still unreachable then, later work tries once and does not wait.
const MAX_WAIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// How a process uses the database.
pub(crate) enum Access {
    /// As the only process.
    Only,
    /// As the active node of a cluster, under its lease.
    Node(TakenLease),
    /// Beside the process that writes.
    ReadOnly,
}

/// The one connection to the database. Connects again after a loss, see [`Transactions::ready`].
pub struct Postgres {
    config: Config,
    access: Access,
    runtime: Runtime,
    /// `None` while the connection is lost.
    session: RefCell<Option<Session>>,
    /// The error that interrupted the work under way. Until the work is repeated, no statement may run: outside its transaction
    /// it would be committed alone.
    interruption: RefCell<Option<Error>>,
    /// Statements without rows, which are sent together with the next statement.
    queued: RefCell<String>,
    marks: Marks,
    tables: OnceCell<Vec<AgentTable>>,
}

impl Postgres {
    /// Runs several statements without values.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), Error> {
        self.queue(sql);
        let sql = self.queued.take();
        self.with_session(|session| Ok(self.runtime.block_on(session.client.batch_execute(&sql))?))
    }

    fn queue(&self, sql: &str) {
        let mut queued = self.queued.borrow_mut();
        queued.push_str(sql);
        queued.push(';');
    }

    fn with_session<T>(&self, work: impl FnOnce(&Session) -> Result<T, Error>) -> Result<T, Error> {
        if let Some(error) = &*self.interruption.borrow() {
            return Err(error.clone());
        }
        let session = self.session.borrow();
        let done = session.as_ref().ok_or_else(|| errors::lost(None)).and_then(work);
        done.map_err(|error| {
            let is_open = session.as_ref().is_some_and(Session::is_open);
            let error = if is_open { error } else { errors::lost(Some(error)) };
            if error.is_transient() {
                self.interruption.replace(Some(error.clone()));
            }
            error
        })
    }

    /// Prepares a statement, and passes it with its values to `run`. Sends the queued statements before it.
    fn statement<T>(
        &self,
        sql: Sql<'_>,
        values: Values<'_>,
        run: impl AsyncFnOnce(&Session, &Statement, &[&(dyn ToSql + Sync)]) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        let values: Vec<Bound> = values.iter().map(|value| Bound::new(value.to_value())).collect();
        let references: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let queued = self.queued.take();
        Ok(self.with_session(|session| {
            let before = async { if queued.is_empty() { Ok(()) } else { session.client.batch_execute(&queued).await } };
            let work = async {
                let statement = session.prepared(sql, &values).await?;
                run(session, &statement, &references).await
            };
            // `biased` polls in this order, so the server receives the queued statements first.
            let (before, done) = self.runtime.block_on(async { tokio::join!(biased; before, work) });
            before?;
            Ok(done?)
        })?)
    }

    /// Connects to the server. Tries once, and again until `max_wait` has passed.
    fn connect(&self, max_wait: Duration) -> Result<Session, Error> {
        let begun = Instant::now();
        loop {
            match Session::open(&self.runtime, &self.config, &self.access) {
                Err(_) if begun.elapsed() < max_wait => std::thread::sleep(PAUSE),
                // The error is not transient, so that the caller does not retry once more.
                done => return done.map_err(|error| Error::other(error.to_string())),
            }
        }
    }
}

impl Db for Postgres {
    fn run(&self, sql: Sql<'_>, values: Values<'_>) -> Result<u64> {
        self.statement(sql, values, async |session, statement, values| session.client.execute(statement, values).await)
    }

    fn read(
        &self,
        sql: Sql<'_>,
        values: Values<'_>,
        read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let query = async |session: &Session, statement: &Statement, values: &[&(dyn ToSql + Sync)]| {
            session.client.query(statement, values).await
        };
        for row in self.statement(sql, values, query)? {
            if read(&Row(&Decoded::new(&row)?))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn tables_of_agents(&self) -> Result<Vec<AgentTable>> {
        if let Some(known) = self.tables.get() {
            return Ok(known.clone());
        }
        let tables = tables::QUERIES.tables_of_agents(self)?;
        Ok(self.tables.get_or_init(|| tables).clone())
    }
}

impl Transactions for Postgres {
    fn ready(&self) -> Result<(), Error> {
        // Let the connection task read pending messages, such as the end of the session.
        self.runtime.block_on(tokio::task::yield_now());
        let was_interrupted = self.interruption.take().is_some();
        self.queued.take();
        let mut session = self.session.borrow_mut();
        let max_wait = if session.is_some() { MAX_WAIT } else { Duration::ZERO };
        session.take_if(|session| !session.is_open() || was_interrupted && !session.rolls_back(&self.runtime));
        if session.is_none() {
            *session = Some(self.connect(max_wait)?);
        }
        Ok(())
    }

    fn must_repeat(&self) -> bool {
        self.interruption.borrow().is_some()
    }

    fn transaction(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        self.queue("BEGIN");
        let done = work().and_then(|()| self.commit());
        if done.is_err() {
            self.queued.take();
            // If this fails, the connection is lost, and the server rolls back.
            let _ = self.batch("ROLLBACK");
        }
        done
    }

    /// A process that only reads has another one that writes between its statements.
    fn read_only(&self, job: impl FnOnce()) {
        let Access::ReadOnly = self.access else { return job() };
        self.queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        job();
        // If this fails, the connection is lost, and the work is repeated.
        let _ = self.batch("COMMIT");
    }

    fn savepoint(&self, job: impl FnOnce() -> bool) -> Result<(), Error> {
        self.queue("SAVEPOINT job");
        let keep = job();
        if let Some(error) = &*self.interruption.borrow() {
            return Err(error.clone());
        }
        self.queue(if keep { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" });
        Ok(())
    }
}
