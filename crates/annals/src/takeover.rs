//! Takes a data folder over from a service that `annals mcp` started, for a service that a user starts. The owner finishes its
//! requests and ends; its clients connect to the next owner by themselves. A service that a user started is never replaced.

use std::path::Path;
use std::time::Duration;

use annals_core::{Error, Result};
use annals_server::ipc::{Release, release};
use tokio::time::{Instant, sleep, timeout};

use crate::failure::print;
use crate::folder::Claim;
use crate::ipc;

/// Time between two attempts to lock the folder. Shorter than what `annals mcp` waits before it starts another service.
const STEP: Duration = Duration::from_millis(50);
/// How long an owner may take to listen on its socket: it may just have been started.
const STARTING: Duration = Duration::from_secs(5);
/// How long an owner may take to answer a request for the folder. Also the extra time that it gets to end, in addition
/// to the time for its requests and its jobs.
const SLACK: Duration = Duration::from_secs(10);

/// Locks the folder. If the owner is a service that `annals mcp` started, asks this service to end, and waits. `drain` is the
/// time that the service may take for its requests, and again for its jobs. Fails if a user started the owner, or if the owner
/// does not end in time.
pub(crate) async fn claim(data: &Path, drain: Duration) -> Result<Claim> {
    let begun = Instant::now();
    let (mut asked, mut deadline) = (None, begun + STARTING);
    loop {
        let in_use = match Claim::take(data, true) {
            Err(error @ Error::InUse { .. }) => error,
            taken => return taken,
        };
        match ask(data).await {
            Some(Ok(Release { pid, releases: true })) if asked != Some(pid) => {
                print(&format!(
                    "Waiting for the service that `annals mcp` started (pid {pid}) to finish and release the data folder."
                ));
                asked = Some(pid);
                deadline = begun + SLACK + 2 * drain;
            }
            Some(Ok(Release { pid, releases: false })) => return Err(explained(in_use, &kept(pid))),
            Some(Err(error)) => return Err(explained(in_use, &unknown(&error))),
            // The owner was asked already, or does not listen: it is a service that starts or ends, or a command.
            _ => {}
        }
        if Instant::now() > deadline {
            return Err(in_use);
        }
        sleep(STEP).await;
    }
}

/// Asks the owner for the folder. Returns `None` if nobody listens, the owner does not answer in time, or it ends first.
async fn ask(data: &Path) -> Option<Result<Release>> {
    let owner = ipc::owner(data).await?;
    timeout(SLACK, release(owner)).await.ok()?.transpose()
}

/// Adds what to do to the error for a folder that is in use.
fn explained(in_use: Error, what_to_do: &str) -> Error {
    match in_use {
        Error::InUse { folder, owner } => Error::InUse { folder, owner: format!("{owner}{what_to_do}") },
        other => other,
    }
}

fn kept(pid: u32) -> String {
    format!(
        ", which a user started and which keeps running; stop it with Ctrl-C in its terminal or `kill {pid}`, or with \
         `systemctl stop` if systemd started it"
    )
}

fn unknown(error: &Error) -> String {
    let reason = std::error::Error::source(error).map_or_else(String::new, |cause| format!(" ({cause})"));
    format!(", which cannot release it{reason}; end it with `kill` and its pid, then start this one again")
}
