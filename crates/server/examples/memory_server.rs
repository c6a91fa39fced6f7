//! The service over stores in memory, for trying clients without a data folder: its data is lost when it exits.
//!
//! `memory_server [--key] [ADDRESS] [SOCKET]` prints the address it listens on; with `--key` also a key with all scopes,
//! which every request then needs. `memory_server --mcp AGENT SOCKET` is a stdio client of that process, as `annals mcp` is a
//! client of the process that owns a data folder.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "an example, not the product")]

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::ports::Scope;
use annals_core::{Error, Timestamp};
use annals_retention::Plans;
use annals_server::config::ServerConfig;
use annals_server::{Listeners, mcp, serve};
use annals_service::config::Limits;
use annals_service::wire::NewKey;
use annals_service::{Components, Parts, Service};
use annals_summarizer::SchedulePolicy;
use annals_testkit::{MemoryCatalog, MemoryFacts, MemoryStrata, QuotingEngine, ThreeWords, WordEmbedder, one_embedder};
use axum::Router;
use secrecy::ExposeSecret;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--mcp", agent, socket] => {
            let failed = |cause| Error::storage("connecting to the socket", cause);
            let connect = async || UnixStream::connect(socket).await.map_err(failed);
            let relayed = mcp::relay(connect, Some(agent), &Scope::ALL).await;
            std::process::exit(i32::from(relayed.is_err()));
        }
        ["--key", rest @ ..] => run(rest, true).await,
        rest => run(rest, false).await,
    }
}

async fn run(arguments: &[&str], with_key: bool) -> std::io::Result<()> {
    let (address, socket) = (arguments.first().copied().unwrap_or("127.0.0.1:0"), arguments.get(1).map(PathBuf::from));
    let service = service();
    let listener = TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    if with_key {
        println!("{}", new_key(&service).await);
    }
    let unix = socket.map(UnixListener::bind).transpose()?.map(|listener| (listener, Router::new()));
    let stop = CancellationToken::new();
    serve(service, &ServerConfig::default(), Listeners { host: None, tcp: Some(listener), for_nodes: None, unix }, stop)
        .await
}

/// Adds a key with all scopes and returns its text.
async fn new_key(service: &Service) -> String {
    let request = NewKey {
        name: "client".into(),
        workspace: "default".into(),
        scopes: Scope::ALL.into(),
        agents: Vec::new(),
        expires_at: None,
        daily_tokens: None,
    };
    let (issued, _) = service.add_key(request, Timestamp::now(), getrandom::fill).await.unwrap();
    issued.text.expose_secret().to_owned()
}

/// Returns a service over empty stores, with limits that no client reaches.
fn service() -> Service {
    let parts = Parts::over(Components {
        store: Arc::new(MemoryCatalog::new()),
        strata: Arc::new(MemoryStrata::new()),
        facts: Arc::new(MemoryFacts::new()),
        embedders: one_embedder(WordEmbedder::new()),
        engine: Arc::new(QuotingEngine),
        fallback_engine: Arc::new(QuotingEngine),
        extractor: Arc::new(ThreeWords),
        fallback_extractor: Arc::new(ThreeWords),
        plans: Plans::built_in(),
        schedule: SchedulePolicy::default(),
        clock: Arc::new(Timestamp::now),
        folder: None,
    });
    let limits = Limits { requests_per_minute: 1_000_000, burst: 1_000_000, concurrent: 1000, ..Limits::default() };
    Service::new(Parts { limits, ..parts })
}
