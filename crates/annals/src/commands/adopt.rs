//! `annals adopt`: moves the memory of another data folder into this one, which must have none. Either may keep its catalog in
//! PostgreSQL and its tables in a bucket, so this moves a memory into a cluster, and out of one.
//!
//! Copies the catalog in one transaction. Tables and facts follow from it, so copying them only saves the time to build them; with
//! `--ahead` they are copied while a service still uses the memory. Both memories are closed in their catalogs before the first
//! row is copied: nothing uses the new one until it is complete, nor the former one afterwards.

mod ahead;

use std::path::{Path, PathBuf};
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
use crate::projections::{Copied, CopyRecord, Projections, new_id};
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

/// The new memory, closed, and the id of the adoption.
struct Target {
    memory: Memory,
    adoption: String,
    /// Whether this is the first call of the adoption.
    is_new: bool,
}

impl Memory {
    async fn open(claim: Claim, config: &Config) -> Result<Memory> {
        scratch::sweep(claim.path())?;
        let catalog = Catalog::open_closed(claim.path(), &config.catalog, None)?;
        Memory::over(claim, catalog, config).await
    }

    async fn over(claim: Claim, catalog: Catalog, config: &Config) -> Result<Memory> {
        let tables = Projections::open(claim.path(), &config.objects, &catalog, None).await?;
        Ok(Memory { claim, catalog, tables })
    }

    fn folder(&self) -> &Path {
        self.claim.path()
    }
}

impl Target {
    /// Closes the new memory for an adoption of the data folder `from`. If it is closed for that already, keeps the address of the
    /// service, unless there is a new one. Fails if it is a memory already, or if another one is being copied to it.
    async fn open(claim: Claim, config: &Config, from: &Path, service: Option<String>) -> Result<Target> {
        scratch::sweep(claim.path())?;
        let catalog = Catalog::open_closed(claim.path(), &config.catalog, None)?;
        let from = from.display().to_string();
        let (adoption, former, is_new) = match catalog.closed().await? {
            Some(Closed::Copying { adoption, from: same, service }) if same == from => (adoption, service, false),
            Some(closed) => return Err(closed_error("--data", claim.path(), &closed)),
            None if catalog.is_empty().await? => (new_id()?, None, true),
            None => {
                let reason = format!("must have no memory yet; {} or its database has one", claim.path().display());
                return Err(Error::invalid("--data", reason));
            }
        };
        // Before the tables are opened, which ties them to this catalog.
        let closed = Closed::Copying { adoption: adoption.clone(), from, service: service.or(former) };
        catalog.close(closed).await?;
        Ok(Target { memory: Memory::over(claim, catalog, config).await?, adoption, is_new })
    }

    /// Makes tables and facts equal to those of the source, as far as something that uses them meanwhile allows.
    async fn copy_tables(&self, source: &Projections) -> Result<Copied> {
        let mut record = CopyRecord::recorded_in(&self.memory.folder().join(RECORD), &self.adoption)?;
        source.copy_to(&self.memory.tables, &mut record).await
    }
}

pub(crate) async fn run(global: &Global, args: &Adopt) -> Result<ExitCode> {
    let data = data(global)?;
    let from = check_folders(&args.folder, &data)?;
    let source_config = config_of(&from)?;
    if args.ahead {
        return ahead::run(global, args, &from, &source_config, &data).await;
    }
    let source = Claim::take(&from, source_config.catalog.url.is_some()).map_err(|error| {
        with_advice(error, "stop it first. `annals adopt --ahead` copies most of the memory while it runs")
    })?;
    let (new, config) = claim_new(global, &data)?;
    let source = Memory::open(source, &source_config).await?;
    require_key(&source, &config, now(global)).await?;
    let former = source.catalog.closed().await?;
    let new = Target::open(new, &config, &from, None).await.map_err(|error| match (error, former) {
        // It was moved already, there or elsewhere.
        (Error::Invalid { .. }, Some(closed)) => closed_error("FOLDER", source.folder(), &closed),
        (error, _) => error,
    })?;
    let adopted = adopt(&source, &new).await?;
    if global.json {
        print_json(&adopted);
    } else {
        adopted.print(source.folder(), new.memory.folder());
    }
    Ok(ExitCode::SUCCESS)
}

fn claim_new(global: &Global, data: &Path) -> Result<(Claim, Config)> {
    let claim = Claim::take(data, true).map_err(|error| {
        with_advice(error, "name a data folder for the new memory that nothing uses, also no node of its cluster")
    })?;
    let config = Config::load(global, claim.path())?;
    Ok((claim, config))
}

/// Reads the settings of the memory to move. They come from its `annals.toml` alone: the environment is for the new one.
fn config_of(folder: &Path) -> Result<Config> {
    let config = Config::of_folder(folder)?;
    if catalog::is_in_database(folder) && config.catalog.url.is_none() {
        let reason = format!(
            "names {0}, whose catalog is in PostgreSQL; write catalog.url and objects.url into {0}/annals.toml, because the \
             environment and --set are for the new folder",
            folder.display()
        );
        return Err(Error::invalid("FOLDER", reason));
    }
    Ok(config)
}

/// Returns the path of the memory to move. Fails if there is none, or if one folder is or contains the other.
fn check_folders(source: &Path, data: &Path) -> Result<PathBuf> {
    let refused = |reason: String| Err(Error::invalid("FOLDER", reason));
    let is_in_database = || Config::of_folder(source).is_ok_and(|config| config.catalog.url.is_some());
    if !catalog::exists(source) && !is_in_database() {
        return refused(format!("names {}, which has no catalog and is no data folder", source.display()));
    }
    let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    let failed = |cause| Error::storage(format!("looking for {} and {}", source.display(), data.display()), cause);
    let (source, data) = (real(source).map_err(failed)?, real(data).map_err(failed)?);
    if source == data {
        return refused("names the same folder as --data; name another one with --data".to_owned());
    }
    if source.starts_with(&data) || data.starts_with(&source) {
        return refused("is inside of --data, or the other way round; name a folder beside it with --data".to_owned());
    }
    Ok(source)
}

fn with_advice(error: Error, advice: &str) -> Error {
    match error {
        Error::InUse { folder, owner } => Error::InUse { folder, owner: format!("{owner}; {advice}") },
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

async fn adopt(source: &Memory, new: &Target) -> Result<Adopted> {
    match source.catalog.closed().await? {
        // An interrupted call has closed it.
        Some(Closed::Moved { adoption, .. }) if adoption == new.adoption => {}
        Some(closed) => {
            if new.is_new {
                new.memory.catalog.reopen().await?;
            }
            return Err(closed_error("FOLDER", source.folder(), &closed));
        }
        None => {}
    }
    // Before the first row is read: from here on, what a service would store there would be missing in the copy.
    let to = new.memory.folder().display().to_string();
    source.catalog.close(Closed::Moved { adoption: new.adoption.clone(), to }).await?;
    let adopted = match copy(source, new).await {
        Ok(adopted) => adopted,
        Err(error) => {
            // If this fails too, the user learns the first error, and `annals reopen` does it later.
            let _ = source.catalog.reopen().await;
            return Err(error);
        }
    };
    new.memory.catalog.reopen().await?;
    // What is left of it would be replaced by the next adoption.
    let _ = std::fs::remove_file(new.memory.folder().join(RECORD));
    Ok(adopted)
}

async fn copy(source: &Memory, new: &Target) -> Result<Adopted> {
    let rows = source.catalog.copy_all_to(&new.memory.catalog).await?;
    let Copied { objects, bytes, .. } = new.copy_tables(&source.tables).await?;
    copy_files(source.folder(), new.memory.folder())?;
    let agents = new.memory.catalog.store().all_agents().await?.len() as u64;
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
