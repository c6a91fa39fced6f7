//! Reads the properties of the server that decide whether it keeps what it reports as committed: its version, its settings, and
//! its standbys.

use crate::PostgresCatalog;
use crate::db::{Db, Result, Sql};

const SETTINGS: &str = "SELECT current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS pages, current_setting('synchronous_standby_names') AS names";

/// Counts standbys. For a user without the role `pg_read_all_stats`, the column `sync_state` is NULL in rows of other users.
const STANDBYS: &str = "SELECT count(*) AS n, count(sync_state) AS visible,
    count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS synchronous FROM pg_stat_replication";

/// What [`PostgresCatalog::examine`] reports about a server.
#[derive(Clone, Debug)]
pub struct PostgresServer {
    /// As the server names it, for example `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    pub durability: Durability,
}

/// Reads the version of the server and what decides about durability.
pub(super) fn server(db: &dyn Db) -> Result<PostgresServer> {
    let version = db.query_one(Sql::Once("SELECT current_setting('server_version')"), &[], |row| row.get(0))?;
    Ok(PostgresServer { version, durability: durability(db)? })
}

/// The settings and standbys that decide whether a commit survives a power cut, and the loss of the server's machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Durability {
    /// What a commit of the catalog waits for, as the setting `synchronous_commit` names it.
    pub synchronous_commit: String,
    /// Whether the server syncs its files.
    pub fsync: bool,
    /// Whether a page that was written in part can be restored.
    pub full_page_writes: bool,
    /// The setting `synchronous_standby_names`; empty if commits wait for no standby.
    pub synchronous_standby_names: String,
    /// The number of standbys that receive the log now.
    pub standbys: i64,
    /// The number of these standbys that commits wait for; `None` if the catalog's user may not see it.
    pub synchronous_standbys: Option<i64>,
}

impl Durability {
    /// Returns a sentence for each setting that can lose acknowledged writes, and one if commits wait for a standby that is not
    /// connected.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.fsync {
            warnings.push("fsync is off: a loss of power can destroy the database; set fsync = on".to_owned());
        }
        if !self.full_page_writes {
            let why = "full_page_writes is off: a loss of power can destroy pages; set full_page_writes = on";
            warnings.push(why.to_owned());
        }
        if self.synchronous_standby_names.is_empty() {
            if self.standbys > 0 {
                warnings.push(
                    "no standby is synchronous: if one takes over, the last acknowledged writes are lost; \
                     set synchronous_standby_names = 'ANY 1 (*)'"
                        .to_owned(),
                );
            }
        } else if self.synchronous_standbys == Some(0) {
            warnings.push("no synchronous standby is connected: commits wait until one is".to_owned());
        }
        warnings
    }
}

impl PostgresCatalog {
    /// Reads the settings and standbys that decide whether commits are durable.
    pub async fn durability(&self) -> annals_core::Result<Durability> {
        self.thread.read("reading the settings of PostgreSQL", durability).await
    }
}

fn durability(db: &dyn Db) -> Result<Durability> {
    let (standbys, visible, synchronous) = db.query_one(Sql::Once(STANDBYS), &[], |row| {
        Ok((row.get::<i64>("n")?, row.get::<i64>("visible")?, row.get::<i64>("synchronous")?))
    })?;
    db.query_one(Sql::Once(SETTINGS), &[], |row| {
        Ok(Durability {
            synchronous_commit: row.get("commits")?,
            fsync: row.text("fsync")? == "on",
            full_page_writes: row.text("pages")? == "on",
            synchronous_standby_names: row.get("names")?,
            standbys,
            synchronous_standbys: (visible == standbys).then_some(synchronous),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_can_lose_writes_are_named() {
        let safe = Durability {
            synchronous_commit: "on".into(),
            fsync: true,
            full_page_writes: true,
            synchronous_standby_names: String::new(),
            standbys: 0,
            synchronous_standbys: Some(0),
        };
        let named = || Durability { synchronous_standby_names: "ANY 1 (*)".into(), ..safe.clone() };
        let check = |durability: Durability, expect: &[&str]| {
            let warnings = durability.warnings();
            assert_eq!(warnings.len(), expect.len(), "{warnings:?}");
            for (warning, expect) in warnings.iter().zip(expect) {
                assert!(warning.starts_with(expect), "{warning}");
            }
        };
        check(safe.clone(), &[]);
        check(Durability { fsync: false, full_page_writes: false, ..safe.clone() }, &["fsync", "full_page_writes"]);
        check(Durability { standbys: 1, ..safe.clone() }, &["no standby is synchronous"]);
        check(named(), &["no synchronous standby is connected"]);
        check(Durability { standbys: 1, synchronous_standbys: Some(1), ..named() }, &[]);
        check(Durability { standbys: 1, synchronous_standbys: None, ..named() }, &[]);
    }
}
