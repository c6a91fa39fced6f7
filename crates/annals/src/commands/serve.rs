//! `annals serve`: runs the service over HTTP and MCP, with its scheduled jobs, until SIGINT or SIGTERM. Takes the data
//! folder over from a service that `annals mcp` started. What else a node of a cluster does is in `node`.

mod node;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use annals_catalog::read_ahead;
use annals_core::{Error, Result, Timestamp};
use annals_embedder::Runtime;
use annals_llm::{EmbedderChoice, EmbedderSettings};
use annals_server::Listeners;
use annals_server::cluster::NodeRoutes;
use annals_server::config::ServerConfig;
use annals_service::backup::CATALOG;
use annals_service::jobs::{Moment, Scheduler};
use annals_service::metrics::NodeMetrics;
use annals_strata::CacheLimits;
use jiff::SignedDuration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::data;
use crate::catalog::Catalog;
use crate::cli::{Global, Serve};
use crate::clock::clock_is_synchronised;
use crate::config::Config;
use crate::console::announce;
use crate::embedders::runtime;
use crate::folder::{Claim, Folder, Opening};
use crate::host::{FolderHost, Operator};
use crate::ipc;
use crate::jobs;
use crate::takeover;
use crate::view::{BOLD, DIM};

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
        let greeting = serde_json::json!({ "serving": data, "address": address, "pid": std::process::id() });
        return announce(&format!("{greeting}"));
    }
    match address {
        Some(address) => {
            announce(&format!("{BOLD}{address}{BOLD:#}  {DIM}memory in {data}{DIM:#}"));
            announce(&format!(
                "{DIM}Look at it in a browser · API: {address}/docs · MCP: {address}/mcp · Ctrl-C stops it.{DIM:#}"
            ));
        }
        None => announce(&format!("{DIM}memory in {data}, for this user's processes only{DIM:#}")),
    }
}
