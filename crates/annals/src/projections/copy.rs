//! Copies tables and facts to another store, object by object. Never looks into an object.

use std::collections::HashSet;

use annals_core::{Digest, Result};
use annals_objects::Objects;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectMeta;
use object_store::path::Path as Name;

use super::{FACTS, Projections, TABLES, failed};

/// DuckDB's folder among the facts.
const SCRATCH: &str = "scratch";

/// Number of objects that are copied or removed at the same time.
const AT_ONCE: usize = 8;

/// The copies that this process has made of the objects of a store.
#[derive(Default)]
pub(crate) struct Copies {
    /// The versions of objects that were copied.
    versions: HashSet<Digest>,
    pub objects: u64,
    pub bytes: u64,
}

impl Projections {
    /// Makes tables and facts of another store equal to these. Copies no version of an object twice. If something uses this store
    /// meanwhile, the copy is not complete, and the next call copies the rest.
    pub(crate) async fn copy_to(&self, target: &Projections, copies: &mut Copies) -> Result<()> {
        for name in [TABLES, FACTS] {
            copies.update(&self.below(name)?, &target.below(name)?).await?;
        }
        Ok(())
    }

    /// Removes all tables and facts.
    pub(crate) async fn clear(&self) -> Result<()> {
        for name in [TABLES, FACTS] {
            let objects = self.below(name)?;
            for folder in objects.children(&Name::default()).await.map_err(failed)?.folders {
                objects.remove(&folder).await.map_err(failed)?;
            }
        }
        Ok(())
    }
}

impl Copies {
    async fn update(&mut self, from: &Objects, to: &Objects) -> Result<()> {
        let mut source = objects(from).await?;
        let target: HashSet<Name> = objects(to).await?.into_iter().map(|object| object.location).collect();
        remove(to, others(&target, &source)).await?;
        source.retain(|object| !target.contains(&object.location) || !self.versions.contains(&version(object)));
        self.add(from, to, source).await
    }

    async fn add(&mut self, from: &Objects, to: &Objects, objects: Vec<ObjectMeta>) -> Result<()> {
        let copies = objects.into_iter().map(|object| async move { to.copy_from(from, &object.location).await });
        let mut copies = futures::stream::iter(copies).buffer_unordered(AT_ONCE);
        while let Some(copied) = copies.try_next().await.map_err(failed)? {
            // `None`: the object was removed since it was listed.
            if let Some(copied) = copied {
                self.versions.insert(version(&copied));
                self.objects += 1;
                self.bytes += copied.size;
            }
        }
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
