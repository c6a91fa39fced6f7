//! Opens the file: sets pragmas, and creates or migrates the schema.

use std::path::Path;

use annals_core::Error;
use rusqlite::{Connection, OpenFlags};

use crate::db::{Failure, Result};
use crate::sqlite::Sqlite;
use crate::{archive, replies};

/// The schema version that this code writes. Older files are migrated when they are opened.
pub(crate) const VERSION: i64 = 16;

/// The migrations: the element at index n leads from version n + 1 to the next.
const STEPS: [&str; VERSION as usize - 1] = [
    include_str!("../sql/migrate_1_to_2.sql"),
    include_str!("../sql/migrate_2_to_3.sql"),
    include_str!("../sql/migrate_3_to_4.sql"),
    include_str!("../sql/migrate_4_to_5.sql"),
    include_str!("../sql/migrate_5_to_6.sql"),
    include_str!("../sql/migrate_6_to_7.sql"),
    include_str!("../sql/migrate_7_to_8.sql"),
    include_str!("../sql/migrate_8_to_9.sql"),
    include_str!("../sql/migrate_9_to_10.sql"),
    include_str!("../sql/migrate_10_to_11.sql"),
    include_str!("../sql/migrate_11_to_12.sql"),
    include_str!("../sql/migrate_12_to_13.sql"),
    include_str!("../sql/migrate_13_to_14.sql"),
    include_str!("../sql/migrate_14_to_15.sql"),
    include_str!("../sql/migrate_15_to_16.sql"),
];

/// Indexes the few periods that still have to be written, and the few that failed. Created at every start if missing: they
/// change no stored data.
const LEDGER_INDEXES: &str = "CREATE INDEX IF NOT EXISTS ledger_open ON ledger (grain, period, agent_id)
WHERE (dirty_seq > clean_seq OR degraded = 1);
CREATE INDEX IF NOT EXISTS ledger_failed ON ledger (agent_id) WHERE last_error IS NOT NULL";

/// Capacity of the cache of prepared statements; there are about a hundred distinct ones.
const STATEMENTS: usize = 128;

/// Options for tests.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of a registered SQLite VFS to use instead of the operating system's files.
    pub vfs: Option<String>,
    /// A fault planted to show that the tests would find it.
    #[cfg(test)]
    pub(crate) bug: Option<Bug>,
}

/// Planted faults that lose acknowledged messages in a power cut.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// `synchronous = OFF`: commits are not synced.
    NeverSync,
    /// Writes are answered before their COMMIT.
    AnswerBeforeCommit,
}

/// Opens a connection to the catalog at `path`, ready for use.
pub(crate) fn open(path: &Path, options: &Options) -> annals_core::Result<Sqlite> {
    connect(path, options).map_err(|failure| failure.context(&format!("opening the catalog {}", path.display())))
}

fn connect(path: &Path, options: &Options) -> Result<Sqlite> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match &options.vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs.as_str())?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.execute_batch(include_str!("../sql/pragmas.sql"))?;
    if let (None, Some(folder)) = (&options.vfs, path.parent().filter(|folder| folder.is_absolute())) {
        // Process-wide setting. Sorts and savepoints spill into unnamed files. In a system folder they would fill
        // memory if that is a tmpfs, and would put text outside the data folder.
        connection.pragma_update(None, "temp_store_directory", folder.to_string_lossy())?;
    }
    #[cfg(test)]
    if options.bug == Some(Bug::NeverSync) {
        connection.execute_batch("PRAGMA synchronous = OFF")?;
    }
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    prepare_schema(&connection)?;
    connection.execute_batch(LEDGER_INDEXES)?;
    let db = Sqlite(connection);
    drop_unfinished(&db)?;
    Ok(db)
}

/// Drops what a former process left behind: interrupted restores, and reservations of calls that it did not end. No call is
/// under way while the file is opened.
fn drop_unfinished(db: &Sqlite) -> Result<()> {
    let transaction = db.0.unchecked_transaction()?;
    archive::drop_all_staged(db)?;
    replies::drop_reservations(db)?;
    Ok(transaction.commit()?)
}

fn prepare_schema(connection: &Connection) -> Result<()> {
    match connection.query_row("PRAGMA user_version", [], |row| row.get(0))? {
        0 => bring_to_version(connection, &[include_str!("../sql/schema.sql")]),
        former @ 1..VERSION => bring_to_version(connection, &STEPS[former as usize - 1..]),
        VERSION => Ok(()),
        other => Err(Failure::Core(Error::storage(
            "opening the catalog",
            format!(
                "it has schema version {other}, but this annals supports only {VERSION}; a newer version wrote it: update annals"
            ),
        ))),
    }
}

/// Applies the steps and sets the version in one transaction: after a power cut the file is unchanged or fully migrated.
/// Foreign keys are off meanwhile, because dropping a table that is replaced would delete the rows that refer to it.
fn bring_to_version(connection: &Connection, steps: &[&str]) -> Result<()> {
    connection.pragma_update(None, "foreign_keys", false)?;
    let transaction = connection.unchecked_transaction()?;
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(connection.pragma_update(None, "foreign_keys", true)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteCatalog;

    #[test]
    fn newer_schema_version_is_refused_and_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.sqlite");
        drop(SqliteCatalog::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
        let error = SqliteCatalog::open(&path).err().unwrap().to_string();
        let expect = format!("schema version {}, but this annals supports only {VERSION}", VERSION + 1);
        assert!(error.contains(&expect), "{error}");
        let version: i64 =
            Connection::open(&path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, VERSION + 1);
    }

    #[test]
    fn file_that_is_not_a_catalog_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.sqlite");
        std::fs::write(&path, "this is a shopping list, and long enough to be looked at as a header".repeat(10))
            .unwrap();
        let error = SqliteCatalog::open(&path).err().unwrap();
        assert!(matches!(&error, Error::Damaged { what, .. } if what.contains("catalog.sqlite")), "{error}");
    }

    #[test]
    fn missing_folder_is_named_in_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = SqliteCatalog::open(&folder.path().join("none/catalog.sqlite")).err().unwrap();
        assert!(matches!(&error, Error::Storage { what, .. } if what.contains("none/catalog.sqlite")), "{error}");
    }

    #[test]
    fn pragmas_are_set() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(&folder.path().join("catalog.sqlite"), &Options::default()).unwrap().0;
        let text = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, String>(0)).unwrap();
        let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(text("PRAGMA journal_mode"), "wal");
        assert_eq!(text("PRAGMA locking_mode"), "exclusive");
        assert_eq!(number("PRAGMA synchronous"), 2, "FULL");
        assert_eq!(number("PRAGMA foreign_keys"), 1);
        assert_eq!(number("PRAGMA secure_delete"), 1, "ON");
        // The pragma shows the folder of the catalog that this process opened last.
        assert!(text("PRAGMA temp_store_directory").contains("/"));
    }
}
