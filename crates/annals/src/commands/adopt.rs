//! `annals adopt`: copies the memory of another data folder into this one, which must have none. Either may keep its catalog in
//! PostgreSQL and its tables in a bucket, so this moves a memory into a cluster, and out of one.
//!
//! Copies the catalog in one transaction. Tables and facts follow from it, so copying them only saves the time to build them.
//! Until everything is copied, the new memory is closed: nothing else can use it, and this command can be run again.

mod live;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use annals_core::{Error, Result};
use annals_service::backup::FOLDERS;
use serde::Serialize;

use super::data;
use crate::catalog::{self, Catalog};
use crate::cli::{Adopt, Global};
use crate::cluster::{Membership, NodeLease};
use crate::config::Config;
use crate::embedders::FORMER;
use crate::folder::Claim;
use crate::projections::{Closed, Copies, Projections};
use crate::scratch;
use crate::view::{plural, print_json, say};

/// What was copied.
#[derive(Serialize)]
struct Adopted {
    agents: u64,
    rows: u64,
    objects: u64,
    bytes: u64,
    /// For how long nothing could use the memory, in seconds.
    seconds: f64,
}

/// A memory that this process owns.
struct Memory {
    claim: Claim,
    catalog: Catalog,
    tables: Projections,
}

impl Memory {
    /// Opens a memory, also if it is closed.
    async fn open(claim: Claim, config: &Config, lease: Option<NodeLease>) -> Result<Memory> {
        scratch::sweep(claim.path())?;
        let (lease, guard) = lease.map(|node| (node.lease, node.guard)).unzip();
        let catalog = Catalog::open(claim.path(), &config.catalog, lease)?;
        let tables = Projections::open_closed(claim.path(), &config.objects, &catalog, guard).await?;
        Ok(Memory { claim, catalog, tables })
    }

    fn folder(&self) -> &Path {
        self.claim.path()
    }
}

/// The memory to copy.
struct Source {
    folder: PathBuf,
    config: Config,
    /// Set if this process owns the folder. It does not yet if a service uses it.
    claim: Option<Claim>,
}

impl Source {
    fn of(args: &Adopt) -> Result<Source> {
        let folder = &args.folder;
        if !catalog::exists(folder) {
            let reason = format!("names {}, which has no catalog and is no data folder", folder.display());
            return Err(Error::invalid("FOLDER", reason));
        }
        let claim = if args.live { None } else { Some(Claim::take(folder, false).map_err(with_advice)?) };
        Ok(Source { config: Config::of_folder(folder)?, folder: folder.clone(), claim })
    }

    fn is(&self, data: &Path) -> bool {
        data.canonicalize().is_ok_and(|data| self.folder.canonicalize().is_ok_and(|source| source == data))
    }
}

fn with_advice(error: Error) -> Error {
    match error {
        Error::InUse { folder, owner } => {
            Error::InUse { folder, owner: format!("{owner}; stop it, or move the memory while it runs with --live") }
        }
        error => error,
    }
}

pub(crate) async fn run(global: &Global, args: &Adopt) -> Result<ExitCode> {
    let (source, data) = (Source::of(args)?, data(global)?);
    if source.is(&data) {
        return Err(Error::invalid("FOLDER", "names the same folder as --data; name another one with --data"));
    }
    let data = Claim::take(&data, true)?;
    let config = Config::load(global, data.path())?;
    let node = args.service.as_ref().map(|address| Membership::join_for(&config, address)).transpose()?;
    let adopted = adopt_as(node.as_ref(), source, data, &config).await;
    if let Some(node) = node {
        // The next node takes over.
        node.leave().await;
    }
    adopted?.print(global, args);
    Ok(ExitCode::SUCCESS)
}

async fn adopt_as(node: Option<&Membership>, source: Source, data: Claim, config: &Config) -> Result<Adopted> {
    let lease = match node {
        Some(node) => Some(live::lease(node, config).await?),
        None => None,
    };
    adopt(source, &Memory::open(data, config, lease).await?).await
}

async fn adopt(source: Source, new: &Memory) -> Result<Adopted> {
    let is_live = source.claim.is_none();
    begin(&source, new).await?;
    let mut copies = Copies::default();
    let (source, begun) = match source.claim {
        Some(claim) => (Memory::open(claim, &source.config, None).await?, Instant::now()),
        None => live::open_when_free(&source, new, &mut copies).await?,
    };
    let rows = source.catalog.copy_all_to(&new.catalog).await?;
    source.tables.copy_to(&new.tables, &mut copies).await?;
    copy_files(source.folder(), new.folder())?;
    if is_live {
        source.tables.close(&Closed::Moved { to: new.folder().display().to_string() }).await?;
    }
    new.tables.reopen().await?;
    let agents = new.catalog.store().all_agents().await?.len() as u64;
    let Copies { objects, bytes, .. } = copies;
    Ok(Adopted { agents, rows, objects, bytes, seconds: begun.elapsed().as_secs_f64() })
}

/// Closes the new memory. Fails if it is one already, or if the source is closed. What an interrupted call has copied is
/// replaced.
async fn begin(source: &Source, new: &Memory) -> Result<()> {
    let closed = new.tables.closed().await?;
    let is_repeated = closed == Some(Closed::Copying);
    if let Some(moved @ Closed::Moved { .. }) = closed {
        return Err(new.tables.refused_as(&moved));
    }
    if !is_repeated && !new.catalog.is_empty().await? {
        let reason = format!("must have no memory yet; {} or its database has one", new.folder().display());
        return Err(Error::invalid("--data", reason));
    }
    let old = Projections::untied(&source.folder, &source.config.objects, None)?;
    match old.closed().await? {
        // An interrupted call may have closed it.
        Some(Closed::Moved { .. }) if is_repeated => {}
        Some(closed) => return Err(old.refused_as(&closed)),
        None => {}
    }
    new.tables.close(&Closed::Copying).await?;
    new.tables.clear().await
}

impl Adopted {
    fn print(&self, global: &Global, args: &Adopt) {
        if global.json {
            return print_json(self);
        }
        let (agents, rows) = (plural(self.agents, "agent"), plural(self.rows, "row"));
        let (objects, megabytes) = (plural(self.objects, "file"), self.bytes.div_ceil(1_000_000));
        let source = args.folder.display();
        say!(
            "Copied the memory of {source}: {agents}, {rows} of the catalog, {objects} of tables and facts ({megabytes} MB)."
        );
        match args.live {
            true => say!(
                "Nothing could use it for {:.1} s. {source} is closed from now on: remove it once you no longer need it.",
                self.seconds
            ),
            false => say!(
                "The memory of {source} is unchanged. What you forget from now on stays in it: remove it once you no longer need it."
            ),
        }
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
