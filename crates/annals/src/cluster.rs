//! This process as a node of a cluster. One node is active: it has the lease on the database, and serves as a single service
//! does. The others stand by. When the lease of the active node ends, another one takes it.
//!
//! A thread of its own claims and renews the lease, so that busy workers do not delay it. Safety does not depend on this
//! thread: without the lease, the database refuses the node's writes (`catalog/src/postgres/lease.rs`). The guard of the bucket
//! refuses a write that might end after the lease. A node that has lost the lease restarts its process.

mod deadline;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_catalog::{Claimed, Closed, Lease, Node, TakenLease};
use annals_core::{Error, Result};
use annals_objects::WriteGuard;
use annals_server::cluster::{Replica, Standby};
use annals_server::rest::chain;
use annals_service::metrics::NodeMetrics;
use deadline::{Clocks, Deadline};
use tokio::sync::{RwLock, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::failure;
use crate::projections::new_id;

/// Longest pause of a standby node between two claims, and of the active node after a renewal that failed. It is shorter if a
/// lease is shorter than [`RENEWAL`] such pauses.
const PAUSE: Duration = Duration::from_millis(500);

/// Number of renewals in the length of a lease. A standby node also waits for this part of a lease after a claim that failed.
const RENEWAL: u32 = 5;

/// The lease under which a node opens its stores, and the guard of its writes to the bucket.
#[derive(Clone, Debug)]
pub(crate) struct NodeLease {
    pub lease: TakenLease,
    pub guard: WriteGuard,
}

/// Whether this node is active.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NodeState {
    Standby,
    Active {
        epoch: i64,
    },
    /// Another node has taken the lease.
    Lost,
}

/// This process as a node: the state of the lease, and the thread that claims and renews it.
pub(crate) struct Membership {
    node: Node,
    length: Duration,
    state: watch::Receiver<NodeState>,
    active: watch::Sender<Option<String>>,
    readable: watch::Sender<bool>,
    replica: Replica,
    metrics: NodeMetrics,
    deadline: Arc<Deadline>,
    /// Held for reading by each request that writes to the bucket. Before the lease is released, the node waits for these
    /// requests.
    writes: Arc<RwLock<()>>,
    stop: CancellationToken,
    thread: JoinHandle<()>,
    /// Path of the program of this process. Read at the start, because it cannot be found after the file was replaced.
    program: PathBuf,
}

impl Membership {
    /// Joins the configured cluster, and begins to claim the lease. From now on this node may become active at any time. Fails
    /// if `cluster.address` or `catalog.url` is not set.
    pub(crate) fn join(config: &Config) -> Result<Membership> {
        let (Some(address), Some(url)) = (config.cluster.node(), config.catalog.url()) else {
            return Err(Error::invalid("cluster.address", "is not set"));
        };
        let (node, length) = (Node { id: new_id()?, address: address.to_owned() }, config.cluster.lease());
        let lease = Lease::new(url, node.clone(), length)?;
        let (set_state, state) = watch::channel(NodeState::Standby);
        let (active, readable, replica) = (watch::Sender::new(None), watch::Sender::new(false), Replica::default());
        let (stop, deadline) = (CancellationToken::new(), Arc::<Deadline>::default());
        let metrics = NodeMetrics::new(length, Instant::now());
        let writes = Arc::<RwLock<()>>::default();
        let program = std::env::current_exe().map_err(|cause| Error::storage("finding the program", cause))?;
        let mut keeper = Keeper {
            lease,
            address: node.address.clone(),
            address_held_since: None,
            has_warned: false,
            length,
            state: set_state,
            active: active.clone(),
            readable: readable.clone(),
            metrics: metrics.clone(),
            deadline: deadline.clone(),
            writes: writes.clone(),
            closed: None,
        };
        let failed = |cause| Error::storage("starting the thread of the lease", cause);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let until = stop.clone();
        let keep = move || runtime.block_on(keeper.keep(until));
        let thread = std::thread::Builder::new().name("lease".into()).spawn(keep).map_err(failed)?;
        Ok(Membership {
            node,
            length,
            state,
            active,
            readable,
            replica,
            metrics,
            deadline,
            writes,
            stop,
            thread,
            program,
        })
    }

    /// Returns the address of the node that is active now, if any is. Does not join the cluster.
    pub(crate) async fn active_node(config: &Config) -> Result<Option<String>> {
        let (node, url) =
            (Node { id: String::new(), address: String::new() }, config.catalog.url().unwrap_or_default());
        Lease::new(url, node, config.cluster.lease())?.holder().await
    }

    /// Waits until this node has the lease, without end if the thread of the lease panicked. Returns what the stores need to be
    /// opened under the lease.
    pub(crate) async fn lease(&self) -> NodeLease {
        let mut state = self.state.clone();
        loop {
            if let NodeState::Active { epoch } = *state.borrow_and_update() {
                let lease = TakenLease { node: self.node.id.clone(), epoch };
                return NodeLease { lease, guard: self.guard() };
            }
            if state.changed().await.is_err() {
                // The sender is gone only if the thread panicked.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Allows a write to begin in the first two thirds of the lease. A write may take at most one third, so it ends before the
    /// lease does.
    fn guard(&self) -> WriteGuard {
        let deadline = self.deadline.clone();
        WriteGuard {
            may_write: Arc::new(move || deadline.is_ahead()),
            time_limit: self.length - may_write_for(self.length),
            writes: self.writes.clone(),
        }
    }

    /// Returns where requests are forwarded to, and the metrics that count them.
    pub(crate) fn standby(&self) -> Standby {
        Standby { active: self.active.subscribe(), metrics: self.metrics.clone(), replica: self.replica.clone() }
    }

    /// Returns whether a standby node may read the catalog: the database has answered within the length of a lease that some node
    /// uses it, and that it is not closed.
    pub(crate) fn readable(&self) -> watch::Receiver<bool> {
        self.readable.subscribe()
    }

    pub(crate) fn metrics(&self) -> &NodeMetrics {
        &self.metrics
    }

    /// Makes this node the one that requests are forwarded to.
    pub(crate) fn announce(&self) {
        self.active.send_replace(Some(self.node.address.clone()));
    }

    /// Restarts this process once another node has taken the lease, or the thread that renews it has panicked, because
    /// everything in memory may be out of date. Does nothing if the process stops or leaves the cluster.
    pub(crate) fn start_again_when_lost(&self, stop: CancellationToken) {
        let (mut state, left, program) = (self.state.clone(), self.stop.clone(), self.program.clone());
        tokio::spawn(async move {
            // The thread of the lease ends only after `left` was cancelled, or if it panicked.
            let _ = state.wait_for(|state| *state == NodeState::Lost).await;
            if !stop.is_cancelled() && !left.is_cancelled() {
                tracing::error!("this node has lost its lease; it starts again and stands by");
                start_again(&program);
            }
        });
    }

    /// Releases the lease of a node if its stores cannot be opened. An error of storage may pass: then restarts this process
    /// after a pause, or returns if `stop` is cancelled meanwhile. Returns any other error.
    pub(crate) async fn cannot_serve(self, error: Error, stop: &CancellationToken) -> Result<()> {
        let (pause, program) = (self.length, self.program.clone());
        self.leave().await;
        let Error::Storage { .. } = error else { return Err(error) };
        tracing::error!(error = chain(&error), "this node cannot serve now; it starts again and stands by");
        match stop.run_until_cancelled(tokio::time::sleep(pause)).await {
            Some(()) => start_again(&program),
            None => Ok(()),
        }
    }

    /// Releases the lease once no write to the bucket is under way, so that another node takes over at once.
    pub(crate) async fn leave(self) {
        self.stop.cancel();
        let thread = self.thread;
        // If the thread panicked, it has not released the lease. The lease then ends by itself.
        let _ = tokio::task::spawn_blocking(move || thread.join()).await;
    }
}

/// Replaces the process by a new one with the same arguments. Ends the process if that fails.
fn start_again(program: &Path) -> ! {
    let failed = Command::new(program).args(std::env::args_os().skip(1)).exec();
    failure::end(&Error::storage("starting again", failed))
}

/// Returns the time in which a node may begin to write, counted from the sending of its last renewal.
fn may_write_for(length: Duration) -> Duration {
    length * 2 / 3
}

/// Claims, renews and releases the lease. Runs on the thread of the lease.
struct Keeper {
    lease: Lease,
    address: String,
    /// Since when another process has the lease under the address of this node, and whether the log says so.
    address_held_since: Option<Instant>,
    has_warned: bool,
    length: Duration,
    state: watch::Sender<NodeState>,
    active: watch::Sender<Option<String>>,
    readable: watch::Sender<bool>,
    metrics: NodeMetrics,
    deadline: Arc<Deadline>,
    writes: Arc<RwLock<()>>,
    /// Why the last claim found the catalog closed.
    closed: Option<Closed>,
}

impl Keeper {
    async fn keep(&mut self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            let pause = self.step().await;
            let _ = stop.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
        self.release().await;
    }

    /// Claims or renews the lease once. Returns how long to wait before the next step.
    async fn step(&mut self) -> Duration {
        let (sent, state) = (Clocks::now(), *self.state.borrow());
        let (pause, renewal) = (PAUSE.min(self.length / RENEWAL), self.length / RENEWAL);
        match state {
            NodeState::Standby => {
                let claimed = self.lease.claim().await;
                let next = if claimed.is_ok() { pause } else { renewal };
                self.claimed(sent, claimed);
                next
            }
            NodeState::Active { epoch } => {
                let renewed = self.lease.renew(epoch).await;
                let next = if renewed.is_ok() { renewal } else { pause };
                self.renewed(sent, renewed);
                next
            }
            NodeState::Lost => renewal,
        }
    }

    fn claimed(&mut self, sent: Clocks, claimed: Result<Claimed>) {
        if claimed.is_ok() {
            self.metrics.database_answered(sent.steady);
        }
        match claimed {
            Ok(Claimed::Taken { epoch }) => {
                tracing::info!(epoch, "this node is active");
                self.deadline.set(sent, may_write_for(self.length));
                self.active.send_replace(None);
                self.metrics.took_lease(epoch);
                self.state.send_replace(NodeState::Active { epoch });
            }
            Ok(Claimed::HeldBy { address }) => {
                self.readable.send_replace(true);
                let is_other = address != self.address;
                self.watch_address(is_other, sent.steady);
                // This node was active before it ended: requests wait here until a node is active.
                self.forward_to(is_other.then_some(address));
            }
            Ok(Claimed::Closed(closed)) => self.stand_by_while(closed),
            Err(error) => {
                warn("claimed", &error);
                if !self.metrics.reaches_database(sent.steady) {
                    self.readable.send_replace(false);
                }
            }
        }
    }

    /// Logs an error, once, if another process has had the lease under the address of this node for longer than a lease: it is no
    /// former process of this node then.
    fn watch_address(&mut self, is_other: bool, now: Instant) {
        if is_other {
            self.address_held_since = None;
            return;
        }
        let since = *self.address_held_since.get_or_insert(now);
        if now.duration_since(since) > self.length && !std::mem::replace(&mut self.has_warned, true) {
            tracing::error!(
                address = self.address,
                "the active node has the address of this one; cluster.address must be that of its own node"
            );
        }
    }

    fn forward_to(&self, address: Option<String>) {
        self.active.send_if_modified(|active| {
            let is_new = *active != address;
            *active = address;
            is_new
        });
    }

    /// Lets requests wait, or be forwarded to the service that has the memory until it is copied.
    fn stand_by_while(&mut self, closed: Closed) {
        self.readable.send_replace(false);
        if self.closed.as_ref() != Some(&closed) {
            match &closed {
                Closed::Copying { .. } => {
                    tracing::info!("this node stands by until `annals adopt` has copied a memory");
                }
                Closed::Moved { to, .. } => {
                    tracing::error!(to, "`annals adopt` has moved this memory; this node stands by");
                }
            }
        }
        self.forward_to(match &closed {
            Closed::Copying { service, .. } => service.clone(),
            Closed::Moved { .. } => None,
        });
        self.closed = Some(closed);
    }

    /// Takes over the result of a renewal. An error does not lose the lease: as long as no other node has taken it, a later
    /// renewal succeeds.
    fn renewed(&mut self, sent: Clocks, renewed: Result<bool>) {
        if renewed.is_ok() {
            self.metrics.database_answered(sent.steady);
        }
        match renewed {
            Ok(true) => self.deadline.set(sent, may_write_for(self.length)),
            Ok(false) => {
                self.deadline.clear();
                self.metrics.lost_lease();
                self.state.send_replace(NodeState::Lost);
            }
            Err(error) => warn("renewed", &error),
        }
    }

    /// Waits until no write to the bucket is under way, at most for the time limit of a write. Then releases the lease. If that
    /// fails, only logs a warning.
    async fn release(&mut self) {
        self.deadline.clear();
        self.metrics.lost_lease();
        let _ = timeout(self.length - may_write_for(self.length), self.writes.write()).await;
        if let Err(error) = self.lease.release().await {
            warn("released", &error);
        }
    }
}

fn warn(done: &str, error: &Error) {
    tracing::warn!(error = chain(error), "the lease of the cluster could not be {done}");
}
