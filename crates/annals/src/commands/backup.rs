//! `annals backup`: copies what cannot be rebuilt to a folder or an object store.
//!
//! ```text
//! TARGET/2026-11-21T17-44-16Z/catalog.sqlite   the source of truth, at one moment
//! TARGET/2026-11-21T17-44-16Z/annals.toml      settings, without keys
//! TARGET/2026-11-21T17-44-16Z/{retention,jobs,prompts}/…
//! TARGET/2026-11-21T17-44-16Z/manifest.json    size and digest of each file; written last: a backup without it is incomplete
//! ```
//!
//! Tables and facts are projections of the catalog, several times its size; `annals restore` rebuilds them. `annals forget` does
//! not reach backups: they keep what was stored when they were made.

mod fetch;
mod manifest;
mod prune;
mod take;
mod target;

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::data;
use crate::cli::{self, BackupCommand, Global};
use crate::config::{Config, no_copy};
use crate::run_or_hand_over::Client;
use crate::scratch::Scratch;
use crate::view::{DIM, WARN, count, plural, print_json, say};

pub(crate) use fetch::fetch;
pub(crate) use manifest::{Backup, Manifest, list, moment, newest};
pub(crate) use prune::prune;
pub(crate) use take::{CopyTo, Source, take};
pub(crate) use target::Target;

pub(crate) async fn run(global: &Global, args: &cli::Backup) -> Result<ExitCode> {
    match &args.command {
        None => make(global, args).await,
        Some(BackupCommand::List { target }) => print_list(global, target.as_deref()).await,
        Some(BackupCommand::Verify { target, name }) => verify(global, target.as_deref(), name.as_deref()).await,
    }
}

async fn make(global: &Global, args: &cli::Backup) -> Result<ExitCode> {
    let config = Config::load(global, &data(global)?)?;
    if config.catalog.url.is_some() {
        return Err(no_copy());
    }
    let client = Client::open(global).await?;
    let failed = |cause| Error::storage(format!("finding {}", client.data().display()), cause);
    let data = client.data().canonicalize().map_err(failed)?;
    let target = Target::to_write(&chosen(args.target.as_deref(), &config)?, &data)?;
    let source = Source { catalog: &client, data: &data, config: config.file.as_deref() };
    let (name, manifest) = take(&source, &target, client.now(), &CancellationToken::new()).await?;
    let removed = match args.keep.or(config.backup.keep) {
        Some(keep) => prune(&target, keep, client.now()).await?,
        None => Vec::new(),
    };
    if global.json {
        print_json(&json!({ "name": name, "target": target.shown(), "manifest": manifest, "removed": removed }));
        return Ok(ExitCode::SUCCESS);
    }
    let files = plural(manifest.files.len() as u64, "file");
    say!("Backed up as {name}: {files}, {} bytes.", count(manifest.bytes()));
    say!("{DIM}The backup has no tables: `annals restore {}` rebuilds them.{DIM:#}", target.shown());
    if !manifest.left_out.is_empty() {
        say!("{WARN}Left out, because they are secret: {}{WARN:#}", manifest.left_out.join(", "));
    }
    if !removed.is_empty() {
        say!("Removed older backups: {}", removed.join(" "));
    }
    Ok(ExitCode::SUCCESS)
}

async fn print_list(global: &Global, target: Option<&str>) -> Result<ExitCode> {
    let found = list(&existing(global, target)?).await?;
    if global.json {
        print_json(&found);
        return Ok(ExitCode::SUCCESS);
    }
    for backup in &found {
        match &backup.manifest {
            Some(manifest) => say!("{}  {} bytes", backup.name, count(manifest.bytes())),
            None => say!("{}  {WARN}incomplete{WARN:#}", backup.name),
        }
    }
    if found.is_empty() {
        say!("There is no backup.");
    }
    Ok(ExitCode::SUCCESS)
}

async fn verify(global: &Global, target: Option<&str>, name: Option<&str>) -> Result<ExitCode> {
    let target = existing(global, target)?;
    let name = newest(&target, name).await?;
    let scratch = unpacked(global)?;
    let fetched = fetch(&target, &name, scratch.path()).await?;
    if global.json {
        let sound = fetched.problems.is_empty();
        print_json(&json!({ "name": name, "sound": sound, "problems": fetched.problems, "agents": fetched.agents }));
    } else if fetched.problems.is_empty() {
        let agents = plural(fetched.agents, "agent");
        say!("{name} is sound: every file matches its checksum, and the catalog opens with {agents}.");
    } else {
        fetched.problems.iter().for_each(|problem| say!("{WARN}{name}: {problem}{WARN:#}"));
        say!("Do not rely on this backup. Make a new one, and check the storage at {}.", target.shown());
    }
    Ok(if fetched.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn existing(global: &Global, target: Option<&str>) -> Result<Target> {
    Target::to_read(&chosen(target, &Config::load(global, &data(global)?)?)?)
}

/// Returns the target named on the command line, or the configured one.
fn chosen(target: Option<&str>, config: &Config) -> Result<String> {
    let target = target.or(config.backup.target.as_deref());
    let missing = || Error::invalid("TARGET", "is needed: a folder or s3://bucket/prefix, or target under [backup]");
    target.map(str::to_owned).ok_or_else(missing)
}

/// Creates the folder into which a backup is unpacked for verification: in the data folder, or in the system's temporary folder
/// if there is no data folder on this machine.
fn unpacked(global: &Global) -> Result<Scratch> {
    let data = data(global)?;
    let folder = if data.is_dir() { data } else { std::env::temp_dir() };
    Scratch::in_shared(&folder, "verify")
}

/// Fails if the folder to restore to holds anything.
pub(crate) fn refuse_unless_empty(data: &Path) -> Result<()> {
    let failed = |cause| Error::storage(format!("cannot read {}", data.display()), cause);
    if data.exists() && std::fs::read_dir(data).map_err(failed)?.next().is_some() {
        let reason = format!("must name a new or empty folder; {} is not empty", data.display());
        return Err(Error::invalid("--data", reason));
    }
    Ok(())
}
