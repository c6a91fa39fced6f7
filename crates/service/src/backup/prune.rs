//! Removes old backups, and incomplete ones that nobody finishes any more.

use annals_core::{Error, Result, SignedDuration, Timestamp};
use futures::TryStreamExt;
use object_store::ObjectStoreExt;

use super::Target;
use super::manifest::{self, MANIFEST};

/// Age from which an incomplete backup counts as abandoned and is removed.
const ABANDONED_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Keeps the newest `keep` complete backups. Removes older ones and abandoned incomplete ones, and returns their names.
pub async fn prune(target: &Target, keep: u32, now: Timestamp) -> Result<Vec<String>> {
    let backups = manifest::list(target).await?;
    let is_abandoned =
        |name: &str| manifest::moment(name).is_some_and(|made| now.duration_since(made) > ABANDONED_AFTER);
    let (whole, half): (Vec<_>, Vec<_>) = backups.into_iter().partition(|backup| backup.manifest.is_some());
    let surplus = whole.len().saturating_sub(keep as usize);
    let old = whole.into_iter().take(surplus);
    let abandoned = half.into_iter().filter(|backup| is_abandoned(&backup.name));
    let mut removed: Vec<String> = old.chain(abandoned).map(|backup| backup.name).collect();
    removed.sort();
    for name in &removed {
        remove(target, name).await?;
    }
    Ok(removed)
}

/// Removes a backup. Removes its manifest first, so that a partly removed backup counts as incomplete.
async fn remove(target: &Target, name: &str) -> Result<()> {
    let failed = |cause| target.failed("removing from", cause);
    match target.store.delete(&target.object_path(name, MANIFEST)).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
        Err(cause) => return Err(failed(cause)),
    }
    let files: Vec<_> = target.store.list(Some(&target.folder(name))).try_collect().await.map_err(failed)?;
    for file in files {
        target.store.delete(&file.location).await.map_err(failed)?;
    }
    // A killed process leaves partial uploads in the folder; the store does not list them.
    match target.on_disk(name).filter(|folder| folder.exists()).map(std::fs::remove_dir_all) {
        Some(Err(cause)) => Err(Error::storage(format!("removing {name} from {}", target.shown()), cause)),
        _ => Ok(()),
    }
}
