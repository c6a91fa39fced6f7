//! The mark of a catalog that nothing may use: a memory is being copied into it, or was moved elsewhere.
//!
//! Without it, a half-copied memory would be used, or a service that something starts again would go on in a memory that
//! everybody else has left. Only `annals adopt` and `annals reopen` open a closed catalog.

use crate::db::{Db, Result, Row, Sql, params};
use crate::{Backend, SqlCatalog};

/// The columns that [`Closed::of`] takes.
pub(crate) const COLUMNS: &str = "adoption, copied_from, moved_to, service";

/// Why nothing may use a catalog. Both catalogs of a move have the id `adoption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The memory of the data folder `from` is being copied into it. Until that is complete, the memory is served at `service`
    /// (`host:port`), if that is known.
    Copying { adoption: String, from: String, service: Option<String> },
    /// The memory was moved to the data folder `to`.
    Moved { adoption: String, to: String },
}

impl<B: Backend> SqlCatalog<B> {
    /// Returns why nothing may use this catalog; `None` if it may be used.
    pub async fn closed(&self) -> annals_core::Result<Option<Closed>> {
        self.thread.read("reading whether the catalog is closed", closed).await
    }

    /// Closes this catalog, or changes why it is closed.
    pub async fn close(&self, closed: Closed) -> annals_core::Result<()> {
        self.thread.write("closing the catalog", move |db| close(db, &closed)).await
    }

    /// Lets this catalog be used again.
    pub async fn reopen(&self) -> annals_core::Result<()> {
        self.thread.write("reopening the catalog", remove).await
    }
}

fn closed(db: &dyn Db) -> Result<Option<Closed>> {
    let sql = format!("SELECT {COLUMNS} FROM closed");
    let read = |row: &Row<'_>| Ok(Closed::of(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    db.query_optional(Sql::Once(&sql), &[], read)
}

fn close(db: &dyn Db, closed: &Closed) -> Result<()> {
    remove(db)?;
    let (adoption, from, to, service) = match closed {
        Closed::Copying { adoption, from, service } => (adoption, Some(from.clone()), None, service.clone()),
        Closed::Moved { adoption, to } => (adoption, None, Some(to.clone()), None),
    };
    let sql = format!("INSERT INTO closed (\"only\", {COLUMNS}) VALUES (1, ?1, ?2, ?3, ?4)");
    db.execute(Sql::Once(&sql), params![adoption, from, to, service])?;
    Ok(())
}

fn remove(db: &dyn Db) -> Result<()> {
    db.execute(Sql::Once("DELETE FROM closed"), &[])?;
    Ok(())
}

impl Closed {
    /// Returns the value of a row.
    pub(crate) fn of(adoption: String, from: Option<String>, to: Option<String>, service: Option<String>) -> Closed {
        match to {
            Some(to) => Closed::Moved { adoption, to },
            None => Closed::Copying { adoption, from: from.unwrap_or_default(), service },
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::postgres_server::Schema;

    use super::*;
    use crate::fixture::{Folder, open_schema};

    async fn is_closed_and_reopened<B: Backend>(catalog: &SqlCatalog<B>) {
        assert_eq!(catalog.closed().await.unwrap(), None);
        let (adoption, from) = (|| "a1".to_owned(), || "/srv/old".to_owned());
        for closed in [
            Closed::Copying { adoption: adoption(), from: from(), service: None },
            Closed::Copying { adoption: adoption(), from: from(), service: Some("old:7411".into()) },
            Closed::Moved { adoption: adoption(), to: "/srv/new".into() },
        ] {
            catalog.close(closed.clone()).await.unwrap();
            assert_eq!(catalog.closed().await.unwrap(), Some(closed));
        }
        catalog.reopen().await.unwrap();
        assert_eq!(catalog.closed().await.unwrap(), None);
    }

    #[tokio::test]
    async fn catalog_is_closed_until_it_is_reopened() {
        is_closed_and_reopened(&Folder::new().open()).await;
        let Some(schema) = Schema::new() else { return };
        is_closed_and_reopened(&open_schema(&schema)).await;
    }
}
