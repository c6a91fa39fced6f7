//! `annals adopt --ahead`: copies tables and facts, which are most of the bytes, while a service uses the memory. The record of
//! what was copied stays in the new folder, for the next call.
//!
//! The new memory is closed meanwhile. Its catalog also names the service, so that nodes of the new cluster can be started: they
//! forward requests to it, let them wait once it has stopped, and take over when the memory is moved.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use annals_catalog::Closed;
use annals_core::{Error, Result};
use serde::Serialize;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Memory;
use crate::cli::{Adopt, Global};
use crate::config::Config;
use crate::folder::Claim;
use crate::projections::{Copied, Projections};
use crate::view::{plural, print_json, say};

/// How long the service may take to accept a connection.
const CONNECTING: Duration = Duration::from_secs(5);

/// What the new memory has of the tables and facts.
#[derive(Serialize)]
struct CopiedAhead {
    objects: u64,
    bytes: u64,
}

pub(super) async fn run(global: &Global, args: &Adopt, data: &Path) -> Result<ExitCode> {
    if let Some(address) = &args.service {
        check_service(address).await?;
    }
    let new = Claim::take(data, true)?;
    let (from, to) = (Config::of_folder(&args.folder)?, Config::load(global, new.path())?);
    if args.service.is_some() && to.cluster.node().is_none() {
        return Err(Error::invalid("--service", "is for a cluster: cluster.address is not set in the new folder"));
    }
    let new = Memory::open(new, &to).await?;
    let adoption = new.adoption().await?;
    let mut copies = new.copies(&adoption)?;
    new.catalog.close(Closed::Copying { adoption, service: args.service.clone() }).await?;
    if args.service.is_some() && !global.json {
        say!("The nodes can be started now. They forward requests to the service of {}.", args.folder.display());
    }
    let tables = Projections::untied(&args.folder, &from.objects, None)?;
    let Copied { objects, bytes } = tables.copy_to(&new.tables, &mut copies).await?;
    if global.json {
        print_json(&CopiedAhead { objects, bytes });
    } else {
        let (files, megabytes) = (plural(objects, "file"), bytes.div_ceil(1_000_000));
        let (folder, data) = (args.folder.display(), new.folder().display());
        say!("Copied {files} of tables and facts ({megabytes} MB) to {data}.");
        say!("To move the memory, stop its service and run `annals adopt {folder} --data {data}`.");
    }
    Ok(ExitCode::SUCCESS)
}

async fn check_service(address: &str) -> Result<()> {
    let reason = match timeout(CONNECTING, TcpStream::connect(address)).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".to_owned(),
    };
    Err(Error::invalid("--service", format!("names {address}, which cannot be reached from here: {reason}")))
}
