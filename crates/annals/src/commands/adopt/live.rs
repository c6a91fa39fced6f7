//! The part of `annals adopt --live` that runs while a service uses the memory to copy.
//!
//! Copies tables and facts, which are most of the bytes, again and again until the service has stopped; each time only what is
//! new. The catalog is copied afterwards, in its last state. With the URL of the service, the command holds the lease of the new
//! cluster meanwhile and names that URL as the address of the active node. So nodes of the cluster forward requests to the
//! service, let them wait once it has stopped, and take over when the lease is released.

use std::time::{Duration, Instant};

use annals_core::{Error, Result};
use tokio::time::{sleep, timeout};

use super::{Memory, Source};
use crate::cluster::{Membership, NodeLease};
use crate::config::Config;
use crate::failure::print;
use crate::folder::Claim;
use crate::projections::{Copies, Projections};

/// Time between the end of a copy and the begin of the next.
const BETWEEN_COPIES: Duration = Duration::from_secs(10);

/// Time between two attempts to open the memory.
const STEP: Duration = Duration::from_millis(50);

/// Takes the lease of the new cluster. Fails if a node has it: that node serves a memory already.
pub(super) async fn lease(node: &Membership, config: &Config) -> Result<NodeLease> {
    // A lease of a node that was killed ends in this time.
    let taken = timeout(config.cluster.lease() * 2, node.lease()).await;
    taken.map_err(|_| {
        let reason = "names a cluster with an active node, or a database that does not answer; stop all nodes, run this, and start \
                      them while it runs";
        Error::invalid("--data", reason)
    })
}

/// Copies tables and facts until nothing uses the memory any more. Then opens it. Returns it with the time at which it was free.
pub(super) async fn open_when_free(source: &Source, new: &Memory, copies: &mut Copies) -> Result<(Memory, Instant)> {
    let tables = Projections::untied(&source.folder, &source.config.objects, None)?;
    let mut waiting = Waiting::default();
    loop {
        tables.copy_to(&new.tables, copies).await?;
        if let Some(opened) = waiting.wait(source).await? {
            return Ok(opened);
        }
    }
}

/// Waits for the end of the service.
#[derive(Default)]
struct Waiting {
    /// What was printed last about the reason to wait.
    printed: String,
}

impl Waiting {
    /// Opens the memory as soon as nothing uses it; `None` if it is still in use after [`BETWEEN_COPIES`].
    async fn wait(&mut self, source: &Source) -> Result<Option<(Memory, Instant)>> {
        let until = Instant::now() + BETWEEN_COPIES;
        while Instant::now() < until {
            let begun = Instant::now();
            match open(source).await {
                Err(error) if is_in_use(&error, source) => self.print(&error),
                opened => return opened.map(|memory| Some((memory, begun))),
            }
            sleep(STEP).await;
        }
        Ok(None)
    }

    fn print(&mut self, error: &Error) {
        let folder_or_database = error.to_string();
        if self.printed != folder_or_database {
            print(&format!(
                "Tables and facts are copied. Stop the service now; the rest follows at once. ({folder_or_database})"
            ));
            self.printed = folder_or_database;
        }
    }
}

async fn open(source: &Source) -> Result<Memory> {
    Memory::open(Claim::take(&source.folder, false)?, &source.config, None).await
}

/// Returns whether an error may mean that a service uses the memory. A database has more than one way to say so.
fn is_in_use(error: &Error, source: &Source) -> bool {
    match error {
        Error::InUse { .. } => true,
        Error::Storage { .. } => source.config.catalog.url().is_some(),
        _ => false,
    }
}
