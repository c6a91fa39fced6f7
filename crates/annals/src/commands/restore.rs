//! `annals restore`: restores a backup into a new data folder. Checks the backup first, then rebuilds tables and facts. The
//! folder gets its final name last, so a failed restore leaves no folder that looks complete.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_service::backup::{Target, fetch, newest};
use annals_service::wire::RestoreReport;

use super::{data, now};
use crate::catalog::check_copy;
use crate::cli::{Global, Restore};
use crate::config::Config;
use crate::folder::{Folder, Opening};
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::view::{WARN, plural, print_json, say};

pub(crate) async fn run(global: &Global, args: &Restore) -> Result<ExitCode> {
    let data = data(global)?;
    refuse_unless_empty(&data)?;
    if Config::load(global, &data).is_ok_and(|config| config.catalog.url.is_some()) {
        let reason = "is set, but a backup has its catalog in SQLite; restore without it, and copy the memory into the database \
            with `annals adopt`. A database is restored with pg_restore";
        return Err(Error::invalid("catalog.url", reason));
    }
    let target = Target::to_read(&args.target)?;
    let name = newest(&target, args.name.as_deref()).await?;
    let parent = parent(&data)?;
    let scratch = Scratch::in_shared(&parent, "restore")?;
    let beside = scratch.path().join("data");
    let fetched = fetch(&target, &name, &beside, check_copy).await?;
    if !fetched.problems.is_empty() {
        return Err(Error::damaged(format!("the backup {name}"), fetched.problems.join("; ")));
    }
    let memories = rebuild(global, &beside).await?;
    put_in_place(&beside, &data).map_err(|cause| Error::storage(format!("making {}", data.display()), cause))?;
    let left_out = fetched.manifest.left_out;
    let restored = RestoreReport { name, memories, agents: fetched.agents, left_out };
    if global.json {
        print_json(&restored);
    } else {
        print_restored(&restored, &data);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_restored(restored: &RestoreReport, data: &Path) {
    let (agents, memories) = (plural(restored.agents, "agent"), plural(restored.memories, "memory"));
    say!("Restored {} to {}: {agents}, {memories}.", restored.name, data.display());
    if !restored.left_out.is_empty() {
        say!("{WARN}The backup contains no secrets. Set these again: {}{WARN:#}", restored.left_out.join(", "));
    }
}

/// Fails if the folder to restore to holds anything.
fn refuse_unless_empty(data: &Path) -> Result<()> {
    let failed = |cause| Error::storage(format!("cannot read {}", data.display()), cause);
    if data.exists() && std::fs::read_dir(data).map_err(failed)?.next().is_some() {
        let reason = format!("must name a new or empty folder; {} is not empty", data.display());
        return Err(Error::invalid("--data", reason));
    }
    Ok(())
}

/// Rebuilds tables and facts from the catalog. Calls no model except the embedding model, whatever is configured. Returns the
/// number of memories in the rebuilt tables.
async fn rebuild(global: &Global, path: &Path) -> Result<u64> {
    let folder = Folder::open(path, Opening::without_models(global, path, now(global))?, false).await?;
    let bars = Bars::new(global.json);
    let mut memories = 0;
    for agent in folder.agents(None).await? {
        memories += folder.service().rebuild(&agent, &[], folder.now(), &bars).await?;
    }
    Ok(memories)
}

/// Returns the parent of the data folder, created if necessary.
fn parent(data: &Path) -> Result<PathBuf> {
    let parent = data.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |cause| Error::storage(format!("cannot write in {}", parent.display()), cause);
    std::fs::create_dir_all(parent).map_err(failed)?;
    Ok(parent.to_owned())
}

fn put_in_place(beside: &Path, data: &Path) -> std::io::Result<()> {
    if data.exists() {
        // Fails unless the folder is empty.
        std::fs::remove_dir(data)?;
    }
    std::fs::rename(beside, data)?;
    // A power cut must not undo the renaming, because the scratch folder beside the data folder is removed next.
    let parent = data.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent)?.sync_all()
}
