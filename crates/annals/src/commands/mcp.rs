//! `annals mcp`: MCP on standard input and output. Only relays bytes to the process that owns the folder, and starts one if there
//! is none. So several agents can share one memory, and the end of one does not affect the others.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use annals_core::{Error, Result};
use tokio::net::UnixStream;

use super::data;
use crate::cli::{Global, Mcp};
use crate::ipc;

/// A service started here stops after this many seconds without a request.
const IDLE_SECONDS: &str = "300";
/// Number of attempts to connect, 30 seconds in all. Opening a folder takes a second, longer on a Pi.
const ATTEMPTS: u32 = 300;
const STEP: Duration = Duration::from_millis(100);

pub(crate) async fn run(global: &Global, args: &Mcp) -> Result<ExitCode> {
    let data = data(global)?;
    let owner = match ipc::owner(&data).await {
        Some(owner) => owner,
        None => start(global, &data).await?,
    };
    let relayed = annals_server::mcp::relay(owner, args.agent.as_deref(), &args.scopes).await;
    relayed.map_err(|cause| Error::storage("the MCP connection to the running service", cause))?;
    // A pending read of standard input would keep the process alive.
    std::process::exit(0)
}

/// Starts a service that outlives this process, and waits until it listens.
async fn start(global: &Global, data: &Path) -> Result<UnixStream> {
    let wrong = |cause| Error::storage("starting a service for the data folder", cause);
    let log = data.join("service.log");
    std::fs::create_dir_all(data).map_err(wrong)?;
    let log = std::fs::File::create(log).map_err(wrong)?;
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
    // Its own process group: a signal that ends this process must not end the service.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(wrong)?;
    for _ in 0..ATTEMPTS {
        if let Some(owner) = ipc::owner(data).await {
            return Ok(owner);
        }
        // If another process locked the folder first, this child has exited, and the other service will listen.
        let _ = child.try_wait();
        tokio::time::sleep(STEP).await;
    }
    let log = data.join("service.log").display().to_string();
    Err(Error::storage(
        "starting a service for the data folder",
        format!("it did not start listening within 30 seconds; see its log in {log}"),
    ))
}
