//! `annals serve`: runs the service over HTTP and MCP, with its scheduled jobs, until SIGINT or SIGTERM. Takes the data
//! folder over from a service that `annals mcp` started.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use annals_catalog::read_ahead;
use annals_core::{Error, Result, Timestamp};
use annals_embedder::Runtime;
use annals_llm::{EmbedderChoice, EmbedderSettings};
use annals_server::Listeners;
use annals_server::config::ServerConfig;
use annals_service::jobs::{AlarmClock, Moment};
use annals_strata::CacheLimits;
use jiff::SignedDuration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::data;
use crate::catalog::{self, Catalog};
use crate::cli::{Global, Serve};
use crate::config::Config;
use crate::embedders::runtime;
use crate::folder::{Claim, Folder, Opening, clock_is_synchronised};
use crate::host::{FolderHost, Operator};
use crate::ipc;
use crate::jobs;
use crate::takeover;
use crate::view::{BOLD, DIM, say};

/// A day is rolled up only after this time without new messages.
const QUIET: SignedDuration = SignedDuration::from_mins(5);

pub(crate) async fn run(global: &Global, args: &Serve) -> Result<ExitCode> {
    let data = data(global)?;
    let config = Config::load(global, &data)?;
    let server = ServerConfig { listen: args.listen.unwrap_or(config.server.listen), ..config.server.clone() };
    let clock = clock(global);
    let (models, embedder, limits) = (config.models.clone(), config.embedder.clone(), config.limits.clone());
    log_runtime(&config.embedder);
    let opening = Opening {
        catalog: config.catalog.clone(),
        objects: config.objects.clone(),
        models,
        embedder,
        must_embed: true,
        limits,
        quiet: QUIET,
        clock: clock.clone(),
    };
    let claim = match args.local {
        true => Claim::take(&data, true)?,
        false => takeover::claim(&data, Duration::from_secs(server.drain_seconds.into())).await?,
    };
    let folder = Folder::open_claimed(claim, opening).await?;
    match folder.catalog() {
        Catalog::File(_) => read_ahead(folder.path().join(catalog::FILE), CacheLimits::of_machine().bytes),
        database => database.log_durability().await?,
    }
    let alarms = jobs::alarms(&folder, &config)?;
    let tcp = if args.local { None } else { Some(listen(&folder, &server).await?) };
    let unix = ipc::listen(folder.path())?;
    let stop = CancellationToken::new();
    stop_on_signal(stop.clone())?;
    if let Some(seconds) = args.exit_when_idle {
        folder.service().stop_when_idle(seconds, stop.clone());
    }
    greet(&folder, tcp.as_ref(), global.json);
    let moment = move || Moment { now: clock(), synchronised: clock_is_synchronised() };
    let alarm_clock = Arc::new(AlarmClock::start(alarms, Arc::new(moment)).await?);
    let operator =
        Operator { backup: config.backup.clone(), global: global.clone(), examination: tokio::sync::Mutex::new(()) };
    let host = FolderHost { folder: folder.clone(), alarm_clock: Some(alarm_clock.clone()), operator: Some(operator) };
    let host = Arc::new(host);
    let release = annals_server::ipc::release_route(args.local.then(|| stop.clone()));
    let unix = Some((unix, annals_server::ipc::route(host.clone()).merge(release)));
    let listeners = Listeners { host: Some(host), tcp, unix };
    // Ignores the error outside systemd, where there is no socket to notify.
    let _ = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    let served = annals_server::serve(folder.service().clone(), &server, listeners, stop).await;
    let drain = Duration::from_secs(server.drain_seconds.into());
    for job in alarm_clock.shutdown(drain).await {
        tracing::warn!(job, "job interrupted by the shutdown; it continues after the next start");
    }
    let _ = std::fs::remove_file(ipc::socket(folder.path()));
    served.map_err(|cause| Error::storage("serving", cause))?;
    Ok(ExitCode::SUCCESS)
}

/// Logs which runtime computes vectors, because embedding is slower without ONNX Runtime's library.
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
    let address = config.listen;
    if let Some(because) = config.reachable_because()
        && !folder.service().has_valid_key(folder.now()).await?
    {
        let reason = format!(
            "is reachable from other machines, because {because}, but there is no key; create one with `annals key add NAME`"
        );
        return Err(Error::invalid("the service", reason));
    }
    TcpListener::bind(address).await.map_err(|cause| match cause.kind() {
        std::io::ErrorKind::AddrInUse => Error::AddressInUse { address: address.to_string() },
        _ => Error::storage(format!("cannot listen on {address}"), cause),
    })
}

/// Cancels `stop` on SIGINT (Ctrl-C) or SIGTERM (systemd, containers).
fn stop_on_signal(stop: CancellationToken) -> Result<()> {
    let wrong = |cause| Error::storage("listening for signals", cause);
    let mut interrupt = signal(SignalKind::interrupt()).map_err(wrong)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(wrong)?;
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        stop.cancel();
    });
    Ok(())
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
