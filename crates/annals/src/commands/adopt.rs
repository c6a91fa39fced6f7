//! `annals adopt`: moves the memory of another data folder into this one, which must have none. Either may keep its catalog in
//! PostgreSQL and its tables in a bucket, so this moves a memory into a cluster, and out of one.
//!
//! Copies the catalog in one transaction. Tables and facts follow from it, so copying them only saves the time to build them; with
//! `--ahead` they are copied while a service still uses the memory. Both memories are closed in their catalogs before the first
//! row is copied: nothing uses the new one until it is complete, nor the former one afterwards.

mod ahead;

use std::path::Path;
use std::process::ExitCode;

use annals_catalog::Closed;
use annals_core::{Error, Result, Timestamp};
use annals_service::backup::FOLDERS;
use serde::Serialize;

use super::{data, now};
use crate::catalog::{self, Catalog, closed_error};
use crate::cli::{Adopt, Global};
use crate::config::Config;
use crate::embedders::FORMER;
use crate::folder::Claim;
use crate::projections::{Copied, Copies, Projections, new_id};
use crate::scratch;
use crate::view::{plural, print_json, say};

/// The record of copied objects in the new data folder, until the memory is moved.
const RECORD: &str = "adopt.copied";

/// What was moved.
#[derive(Serialize)]
struct Adopted {
    agents: u64,
    rows: u64,
    objects: u64,
    bytes: u64,
}

/// A memory that this process owns. It may be closed.
struct Memory {
    claim: Claim,
    catalog: Catalog,
    tables: Projections,
}

impl Memory {
    async fn open(claim: Claim, config: &Config) -> Result<Memory> {
        scratch::sweep(claim.path())?;
        let catalog = Catalog::open_closed(claim.path(), &config.catalog, None)?;
        let tables = Projections::open(claim.path(), &config.objects, &catalog, None).await?;
        Ok(Memory { claim, catalog, tables })
    }

    fn folder(&self) -> &Path {
        self.claim.path()
    }

    /// Returns the id of the adoption that copies a memory here; draws one if this memory is empty. Fails if it is in use, or was
    /// moved.
    async fn adoption(&self) -> Result<String> {
        match self.catalog.closed().await? {
            Some(Closed::Copying { adoption, .. }) => Ok(adoption),
            Some(moved) => Err(closed_error(self.folder(), &moved)),
            None if self.catalog.is_empty().await? => new_id(),
            None => {
                let reason = format!("must have no memory yet; {} or its database has one", self.folder().display());
                Err(Error::invalid("--data", reason))
            }
        }
    }

    fn copies(&self, adoption: &str) -> Result<Copies> {
        Copies::recorded_in(&self.folder().join(RECORD), adoption)
    }
}

pub(crate) async fn run(global: &Global, args: &Adopt) -> Result<ExitCode> {
    let data = data(global)?;
    check_folders(&args.folder, &data)?;
    if args.ahead {
        return ahead::run(global, args, &data).await;
    }
    let source = Claim::take(&args.folder, false).map_err(with_advice)?;
    let new = Claim::take(&data, true)?;
    let (from, to) = (Config::of_folder(source.path())?, Config::load(global, new.path())?);
    let (source, new) = (Memory::open(source, &from).await?, Memory::open(new, &to).await?);
    require_key(&source, &to, now(global)).await?;
    let adopted = adopt(&source, &new).await?;
    if global.json {
        print_json(&adopted);
    } else {
        adopted.print(source.folder(), new.folder());
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if there is no memory to move, or if one folder is or contains the other.
fn check_folders(source: &Path, data: &Path) -> Result<()> {
    let refused = |reason: String| Err(Error::invalid("FOLDER", reason));
    if !catalog::exists(source) {
        return refused(format!("names {}, which has no catalog and is no data folder", source.display()));
    }
    let (Ok(source), Ok(data)) = (std::path::absolute(source), std::path::absolute(data)) else { return Ok(()) };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (source, data) = (real(&source), real(&data));
    match () {
        () if source == data => refused("names the same folder as --data; name another one with --data".to_owned()),
        () if source.starts_with(&data) || data.starts_with(&source) => {
            refused("is inside of --data, or the other way round; name a folder beside it with --data".to_owned())
        }
        () => Ok(()),
    }
}

fn with_advice(error: Error) -> Error {
    match error {
        Error::InUse { folder, owner } => {
            let advice = "; stop it first. `annals adopt --ahead` copies most of the memory while it runs";
            Error::InUse { folder, owner: format!("{owner}{advice}") }
        }
        error => error,
    }
}

/// Fails if the new service would refuse to start, because others can reach it and no key is valid.
async fn require_key(source: &Memory, config: &Config, now: Timestamp) -> Result<()> {
    let Some(because) = config.server.reachable_because() else { return Ok(()) };
    if source.catalog.store().keys().await?.iter().any(|key| key.is_good(now)) {
        return Ok(());
    }
    let folder = source.folder().display();
    let reason = format!(
        "would be reachable from other machines, because {because}, but there is no key; create one with `annals key add NAME \
         --data {folder}`"
    );
    Err(Error::invalid("the new service", reason))
}

async fn adopt(source: &Memory, new: &Memory) -> Result<Adopted> {
    let adoption = new.adoption().await?;
    match source.catalog.closed().await? {
        // An interrupted call has closed it.
        Some(Closed::Moved { adoption: former, .. }) if former == adoption => {}
        Some(closed) => return Err(closed_error(source.folder(), &closed)),
        None => {}
    }
    if new.catalog.closed().await?.is_none() {
        new.catalog.close(Closed::Copying { adoption: adoption.clone(), service: None }).await?;
    }
    // Before the first row is read: from here on, what a service would store there would be missing in the copy.
    let to = new.folder().display().to_string();
    source.catalog.close(Closed::Moved { adoption: adoption.clone(), to }).await?;
    let adopted = match copy(source, new, &adoption).await {
        Ok(adopted) => adopted,
        Err(error) => {
            // If this fails too, the user learns the first error, and `annals reopen` does it later.
            let _ = source.catalog.reopen().await;
            return Err(error);
        }
    };
    new.catalog.reopen().await?;
    // What is left of it would be replaced by the next adoption.
    let _ = std::fs::remove_file(new.folder().join(RECORD));
    Ok(adopted)
}

async fn copy(source: &Memory, new: &Memory, adoption: &str) -> Result<Adopted> {
    let mut copies = new.copies(adoption)?;
    let rows = source.catalog.copy_all_to(&new.catalog).await?;
    let Copied { objects, bytes } = source.tables.copy_to(&new.tables, &mut copies).await?;
    copy_files(source.folder(), new.folder())?;
    let agents = new.catalog.store().all_agents().await?.len() as u64;
    Ok(Adopted { agents, rows, objects, bytes })
}

impl Adopted {
    fn print(&self, source: &Path, data: &Path) {
        let (agents, rows) = (plural(self.agents, "agent"), plural(self.rows, "row"));
        let (objects, megabytes) = (plural(self.objects, "file"), self.bytes.div_ceil(1_000_000));
        let (source, data) = (source.display(), data.display());
        say!(
            "Moved the memory of {source} to {data}: {agents}, {rows} of the catalog, {objects} of tables and facts ({megabytes} MB)."
        );
        say!(
            "Nothing uses the memory of {source} from now on. It does not learn what you forget: remove it, with its database and its \
             bucket, once you no longer need it."
        );
    }
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
