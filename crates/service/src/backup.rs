//! Backups: copies what cannot be rebuilt to a folder or an object store, lists and checks the copies, and removes old ones.
//!
//! ```text
//! TARGET/2026-11-21T17-44-16Z/catalog.sqlite   the source of truth, at one moment
//! TARGET/2026-11-21T17-44-16Z/annals.toml      configuration file without secrets, if there is one
//! TARGET/2026-11-21T17-44-16Z/{retention,jobs,prompts}/…
//! TARGET/2026-11-21T17-44-16Z/manifest.json    size and digest of each file; written last: a backup without it is incomplete
//! ```
//!
//! Tables and facts are projections of the catalog, several times its size. They are left out; `annals restore` rebuilds them.
//! A backup keeps what was stored when it was made, also if it is deleted from Annals later.
//!
//! The caller provides access to the catalog: [`Source::catalog`] copies it, and [`fetch()`] takes a function that checks a
//! copy. So a command writes a backup with the rights of its user, also if a service has the catalog open.

mod fetch;
mod manifest;
mod prune;
mod take;
mod target;

use annals_core::{Result, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::wire::{BackupReport, BackupView, BackupsView};

pub use fetch::{CheckedCatalog, Fetched, fetch};
pub use manifest::{Backup, FOLDERS, Manifest, list, newest};
pub use take::{CATALOG, CopyTo, SETTINGS, Source};
pub use target::Target;

/// Makes a backup. If `keep` is given, then removes the oldest complete backups until `keep` are left, and incomplete ones that
/// are older than a day. Fails soon after `stop` is cancelled while the backup is made.
pub async fn back_up(
    source: &Source<'_>,
    target: &Target,
    keep: Option<u32>,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<BackupReport> {
    let (name, manifest) = take::take(source, target, now, stop).await?;
    let removed = match keep {
        Some(keep) => prune::prune(target, keep, now).await?,
        None => Vec::new(),
    };
    Ok(BackupReport { name, target: target.shown().to_owned(), manifest, removed })
}

/// Returns the backups at the configured target, newest first; none without a target. A local folder that does not exist yet
/// counts as empty, because the first backup creates it.
pub async fn overview(target: Option<String>, keep: Option<u32>) -> Result<BackupsView> {
    let Some(text) = target else { return Ok(BackupsView::default()) };
    let found = if target::is_new(&text) { Vec::new() } else { list(&Target::to_read(&text)?).await? };
    let backups = found.iter().rev().map(view).collect();
    Ok(BackupsView { target: Some(text), keep, backups })
}

fn view(backup: &Backup) -> BackupView {
    BackupView {
        name: backup.name.clone(),
        created: manifest::moment(&backup.name),
        bytes: backup.manifest.as_ref().map(Manifest::bytes),
        annals: backup.manifest.as_ref().map(|manifest| manifest.annals.clone()),
    }
}
