//! `--watch`: imports session files whenever they change, until Ctrl-C. The programs delete their session files after
//! some weeks.
//!
//! Compares paths and sizes: a new file has a new path, and every added line changes the size. Each import is a process of its
//! own with the same arguments, so that the data folder is free between two imports, and a running service can be used.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use annals_core::{Error, Result};
use annals_importers::{Kind, Limits, Source};
use tokio::process::Command;

use crate::view::say;

/// Size of each file in bytes, by its path.
type Files = BTreeMap<String, u64>;

pub(crate) async fn run(kind: Kind, paths: &[PathBuf], seconds: u64) -> Result<ExitCode> {
    say!("Watching for sessions of {kind}; Ctrl-C ends it.");
    let mut imported = Files::new();
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        // A folder without files is no error: the first session may come later.
        let found = files(paths).unwrap_or_default();
        if found != imported && !found.is_empty() && import().await? {
            imported = found;
        }
        tokio::select! {
            _ = &mut interrupted => return Ok(ExitCode::SUCCESS),
            () = tokio::time::sleep(Duration::from_secs(seconds)) => {}
        }
    }
}

fn files(paths: &[PathBuf]) -> Result<Files> {
    let source = Source::open(paths, Limits::default())?;
    Ok(source.entries().iter().map(|entry| (entry.location().to_string(), entry.size)).collect())
}

/// Imports once. Returns whether it succeeded. The import prints its own errors; after a failure the caller imports again after
/// the next interval.
async fn import() -> Result<bool> {
    let failed = |cause| Error::storage("starting the import", cause);
    let args = std::env::args_os().skip(1).filter(|arg| !arg.to_string_lossy().starts_with("--watch"));
    let status = Command::new(std::env::current_exe().map_err(failed)?).args(args).status().await.map_err(failed)?;
    Ok(status.success())
}
