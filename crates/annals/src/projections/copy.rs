//! Copies tables and facts to another store, object by object. Never looks into an object.
//!
//! The copies are recorded in a file, so that a later call copies only what is new or has changed since.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use annals_core::{Digest, Error, Result};
use annals_objects::Objects;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectMeta;
use object_store::path::Path as Name;

use super::{FACTS, Projections, TABLES, failed};

/// DuckDB's folder among the facts.
const SCRATCH: &str = "scratch";

/// Number of objects that are copied or removed at the same time.
const AT_ONCE: usize = 8;

/// Number of bytes of an entry of the record: the digests of a name and of a version.
const ENTRY: usize = 64;

/// The record of the objects that were copied.
pub(crate) struct CopyRecord {
    /// The version of each object that was copied last, by the digest of its name.
    versions: HashMap<Digest, Digest>,
    /// All copies, in order. The last one of an object counts.
    file: File,
}

/// Number and size of the objects that a store has after a copy, and how many of them were copied.
#[derive(Default)]
pub(crate) struct Copied {
    pub objects: u64,
    pub bytes: u64,
    pub copied: u64,
}

impl Projections {
    /// Makes tables and facts of another store equal to these, and removes half-written files there. Copies no version of an
    /// object twice. If something uses this store meanwhile, the copy is not complete, and the next call copies the rest.
    pub(crate) async fn copy_to(&self, target: &Projections, record: &mut CopyRecord) -> Result<Copied> {
        let mut copied = Copied::default();
        for name in [TABLES, FACTS] {
            let (from, to) = (self.below(name)?, target.below(name)?);
            to.remove_all_half_written().await.map_err(failed)?;
            let found = record.update(&from, &to).await?;
            copied.objects += found.objects;
            copied.bytes += found.bytes;
            copied.copied += found.copied;
        }
        Ok(copied)
    }
}

impl CopyRecord {
    /// Reads the record in a file, which is created if it is missing. Discards the record of another adoption.
    pub(crate) fn recorded_in(path: &Path, adoption: &str) -> Result<CopyRecord> {
        let record = || -> io::Result<CopyRecord> {
            let former = match std::fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                former => former?,
            };
            // An entry that was half-written in a crash is not complete.
            let (known, _) = former.strip_prefix(adoption.as_bytes()).unwrap_or_default().as_chunks::<ENTRY>();
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
            file.write_all(adoption.as_bytes())?;
            file.write_all(known.as_flattened())?;
            Ok(CopyRecord { versions: known.iter().map(entry).collect(), file })
        };
        record().map_err(|cause| Error::storage(format!("opening {}", path.display()), cause))
    }

    async fn update(&mut self, from: &Objects, to: &Objects) -> Result<Copied> {
        let mut source = objects(from).await?;
        let target: HashSet<Name> = objects(to).await?.into_iter().map(|object| object.location).collect();
        remove(to, others(&target, &source)).await?;
        let (objects, bytes) = (source.len() as u64, source.iter().map(|object| object.size).sum());
        source.retain(|object| !target.contains(&object.location) || !self.has(object));
        let copied = source.len() as u64;
        self.add(from, to, source).await?;
        Ok(Copied { objects, bytes, copied })
    }

    async fn add(&mut self, from: &Objects, to: &Objects, objects: Vec<ObjectMeta>) -> Result<()> {
        let copies = objects.into_iter().map(|object| async move { to.copy_from(from, &object.location).await });
        let mut copies = futures::stream::iter(copies).buffer_unordered(AT_ONCE);
        while let Some(copied) = copies.try_next().await.map_err(failed)? {
            // `None`: the object was removed since it was listed.
            if let Some(copied) = copied {
                self.record(&copied).map_err(|cause| Error::storage("recording a copied object", cause))?;
            }
        }
        Ok(())
    }

    /// Returns whether this version of the object was copied, and none after it.
    fn has(&self, object: &ObjectMeta) -> bool {
        self.versions.get(&name(object)) == Some(&version(object))
    }

    fn record(&mut self, copied: &ObjectMeta) -> io::Result<()> {
        let (name, version) = (name(copied), version(copied));
        self.file.write_all([name.0, version.0].as_flattened())?;
        self.versions.insert(name, version);
        Ok(())
    }
}

/// Returns the objects of a store, without those of DuckDB's scratch folder.
async fn objects(store: &Objects) -> Result<Vec<ObjectMeta>> {
    let mut objects = store.list(&Name::default()).await.map_err(failed)?;
    objects.retain(|object| !object.location.prefix_matches(&Name::from(SCRATCH)));
    Ok(objects)
}

/// Returns the names that none of the objects has.
fn others<'n>(names: &'n HashSet<Name>, objects: &[ObjectMeta]) -> Vec<&'n Name> {
    let known: HashSet<&Name> = objects.iter().map(|object| &object.location).collect();
    names.iter().filter(|name| !known.contains(name)).collect()
}

async fn remove(store: &Objects, names: Vec<&Name>) -> Result<()> {
    let folders: HashSet<Name> = names.iter().map(|name| folder(name)).collect();
    let deletions = names.into_iter().map(|name| async move { store.delete(name).await });
    let deletions = futures::stream::iter(deletions).buffer_unordered(AT_ONCE);
    deletions.try_collect::<()>().await.map_err(failed)?;
    for folder in folders {
        store.sync_deletions(&folder).await.map_err(failed)?;
    }
    Ok(())
}

fn folder(name: &Name) -> Name {
    let parts: Vec<_> = name.parts().collect();
    parts.iter().take(parts.len().saturating_sub(1)).cloned().collect()
}

fn entry(bytes: &[u8; ENTRY]) -> (Digest, Digest) {
    let (mut name, mut version) = ([0; ENTRY / 2], [0; ENTRY / 2]);
    name.copy_from_slice(&bytes[..ENTRY / 2]);
    version.copy_from_slice(&bytes[ENTRY / 2..]);
    (Digest(name), Digest(version))
}

fn name(object: &ObjectMeta) -> Digest {
    Digest::of([object.location.as_ref()])
}

/// Identifies the content of an object. Its tag changes with each write, also in a folder, where it is made of inode and time.
/// Some stores quote it in one kind of answer only. Without a tag, the time of the last change decides, in seconds: some
/// answers have no more.
fn version(object: &ObjectMeta) -> Digest {
    let state = match &object.e_tag {
        Some(tag) => tag.trim_matches('"').to_owned(),
        None => object.last_modified.timestamp().to_string(),
    };
    Digest::of([&object.size.to_string(), &state])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, tag: &str) -> ObjectMeta {
        let e_tag = Some(tag.to_owned());
        ObjectMeta { location: name.into(), last_modified: Default::default(), size: 1, e_tag, version: None }
    }

    #[test]
    fn last_copy_of_an_object_counts_up_to_a_half_written_entry() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copied");
        let mut record = CopyRecord::recorded_in(&path, "a1").unwrap();
        for (name, tag) in [("a", "1"), ("b", "1"), ("a", "2")] {
            record.record(&object(name, tag)).unwrap();
        }
        record.file.write_all(b"half").unwrap();
        let check = |record: &CopyRecord, name: &str, tag: &str, expect: bool| {
            assert_eq!(record.has(&object(name, tag)), expect, "{name} {tag}");
        };
        for _ in 0..2 {
            let record = CopyRecord::recorded_in(&path, "a1").unwrap();
            check(&record, "a", "1", false);
            check(&record, "a", "2", true);
            check(&record, "b", "\"1\"", true);
            check(&record, "c", "1", false);
        }
        check(&CopyRecord::recorded_in(&path, "a2").unwrap(), "b", "1", false);
    }
}
