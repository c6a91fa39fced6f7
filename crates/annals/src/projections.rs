//! Where tables and facts are, in the data folder or in a bucket, and what ties them to a catalog.
//!
//! Tables and facts are valid only for the catalog, and the state of it, from which they were projected. If both sides
//! are in the data folder, they belong together. Otherwise both store an id, which changes at each opening. If the ids
//! differ, one side was used with something else meanwhile or was restored from a backup. Opening then fails and says
//! what to delete.

mod copy;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use annals_catalog::PostgresCatalog;
use annals_core::{Error, Result};
use annals_objects::{Objects, WriteGuard, is_missing};
use data_encoding::HEXLOWER;
use object_store::path::Path as Name;

use crate::catalog::{Catalog, MARKER};
use crate::config::{CATALOG_URL, OBJECTS_URL, ObjectsConfig};

pub(crate) use copy::{Copied, CopyRecord};

/// File in the data folder with the id that ties its SQLite catalog to a bucket; missing if the folder itself has tables and
/// facts.
const BUCKET_ID: &str = "catalog.objects";

/// Below this name a bucket has an object for each id of the catalog that it belongs to. There are two only after a crash. The
/// ids are not the content of one object: a late write of a node that has lost its lease would replace the id of the present
/// one.
const IDS_IN_BUCKET: &str = "catalog-id";

/// Object that has the ids of a bucket if an older version used the bucket last. Older versions kept all ids in one object.
const FORMER_IDS_IN_BUCKET: &str = "catalog.id";

/// The name below which a bucket is checked at each opening.
const CHECK: &str = "check";

/// The names below which tables and facts are.
const TABLES: &str = "tables";
const FACTS: &str = "facts";

/// The folder in the data folder where DuckDB reads and writes; emptied at every start.
pub(crate) const SCRATCH_OF_FACTS: &str = "facts/scratch";

/// The open store of tables and facts.
pub(crate) struct Projections {
    root: Objects,
    data: PathBuf,
    /// URL of the bucket that has tables and facts; `None` if the data folder has them.
    bucket: Option<String>,
}

impl Projections {
    /// Opens the store, and checks that a bucket does what tables rely on. Fails if the store belongs to another
    /// catalog, or to another state of this one. A node of a cluster passes the guard of its writes.
    pub(crate) async fn open(
        data: &Path,
        config: &ObjectsConfig,
        catalog: &Catalog,
        guard: Option<WriteGuard>,
    ) -> Result<Projections> {
        let projections = Projections::untied(data, config, guard)?;
        projections.check().await?;
        projections.tie(catalog).await?;
        projections.remove_left_checks().await?;
        Ok(projections)
    }

    /// Opens the store to read it while a service uses it. Fails if the store belongs to another catalog.
    pub(crate) async fn open_to_read(
        data: &Path,
        config: &ObjectsConfig,
        catalog: &PostgresCatalog,
    ) -> Result<Projections> {
        let projections = Projections::read_only(data, config)?;
        let (stored, ids) = (catalog.data_folder().await?, projections.ids().await?);
        match stored {
            Some(stored) if ids.contains(&stored) => Ok(projections),
            _ => Err(projections.refused()),
        }
    }

    /// Returns the id under which the catalog's tables are in another place than the configured one. `None` if they are not, or if
    /// this cannot be read now.
    pub(crate) async fn kept_elsewhere(
        data: &Path,
        config: &ObjectsConfig,
        catalog: &PostgresCatalog,
    ) -> Option<String> {
        let projections = Projections::read_only(data, config).ok()?;
        let stored = catalog.data_folder().await.ok()??;
        let ids = projections.ids().await.ok()?;
        (!ids.contains(&stored)).then_some(stored)
    }

    fn read_only(data: &Path, config: &ObjectsConfig) -> Result<Projections> {
        let never = WriteGuard { may_write: Arc::new(|| false), time_limit: Duration::ZERO, writes: Arc::default() };
        Projections::untied(data, config, Some(never))
    }

    /// Opens the store without checking to which catalog it belongs.
    pub(crate) fn untied(data: &Path, config: &ObjectsConfig, guard: Option<WriteGuard>) -> Result<Projections> {
        let root = match config.bucket() {
            Some(bucket) => Objects::in_bucket(&bucket, guard),
            None => Objects::local(data),
        };
        let location = config.url.clone().unwrap_or_else(|| data.display().to_string());
        let root = root.map_err(|error| Error::storage(format!("opening {location}"), error))?;
        Ok(Projections { root, data: data.to_owned(), bucket: config.url.clone() })
    }

    /// Returns the part of the store that has the tables.
    pub(crate) fn tables(&self) -> Result<Objects> {
        self.below(TABLES)
    }

    /// Returns the part of the store that has the facts.
    pub(crate) fn facts(&self) -> Result<Objects> {
        self.below(FACTS)
    }

    fn below(&self, name: &str) -> Result<Objects> {
        match self.bucket {
            Some(_) => Ok(self.root.below(&Name::from(name))),
            None => Objects::local(&self.data.join(name)).map_err(failed),
        }
    }

    /// Checks that a bucket does what tables rely on. Does nothing for a folder.
    pub(crate) async fn check(&self) -> Result<()> {
        let Some(bucket) = &self.bucket else { return Ok(()) };
        let name = Name::from(CHECK).join(new_id()?);
        self.root.check(&name).await.map_err(|unfit| Error::storage(format!("cannot use {bucket} for tables"), unfit))
    }

    /// Removes the test objects that a killed process left in a bucket.
    async fn remove_left_checks(&self) -> Result<()> {
        match self.bucket {
            Some(_) => self.root.remove(&Name::from(CHECK)).await.map(|_| ()).map_err(failed),
            None => Ok(()),
        }
    }

    async fn tie(&self, catalog: &Catalog) -> Result<()> {
        match (catalog, &self.bucket) {
            (Catalog::File(_), None) => self.untie().await,
            (Catalog::File(_), Some(_)) => {
                self.follow(&IdOfCatalog::File(Objects::local(&self.data).map_err(failed)?)).await
            }
            (Catalog::Database(database), _) => self.follow(&IdOfCatalog::Row(database.clone())).await,
        }
    }

    /// Removes the id that ties a SQLite catalog to a bucket. Fails if the folder has tables or facts: they are older
    /// than those in the bucket.
    async fn untie(&self) -> Result<()> {
        let id = Name::from(BUCKET_ID);
        if read(&self.root, &id).await?.is_none() {
            return Ok(());
        }
        if !self.is_empty().await? {
            return Err(self.refused());
        }
        self.root.delete(&id).await.map_err(failed)?;
        self.root.sync_deletions(&Name::default()).await.map_err(failed)
    }

    /// Stores a new common id with the catalog and with the tables. Fails if the two do not belong together. After a crash
    /// between the steps, the tables have both the old and the new id.
    async fn follow(&self, catalog: &IdOfCatalog) -> Result<()> {
        let (stored, ids) = (catalog.load().await?, self.ids().await?);
        let may_follow = match &stored {
            _ if ids.is_empty() => self.is_empty().await?,
            Some(stored) => ids.contains(stored),
            None => false,
        };
        if !may_follow {
            return Err(self.refused());
        }
        let next = new_id()?;
        self.add_id(&next, stored.as_deref()).await?;
        catalog.save(&next).await?;
        self.remove_other_ids(&next, &ids).await
    }

    /// Returns the ids that are stored with the tables. There are several only after a crash.
    async fn ids(&self) -> Result<Vec<String>> {
        let marker = if self.bucket.is_some() { FORMER_IDS_IN_BUCKET } else { MARKER };
        let lines = read(&self.root, &Name::from(marker)).await?.unwrap_or_default();
        let mut ids: Vec<String> = lines.lines().map(Into::into).collect();
        if self.bucket.is_some() {
            let objects = self.root.list(&Name::from(IDS_IN_BUCKET)).await.map_err(failed)?;
            ids.extend(objects.iter().filter_map(|object| object.location.filename()).map(Into::into));
        }
        Ok(ids)
    }

    /// Stores an id with the tables. Keeps the id `stored`.
    async fn add_id(&self, id: &str, stored: Option<&str>) -> Result<()> {
        let (name, content) = match self.bucket {
            Some(_) => (Name::from(IDS_IN_BUCKET).join(id), id.to_owned()),
            None => (Name::from(MARKER), stored.into_iter().chain([id]).collect::<Vec<_>>().join("\n")),
        };
        self.root.put(&name, content.into_bytes()).await.map_err(failed)
    }

    /// Removes all ids that are stored with the tables, except this one.
    async fn remove_other_ids(&self, id: &str, others: &[String]) -> Result<()> {
        if self.bucket.is_none() {
            return self.add_id(id, None).await;
        }
        let names = others.iter().map(|other| Name::from(IDS_IN_BUCKET).join(other.as_str()));
        for name in names.chain([Name::from(FORMER_IDS_IN_BUCKET)]) {
            match self.root.delete(&name).await {
                Err(error) if !is_missing(&error) => return Err(failed(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether there are neither tables nor facts.
    async fn is_empty(&self) -> Result<bool> {
        let scratch = Name::from(SCRATCH_OF_FACTS);
        for name in [TABLES, FACTS] {
            let found = self.root.list(&Name::from(name)).await.map_err(failed)?;
            if found.iter().any(|object| !object.location.prefix_matches(&scratch)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn refused(&self) -> Error {
        let data = self.data.display();
        match &self.bucket {
            Some(bucket) => {
                let reason = format!(
                    "names {bucket}, which was not used last with this catalog: another catalog was, or this one was restored \
                     from a backup; name an empty prefix, or delete the objects below this one, and tables and facts are rebuilt \
                     from the catalog"
                );
                Error::invalid(OBJECTS_URL, reason)
            }
            None if self.data.join(BUCKET_ID).exists() => {
                let reason = format!(
                    "is not set, but a bucket was used last; set it again, or remove {data}/tables and {data}/facts, which are \
                     older, and they are rebuilt from the catalog"
                );
                Error::invalid(OBJECTS_URL, reason)
            }
            None => {
                let reason = format!(
                    "names a database that was not used last with {data}: another data folder was, or it was restored from a \
                     backup; remove {data}/{MARKER}, {data}/tables and {data}/facts and start again, and tables and facts are \
                     rebuilt from the catalog"
                );
                Error::invalid(CATALOG_URL, reason)
            }
        }
    }
}

/// Place of the id that belongs to the catalog.
enum IdOfCatalog {
    /// In a file next to the SQLite file.
    File(Objects),
    /// In the database.
    Row(Arc<PostgresCatalog>),
}

impl IdOfCatalog {
    async fn load(&self) -> Result<Option<String>> {
        match self {
            IdOfCatalog::File(folder) => read(folder, &Name::from(BUCKET_ID)).await,
            IdOfCatalog::Row(database) => database.data_folder().await,
        }
    }

    async fn save(&self, id: &str) -> Result<()> {
        match self {
            IdOfCatalog::File(folder) => {
                folder.put(&Name::from(BUCKET_ID), id.as_bytes().to_vec()).await.map_err(failed)
            }
            IdOfCatalog::Row(database) => database.set_data_folder(id).await,
        }
    }
}

async fn read(objects: &Objects, name: &Name) -> Result<Option<String>> {
    match objects.get(name).await {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: object_store::Error) -> Error {
    Error::storage("reading or writing to which catalog tables and facts belong", error)
}

/// Returns 128 random bits in hexadecimal digits.
pub(crate) fn new_id() -> Result<String> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|error| Error::storage("drawing an id", std::io::Error::other(error)))?;
    Ok(HEXLOWER.encode(&id))
}
