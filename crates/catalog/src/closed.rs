//! The mark of a catalog that nothing may use: a memory is being copied into it, or was moved elsewhere.
//!
//! Without it, a half-copied memory would be used, or a service that something starts again would go on in a memory that
//! everybody else has left. Only `annals adopt` and `annals reopen` open a closed catalog.

use crate::db::{Db, Result, Sql, params};
use crate::{Backend, SqlCatalog};

/// Why nothing may use a catalog. Both catalogs of a move have the id `adoption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// A memory is being copied into it. Until that is complete, the memory is served at `service` (`host:port`), if that is
    /// known.
    Copying { adoption: String, service: Option<String> },
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
    let row = db.query_optional(Sql::Once("SELECT adoption, moved_to, service FROM closed"), &[], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    Ok(row.map(|(adoption, to, service)| Closed::of(adoption, to, service)))
}

fn close(db: &dyn Db, closed: &Closed) -> Result<()> {
    remove(db)?;
    let (adoption, to, service) = match closed {
        Closed::Copying { adoption, service } => (adoption, None, service.clone()),
        Closed::Moved { adoption, to } => (adoption, Some(to.clone()), None),
    };
    let sql = "INSERT INTO closed (\"only\", adoption, moved_to, service) VALUES (1, ?1, ?2, ?3)";
    db.execute(Sql::Once(sql), params![adoption, to, service])?;
    Ok(())
}

fn remove(db: &dyn Db) -> Result<()> {
    db.execute(Sql::Once("DELETE FROM closed"), &[])?;
    Ok(())
}

impl Closed {
    /// Returns the value of the columns of a row.
    pub(crate) fn of(adoption: String, moved_to: Option<String>, service: Option<String>) -> Closed {
        match moved_to {
            Some(to) => Closed::Moved { adoption, to },
            None => Closed::Copying { adoption, service },
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
        let adoption = || "a1".to_owned();
        for closed in [
            Closed::Copying { adoption: adoption(), service: None },
            Closed::Copying { adoption: adoption(), service: Some("old:7411".into()) },
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
