//! Checks the catalog: the database's own structure, and the invariants between the tables.

use annals_core::ports::Catalog;
use async_trait::async_trait;

use crate::db::{Db, Result, Sql};
use crate::{Backend, SqlCatalog};

#[async_trait]
impl<B: Backend> Catalog for SqlCatalog<B> {
    async fn check(&self) -> annals_core::Result<Vec<String>> {
        self.backend.check(&self.thread).await
    }
}

/// Returns one line for each invariant between the tables that does not hold.
pub(crate) fn invariants(db: &dyn Db) -> Result<Vec<String>> {
    lines(db, include_str!("sql/invariants.sql"))
}

/// Runs a query, and returns the text in the first column of each row.
pub(crate) fn lines(db: &dyn Db, sql: &str) -> Result<Vec<String>> {
    db.query(Sql::Once(sql), &[], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Folder, user_turn};
    use annals_core::ports::{Journal, OnConflict, RequestKey, Requests};
    use annals_core::prelude::*;
    use annals_core::{Digest, MemoryId};
    use annals_testkit::{agent, at, entry, period, summary};

    #[tokio::test]
    async fn broken_invariant_is_reported() {
        for (fault, expect) in [
            ("DELETE FROM ledger WHERE grain = 1", "is newer than the ledger row of its day"),
            ("DELETE FROM ledger WHERE grain = 1", "has no ledger row"),
            ("DELETE FROM source", "has no sources"),
            ("UPDATE agent SET seq = 1", "is beyond the end of its sequence"),
            ("INSERT INTO tombstone SELECT agent_id, id, grain, 9 FROM summary", "is both live and removed"),
            ("INSERT INTO statement_source VALUES (1, 'f-none', 0, 't-1')", "has sources but does not exist"),
            ("UPDATE ledger SET sealed = 1", "is sealed without a base, or has a base but is not sealed"),
            ("UPDATE journal SET log_version = 9", "is beyond the end of its sequence"),
            ("UPDATE summary SET seq = 1", "is more than one change"),
            ("DELETE FROM operation", "request of operation"),
            ("INSERT INTO access VALUES (1, 't-none', 1, 0)", "access count of memory t-none, which does not exist"),
            ("PRAGMA foreign_keys = OFF; DELETE FROM agent", "lacks its agent"),
        ] {
            let folder = Folder::new();
            let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
            let turn = user_turn(&me, "1", "tea");
            let request = RequestKey { key: Digest::of(["key"]), body: Digest::of(["body"]) };
            let seq = catalog
                .ingest_once(&me, &request, vec![turn.clone()], OnConflict::Refuse, now)
                .await
                .unwrap()
                .receipt
                .seq;
            let day = summary(&turn.day.to_string(), seq, &[turn.id], "They had tea.");
            catalog.save_summaries(&me, vec![day], now).await.unwrap();
            catalog.add_operations(&me, vec![entry(&me, "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
            assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
            catalog.thread.alone("testing", move |db| Ok(db.batch(fault)?)).await.unwrap();
            let faults = catalog.check().await.unwrap();
            assert!(faults.iter().any(|found| found.contains(expect)), "{fault}: {faults:?}");
        }
    }

    #[tokio::test]
    async fn zeroed_page_is_reported() {
        let folder = Folder::new();
        let (catalog, me) = (folder.open(), agent("me"));
        let turns = (0..200).map(|id| user_turn(&me, &id.to_string(), &"tea ".repeat(100))).collect();
        catalog.ingest(&me, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.unwrap();
        drop(catalog);
        let mut bytes = std::fs::read(folder.path()).unwrap();
        let middle = bytes.len() / 4096 / 2 * 4096;
        bytes[middle..middle + 4096].fill(0);
        std::fs::write(folder.path(), bytes).unwrap();
        let catalog = folder.open();
        let found = catalog.check().await;
        assert!(!matches!(&found, Ok(faults) if faults.is_empty()), "{found:?}");
        // The other methods return an answer or an error; they do not panic.
        let _ = catalog.inputs(&me, period("2026-03-04")).await;
        assert_eq!(catalog.get(&me, &[MemoryId::from_text("t-none")]).await.unwrap_or_default(), []);
    }
}
