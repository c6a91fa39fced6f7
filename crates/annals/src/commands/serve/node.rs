//! `annals serve` as a node of a cluster: stands by, takes the lease, and then serves as a service without a cluster does.

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Embedder, Error, Result};
use annals_server::cluster::{Standby, StandbyEmbedder, StandbyListeners, stand_by};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Process, bind, notify_ready, require_key};
use crate::cluster::Membership;
use crate::console::announce;
use crate::folder::{Claim, Folder, Opening};
use crate::replica::{ReplicaSource, StandbyReplica};
use crate::view::{BOLD, DIM};
use crate::{embedders, entailment, ipc};

impl Process<'_> {
    /// Stands by until this node is active, then opens the folder and serves it.
    pub(super) async fn serve_as_node(&self, claim: Claim, opening: Opening) -> Result<()> {
        // Fails before the node can take the lease: a node without its model must not keep the lease from the others.
        // An endpoint may be down now, and its number of components may be known from the catalog.
        let embedder = embedders::for_standby(claim.path(), &opening.embedder)?;
        entailment::check(claim.path(), opening.models.grounding.as_ref(), &opening.embedder, true)?;
        let source = replica_source(&opening, claim.path(), embedder.clone());
        source.refuse_other_bucket(self.config).await?;
        let listener = bind(self.server.listen).await?;
        let standby_listeners = self.standby_listeners(&listener, claim.path())?;
        let node = Membership::join(self.config)?;
        let forwarding = self.stop.child_token();
        let forwarded = self.forward(standby_listeners, &node, forwarding.clone());
        let standby_tasks =
            [self.answer_searches(source, &opening, &node), self.embed_for_active_node(embedder, &node)];
        greet_as_node(&listener, self.global.json);
        notify_ready();
        let lease = self.stop.run_until_cancelled(node.lease()).await;
        // Frees the model and the copies of tables, which the folder opens again.
        for task in standby_tasks {
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
    fn answer_searches(&self, source: ReplicaSource, opening: &Opening, node: &Membership) -> JoinHandle<()> {
        let key = self.config.cluster.key.clone().filter(|_| opening.models.rerank.is_none());
        let (server, node, readable) = (self.server.clone(), node.standby(), node.readable());
        tokio::spawn(async move {
            if let Some(key) = key {
                StandbyReplica { source, server, node, readable, key }.run().await;
            }
        })
    }
}

/// Returns where a standby node reads what it searches.
fn replica_source(opening: &Opening, data: &Path, embedder: Option<Arc<dyn Embedder>>) -> ReplicaSource {
    ReplicaSource {
        data: data.to_owned(),
        catalog: opening.catalog.clone(),
        objects: opening.objects.clone(),
        settings: opening.embedder.clone(),
        embedder,
        limits: opening.limits.clone(),
        clock: opening.clock.clone(),
    }
}

/// Returns a second handle of a listener. Connections go to either.
fn copy(listener: &TcpListener) -> std::io::Result<TcpListener> {
    let copy = std::net::TcpListener::from(listener.as_fd().try_clone_to_owned()?);
    TcpListener::from_std(copy)
}

/// Prints the address of a node of a cluster, which may stand by for long.
fn greet_as_node(listener: &TcpListener, json: bool) {
    let Ok(address) = listener.local_addr().map(|address| format!("http://{address}")) else { return };
    if json {
        let greeting = serde_json::json!({ "address": address, "pid": std::process::id() });
        return announce(&format!("{greeting}"));
    }
    announce(&format!(
        "{BOLD}{address}{BOLD:#}  {DIM}a node of a cluster: it serves, or forwards requests to the active node{DIM:#}"
    ));
}
