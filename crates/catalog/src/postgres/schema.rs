//! Opens the database: connects, and creates or migrates the schema.

use std::cell::{OnceCell, RefCell};
use std::time::Duration;

use annals_core::Error;
use tokio_postgres::Config;

use super::commits::Marks;
use super::durability::{PostgresServer, server};
use super::session::Session;
use super::{Access, Postgres, tls};
use crate::columns::signed;
use crate::db::{self, Db, Failure, Result, Sql, Transactions, params};
use crate::{archive, replies};

/// The first version of the schema in PostgreSQL. It has the number of the SQLite schema with the same tables.
const FIRST: i64 = 12;

/// The steps from each version to the next. `sql/postgres.sql` has the tables after the last of them.
const STEPS: [&str; 4] = [
    include_str!("../sql/postgres_12_to_13.sql"),
    include_str!("../sql/postgres_13_to_14.sql"),
    include_str!("../sql/postgres_14_to_15.sql"),
    include_str!("../sql/postgres_15_to_16.sql"),
];

const SCHEMA: &str = include_str!("../sql/postgres.sql");

const DOING: &str = "opening the catalog in PostgreSQL";

/// Connects to the database of a URL or a list of `key=value`, ready for use. Errors never contain the password.
pub(crate) fn open(url: &str, access: Access) -> annals_core::Result<Postgres> {
    let db = Postgres { access, ..connection(url)? };
    let prepared = match db.access {
        Access::ReadOnly => db.ready().map_err(Failure::Db).and_then(|()| check_version(&db)),
        _ => prepare(&db),
    };
    prepared.map_err(|failure| failure.context(DOING))?;
    Ok(db)
}

/// Reads the properties of the server of a URL. Takes no lock and creates nothing: a service may use the database.
pub(crate) fn examine(url: &str) -> annals_core::Result<PostgresServer> {
    let db = connection(url)?;
    let connected = Session::without_lock(&db.runtime, &db.config);
    let session = connected.map_err(|error| Failure::from(error).context("connecting to PostgreSQL"))?;
    db.session.replace(Some(session));
    server(&db).map_err(|failure| failure.context("reading the settings of PostgreSQL"))
}

/// Returns whether the text is a URL of a database, or a list of `key=value`, in a form that PostgreSQL's own programs accept.
pub fn is_url(text: &str) -> bool {
    text.parse::<Config>().is_ok()
}

/// Returns the settings of connections to the database of a URL.
pub(super) fn config(url: &str) -> annals_core::Result<Config> {
    // Without the parser's reason, which may quote a part of a password.
    let invalid = || Error::invalid("catalog.url", "is not valid; an example is postgres://annals@localhost/annals");
    let mut config: Config = url.parse().map_err(|_| invalid())?;
    tls::settle(&mut config);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(10));
    }
    if config.get_tcp_user_timeout().is_none() {
        // A server that vanished without closing the connection is noticed after this time.
        config.tcp_user_timeout(Duration::from_secs(30)).keepalives_idle(Duration::from_secs(30));
    }
    Ok(config)
}

/// Returns a connection that is not open yet.
fn connection(url: &str) -> annals_core::Result<Postgres> {
    let config = config(url)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::storage(DOING, error))?;
    Ok(Postgres {
        config,
        access: Access::Only,
        runtime,
        session: RefCell::new(None),
        interruption: RefCell::new(None),
        queued: RefCell::default(),
        marks: Marks::new().map_err(|error| Error::storage(DOING, error))?,
        tables: OnceCell::new(),
    })
}

/// Brings the schema up to date, and drops what a former process left behind: interrupted restores, reservations of calls that
/// it did not end, and its commit mark. The lock of the session keeps other services away meanwhile.
fn prepare(db: &Postgres) -> Result<()> {
    db.ready()?;
    in_transaction(db, || {
        migrate(db, SCHEMA, &STEPS)?;
        db.drop_former_marks()?;
        archive::drop_all_staged(db)?;
        replies::drop_reservations(db)
    })
}

/// Fails unless the schema has the version that this process knows.
fn check_version(db: &Postgres) -> Result<()> {
    match version(db)? {
        Some(known) if known == newest() => Ok(()),
        Some(other) => {
            let why = format!("it has schema version {other}; this annals reads version {}", newest());
            Err(Error::storage(DOING, why).into())
        }
        None => Err(Error::storage(DOING, "the database has no catalog yet").into()),
    }
}

pub(super) fn newest() -> i64 {
    FIRST + signed(STEPS.len() as u64)
}

/// Creates the tables, or applies the steps from the stored version on, and saves the version that they lead to.
fn migrate(db: &Postgres, schema: &str, steps: &[&str]) -> Result<()> {
    let newest = FIRST + signed(steps.len() as u64);
    match version(db)? {
        None => db.batch(schema)?,
        Some(known @ FIRST..) if known <= newest => {
            for step in &steps[(known - FIRST) as usize..] {
                db.batch(step)?;
            }
        }
        Some(other) => return Err(unsupported(other, newest).into()),
    }
    let db: &dyn Db = db;
    db.execute(Sql::Once("UPDATE schema_version SET version = ?1"), params![newest])?;
    Ok(())
}

/// Returns the version of the stored schema; `None` if there is no table yet.
pub(super) fn version(db: &Postgres) -> Result<Option<i64>> {
    let exists = "SELECT 1 WHERE to_regclass(quote_ident(current_schema()) || '.schema_version') IS NOT NULL";
    let db: &dyn Db = db;
    if !db.exists(Sql::Once(exists), &[])? {
        return Ok(None);
    }
    db.query_optional(Sql::Once("SELECT version FROM schema_version"), &[], |row| row.get(0))
}

fn unsupported(version: i64, newest: i64) -> Error {
    let why = format!(
        "it has schema version {version}, but this annals supports only {newest}; a newer version wrote it: update annals"
    );
    Error::storage(DOING, why)
}

fn in_transaction(db: &Postgres, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut failed = None;
    let done = db.transaction(|| {
        work().map_err(|failure| {
            failed = Some(failure);
            db::Error::other("the work failed")
        })
    });
    match failed {
        Some(failure) => Err(failure),
        None => done.map_err(Failure::Db),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::postgres_server::Schema;

    const TABLES: &str =
        "CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (12);
        CREATE TABLE commit_mark (service BIGINT PRIMARY KEY, number BIGINT NOT NULL); CREATE TABLE done (step BIGINT)";

    fn connected(schema: &Schema) -> Postgres {
        let url = schema.url.clone();
        let db = std::thread::spawn(move || connection(&url)).join().unwrap().unwrap();
        db.ready().unwrap();
        db
    }

    fn migrated(db: &Postgres, steps: &[&str]) -> Result<Vec<i64>> {
        in_transaction(db, || migrate(db, TABLES, steps))?;
        let db: &dyn Db = db;
        db.query(Sql::Once("SELECT step FROM done ORDER BY step"), &[], |row| row.get(0))
    }

    #[test]
    fn each_step_runs_once_and_a_failed_one_leaves_the_former_version() {
        let Some(schema) = Schema::new() else { return };
        let db = connected(&schema);
        let steps = ["INSERT INTO done VALUES (13)", "INSERT INTO done VALUES (14)", "no SQL"];
        let check = |count: usize, expect: Option<&[i64]>| {
            assert_eq!(migrated(&db, &steps[..count]).ok().as_deref(), expect, "{count} steps");
        };
        check(0, Some(&[]));
        check(1, Some(&[13]));
        check(1, Some(&[13]));
        check(3, None);
        check(2, Some(&[13, 14]));
        check(1, None);
        assert_eq!(version(&db).ok().unwrap(), Some(14));
    }
}
