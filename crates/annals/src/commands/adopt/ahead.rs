//! `annals adopt --ahead`: copies tables and facts, which are most of the bytes, while a service uses the memory. The record of
//! what was copied stays in the new folder, for the next call.
//!
//! The new memory is closed meanwhile. Its catalog also names the service, so that nodes of the new cluster can be started: they
//! forward requests to it, let them wait once it has stopped, and take over when the memory is moved.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use annals_core::{Error, Result};
use annals_server::check_ready;
use serde::Serialize;
use tokio::time::timeout;

use super::{Target, claim_new};
use crate::cli::{Adopt, Global};
use crate::config::Config;
use crate::folder::Claim;
use crate::projections::{Copied, Projections};
use crate::view::{plural, print_json, say};

/// How long the service may take to answer.
const ANSWER: Duration = Duration::from_secs(10);

/// What the new memory has of the tables and facts.
#[derive(Serialize)]
struct CopiedAhead {
    objects: u64,
    bytes: u64,
    /// Number of objects that this call has copied.
    copied: u64,
}

pub(super) async fn run(global: &Global, args: &Adopt, from: &Path, config: &Config, data: &Path) -> Result<ExitCode> {
    if let Some(address) = &args.service {
        check_runs(from, config)?;
        check_service(address).await?;
    }
    let (new, new_config) = claim_new(global, data)?;
    if args.service.is_some() && new_config.cluster.node().is_none() {
        return Err(Error::invalid("--service", "is for a cluster: cluster.address is not set in the new folder"));
    }
    let new = Target::open(new, &new_config, from, args.service.clone()).await?;
    if args.service.is_some() && !global.json {
        say!("The nodes can be started now. They forward requests to the service of {}.", from.display());
    }
    let tables = Projections::untied(from, &config.objects, None)?;
    let Copied { objects, bytes, copied } = new.copy_tables(&tables).await?;
    if global.json {
        print_json(&CopiedAhead { objects, bytes, copied });
    } else {
        let (files, megabytes) = (plural(objects, "file"), bytes.div_ceil(1_000_000));
        let (from, data) = (from.display(), new.memory.folder().display());
        say!("{data} has {files} of tables and facts ({megabytes} MB), {copied} of them copied now.");
        say!("To move the memory, stop its service and run `annals adopt {from} --data {data}`.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if no service uses the memory in this folder: then another one would get the requests of the nodes. A memory in a database may
/// be used through another folder.
fn check_runs(from: &Path, config: &Config) -> Result<()> {
    match Claim::take(from, config.catalog.url.is_some()) {
        Err(Error::InUse { .. }) => Ok(()),
        Ok(_) if config.catalog.url.is_some() => Ok(()),
        Ok(_) => Err(Error::invalid("--service", format!("needs a service of {}, and none runs", from.display()))),
        Err(error) => Err(error),
    }
}

async fn check_service(address: &str) -> Result<()> {
    let answer = timeout(ANSWER, check_ready(address)).await;
    let reason = match answer {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(reason)) => reason,
        Err(_) => "it does not answer".to_owned(),
    };
    Err(Error::invalid("--service", format!("names {address}, which is no service that is ready: {reason}")))
}
