//! `annals serve`: runs the service over HTTP and MCP, with its scheduled jobs, until SIGINT or SIGTERM. Takes the data
//! folder over from a service that `annals mcp` started.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use annals_catalog::read_ahead;
use annals_core::{Embedder, Error, Result, Timestamp};
use annals_embedder::Runtime;
use annals_llm::{EmbedderChoice, EmbedderSettings};
use annals_server::config::ServerConfig;
use annals_server::ipc::StandbyEmbedder;
use annals_server::{Listeners, NodeRoutes, Standby, StandbyListeners, stand_by};
use annals_service::backup::CATALOG;
use annals_service::jobs::{Moment, Scheduler};
use annals_service::metrics::NodeMetrics;
use annals_strata::CacheLimits;
use jiff::SignedDuration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::data;
use crate::catalog::Catalog;
use crate::cli::{Global, Serve};
use crate::cluster::Membership;
use crate::config::Config;
use crate::embedders::{self, runtime};
use crate::entailment;
use crate::folder::{Claim, Folder, Opening, clock_is_synchronised};
use crate::host::{FolderHost, Operator};
use crate::ipc;
use crate::jobs;
use crate::replica::{ReplicaSource, StandbyReplica};
use crate::takeover;
use crate::view::{BOLD, DIM, say};

/// A day is rolled up only after this time without new messages.
const QUIET: SignedDuration = SignedDuration::from_mins(5);

pub(crate) async fn run(global: &Global, args: &Serve) -> Result<ExitCode> {
    let data = data(global)?;
    let config = Config::load(global, &data)?;
    let server = ServerConfig { listen: args.listen.unwrap_or(config.server.listen), ..config.server.clone() };
    log_runtime(&config.embedder);
    let opening = Opening {
        catalog: config.catalog.clone(),
        objects: config.objects.clone(),
        lease: None,
        models: config.models.clone(),
        embedder: config.embedder.clone(),
        must_open_models: true,
        limits: config.limits.clone(),
        quiet: QUIET,
        clock: clock(global),
    };
    let drain = Duration::from_secs(server.drain_seconds.into());
    let claim = if args.local { Claim::take(&data, true)? } else { takeover::claim(&data, drain).await? };
    let process = Process { global, args, config: &config, server: &server, stop: stop_on_signal()? };
    if config.cluster.node().is_some() && !args.local {
        process.serve_as_node(claim, opening).await?;
    } else {
        let folder = Folder::open_claimed(claim, opening).await?;
        let tcp = if args.local { None } else { Some(listen(&folder, &server).await?) };
        process.serve(folder, tcp, None).await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Arguments and configuration of `annals serve`, and its stop signal.
struct Process<'a> {
    global: &'a Global,
    args: &'a Serve,
    config: &'a Config,
    server: &'a ServerConfig,
    /// Cancelled by SIGINT or SIGTERM.
    stop: CancellationToken,
}

impl Process<'_> {
    /// Stands by until this node is active, then opens the folder and serves it.
    async fn serve_as_node(&self, claim: Claim, opening: Opening) -> Result<()> {
        // Fails before the node can take the lease: a node without its model must not keep the lease from the others.
        // An endpoint may be down now, and its number of components may be known from the catalog.
        let embedder = embedders::for_standby(claim.path(), &opening.embedder)?;
        entailment::check(claim.path(), opening.models.grounding.as_ref(), &opening.embedder, true)?;
        let listener = bind(self.server.listen).await?;
        let standby_listeners = self.standby_listeners(&listener, claim.path())?;
        let node = Membership::join(self.config)?;
        let forwarding = self.stop.child_token();
        let forwarded = self.forward(standby_listeners, &node, forwarding.clone());
        let replicating = self.answer_searches(&opening, claim.path(), embedder.clone(), &node);
        let embedding = self.embed_for_active_node(embedder, &node);
        greet_as_node(&listener, self.global.json);
        notify_ready();
        let lease = self.stop.run_until_cancelled(node.lease()).await;
        // Frees the model and the copies of tables, which the folder opens again.
        for task in [replicating, embedding] {
            task.abort();
            let _ = task.await;
        }
        node.standby().replica.close();
        let Some(lease) = lease else {
            let drain = Duration::from_secs(self.server.drain_seconds.into());
            let _ = tokio::time::timeout(drain, forwarded).await;
            node.leave().await;
            return Ok(());
        };
        node.start_again_when_lost(self.stop.clone());
        let folder = match Folder::open_claimed(claim, Opening { lease: Some(lease), ..opening }).await {
            Ok(folder) => folder,
            Err(error) => return node.cannot_serve(error, &self.stop).await,
        };
        let served = match require_key(&folder, self.server).await {
            Ok(()) => {
                node.announce();
                forwarding.cancel();
                self.serve(folder, Some(listener), Some(node.metrics())).await
            }
            refused => refused,
        };
        node.leave().await;
        served
    }

    /// Returns the listeners for requests to forward: the same address and, if there is a key of the cluster, the
    /// socket in the folder, for commands.
    fn standby_listeners(&self, tcp: &TcpListener, data: &Path) -> Result<StandbyListeners> {
        let tcp = copy(tcp).map_err(|cause| Error::storage("listening for requests to forward", cause))?;
        let key = self.config.cluster.key.clone();
        let unix = key.map(|key| Ok::<_, Error>((ipc::listen(data)?, key))).transpose()?;
        Ok(StandbyListeners { tcp, unix })
    }

    /// Forwards requests until the token is cancelled. The task then ends with the last answer.
    fn forward(&self, listeners: StandbyListeners, node: &Membership, until: CancellationToken) -> JoinHandle<()> {
        let (server, standby) = (self.server.clone(), node.standby());
        tokio::spawn(async move {
            if let Err(error) = stand_by(listeners, &server, standby, until).await {
                tracing::error!(%error, "requests cannot be forwarded");
            }
        })
    }

    /// Embeds texts for the active node until the task is aborted. Does nothing without a key of the cluster.
    fn embed_for_active_node(&self, embedder: Option<Arc<dyn Embedder>>, node: &Membership) -> JoinHandle<()> {
        let (key, Standby { active, metrics, .. }) = (self.config.cluster.key.clone(), node.standby());
        let node = embedder.zip(key).map(|(embedder, key)| StandbyEmbedder { active, key, embedder, metrics });
        tokio::spawn(async move {
            if let Some(node) = node {
                node.run().await;
            }
        })
    }

    /// Answers searches from copies until the task is aborted. Does nothing without a key of the cluster, or with a reranking
    /// model, whose calls only the active node can book.
    fn answer_searches(
        &self,
        opening: &Opening,
        data: &Path,
        embedder: Option<Arc<dyn Embedder>>,
        node: &Membership,
    ) -> JoinHandle<()> {
        let source = ReplicaSource {
            data: data.to_owned(),
            catalog: opening.catalog.clone(),
            objects: opening.objects.clone(),
            settings: opening.embedder.clone(),
            embedder,
            limits: opening.limits.clone(),
            clock: opening.clock.clone(),
        };
        let key = self.config.cluster.key.clone().filter(|_| opening.models.rerank.is_none());
        let (server, node, readable) = (self.server.clone(), node.standby(), node.readable());
        tokio::spawn(async move {
            if let Some(key) = key {
                StandbyReplica { source, server, node, readable, key }.run().await;
            }
        })
    }

    async fn serve(&self, folder: Folder, tcp: Option<TcpListener>, node: Option<&NodeMetrics>) -> Result<()> {
        match folder.catalog() {
            Catalog::File(_) => {
                read_ahead(folder.path().join(CATALOG), CacheLimits::of_machine().bytes);
            }
            database => database.log_durability().await?,
        }
        let scheduled = jobs::scheduled_jobs(&folder, self.config)?;
        let unix = ipc::listen(folder.path())?;
        greet(&folder, tcp.as_ref(), self.global.json);
        if let Some(seconds) = self.args.exit_when_idle {
            folder.service().stop_when_idle(seconds, self.stop.clone());
        }
        let clock = clock(self.global);
        let moment = move || Moment { now: clock(), synchronised: clock_is_synchronised() };
        let scheduler = Arc::new(Scheduler::start(scheduled, Arc::new(moment)).await?);
        let operator = Operator {
            backup: self.config.backup.clone(),
            global: self.global.clone(),
            examination: tokio::sync::Mutex::new(()),
        };
        let host = FolderHost { folder: folder.clone(), scheduler: Some(scheduler.clone()), operator: Some(operator) };
        let host = Arc::new(host);
        let release = annals_server::ipc::release_route(self.args.local.then(|| self.stop.clone()));
        let unix = Some((unix, annals_server::ipc::route(host.clone()).merge(release)));
        let key_of_nodes = self.config.cluster.key.clone();
        let queue = folder.embedding_queue();
        let service = folder.service().clone();
        let for_nodes =
            node.map(|metrics| NodeRoutes::new(metrics.clone(), host.clone(), service, queue.clone(), key_of_nodes));
        let stop = self.stop.clone();
        tokio::spawn(async move {
            stop.cancelled().await;
            queue.close();
        });
        let listeners = Listeners { host: Some(host), tcp, for_nodes, unix };
        notify_ready();
        let served = annals_server::serve(folder.service().clone(), self.server, listeners, self.stop.clone()).await;
        let drain = Duration::from_secs(self.server.drain_seconds.into());
        for job in scheduler.shutdown(drain).await {
            tracing::warn!(job, "job interrupted by the shutdown; it continues after the next start");
        }
        let _ = std::fs::remove_file(ipc::socket(folder.path()));
        served.map_err(|cause| Error::storage("serving", cause))
    }
}

/// Tells systemd that the service is ready. Ignores the error outside systemd, where there is no socket to notify.
fn notify_ready() {
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
}

/// Returns a second handle of a listener. Connections go to either.
fn copy(listener: &TcpListener) -> std::io::Result<TcpListener> {
    let copy = std::net::TcpListener::from(listener.as_fd().try_clone_to_owned()?);
    TcpListener::from_std(copy)
}

/// Logs which runtime computes vectors, because embedding is slower without ONNX Runtime's library. Logs nothing if an endpoint
/// embeds.
fn log_runtime(settings: &EmbedderSettings) {
    match (&settings.choice, runtime(settings)) {
        (EmbedderChoice::Endpoint(_), _) => {}
        (_, Runtime::Rten) => tracing::warn!("vectors are computed by {}", Runtime::Rten.describe()),
        (_, runtime) => tracing::info!("vectors are computed by {}", runtime.describe()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a service lives on the machine's clock; it is handed down from here")]
fn clock(global: &Global) -> annals_service::Clock {
    match global.now {
        Some(now) => Arc::new(move || now),
        None => Arc::new(Timestamp::now),
    }
}

/// Listens on the address. Fails if others can reach the service and no valid key exists.
async fn listen(folder: &Folder, config: &ServerConfig) -> Result<TcpListener> {
    require_key(folder, config).await?;
    bind(config.listen).await
}

async fn require_key(folder: &Folder, config: &ServerConfig) -> Result<()> {
    let Some(because) = config.reachable_because() else { return Ok(()) };
    if folder.service().has_valid_key(folder.now()).await? {
        return Ok(());
    }
    let reason = format!(
        "is reachable from other machines, because {because}, but there is no key; create one with `annals key add NAME`"
    );
    Err(Error::invalid("the service", reason))
}

async fn bind(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|cause| match cause.kind() {
        std::io::ErrorKind::AddrInUse => Error::AddressInUse { address: address.to_string() },
        _ => Error::storage(format!("cannot listen on {address}"), cause),
    })
}

/// Returns a token that SIGINT (Ctrl-C) or SIGTERM (systemd, containers) cancels.
fn stop_on_signal() -> Result<CancellationToken> {
    let wrong = |cause| Error::storage("listening for signals", cause);
    let mut interrupt = signal(SignalKind::interrupt()).map_err(wrong)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(wrong)?;
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stopped.cancel();
    });
    Ok(stop)
}

fn greet(folder: &Folder, tcp: Option<&TcpListener>, json: bool) {
    let address = tcp.and_then(|listener| listener.local_addr().ok()).map(|address| format!("http://{address}"));
    let data = folder.path().display();
    if json {
        let data = data.to_string();
        return crate::view::print_json(
            &serde_json::json!({ "serving": data, "address": address, "pid": std::process::id() }),
        );
    }
    match address {
        Some(address) => {
            say!("{BOLD}{address}{BOLD:#}  {DIM}memory in {data}{DIM:#}");
            say!("{DIM}Look at it in a browser · API: {address}/docs · MCP: {address}/mcp · Ctrl-C stops it.{DIM:#}");
        }
        None => say!("{DIM}memory in {data}, for this user's processes only{DIM:#}"),
    }
}

/// Prints the address of a node of a cluster, which may stand by for long.
fn greet_as_node(listener: &TcpListener, json: bool) {
    let Ok(address) = listener.local_addr().map(|address| format!("http://{address}")) else { return };
    if json {
        return crate::view::print_json(&serde_json::json!({ "address": address, "pid": std::process::id() }));
    }
    say!(
        "{BOLD}{address}{BOLD:#}  {DIM}a node of a cluster: it serves, or forwards requests to the active node{DIM:#}"
    );
}
