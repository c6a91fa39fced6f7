//! `annals backup`: makes, lists and checks backups. The rules are those of `annals_service::backup`.
//!
//! A backup is written by this process, with the rights of its user. If a service has the catalog open, the service only copies
//! the catalog.

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_service::backup::{CopyTo, Source, Target, back_up, fetch, list, newest};
use annals_service::calls::CopyCatalog;
use annals_service::wire::{BackupCheck, BackupReport};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::data;
use crate::catalog::check_copy;
use crate::cli::{self, BackupCommand, Global};
use crate::config::{Config, no_copy, without_secrets};
use crate::run_or_hand_over::Client;
use crate::scratch::Scratch;
use crate::view::{DIM, WARN, count, plural, print_json, say};

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
    let scratch = Scratch::within(&data, "backup")?;
    let settings = without_secrets(config.file.as_deref())?;
    let source = Source { catalog: &client, data: &data, scratch: scratch.path(), settings };
    let keep = args.keep.or(config.backup.keep);
    let made = back_up(&source, &target, keep, client.now(), &CancellationToken::new()).await?;
    if global.json {
        print_json(&made);
    } else {
        print_made(&made);
    }
    Ok(ExitCode::SUCCESS)
}

fn print_made(made: &BackupReport) {
    let BackupReport { name, target, manifest, removed } = made;
    let files = plural(manifest.files.len() as u64, "file");
    say!("Backed up as {name}: {files}, {} bytes.", count(manifest.bytes()));
    say!("{DIM}The backup has no tables: `annals restore {target}` rebuilds them.{DIM:#}");
    if !manifest.left_out.is_empty() {
        say!("{WARN}Left out, because they are secret: {}{WARN:#}", manifest.left_out.join(", "));
    }
    if !removed.is_empty() {
        say!("Removed older backups: {}", removed.join(" "));
    }
}

#[async_trait]
impl CopyTo for Client {
    async fn copy_to(&self, path: &Path) -> Result<i64> {
        Ok(self.call(CopyCatalog { to: path.to_owned() }).await?.sequence)
    }
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
    let fetched = fetch(&target, &name, scratch.path(), check_copy).await?;
    let sound = fetched.problems.is_empty();
    let found = BackupCheck { name, sound, problems: fetched.problems, agents: fetched.agents };
    if global.json {
        print_json(&found);
    } else {
        print_check(&found, &target);
    }
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_check(found: &BackupCheck, target: &Target) {
    let BackupCheck { name, sound, problems, agents } = found;
    if *sound {
        let agents = plural(*agents, "agent");
        return say!("{name} is sound: every file matches its checksum, and the catalog opens with {agents}.");
    }
    problems.iter().for_each(|problem| say!("{WARN}{name}: {problem}{WARN:#}"));
    say!("Do not rely on this backup. Make a new one, and check the storage at {}.", target.shown());
}

fn existing(global: &Global, target: Option<&str>) -> Result<Target> {
    Target::to_read(&chosen(target, &Config::load(global, &data(global)?)?)?)
}

/// Returns the target named on the command line, or the configured one. Fails if there is neither.
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
