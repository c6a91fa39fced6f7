//! The catalog of a data folder: the file `catalog.sqlite` in it, or the PostgreSQL database that `catalog.url` names.
//!
//! Tables and facts in the folder are only right for the catalog, and the state of it, that they were projected from. A SQLite
//! file is in the same folder. If the catalog is in a database, folder and database both store an id, which changes whenever
//! the folder is opened. If the ids differ, another folder was used meanwhile or the database was restored: the folder is
//! refused.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use annals_catalog::{PostgresCatalog, SqliteCatalog};
use annals_core::ports::Store;
use annals_core::{Error, Result};
use async_trait::async_trait;
use data_encoding::HEXLOWER;

use crate::commands::backup::CopyTo;
use crate::config::{CatalogConfig, no_copy};

/// The catalog's file name in the data folder.
pub(crate) const FILE: &str = "catalog.sqlite";

/// The file with the ids under which the folder belongs to a database.
const MARKER: &str = "catalog.postgres";

/// Folders of projections.
const PROJECTIONS: [&str; 2] = ["tables", "facts"];

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
    /// Opens the catalog, or creates it. Refuses a folder that has its catalog elsewhere.
    pub(crate) async fn open(folder: &Path, config: &CatalogConfig) -> Result<Catalog> {
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
                let catalog = PostgresCatalog::open(url)?;
                follow(folder, &catalog).await?;
                Ok(Catalog::Database(Arc::new(catalog)))
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

/// Gives the folder and the database a new common id. Fails if `may_follow` returns false. A crash between the steps leaves
/// both ids in the folder.
async fn follow(folder: &Path, catalog: &PostgresCatalog) -> Result<()> {
    let failed = |cause| Error::storage(format!("cannot use {}", folder.join(MARKER).display()), cause);
    let stored = catalog.data_folder().await?;
    if !may_follow(folder, stored.as_deref()).map_err(failed)? {
        return Err(other_catalog(folder));
    }
    let next = new_id().map_err(failed)?;
    let either: Vec<&str> = stored.iter().map(String::as_str).chain([&*next]).collect();
    write_ids(folder, &either).map_err(failed)?;
    catalog.set_data_folder(&next).await?;
    write_ids(folder, &[&next]).map_err(failed)
}

/// Returns whether the folder was used last with the catalog, or has neither ids nor projections yet.
fn may_follow(folder: &Path, stored: Option<&str>) -> io::Result<bool> {
    match fs::read_to_string(folder.join(MARKER)) {
        Ok(ids) => Ok(stored.is_some_and(|stored| ids.lines().any(|id| id == stored))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_empty = |name| fs::read_dir(folder.join(name)).map_or(true, |mut entries| entries.next().is_none());
            Ok(PROJECTIONS.into_iter().all(is_empty))
        }
        Err(error) => Err(error),
    }
}

fn other_catalog(folder: &Path) -> Error {
    let reason = format!(
        "names a database that was not used last with {shown}: another data folder was, or it was restored from a backup; remove \
         {shown}/{MARKER}, {shown}/tables and {shown}/facts and start again, and tables and facts are rebuilt from the catalog",
        shown = folder.display(),
    );
    Error::invalid("catalog.url", reason)
}

fn new_id() -> io::Result<String> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(io::Error::other)?;
    Ok(HEXLOWER.encode(&id))
}

fn write_ids(folder: &Path, ids: &[&str]) -> io::Result<()> {
    annals_objects::replace_file(&folder.join(MARKER), ids.join("\n").as_bytes())
}
