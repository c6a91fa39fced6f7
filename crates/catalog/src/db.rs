//! The seam between the functions of the catalog and a database: statements with values by position, rows, errors, and a
//! transaction as a unit of work.
//!
//! Everything above it takes `&dyn Db`, so a second database needs one implementation of [`Db`] and [`Transactions`] and
//! no second set of functions. Statements are SQL with parameters `?1`, `?2` and so on. Nothing here names a driver.

mod tables;
mod value;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

pub use tables::{AgentTable, TableQueries};
pub use value::{FromValue, ToValue, Unread, Value};

/// Builds the values of a statement, in order of position.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$(&$value as &dyn $crate::db::ToValue),*] as $crate::db::Values<'_> };
}
pub(crate) use params;

/// The values of a statement, by position.
pub type Values<'v> = &'v [&'v dyn ToValue];

/// A connection inside a transaction or, for reads, in a state that nobody else changes.
pub trait Db {
    /// Runs a statement to its end; returns the number of rows that it inserted, updated or deleted.
    fn run(&self, sql: Sql<'_>, values: Values<'_>) -> Result<u64>;

    /// Runs a query and passes its rows to `read`, in order, until `read` returns `Break`. `read` may run other statements.
    fn read(
        &self,
        sql: Sql<'_>,
        values: Values<'_>,
        read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// Returns the tables with a column `agent_id`, by name.
    fn tables_of_agents(&self) -> Result<Vec<AgentTable>>;
}

/// A connection that can make changes in a unit of work. Only the owner of the connection uses it.
pub trait Transactions: Db {
    /// Prepares the connection for work; connects again if it was lost.
    fn ready(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns whether the connection was lost, or another transaction conflicted, since [`Transactions::ready`]. The work
    /// under way then has no result; repeating all of it may succeed.
    fn must_repeat(&self) -> bool {
        false
    }

    /// Runs `work` in a transaction, and commits it. After an error nothing of the work is stored, unless the error says that
    /// the outcome is unknown. After an error that [is transient](Error::is_transient) the same work may succeed.
    fn transaction(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error>;

    /// Runs a job that changes nothing. All its statements see one state, also if other processes write.
    fn read_only(&self, job: impl FnOnce()) {
        job();
    }

    /// Runs one job of a transaction; rolls back the job alone if it returns false.
    fn savepoint(&self, job: impl FnOnce() -> bool) -> Result<(), Error>;
}

/// A statement, and whether its prepared form is kept for the next time.
#[derive(Clone, Copy)]
pub enum Sql<'s> {
    Kept(&'s str),
    /// For statements that are built at run time or run rarely: keeping them would displace other statements.
    Once(&'s str),
}

impl<'s> From<&'s str> for Sql<'s> {
    fn from(sql: &'s str) -> Sql<'s> {
        Sql::Kept(sql)
    }
}

impl<'d> dyn Db + 'd {
    /// Runs a statement; returns the number of changed rows.
    pub fn execute<'s>(&self, sql: impl Into<Sql<'s>>, values: Values<'_>) -> Result<u64> {
        self.run(sql.into(), values)
    }

    /// Passes the rows of a query to `read`, in order, until `read` returns `Break`.
    pub fn for_each<'s>(
        &self,
        sql: impl Into<Sql<'s>>,
        values: Values<'_>,
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.read(sql.into(), values, &mut read)
    }

    /// Returns all rows of a query.
    pub fn query<'s, T>(
        &self,
        sql: impl Into<Sql<'s>>,
        values: Values<'_>,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.for_each(sql, values, |row| {
            found.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Returns the first row of a query, if there is one.
    pub fn query_optional<'s, T>(
        &self,
        sql: impl Into<Sql<'s>>,
        values: Values<'_>,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let (mut read, mut found) = (Some(read), None);
        self.for_each(sql, values, |row| {
            found = read.take().map(|read| read(row)).transpose()?;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Returns the first row of a query that always has one.
    pub fn query_one<'s, T>(
        &self,
        sql: impl Into<Sql<'s>>,
        values: Values<'_>,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        Ok(self.query_optional(sql, values, read)?.ok_or_else(|| Error::other("Query returned no rows"))?)
    }

    /// Returns whether a query has a row.
    pub fn exists<'s>(&self, sql: impl Into<Sql<'s>>, values: Values<'_>) -> Result<bool> {
        Ok(self.query_optional(sql, values, |_| Ok(()))?.is_some())
    }
}

/// The columns of one row, as a driver has them.
pub trait Columns {
    /// Returns the position of a column, counted from 0.
    fn position(&self, name: &str) -> Result<usize, Error>;

    /// Returns the number of columns.
    fn count(&self) -> usize;

    fn name(&self, position: usize) -> String;

    fn value(&self, position: usize) -> Result<Value<'_>, Error>;
}

/// One row of a query.
pub struct Row<'r>(pub &'r dyn Columns);

impl Row<'_> {
    /// Returns a value by the position or the name of its column.
    pub fn get<T: FromValue>(&self, column: impl Column) -> Result<T> {
        let position = column.position(self.0)?;
        let value = self.0.value(position)?;
        let unread = |unread| {
            Error::damage(match unread {
                Unread::Kind => {
                    let (kind, name) = (value.kind(), self.0.name(position));
                    format!("Invalid column type {kind} at index: {position}, name: {name}")
                }
                Unread::Range(number) => format!("Integer {number} out of range at index {position}"),
                Unread::Utf8(error) => format!("{error} at index {position}"),
                Unread::Length { expected, found } => format!(
                    "Conversion error from type {} at index: {position}, \
                     Cannot read {expected} byte value out of {found} byte blob",
                    value.kind()
                ),
            })
        };
        Ok(T::from_value(value).map_err(unread)?)
    }

    /// Returns a text without copying it. Fails if the value is not a text, NULL included.
    pub fn text(&self, column: impl Column) -> Result<&str> {
        let Value::Text(text) = self.value(column)? else { return Err(Error::damage("Invalid type").into()) };
        Ok(std::str::from_utf8(text).map_err(Error::damage)?)
    }

    /// Returns a value without converting it.
    pub fn value(&self, column: impl Column) -> Result<Value<'_>> {
        Ok(self.0.value(column.position(self.0)?)?)
    }

    pub fn is_null(&self, column: impl Column) -> Result<bool> {
        Ok(self.value(column)? == Value::Null)
    }
}

/// The name or the position of a column.
pub trait Column {
    fn position(&self, columns: &dyn Columns) -> Result<usize, Error>;
}

impl Column for usize {
    fn position(&self, _: &dyn Columns) -> Result<usize, Error> {
        Ok(*self)
    }
}

impl Column for &str {
    fn position(&self, columns: &dyn Columns) -> Result<usize, Error> {
        columns.position(self)
    }
}

/// An error of the database, or a value that cannot be read. Clones share the cause, because one failed commit fails many jobs.
#[derive(Clone, Debug)]
pub struct Error {
    cause: Arc<dyn std::error::Error + Send + Sync>,
    kind: Kind,
}

/// What an error means for the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Damage,
    Transient,
    Other,
}

impl Error {
    /// Returns an error that shows that stored data is damaged.
    pub fn damage(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error { cause: cause.into().into(), kind: Kind::Damage }
    }

    /// Returns an error that is neither damage nor transient.
    pub fn other(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error { cause: cause.into().into(), kind: Kind::Other }
    }

    /// Returns an error after which nothing of a transaction is left, and repeating all of it may succeed.
    pub fn transient(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error { cause: cause.into().into(), kind: Kind::Transient }
    }

    pub fn is_damage(&self) -> bool {
        self.kind == Kind::Damage
    }

    pub fn is_transient(&self) -> bool {
        self.kind == Kind::Transient
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.source()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Db(error)
    }
}

/// An error of the database, which still lacks the name of the operation, or an error of the port, which callers get unchanged.
pub enum Failure {
    Db(Error),
    Core(annals_core::Error),
}

pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Converts to the port's error: unreadable data becomes `Damaged`, everything else `Storage`.
    pub fn context(self, doing: &str) -> annals_core::Error {
        match self {
            Failure::Core(error) => error,
            Failure::Db(error) if error.is_damage() => {
                annals_core::Error::damaged(format!("the catalog ({doing})"), error)
            }
            Failure::Db(error) => annals_core::Error::storage(doing, error),
        }
    }
}

impl From<annals_core::Error> for Failure {
    fn from(error: annals_core::Error) -> Failure {
        Failure::Core(error)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// The files that may name rusqlite: the SQLite driver, code for the SQLite file, and tests of both.
    const MAY_NAME_RUSQLITE: [&str; 8] = [
        "db.rs",
        "migration.rs",
        "plans.rs",
        "power_cut/vfs.rs",
        "sqlite.rs",
        "sqlite/copy.rs",
        "sqlite/open.rs",
        "sqlite/pages.rs",
    ];
    const MAY_NAME_TOKIO_POSTGRES: [&str; 8] = [
        "db.rs",
        "postgres.rs",
        "postgres/errors.rs",
        "postgres/lease.rs",
        "postgres/schema.rs",
        "postgres/session.rs",
        "postgres/tls.rs",
        "postgres/values.rs",
    ];

    #[test]
    fn only_the_drivers_name_their_crates() {
        fn check(name: &str, allowed: &[&str]) {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
            let mut files = Vec::new();
            collect(&source, &mut files);
            files.retain(|path| std::fs::read_to_string(path).unwrap().contains(name));
            let naming: BTreeSet<_> = files.into_iter().collect();
            assert_eq!(naming, allowed.iter().map(|file| source.join(file)).collect());
        }
        check("rusqlite", &MAY_NAME_RUSQLITE);
        check("tokio_postgres", &MAY_NAME_TOKIO_POSTGRES);
    }

    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
}
