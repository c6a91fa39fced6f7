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
use crate::catalog::{self, Catalog};
use crate::cli::{Adopt, Global};
use crate::config::Config;
use crate::embedders::FORMER;
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

/// A memory that this process owns.
struct Memory {
    claim: Claim,
    catalog: Catalog,
    tables: Projections,
}

impl Memory {
    async fn open(claim: Claim, config: &Config) -> Result<Memory> {
        scratch::sweep(claim.path())?;
        let catalog = Catalog::open(claim.path(), &config.catalog, None)?;
        let tables = Projections::open(claim.path(), &config.objects, &catalog, None).await?;
        Ok(Memory { claim, catalog, tables })
    }

    fn folder(&self) -> &Path {
        self.claim.path()
    }
}

pub(crate) async fn run(global: &Global, args: &Adopt) -> Result<ExitCode> {
    let source = claim_source(&args.folder)?;
    let data = data(global)?;
    if data.canonicalize().is_ok_and(|data| source.path().canonicalize().is_ok_and(|source| source == data)) {
        return Err(Error::invalid("FOLDER", "names the same folder as --data; name another one with --data"));
    }
    let data = Claim::take(&data, true)?;
    let (from, to) = (Config::of_folder(source.path())?, Config::load(global, data.path())?);
    let (source, new) = (Memory::open(source, &from).await?, Memory::open(data, &to).await?);
    let adopted = copy(&source, &new).await?;
    if global.json {
        print_json(&adopted);
    } else {
        print(&adopted, source.folder(), new.folder());
    }
    Ok(ExitCode::SUCCESS)
}

fn claim_source(folder: &Path) -> Result<Claim> {
    if !catalog::exists(folder) {
        let reason = format!("names {}, which has no catalog and is no data folder", folder.display());
        return Err(Error::invalid("FOLDER", reason));
    }
    Claim::take(folder, false)
}

async fn copy(source: &Memory, new: &Memory) -> Result<Adopted> {
    let Some(rows) = source.catalog.copy_all_to(&new.catalog).await? else {
        let reason = format!("must have no memory yet; {} or its database has one", new.folder().display());
        return Err(Error::invalid("--data", reason));
    };
    let Copied { objects, bytes } = source.tables.copy_to(&new.tables).await?;
    copy_files(source.folder(), new.folder())?;
    let agents = new.catalog.store().all_agents().await?.len() as u64;
    Ok(Adopted { agents, rows, objects, bytes })
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

/// Copies the files that the new folder lacks: plans, schedules and prompts, which the user wrote, and the settings of former
/// embedders, without which their vectors would be computed again. `annals.toml` stays apart, because it says where a memory is.
fn copy_files(source: &Path, data: &Path) -> Result<()> {
    let copied = || -> std::io::Result<()> {
        copy_missing(&source.join(FORMER), &data.join(FORMER))?;
        for (folder, _) in FOLDERS {
            let (from, to) = (source.join(folder), data.join(folder));
            if from.is_dir() {
                std::fs::create_dir_all(&to)?;
                for entry in std::fs::read_dir(&from)? {
                    let entry = entry?;
                    copy_missing(&entry.path(), &to.join(entry.file_name()))?;
                }
            }
        }
        Ok(())
    };
    copied().map_err(|cause| Error::storage(format!("copying the files of {}", source.display()), cause))
}

/// Copies a file that exists, unless the target does.
fn copy_missing(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_file() && !to.exists() {
        std::fs::copy(from, to)?;
    }
    Ok(())
}
