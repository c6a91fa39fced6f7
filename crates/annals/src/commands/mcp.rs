//! `annals mcp`: MCP on standard input and output. Only relays messages to the process that owns the folder, and starts
//! such a process if there is none. So several agents can share one memory, and the end of one does not affect the
//! others. If the owner ends, the relay continues with the next owner.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use annals_core::{Error, Result};
use tokio::net::UnixStream;

use super::data;
use crate::cli::{Global, Mcp};
use crate::ipc;

/// A service started here stops after this many seconds without a request.
const IDLE_SECONDS: &str = "300";
/// Number of attempts to connect, two minutes in all: a former owner may still answer requests. Opening a folder takes a
/// second, longer on a Pi.
const ATTEMPTS: u32 = 1200;
const STEP: Duration = Duration::from_millis(100);
/// Attempts before a service is started in place of one that ended. Another process may be taking the folder over.
const GRACE: u32 = 20;
/// Attempts between two starts. A service that finds the folder locked ends at once.
const AGAIN: u32 = 30;
/// Size of the log in bytes above which the next service begins the log anew.
const MAX_LOG_BYTES: u64 = 1 << 20;

pub(crate) async fn run(global: &Global, args: &Mcp) -> Result<ExitCode> {
    let data = data(global)?;
    if global.now.is_some() {
        let reason = "does not apply: `annals mcp` asks a service, which has its own clock; start one with `annals serve --local --now TIME`";
        return Err(Error::invalid("now", reason));
    }
    let grace = Cell::new(0);
    let connect = async || connect(global, &data, grace.replace(GRACE)).await;
    annals_server::mcp::relay(connect, args.agent.as_deref(), &args.scopes).await?;
    // A pending read of standard input would keep the process alive.
    std::process::exit(0)
}

/// Connects to the owner of the folder. If there is none for `grace` attempts, starts a service that outlives this
/// process.
async fn connect(global: &Global, data: &Path, grace: u32) -> Result<UnixStream> {
    let mut started: Option<Child> = None;
    for attempt in 0..ATTEMPTS {
        if let Some(owner) = ipc::owner(data).await {
            return Ok(owner);
        }
        // If another process locked the folder first, the service has exited, and the other will listen or end.
        let has_ended = started.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)));
        if attempt >= grace && (attempt - grace).is_multiple_of(AGAIN) && has_ended {
            started = Some(start(global, data)?);
        }
        tokio::time::sleep(STEP).await;
    }
    let log = data.join("service.log").display().to_string();
    Err(Error::storage(
        "starting a service for the data folder",
        format!("it did not start listening within two minutes; see its log in {log}"),
    ))
}

fn start(global: &Global, data: &Path) -> Result<Child> {
    let wrong = |cause| Error::storage("starting a service for the data folder", cause);
    std::fs::create_dir_all(data).map_err(wrong)?;
    let log = open_log(data).map_err(wrong)?;
    let mut command = Command::new(std::env::current_exe().map_err(wrong)?);
    command.arg("--data").arg(data);
    if let Some(config) = &global.config {
        command.arg("--config").arg(config);
    }
    for setting in &global.set {
        command.arg("--set").arg(setting);
    }
    command.args(["serve", "--local", "--exit-when-idle", IDLE_SECONDS]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // A process group of its own: a signal that ends this process must not end the service.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(wrong)
}

/// Opens the log for appending, because an owner that is about to end may still write to it. Empties a log that is too large.
fn open_log(data: &Path) -> std::io::Result<File> {
    let log = OpenOptions::new().append(true).create(true).open(data.join("service.log"))?;
    if log.metadata()?.len() > MAX_LOG_BYTES {
        log.set_len(0)?;
    }
    Ok(log)
}
