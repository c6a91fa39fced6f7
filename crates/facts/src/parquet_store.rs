//! The stored files of an agent: one object per written table, named by its version and a digest of its content.
//!
//! A table is written under a new name before the former ones are deleted. A crash may thus leave two; the one with the
//! higher version counts. The digest in the name ensures that only bytes that were written reach DuckDB, which could
//! crash on others.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use annals_core::{Agent, Digest, Error, Result};
use futures::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};

use crate::blocking;
use crate::table::FORMAT;

/// The objects of all agents.
pub struct ParquetStore {
    store: Arc<dyn ObjectStore>,
    /// The local folder; `None` for another object store.
    root: Option<PathBuf>,
}

/// A stored table.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The version of the log that it was folded from.
    pub version: u64,
    /// Its path in the store.
    pub path: Path,
}

impl ParquetStore {
    /// Opens a local folder, creates it if missing, and removes half-written files.
    pub fn local(folder: &std::path::Path) -> Result<ParquetStore> {
        let failed =
            |error: std::io::Error| Error::storage(format!("opening the facts in {}", folder.display()), error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        sweep(folder).map_err(failed)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(error.into()))?;
        let store = store.with_fsync(true).with_automatic_cleanup(true);
        Ok(ParquetStore { store: Arc::new(store), root: Some(folder.to_owned()) })
    }

    pub fn over(store: Arc<dyn ObjectStore>) -> ParquetStore {
        ParquetStore { store, root: None }
    }

    /// Returns all objects of the agent, of any kind.
    pub async fn list(&self, agent: &Agent) -> Result<Vec<ObjectMeta>> {
        let objects = self.store.list(Some(&Path::from(agent.folder())));
        objects.try_collect().await.map_err(failed("listing", agent))
    }

    /// Returns the table that counts: the highest version, and of equal versions, left by a crash, the one modified
    /// last.
    pub async fn newest(&self, agent: &Agent) -> Result<Option<Snapshot>> {
        let objects = self.list(agent).await?.into_iter();
        let snapshots = objects.filter_map(|object| Some((Snapshot::named(&object.location)?, object.last_modified)));
        let newest = snapshots.max_by_key(|(snapshot, modified)| (snapshot.version, *modified));
        Ok(newest.map(|(snapshot, _)| snapshot))
    }

    /// Returns the bytes of a table, exactly as they were written.
    pub async fn read(&self, agent: &Agent, snapshot: &Snapshot) -> Result<Vec<u8>> {
        let bytes = self.read_any(agent, &snapshot.path).await?;
        if name(agent, snapshot.version, &bytes) != snapshot.path {
            return Err(Error::damaged(
                format!("the facts of agent {agent}"),
                "its content does not match its checksum",
            ));
        }
        Ok(bytes)
    }

    /// Returns the bytes of any object.
    pub async fn read_any(&self, agent: &Agent, path: &Path) -> Result<Vec<u8>> {
        let object = self.store.get(path).await.map_err(failed("reading", agent))?;
        Ok(object.bytes().await.map_err(failed("reading", agent))?.into())
    }

    /// Stores a table and deletes all other objects of the agent, except tables of a later version. If there is one
    /// already, nothing is stored: [`Error::Stale`].
    pub async fn write(&self, agent: &Agent, version: u64, bytes: Vec<u8>) -> Result<()> {
        if self.newest(agent).await?.is_some_and(|newest| newest.version > version) {
            return Err(Error::Stale { what: format!("the table of facts of {agent}") });
        }
        let path = name(agent, version, &bytes);
        self.store.put(&path, PutPayload::from(bytes)).await.map_err(failed("writing", agent))?;
        self.clear(agent, |location| {
            *location != path && Snapshot::named(location).is_none_or(|former| former.version <= version)
        })
        .await
    }

    /// Deletes all objects of the agent.
    pub async fn remove(&self, agent: &Agent) -> Result<()> {
        self.clear(agent, |_| true).await
    }

    async fn clear(&self, agent: &Agent, goes: impl Fn(&Path) -> bool) -> Result<()> {
        for object in self.list(agent).await?.into_iter().filter(|object| goes(&object.location)) {
            self.store.delete(&object.location).await.map_err(failed("deleting", agent))?;
        }
        self.settle(agent).await
    }

    /// Makes deletions durable: the store syncs its writes but not its deletions, and a power cut must not bring back
    /// forgotten data.
    async fn settle(&self, agent: &Agent) -> Result<()> {
        let Some(root) = self.root.clone() else { return Ok(()) };
        let (folder, what) = (root.join(agent.folder()), format!("deleting the facts of agent {agent}"));
        blocking(move || {
            let present = [folder, root].into_iter().filter(|folder| folder.is_dir());
            let mut synced = present.map(|folder| std::fs::File::open(folder)?.sync_all());
            synced.try_for_each(|result| result).map_err(|error| Error::storage(what, error))
        })
        .await
    }
}

impl Snapshot {
    fn named(path: &Path) -> Option<Snapshot> {
        let name = path.filename()?.strip_prefix("facts-")?.strip_suffix(".parquet")?;
        let (version, _digest) = name.split_once('-')?;
        Some(Snapshot { version: version.parse().ok()?, path: path.clone() })
    }

    /// Returns the table that an object holds; `None` if it is not a table.
    pub fn of(object: &ObjectMeta) -> Option<Snapshot> {
        Snapshot::named(&object.location)
    }
}

/// Returns the only name that these bytes can have. A file of another format has a different name than the computed
/// one, so it counts as damaged and is folded anew, not converted.
fn name(agent: &Agent, version: u64, bytes: &[u8]) -> Path {
    let digest = Digest::of([FORMAT.as_bytes(), &version.to_le_bytes(), bytes]).to_string();
    Path::from_iter([agent.folder(), format!("facts-{version}-{}.parquet", &digest[..32])])
}

fn failed(doing: &'static str, agent: &Agent) -> impl Fn(object_store::Error) -> Error {
    move |error| Error::storage(format!("{doing} the facts of agent {agent}"), error)
}

/// Removes files that a crash left half-written: the store's `<name>#<number>`, which its listings hide.
fn sweep(root: &std::path::Path) -> std::io::Result<()> {
    for folder in std::fs::read_dir(root)? {
        let folder = folder?;
        if !folder.file_type()?.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path())? {
            let file = file?;
            if is_half_written(&file.file_name()) {
                std::fs::remove_file(file.path())?;
            }
        }
    }
    Ok(())
}

fn is_half_written(name: &OsStr) -> bool {
    let parts = name.to_str().and_then(|name| name.rsplit_once('#'));
    parts.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
