//! `annals adopt`: copies the memory of another data folder into this one, which must have none. Either may keep its catalog in
//! PostgreSQL and its tables in a bucket, so this moves a memory into a cluster, and out of one.
//!
//! Copies the catalog first, in one transaction. Tables and facts follow from it, so copying them only saves the time to build them.

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_service::backup::FOLDERS;
use serde::Serialize;

use super::data;
use crate::catalog::Catalog;
use crate::cli::{Adopt, Global};
use crate::config::Config;
use crate::folder::Claim;
use crate::projections::{Copied, Projections};
use crate::scratch;
use crate::view::{plural, print_json, say};

/// What was copied.
#[derive(Serialize)]
struct Adopted {
    agents: u64,
    rows: u64,
    objects: u64,
    bytes: u64,
}

pub(crate) async fn run(global: &Global, args: &Adopt) -> Result<ExitCode> {
    let source = Claim::take(&args.folder, false)?;
    let data = data(global)?;
    if data.canonicalize().is_ok_and(|data| source.path().canonicalize().is_ok_and(|source| source == data)) {
        return Err(Error::invalid("FOLDER", "names the same folder as --data; name another one with --data"));
    }
    let data = Claim::take(&data, true)?;
    let (from, to) = (Config::of_folder(source.path())?, Config::load(global, data.path())?);
    for claim in [&source, &data] {
        scratch::sweep(claim.path())?;
    }
    let catalog = Catalog::open(source.path(), &from.catalog, None)?;
    let tables = Projections::open(source.path(), &from.objects, &catalog, None).await?;
    let target = Catalog::open(data.path(), &to.catalog, None)?;
    let target_tables = Projections::open(data.path(), &to.objects, &target, None).await?;
    let Some(rows) = catalog.copy_all_to(&target).await? else {
        let reason = format!("must have no memory yet; {} or its database has one", data.path().display());
        return Err(Error::invalid("--data", reason));
    };
    let Copied { objects, bytes } = tables.copy_to(&target_tables).await?;
    copy_files(source.path(), data.path())?;
    let agents = target.store().all_agents().await?.len() as u64;
    let adopted = Adopted { agents, rows, objects, bytes };
    if global.json {
        print_json(&adopted);
    } else {
        print(&adopted, source.path(), data.path());
    }
    Ok(ExitCode::SUCCESS)
}

fn print(adopted: &Adopted, source: &Path, data: &Path) {
    let (agents, rows) = (plural(adopted.agents, "agent"), plural(adopted.rows, "row"));
    let objects = plural(adopted.objects, "file");
    let megabytes = adopted.bytes.div_ceil(1_000_000);
    let (source, data) = (source.display(), data.display());
    say!(
        "Copied the memory of {source} to {data}: {agents}, {rows} of the catalog, {objects} of tables and facts ({megabytes} MB)."
    );
    say!(
        "The memory of {source} is unchanged. What you forget from now on stays in it: remove it once you no longer need it."
    );
}

/// Copies the files that the user wrote and the new folder lacks: plans, schedules and prompts. Settings stay apart, because they
/// say where a memory is.
fn copy_files(source: &Path, data: &Path) -> Result<()> {
    for (folder, _) in FOLDERS {
        let (from, to) = (source.join(folder), data.join(folder));
        let copied = || -> std::io::Result<()> {
            if !from.is_dir() {
                return Ok(());
            }
            std::fs::create_dir_all(&to)?;
            for entry in std::fs::read_dir(&from)? {
                let entry = entry?;
                let file = to.join(entry.file_name());
                if entry.file_type()?.is_file() && !file.exists() {
                    std::fs::copy(entry.path(), file)?;
                }
            }
            Ok(())
        };
        copied().map_err(|cause| Error::storage(format!("copying {}", from.display()), cause))?;
    }
    Ok(())
}
