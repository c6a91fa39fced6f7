//! Copies tables and facts to another store, object by object. Never looks into an object.
//!
//! The copies are recorded in a file, so that a later call copies only what is new or has changed since.

use std::collections::HashSet;
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

/// Number of bytes of a digest in the record.
const DIGEST: usize = 32;

/// The record of the objects that were copied.
pub(crate) struct Copies {
    /// Digests of the versions of objects that were copied.
    versions: HashSet<Digest>,
    /// The digests, in the order in which they were added.
    file: File,
}

/// Number and size of the objects that a store has after a copy.
#[derive(Default)]
pub(crate) struct Copied {
    pub objects: u64,
    pub bytes: u64,
}

impl Projections {
    /// Makes tables and facts of another store equal to these, and removes half-written files there. Copies no version of an
    /// object twice. If something uses this store meanwhile, the copy is not complete, and the next call copies the rest.
    pub(crate) async fn copy_to(&self, target: &Projections, copies: &mut Copies) -> Result<Copied> {
        let mut copied = Copied::default();
        for name in [TABLES, FACTS] {
            let (from, to) = (self.below(name)?, target.below(name)?);
            to.remove_all_half_written().await.map_err(failed)?;
            let found = copies.update(&from, &to).await?;
            copied.objects += found.objects;
            copied.bytes += found.bytes;
        }
        Ok(copied)
    }
}

impl Copies {
    /// Reads the record in a file, which is created if it is missing. Discards the record of another adoption.
    pub(crate) fn recorded_in(path: &Path, adoption: &str) -> Result<Copies> {
        let copies = || -> io::Result<Copies> {
            let former = match std::fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                former => former?,
            };
            // A digest that was half-written in a crash is not complete.
            let (known, _) = former.strip_prefix(adoption.as_bytes()).unwrap_or_default().as_chunks::<DIGEST>();
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
            file.write_all(adoption.as_bytes())?;
            file.write_all(known.as_flattened())?;
            Ok(Copies { versions: known.iter().map(|digest| Digest(*digest)).collect(), file })
        };
        copies().map_err(|cause| Error::storage(format!("opening {}", path.display()), cause))
    }

    async fn update(&mut self, from: &Objects, to: &Objects) -> Result<Copied> {
        let mut source = objects(from).await?;
        let target: HashSet<Name> = objects(to).await?.into_iter().map(|object| object.location).collect();
        remove(to, others(&target, &source)).await?;
        let copied = Copied { objects: source.len() as u64, bytes: source.iter().map(|object| object.size).sum() };
        source.retain(|object| !target.contains(&object.location) || !self.versions.contains(&version(object)));
        self.add(from, to, source).await?;
        Ok(copied)
    }

    async fn add(&mut self, from: &Objects, to: &Objects, objects: Vec<ObjectMeta>) -> Result<()> {
        let copies = objects.into_iter().map(|object| async move { to.copy_from(from, &object.location).await });
        let mut copies = futures::stream::iter(copies).buffer_unordered(AT_ONCE);
        while let Some(copied) = copies.try_next().await.map_err(failed)? {
            // `None`: the object was removed since it was listed.
            if let Some(copied) = copied {
                self.record(version(&copied)).map_err(|cause| Error::storage("recording a copied object", cause))?;
            }
        }
        Ok(())
    }

    fn record(&mut self, version: Digest) -> io::Result<()> {
        self.file.write_all(&version.0)?;
        self.versions.insert(version);
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

/// Identifies the content of an object. Its tag changes with each write, also in a folder, where it is made of inode and time.
/// Some stores quote it in one kind of answer only. Without a tag, the time of the last change decides, in seconds: some
/// answers have no more.
fn version(object: &ObjectMeta) -> Digest {
    let state = match &object.e_tag {
        Some(tag) => tag.trim_matches('"').to_owned(),
        None => object.last_modified.timestamp().to_string(),
    };
    Digest::of([object.location.as_ref(), &object.size.to_string(), &state])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_read_up_to_a_half_written_digest_and_belongs_to_one_adoption() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copied");
        let digests = [Digest([1; 32]), Digest([2; 32])];
        let mut copies = Copies::recorded_in(&path, "a1").unwrap();
        for digest in digests {
            copies.record(digest).unwrap();
        }
        copies.file.write_all(b"half").unwrap();
        for _ in 0..2 {
            assert_eq!(Copies::recorded_in(&path, "a1").unwrap().versions, HashSet::from(digests));
        }
        assert_eq!(Copies::recorded_in(&path, "a2").unwrap().versions, HashSet::new());
    }
}
