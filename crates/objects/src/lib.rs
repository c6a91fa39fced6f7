//! Files as objects: `strata` and `facts` access their stored data only through this crate.
//!
//! [`Objects`] is a prefix of an [`object_store`]. Local files are one implementation. Any other store needs `list`, `get`,
//! `put`, `copy` and `delete` only. Operations that only folders have are in `local.rs`: a folder is renamed in one step,
//! deletions are synced, and files that a crash left half-written are removed. The crate assumes that only one process uses
//! the prefix; `guard.rs` refuses the writes of a process that another one has replaced. The crate does not interpret names
//! or content. `check.rs` checks that a store does what this crate relies on.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bucket;
mod check;
mod copy;
mod guard;
mod local;
mod scratch;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, Result};

pub use bucket::{Bucket, Provider};
pub use check::Unfit;
pub use guard::WriteGuard;
pub use local::replace_file;
pub use scratch::{Scratch, ScratchFolder};
pub use search::unless_missing;

/// The objects below a prefix of a store. All names are relative to the prefix. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    /// The prefix of all names in the store.
    prefix: Path,
    /// The folder of the objects, if they are local files.
    folder: Option<Arc<PathBuf>>,
}

/// The names directly below a name.
#[derive(Debug, Default, PartialEq)]
pub struct Children {
    /// Names with objects below them. If the objects are local files, also empty folders.
    pub folders: Vec<Path>,
    /// Names of objects.
    pub objects: Vec<Path>,
}

impl Objects {
    /// Opens a local folder and creates it if it is missing. Every write is durable when it returns: the file is synced before
    /// its rename, and the folders are synced after the rename.
    pub fn local(folder: &std::path::Path) -> Result<Objects> {
        let folder = local::create(folder).map_err(local::failed)?;
        let prefix = Path::from_absolute_path(&folder)?;
        // Names begin at `/`, because LanceDB looks for the folders of local tables by their names.
        let store = Arc::new(LocalFileSystem::new().with_fsync(true));
        Ok(Objects { store, prefix, folder: Some(Arc::new(folder)) })
    }

    /// Opens a prefix of any other store. A write must be durable when it returns, and a `put` that creates an object
    /// must fail if the object exists.
    pub fn over(store: Arc<dyn ObjectStore>, prefix: Path) -> Objects {
        Objects { store, prefix, folder: None }
    }

    /// Opens a prefix of a bucket. With a guard, writes are refused once this process may not write any more. Sends no request
    /// yet.
    pub fn in_bucket(bucket: &Bucket, guard: Option<WriteGuard>) -> Result<Objects> {
        Ok(Objects::over(bucket.open(guard)?, bucket.prefix.clone()))
    }

    /// Returns the objects below a name, with names relative to it.
    pub fn below(&self, name: &Path) -> Objects {
        Objects { store: self.store.clone(), prefix: self.full_name(name), folder: self.local_path(name).map(Arc::new) }
    }

    /// Returns the same objects, read and written through `store`, which wraps the present store, for example to inject
    /// faults.
    pub fn through(self, store: Arc<dyn ObjectStore>) -> Objects {
        Objects { store, ..self }
    }

    /// Returns whether the objects are local files.
    pub fn are_local(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns the store, for libraries that read and write objects themselves. The store uses full names.
    pub fn store(&self) -> Arc<dyn ObjectStore> {
        self.store.clone()
    }

    /// Returns the full name of an object in the store. For local files it is the absolute path without the first `/`.
    pub fn full_name(&self, name: &Path) -> Path {
        self.prefix.parts().chain(name.parts()).collect()
    }

    /// Returns the content of an object. [`Error::NotFound`] if it does not exist.
    pub async fn get(&self, name: &Path) -> Result<Vec<u8>> {
        let object = self.store.get(&self.full_name(name)).await?;
        Ok(object.bytes().await?.into())
    }

    /// Stores an object durably. Replaces a former object atomically.
    pub async fn put(&self, name: &Path, bytes: impl Into<PutPayload>) -> Result<()> {
        self.store.put(&self.full_name(name), bytes.into()).await?;
        Ok(())
    }

    /// Returns all objects below a name, at any depth, in no particular order. Half-written local files are not objects.
    pub async fn list(&self, below: &Path) -> Result<Vec<ObjectMeta>> {
        let found = self.store.list(Some(&self.full_name(below)));
        found.map_ok(|object| ObjectMeta { location: self.name(&object.location), ..object }).try_collect().await
    }

    /// Returns the names directly below a name.
    pub async fn children(&self, below: &Path) -> Result<Children> {
        let found = self.store.list_with_delimiter(Some(&self.full_name(below))).await?;
        Ok(Children {
            folders: found.common_prefixes.iter().map(|folder| self.name(folder)).collect(),
            objects: found.objects.iter().map(|object| self.name(&object.location)).collect(),
        })
    }

    /// Returns whether anything is below a name. For local files, an empty folder counts.
    pub async fn exists(&self, below: &Path) -> Result<bool> {
        match self.local_path(below) {
            Some(folder) => local::run(move || folder.try_exists()).await,
            None => Ok(self.store.list(Some(&self.full_name(below))).try_next().await?.is_some()),
        }
    }

    /// Deletes an object. [`Objects::sync_deletions`] makes the deletion durable.
    pub async fn delete(&self, name: &Path) -> Result<()> {
        self.store.delete(&self.full_name(name)).await
    }

    /// Makes deletions below a name durable, so that a power cut does not bring deleted data back. Removes the folder if it is
    /// empty, and the folders above it that are then empty, up to the prefix. Does nothing if the objects are not local files,
    /// because other stores delete durably.
    pub async fn sync_deletions(&self, below: &Path) -> Result<()> {
        let (Some(root), Some(folder)) = (self.folder.clone(), self.local_path(below)) else { return Ok(()) };
        local::run(move || local::sync_deletions(&root, &folder)).await
    }

    /// Removes everything below a name, half-written files too. Returns whether anything was there; for local files, an empty
    /// folder counts.
    ///
    /// A local folder is renamed first, so after a power cut the folder is either complete or gone, and the next removal
    /// deletes the renamed folder. In other stores the objects are deleted in the order of their names.
    pub async fn remove(&self, below: &Path) -> Result<bool> {
        if let Some(folder) = self.local_path(below) {
            return local::run(move || local::remove(&folder)).await;
        }
        let objects = self.sorted(below).await?;
        for object in &objects {
            self.delete(object).await?;
        }
        Ok(!objects.is_empty())
    }

    /// Moves everything below the name `from` to the name `to`. Nothing may exist below `to`.
    ///
    /// A local folder is renamed durably in one step. In other stores all objects are copied before the first is deleted, so
    /// that one of the two is complete at any time.
    pub async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        if let (Some(from), Some(to)) = (self.local_path(from), self.local_path(to)) {
            return local::run(move || local::rename(&from, &to)).await;
        }
        for object in self.sorted(from).await? {
            let rest = object.prefix_match(from).into_iter().flatten();
            let copy: Path = to.parts().chain(rest).collect();
            self.store.copy(&self.full_name(&object), &self.full_name(&copy)).await?;
        }
        self.remove(from).await.map(|_| ())
    }

    /// Removes the half-written files that a crash left in the folders directly below the prefix. May only be called while
    /// nothing is written.
    pub fn remove_half_written(&self) -> Result<()> {
        let Some(root) = &self.folder else { return Ok(()) };
        local::remove_half_written(root).map_err(local::failed)
    }

    /// Removes the half-written files at any depth below the prefix. May only be called while nothing is written.
    pub async fn remove_all_half_written(&self) -> Result<()> {
        let Some(root) = self.folder.clone() else { return Ok(()) };
        local::run(move || local::remove_all_half_written(&root)).await
    }

    async fn sorted(&self, below: &Path) -> Result<Vec<Path>> {
        let mut names: Vec<Path> = self.list(below).await?.into_iter().map(|object| object.location).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the name of an object relative to the prefix, from its full name.
    fn name(&self, full: &Path) -> Path {
        full.prefix_match(&self.prefix).into_iter().flatten().collect()
    }

    fn local_path(&self, name: &Path) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name.as_ref()))
    }
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.folder {
            Some(folder) => write!(f, "{}", folder.display()),
            None => write!(f, "{} of {}", self.prefix, self.store),
        }
    }
}

/// Returns whether an error means that the object does not exist.
pub fn is_missing(error: &Error) -> bool {
    matches!(error, Error::NotFound { .. })
}
