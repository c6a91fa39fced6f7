//! Copies tables and facts to another store, object by object. Never looks into an object.

use annals_core::Result;
use annals_objects::Objects;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectMeta;
use object_store::path::Path as Name;

use super::{FACTS, Projections, TABLES, failed};

/// DuckDB's folder among the facts.
const SCRATCH: &str = "scratch";

/// Number of objects that are copied at the same time.
const COPIED_AT_ONCE: usize = 8;

/// Number and size of the objects that were copied.
#[derive(Default)]
pub(crate) struct Copied {
    pub objects: u64,
    pub bytes: u64,
}

impl Copied {
    fn add(&mut self, other: Copied) {
        self.objects += other.objects;
        self.bytes += other.bytes;
    }
}

impl Projections {
    /// Copies all tables and facts to another store. What that has of them is removed first. The catalogs of both must be equal.
    /// If this is interrupted, each table is whole or missing.
    pub(crate) async fn copy_to(&self, target: &Projections) -> Result<Copied> {
        let mut copied = Copied::default();
        for name in [TABLES, FACTS] {
            let (from, to) = (self.below(name)?, target.below(name)?);
            for folder in to.children(&Name::default()).await.map_err(failed)?.folders {
                to.remove(&folder).await.map_err(failed)?;
            }
            let objects = from.list(&Name::default()).await.map_err(failed)?;
            for group in annals_strata::copy_order(objects) {
                copied.add(copy(&from, &to, group).await.map_err(failed)?);
            }
        }
        Ok(copied)
    }
}

/// Copies objects to the same names, except those of DuckDB's scratch folder.
async fn copy(from: &Objects, to: &Objects, objects: Vec<ObjectMeta>) -> object_store::Result<Copied> {
    let objects = objects.into_iter().filter(|object| !object.location.prefix_matches(&Name::from(SCRATCH)));
    let copies = futures::stream::iter(objects).map(async |object| {
        let content = from.get(&object.location).await?;
        to.put(&object.location, content).await?;
        Ok::<_, object_store::Error>(Copied { objects: 1, bytes: object.size })
    });
    let mut copied = Copied::default();
    let mut copies = copies.buffer_unordered(COPIED_AT_ONCE);
    while let Some(one) = copies.try_next().await? {
        copied.add(one);
    }
    Ok(copied)
}
