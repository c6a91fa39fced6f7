//! The catalog of a data folder: the file `catalog.sqlite` in it, or the PostgreSQL database that `catalog.url` names.

use std::path::Path;
use std::sync::Arc;

use annals_catalog::{Closed, PostgresCatalog, SqliteCatalog, TakenLease};
use annals_core::ports::Store;
use annals_core::prelude::*;
use annals_core::{Error, Result};
use annals_service::backup::{CATALOG, CheckedCatalog, CopyTo};
use async_trait::async_trait;

use crate::config::{CatalogConfig, no_copy};

/// File in a data folder with a catalog in PostgreSQL. Holds the ids that tie tables and facts in the folder to the database;
/// empty if these are in a bucket.
pub(crate) const MARKER: &str = "catalog.postgres";

#[derive(Clone)]
pub(crate) enum Catalog {
    File(Arc<SqliteCatalog>),
    Database(Arc<PostgresCatalog>),
}

/// Returns whether a folder has a catalog in SQLite or the file [`MARKER`].
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(CATALOG).exists() || is_in_database(folder)
}

/// Returns whether the catalog of a folder is in PostgreSQL.
pub(crate) fn is_in_database(folder: &Path) -> bool {
    folder.join(MARKER).exists()
}

/// Creates the file [`MARKER`] if it is missing. Without it, a folder with its tables in a bucket would look like no data
/// folder, and get a catalog in SQLite if `catalog.url` were removed.
fn create_marker(folder: &Path) -> Result<()> {
    let path = folder.join(MARKER);
    let created = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    created.map(drop).map_err(|cause| Error::storage(format!("creating {}", path.display()), cause))
}

impl Catalog {
    /// Opens the catalog, or creates it. Fails if the folder has a catalog in SQLite and `catalog.url` is set, or has
    /// [`MARKER`] and `catalog.url` is not set, or if the catalog is closed. A node of a cluster passes its lease.
    pub(crate) async fn open(folder: &Path, config: &CatalogConfig, lease: Option<TakenLease>) -> Result<Catalog> {
        let catalog = Catalog::open_closed(folder, config, lease)?;
        match catalog.closed().await? {
            Some(closed) => Err(closed_error("--data", folder, &closed)),
            None => Ok(catalog),
        }
    }

    /// Does the same, also if the catalog is closed.
    pub(crate) fn open_closed(folder: &Path, config: &CatalogConfig, lease: Option<TakenLease>) -> Result<Catalog> {
        let refused = |reason: String| Err(Error::invalid("catalog.url", reason));
        let shown = folder.display();
        match config.url() {
            None if is_in_database(folder) => refused(format!(
                "is not set, but the catalog of {shown} is in PostgreSQL; set it in annals.toml, or ANNALS_CATALOG_URL"
            )),
            None => Ok(Catalog::File(Arc::new(SqliteCatalog::open(&folder.join(CATALOG))?))),
            Some(_) if folder.join(CATALOG).exists() => refused(format!(
                "is set, but {shown} has a catalog in {CATALOG}; name a new data folder with --data, and \
                 copy this memory to it with `annals adopt {shown}`"
            )),
            Some(url) => {
                let opened = match lease {
                    Some(lease) => PostgresCatalog::open_as_node(url, lease),
                    None => PostgresCatalog::open(url),
                };
                let catalog = Arc::new(opened?);
                create_marker(folder)?;
                Ok(Catalog::Database(catalog))
            }
        }
    }

    /// Returns the catalog as the port `Store`, which all other code uses.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        match self {
            Catalog::File(catalog) => catalog.clone(),
            Catalog::Database(catalog) => catalog.clone(),
        }
    }

    /// Returns why nothing may use this catalog; `None` if it may be used.
    pub(crate) async fn closed(&self) -> Result<Option<Closed>> {
        match self {
            Catalog::File(catalog) => catalog.closed().await,
            Catalog::Database(catalog) => catalog.closed().await,
        }
    }

    /// Closes this catalog, or changes why it is closed.
    pub(crate) async fn close(&self, closed: Closed) -> Result<()> {
        match self {
            Catalog::File(catalog) => catalog.close(closed).await,
            Catalog::Database(catalog) => catalog.close(closed).await,
        }
    }

    /// Lets this catalog be used again.
    pub(crate) async fn reopen(&self) -> Result<()> {
        match self {
            Catalog::File(catalog) => catalog.reopen().await,
            Catalog::Database(catalog) => catalog.reopen().await,
        }
    }

    /// Returns whether there is neither an agent nor a key.
    pub(crate) async fn is_empty(&self) -> Result<bool> {
        match self {
            Catalog::File(catalog) => catalog.is_empty().await,
            Catalog::Database(catalog) => catalog.is_empty().await,
        }
    }

    /// Replaces everything in another catalog by a copy of this one. Returns the number of rows.
    pub(crate) async fn copy_all_to(&self, target: &Catalog) -> Result<u64> {
        match (self, target) {
            (Catalog::File(from), Catalog::File(to)) => from.copy_all_to(to).await,
            (Catalog::File(from), Catalog::Database(to)) => from.copy_all_to(to).await,
            (Catalog::Database(from), Catalog::File(to)) => from.copy_all_to(to).await,
            (Catalog::Database(from), Catalog::Database(to)) => from.copy_all_to(to).await,
        }
    }

    /// Logs a warning for each PostgreSQL setting that can lose acknowledged writes. Does nothing for a catalog in SQLite.
    pub(crate) async fn log_durability(&self) -> Result<()> {
        if let Catalog::Database(catalog) = self {
            for warning in catalog.durability().await?.warnings() {
                tracing::warn!("PostgreSQL: {warning}");
            }
        }
        Ok(())
    }
}

/// Returns the error for whoever wants to use the closed memory of a folder, which the argument `field` names.
pub(crate) fn closed_error(field: &str, folder: &Path, closed: &Closed) -> Error {
    let folder = folder.display();
    let reason = match closed {
        Closed::Copying { from, .. } => format!(
            "names {folder}, to which the memory of {from} is not copied completely; run `annals adopt {from} --data {folder}` again, or use a new data \
             folder with a database and a bucket of its own"
        ),
        Closed::Moved { to, .. } => format!(
            "names {folder}, which `annals adopt` has closed to move its memory to {to}; use that one, run the command again if it was \
             interrupted, or let this one be used again with `annals reopen`"
        ),
    };
    Error::invalid(field, reason)
}

#[async_trait]
impl CopyTo for Catalog {
    async fn copy_to(&self, path: &Path) -> Result<i64> {
        match self {
            Catalog::File(catalog) => catalog.copy_to(path).await,
            Catalog::Database(_) => Err(no_copy()),
        }
    }
}

/// Checks the copy of a catalog in a backup. A copy that cannot be opened is a problem of the backup, not an error.
pub(crate) async fn check_copy(path: &Path) -> Result<CheckedCatalog> {
    let catalog = match SqliteCatalog::open(path) {
        Ok(catalog) => catalog,
        Err(error) => return Ok(CheckedCatalog { problems: vec![error.to_string()], ..CheckedCatalog::default() }),
    };
    Ok(CheckedCatalog {
        problems: catalog.check().await?,
        last_sequence: Some(catalog.last_sequence().await?),
        agents: catalog.all_agents().await?.len() as u64,
    })
}
