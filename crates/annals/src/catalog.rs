//! The catalog of a data folder: the file `catalog.sqlite` in it, or the PostgreSQL database that `catalog.url` names.

use std::path::Path;
use std::sync::Arc;

use annals_catalog::{PostgresCatalog, SqliteCatalog, TakenLease};
use annals_core::ports::Store;
use annals_core::{Error, Result};
use async_trait::async_trait;

use crate::commands::backup::CopyTo;
use crate::config::{CatalogConfig, no_copy};

/// The catalog's file name in the data folder.
pub(crate) const FILE: &str = "catalog.sqlite";

/// The file with the ids under which tables and facts in the folder belong to a database.
pub(crate) const MARKER: &str = "catalog.postgres";

/// An open catalog.
#[derive(Clone)]
pub(crate) enum Catalog {
    File(Arc<SqliteCatalog>),
    Database(Arc<PostgresCatalog>),
}

/// Returns whether a folder has a catalog, in its file or in a database.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(FILE).exists() || is_in_database(folder)
}

/// Returns whether a folder has its catalog in a database.
pub(crate) fn is_in_database(folder: &Path) -> bool {
    folder.join(MARKER).exists()
}

impl Catalog {
    /// Opens the catalog, or creates it. Refuses a folder that has its catalog elsewhere. A node of a cluster passes its
    /// lease.
    pub(crate) fn open(folder: &Path, config: &CatalogConfig, lease: Option<TakenLease>) -> Result<Catalog> {
        let refused = |reason: String| Err(Error::invalid("catalog.url", reason));
        let shown = folder.display();
        match config.url() {
            None if is_in_database(folder) => refused(format!(
                "is not set, but the catalog of {shown} is in PostgreSQL; set it in annals.toml, or ANNALS_CATALOG_URL"
            )),
            None => Ok(Catalog::File(Arc::new(SqliteCatalog::open(&folder.join(FILE))?))),
            Some(_) if folder.join(FILE).exists() => refused(format!(
                "is set, but {shown} has a catalog in {FILE}; name a new data folder, and move each agent to it with \
                 `annals export` and `annals import`"
            )),
            Some(url) => {
                let opened = match lease {
                    Some(lease) => PostgresCatalog::open_as_node(url, lease),
                    None => PostgresCatalog::open(url),
                };
                Ok(Catalog::Database(Arc::new(opened?)))
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

    /// Logs a warning for each PostgreSQL setting that can lose acknowledged writes.
    pub(crate) async fn log_durability(&self) -> Result<()> {
        if let Catalog::Database(catalog) = self {
            for warning in catalog.durability().await?.warnings() {
                tracing::warn!("PostgreSQL: {warning}");
            }
        }
        Ok(())
    }
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
