//! Makes the calls of a command: in this process, over the folder that it opens, or in the process that owns the folder. Both
//! run the same operations and give the same answers. Progress is shown here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use annals_core::{Error, Result, Settings, Timestamp, Zones};
use annals_server::exit_codes_and_statuses::INTERRUPTED;
pub(crate) use annals_server::ipc::Items;
use annals_server::ipc::{self as server_ipc, Options};
use annals_server::rest::chain;
use annals_service::calls::{Call, Context, GetSettings, Input, Output, SendsItems};
use annals_service::wire::SettingsView;
use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::empty;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::cli::Global;
use crate::commands::{data, now};
use crate::config::{ClusterConfig, Config};
use crate::failure::print as print_error;
use crate::folder::{Claim, Folder, Opening};
use crate::host::FolderHost;
use crate::ipc;
use crate::progress::Bars;

/// Time between two attempts to lock a folder that another command uses.
const STEP: Duration = Duration::from_millis(100);

/// Makes calls on the memory of a data folder.
pub(crate) struct Client {
    way: Way,
    data: PathBuf,
    now: Timestamp,
    bars: Bars,
}

enum Way {
    /// This process owns the folder.
    Here(Box<FolderHost>),
    /// Another process owns the folder. It uses its own clock, unless the command names a time.
    There { now: Option<Timestamp> },
}

impl Client {
    /// Connects to the owner of the data folder. If there is none, opens the folder, which must exist unless its catalog is in
    /// a database.
    pub(crate) async fn open(global: &Global) -> Result<Client> {
        Client::open_at(global, false).await
    }

    /// Connects to the owner of the data folder. If there is none, opens the folder, and creates it if it does not exist.
    pub(crate) async fn open_or_create(global: &Global) -> Result<Client> {
        Client::open_at(global, true).await
    }

    async fn open_at(global: &Global, create: bool) -> Result<Client> {
        if let Some(running) = Client::running(global).await? {
            return Ok(running);
        }
        let data = data(global)?;
        let config = Config::load(global, &data)?;
        let create = create || config.catalog.url.is_some();
        let claim = match wait_for_folder(global, &data, create, &config.cluster).await? {
            Owner::Service(client) => return Ok(client),
            Owner::ThisProcess(claim) => claim,
        };
        let by_hand = Opening::by_hand(config.models, config.embedder, now(global));
        let opening = Opening { catalog: config.catalog, objects: config.objects, ..by_hand };
        let folder = Folder::open_claimed(claim, opening).await?;
        if let Err(error) = folder.service().finish_forgetting(folder.now()).await {
            print_error(&format!(
                "annals: what an interrupted `forget` erased is still in the files: {}",
                chain(&error)
            ));
        }
        Ok(Client::here(folder, global))
    }

    /// Connects to the owner of the data folder, if there is one.
    pub(crate) async fn running(global: &Global) -> Result<Option<Client>> {
        let data = data(global)?;
        let way = Way::There { now: global.now };
        let running = ipc::owner(&data).await;
        Ok(running.map(|_| Client { way, data, now: now(global), bars: Bars::new(global.json) }))
    }

    /// Makes calls over a folder that this process has opened.
    pub(crate) fn here(folder: Folder, global: &Global) -> Client {
        let (data, now) = (folder.path().to_owned(), folder.now());
        let way = Way::Here(Box::new(FolderHost { folder, scheduler: None, operator: None }));
        Client { way, data, now, bars: Bars::new(global.json) }
    }

    /// Makes a call and returns its answer.
    pub(crate) async fn call<C: Call>(&self, request: C) -> Result<C::Answer> {
        self.exchange(request, empty().boxed(), &mut |_| Ok(())).await
    }

    /// Makes a call that sends items before its answer, and passes each to `take`.
    pub(crate) async fn each<C: SendsItems>(
        &self,
        request: C,
        mut take: impl FnMut(C::Item) -> Result<()> + Send,
    ) -> Result<C::Answer> {
        let unreadable = |cause| Error::storage(format!("reading an item of {}", C::NAME), cause);
        let mut parse = |item| take(serde_json::from_value(item).map_err(unreadable)?);
        self.exchange(request, empty().boxed(), &mut parse).await
    }

    /// Makes a call with items of input.
    pub(crate) async fn call_with<C: Call>(&self, request: C, input: Items) -> Result<C::Answer> {
        self.exchange(request, input, &mut |_| Ok(())).await
    }

    async fn exchange<C: Call>(
        &self,
        request: C,
        input: Items,
        output: &mut (dyn FnMut(Value) -> Result<()> + Send),
    ) -> Result<C::Answer> {
        match &self.way {
            Way::Here(host) => {
                let context = Context {
                    host: &**host,
                    now: self.now,
                    progress: &self.bars,
                    input: &mut LocalInput(input),
                    output: &mut LocalOutput(output),
                };
                let answer = request.run(context).await?;
                host.folder.service().flush_access_counts().await;
                Ok(answer)
            }
            Way::There { now } => {
                let gone = || Error::storage("calling the running service", "it does not answer any more");
                let owner = ipc::owner(&self.data).await.ok_or_else(gone)?;
                server_ipc::call(owner, &request, Options { now: *now, progress: &self.bars, input, output }).await
            }
        }
    }

    /// Returns the time zones of an agent, to show local times.
    pub(crate) async fn zones(&self, agent: &str) -> Result<Zones> {
        let SettingsView { time_zone, time_zones, .. } = self.call(GetSettings { agent: agent.to_owned() }).await?;
        let mut zones = time_zones.into_iter();
        let first = zones.next().map_or(time_zone, |zone| zone.time_zone);
        let later = zones.filter_map(|zone| Some((zone.from?.parse().ok()?, zone.time_zone))).collect();
        Settings { time_zone: first, later_zones: later, ..Settings::default() }.zones()
    }

    /// Makes the first Ctrl-C stop the next operation once its current step is saved, and the second stop the process. An
    /// operation in a running service continues; Ctrl-C then stops only this command. Returns a flag that the first Ctrl-C
    /// sets; it stays false if a running service does the work.
    pub fn stop_on_interrupt(&self) -> Arc<AtomicBool> {
        let stop = self.bars.stop.clone();
        if let Way::Here(_) = self.way {
            let stop = stop.clone();
            tokio::spawn(async move {
                if tokio::signal::ctrl_c().await.is_ok() {
                    stop.store(true, Ordering::Relaxed);
                    print_error("Stopping when the summary under way is saved; Ctrl-C again stops at once.");
                    let _ = tokio::signal::ctrl_c().await;
                    std::process::exit(INTERRUPTED.into());
                }
            });
        }
        stop
    }

    /// Returns the time of `--now`, or else the time when the command began.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn data(&self) -> &Path {
        &self.data
    }
}

/// Who owns a data folder.
enum Owner {
    Service(Client),
    ThisProcess(Claim),
}

/// Takes the folder for this process, unless a service owns it. While another command owns it, tries again until the lock
/// timeout has passed. A node that stands by keeps its folder, so nobody waits for it.
async fn wait_for_folder(global: &Global, data: &Path, create: bool, cluster: &ClusterConfig) -> Result<Owner> {
    let timeout = if cluster.node().is_some() { 0 } else { global.lock_timeout };
    let deadline = Instant::now() + Duration::from_secs(timeout);
    let mut told = false;
    loop {
        let in_use = match Claim::take(data, create) {
            Ok(claim) => return Ok(Owner::ThisProcess(claim)),
            Err(error @ Error::InUse { .. }) if Instant::now() < deadline => error,
            Err(error) => return Err(beside_a_node(error, cluster)),
        };
        // Programs read standard error as JSON.
        if !told && !global.json {
            print_error(&format!("annals: {in_use}; waiting up to {timeout} s for it (--lock-timeout)"));
            told = true;
        }
        sleep(STEP).await;
        if let Some(client) = Client::running(global).await? {
            return Ok(Owner::Service(client));
        }
    }
}

/// Explains why a command cannot use the folder of a node that stands by. Leaves other errors as they are.
fn beside_a_node(error: Error, cluster: &ClusterConfig) -> Error {
    match error {
        Error::InUse { folder, owner } if cluster.node().is_some() => {
            let stands_by = ", a node of a cluster that stands by; run the command where the active node is, or set cluster.key on \
                             all nodes";
            Error::InUse { folder, owner: owner + stands_by }
        }
        other => other,
    }
}

/// Items of input within this process.
struct LocalInput(Items);

#[async_trait]
impl Input for LocalInput {
    async fn next(&mut self) -> Result<Option<Value>> {
        self.0.next().await.transpose()
    }
}

/// Receives items of output within this process.
struct LocalOutput<'a>(&'a mut (dyn FnMut(Value) -> Result<()> + Send));

#[async_trait]
impl Output for LocalOutput<'_> {
    async fn send(&mut self, item: Value) -> Result<()> {
        (self.0)(item)
    }
}
