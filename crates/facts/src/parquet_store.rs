//! The stored files of an agent: one object per written table, named by its version and a digest of its content.
//!
//! A table is written under a new name before the former ones are deleted. A crash may thus leave two: the one with the
//! higher version counts, and of two with the same version the one modified last. The digest in the name ensures that DuckDB
//! gets only bytes that were written here; other bytes could crash it.

use std::io::Read;
use std::sync::Arc;

use annals_core::{Agent, Digest, Error, Phrases, Result};
use annals_objects::Objects;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::table::FORMAT;

/// The objects of all agents.
pub(crate) struct ParquetStore {
    objects: Objects,
}

/// A stored table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Snapshot {
    /// The version of the log that it was folded from.
    pub version: u64,
    /// The name of the object.
    pub path: Path,
}

impl ParquetStore {
    /// Opens the objects, and removes files that a crash left half-written.
    pub(crate) fn open(objects: Objects) -> Result<ParquetStore> {
        let failed = |error| Error::storage(format!("opening the facts in {objects}"), error);
        objects.remove_half_written().map_err(failed)?;
        Ok(ParquetStore { objects })
    }

    /// Returns all objects of the agent, of any kind.
    async fn list(&self, agent: &Agent) -> Result<Vec<ObjectMeta>> {
        self.objects.list(&folder(agent)).await.map_err(failed("listing", agent))
    }

    /// Returns all tables of the agent. After a crash there may be more than one.
    pub(crate) async fn snapshots(&self, agent: &Agent) -> Result<Vec<Snapshot>> {
        Ok(self.list(agent).await?.iter().filter_map(|object| Snapshot::named(&object.location)).collect())
    }

    /// Returns the table that counts: the one with the highest version. After a crash there may be two of that version; the
    /// one that was modified last counts.
    pub(crate) async fn newest(&self, agent: &Agent) -> Result<Option<Snapshot>> {
        let objects = self.list(agent).await?.into_iter();
        let snapshots = objects.filter_map(|object| Some((Snapshot::named(&object.location)?, object.last_modified)));
        let newest = snapshots.max_by_key(|(snapshot, modified)| (snapshot.version, *modified));
        Ok(newest.map(|(snapshot, _)| snapshot))
    }

    /// Returns the bytes of a table, exactly as they were written. Fails with [`Error::Damaged`] if they do not match the
    /// digest in the name.
    pub(crate) async fn read(&self, agent: &Agent, snapshot: &Snapshot) -> Result<Vec<u8>> {
        let bytes = self.objects.get(&snapshot.path).await.map_err(failed("reading", agent))?;
        if name(agent, snapshot.version, &bytes) != snapshot.path {
            return Err(Error::damaged(
                format!("the facts of agent {agent}"),
                "its content does not match its checksum",
            ));
        }
        Ok(bytes)
    }

    /// Returns the names of the agent's files that are not tables and contain any of the phrases. The bytes of a table are
    /// compressed, so short words occur in them by chance.
    pub(crate) async fn find_beside_tables(&self, agent: &Agent, phrases: Arc<Phrases>) -> Result<Vec<String>> {
        let contains_phrase = move |name: &str, content: &mut dyn Read| match Snapshot::named(&Path::from(name)) {
            Some(_) => Ok(false),
            None => phrases.is_in_stream(content),
        };
        self.objects.find(&folder(agent), contains_phrase).await.map_err(failed("searching", agent))
    }

    /// Stores a table and deletes all other objects of the agent, except tables of a later version. Fails with
    /// [`Error::Stale`] and stores nothing if there is a table of a later version.
    pub(crate) async fn write(&self, agent: &Agent, version: u64, bytes: Vec<u8>) -> Result<()> {
        if self.newest(agent).await?.is_some_and(|newest| newest.version > version) {
            return Err(Error::Stale { what: format!("the table of facts of {agent}") });
        }
        let path = name(agent, version, &bytes);
        self.objects.put(&path, bytes).await.map_err(failed("writing", agent))?;
        self.clear(agent, |name| *name != path && Snapshot::named(name).is_none_or(|former| former.version <= version))
            .await
    }

    /// Deletes all objects of the agent.
    pub(crate) async fn remove(&self, agent: &Agent) -> Result<()> {
        self.clear(agent, |_| true).await
    }

    /// Deletes objects of the agent, durably: a power cut must not bring back forgotten data.
    async fn clear(&self, agent: &Agent, goes: impl Fn(&Path) -> bool) -> Result<()> {
        for object in self.list(agent).await?.into_iter().filter(|object| goes(&object.location)) {
            self.objects.delete(&object.location).await.map_err(failed("deleting", agent))?;
        }
        self.objects.sync_deletions(&folder(agent)).await.map_err(failed("deleting", agent))
    }
}

impl Snapshot {
    fn named(path: &Path) -> Option<Snapshot> {
        let name = path.filename()?.strip_prefix("facts-")?.strip_suffix(".parquet")?;
        let (version, _digest) = name.split_once('-')?;
        Some(Snapshot { version: version.parse().ok()?, path: path.clone() })
    }
}

/// Returns the name below which an agent's objects are.
fn folder(agent: &Agent) -> Path {
    Path::from(agent.folder())
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
