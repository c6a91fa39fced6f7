//! The lease on a database that several nodes share: only the node that holds it uses the catalog.
//!
//! One row names the node, its epoch, and when the lease ends by the server's clock. The node renews the lease over a
//! connection of its own, because the connection of the catalog may be busy for minutes. When the lease has ended, another node
//! may take it: it increments the epoch and ends the former node's session on the catalog. A session of a node begins only
//! under the current epoch (`session.rs`). So a node that has lost the lease cannot change the catalog, even if it has not
//! noticed the loss.
//!
//! A closed catalog gives the lease to no node. So nodes can stand by while a memory is copied into it, and forward requests to
//! the service that has the memory until then.
//!
//! The table is not part of the schema that `schema.rs` migrates: nodes use it before one of them may migrate.

use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tokio_postgres::{Client, Config};

use super::session::{NODE, lock_holders};
use super::{schema, tls};
use crate::closed::{COLUMNS, Closed};
use crate::db::{Error, Failure};

const TABLE: &str = "CREATE TABLE IF NOT EXISTS node_lease (only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    node TEXT NOT NULL, address TEXT NOT NULL, epoch BIGINT NOT NULL, until TIMESTAMPTZ NOT NULL)";

const CLAIM: &str = "INSERT INTO node_lease (node, address, epoch, until)
    VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
    ON CONFLICT (only_row) DO UPDATE
        SET node = excluded.node, address = excluded.address, epoch = node_lease.epoch + 1, until = excluded.until
        WHERE node_lease.until <= clock_timestamp() OR node_lease.node = excluded.node
    RETURNING epoch";

const HOLDER: &str = "SELECT address FROM node_lease";

const PRESENT_HOLDER: &str = "SELECT address FROM node_lease WHERE until > clock_timestamp()";

/// Renews the lease. A lease that has ended is renewed too, if no other node has taken it.
const RENEW: &str = "UPDATE node_lease SET until = clock_timestamp() + make_interval(secs => $3)
    WHERE node = $1 AND epoch = $2";

const RELEASE: &str = "UPDATE node_lease SET until = clock_timestamp() WHERE node = $1";

/// Maximum number of milliseconds to wait for the end of the former node's session.
const ENDING: i64 = 5000;

/// A call may take the length of the lease divided by this. So after a call over a connection that was cut silently, there is
/// time for another call over a new connection.
const LONGEST: u32 = 3;

/// Minimum of the limits on calls and connections, for very short leases.
const SHORTEST: Duration = Duration::from_secs(1);

/// Connecting to one address of the database may take the length of the lease divided by this, so that a call can still try the
/// second or third address.
const CONNECTING: u32 = 12;

/// How a process identifies itself as a node of a cluster.
#[derive(Clone, Debug)]
pub struct Node {
    /// A random id, new for each process.
    pub id: String,
    /// `host:port` at which other nodes reach the process.
    pub address: String,
}

/// A lease that a node has taken. The catalog is opened under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenLease {
    /// The id of the node. It is checked besides the epoch, because a database that lost its last commits in a
    /// fail-over may give the same epoch to two nodes.
    pub node: String,
    pub epoch: i64,
}

/// The outcome of [`Lease::claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The node has taken the lease with this epoch.
    Taken { epoch: i64 },
    /// Another node has the lease, and listens at this address.
    HeldBy { address: String },
    /// No node gets the lease, because the catalog is closed.
    Closed(Closed),
}

/// A connection for the lease. After an error the next call connects again.
pub struct Lease {
    config: Config,
    node: Node,
    length: Duration,
    client: Option<Client>,
    /// Whether the database may have given the lease to this node.
    may_hold: bool,
}

impl Lease {
    /// Prepares the connection to the database of a URL, and sends nothing yet. A lease ends when it was not renewed for
    /// `length`.
    pub fn new(url: &str, node: Node, length: Duration) -> annals_core::Result<Lease> {
        let mut config = schema::config(url)?;
        config.connect_timeout((length / CONNECTING).max(SHORTEST));
        Ok(Lease { config, node, length, client: None, may_hold: false })
    }

    /// Takes the lease if it has ended, if nobody has had it, or if this node has it already; then ends the former node's
    /// session on the catalog. Each claim that takes the lease increments the epoch.
    pub async fn claim(&mut self) -> annals_core::Result<Claimed> {
        let claimed = timeout(self.longest(), self.try_claim()).await;
        self.settle("taking the lease", claimed)
    }

    /// Returns the address of the node that has the lease now, if any has.
    pub async fn holder(&mut self) -> annals_core::Result<Option<String>> {
        let found = timeout(self.longest(), self.present_holder()).await;
        self.settle("reading the lease", found)
    }

    /// Renews the lease that was taken with this epoch. Returns `false` if the lease has been taken again since, in general by
    /// another node.
    pub async fn renew(&mut self, epoch: i64) -> annals_core::Result<bool> {
        let renewed = timeout(self.longest(), self.try_renew(epoch)).await;
        self.settle("renewing the lease", renewed)
    }

    /// Ends the lease, even if the answer to the claim that took it did not arrive. Does nothing if another node has it.
    pub async fn release(&mut self) -> annals_core::Result<()> {
        if !self.may_hold {
            return Ok(());
        }
        let released = timeout(self.longest(), self.try_release()).await;
        self.settle("releasing the lease", released)
    }

    fn longest(&self) -> Duration {
        (self.length / LONGEST).max(SHORTEST)
    }

    async fn try_claim(&mut self) -> Result<Claimed, Error> {
        let (node, seconds) = (self.node.clone(), self.length.as_secs_f64());
        if let Some(closed) = closed(self.connected().await?).await? {
            return Ok(Claimed::Closed(closed));
        }
        self.may_hold = true;
        let client = self.connected().await?;
        let Some(row) = client.query_opt(CLAIM, &[&node.id, &node.address, &seconds]).await? else {
            let address = client.query_one(HOLDER, &[]).await?.get(0);
            self.may_hold = false;
            return Ok(Claimed::HeldBy { address });
        };
        end_former_session(client).await?;
        Ok(Claimed::Taken { epoch: row.get(0) })
    }

    async fn try_renew(&mut self, epoch: i64) -> Result<bool, Error> {
        let (id, seconds) = (self.node.id.clone(), self.length.as_secs_f64());
        Ok(self.connected().await?.execute(RENEW, &[&id, &epoch, &seconds]).await? > 0)
    }

    async fn try_release(&mut self) -> Result<(), Error> {
        let id = self.node.id.clone();
        self.connected().await?.execute(RELEASE, &[&id]).await?;
        self.may_hold = false;
        Ok(())
    }

    async fn present_holder(&mut self) -> Result<Option<String>, Error> {
        let row = self.connected().await?.query_opt(PRESENT_HOLDER, &[]).await?;
        Ok(row.map(|row| row.get(0)))
    }

    async fn connected(&mut self) -> Result<&Client, Error> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            let client = tls::connect(&self.config).await?;
            client.batch_execute(TABLE).await?;
            self.client = Some(client);
        }
        self.client.as_ref().ok_or_else(|| Error::other("the connection was closed"))
    }

    /// Drops the connection after an error or a time-out: it may have been cut.
    fn settle<T>(&mut self, doing: &'static str, done: Result<Result<T, Error>, Elapsed>) -> annals_core::Result<T> {
        let done = done.unwrap_or_else(|_| Err(Error::other("the database does not answer")));
        if done.is_err() {
            self.client = None;
        }
        done.map_err(|error| Failure::from(error).context(doing))
    }
}

/// Returns why the catalog is closed. A new database has no tables yet.
async fn closed(client: &Client) -> Result<Option<Closed>, Error> {
    if !client.query_one("SELECT to_regclass('closed') IS NOT NULL", &[]).await?.get::<_, bool>(0) {
        return Ok(None);
    }
    let row = client.query_opt(&format!("SELECT {COLUMNS} FROM closed"), &[]).await?;
    Ok(row.map(|row| Closed::of(row.get(0), row.get(1), row.get(2), row.get(3))))
}

/// Ends the session that holds the lock of the catalog, if it belongs to a node. The session of a command continues,
/// because commands have no lease.
async fn end_former_session(client: &Client) -> Result<(), Error> {
    let end = format!("SELECT pg_terminate_backend(pid, {ENDING})");
    client.batch_execute(&format!("{end} FROM {} AND application_name = '{NODE}'", lock_holders())).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use annals_core::prelude::*;
    use annals_testkit::{agent, at};

    use super::*;
    use crate::PostgresCatalog;
    use crate::fixture::user_turn;
    use annals_testkit::postgres_server::Schema;

    const LONG: Duration = Duration::from_secs(3600);
    const OVER: Duration = Duration::ZERO;

    /// Returns the lease connection of a node with this name. Its lease lasts for `length`.
    fn node(schema: &Schema, name: &str, length: Duration) -> Lease {
        let node = Node { id: name.to_owned(), address: format!("{name}:7411") };
        Lease::new(&schema.url, node, length).unwrap()
    }

    fn open_as(schema: &Schema, node: &str, epoch: i64) -> annals_core::Result<PostgresCatalog> {
        PostgresCatalog::open_as_node(&schema.url, TakenLease { node: node.to_owned(), epoch })
    }

    fn held_by(name: &str) -> Claimed {
        Claimed::HeldBy { address: format!("{name}:7411") }
    }

    async fn say(catalog: &PostgresCatalog, id: &str) -> annals_core::Result<()> {
        let me = agent("me");
        let turns = vec![user_turn(&me, id, "tea")];
        catalog.ingest(&me, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.map(|_| ())
    }

    #[tokio::test]
    async fn lease_is_held_until_it_ends_or_is_released() {
        let Some(schema) = Schema::new() else { return };
        let (mut first, mut second) = (node(&schema, "first", LONG), node(&schema, "second", OVER));
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        assert_eq!(second.claim().await.unwrap(), held_by("first"));
        assert!(first.renew(1).await.unwrap());
        second.release().await.unwrap();
        assert_eq!(second.claim().await.unwrap(), held_by("first"), "only the holder can release it");
        first.release().await.unwrap();
        assert_eq!(second.claim().await.unwrap(), Claimed::Taken { epoch: 2 });
        assert!(!first.renew(1).await.unwrap());
        assert!(second.renew(2).await.unwrap(), "nobody has taken it since it ended");
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 3 });
        assert!(!second.renew(2).await.unwrap());
    }

    #[tokio::test]
    async fn of_nodes_that_claim_at_once_one_gets_the_lease() {
        let Some(schema) = Schema::new() else { return };
        let mut nodes: Vec<Lease> = (0..8).map(|n| node(&schema, &format!("n{n}"), LONG)).collect();
        // Creating the table at once can fail; the next claim succeeds.
        futures::future::join_all(nodes.iter_mut().map(Lease::claim)).await;
        let claimed = futures::future::join_all(nodes.iter_mut().map(Lease::claim)).await;
        let taken = claimed.iter().filter(|claimed| matches!(claimed, Ok(Claimed::Taken { .. }))).count();
        assert_eq!(taken, 1, "{claimed:?}");
    }

    #[tokio::test]
    async fn node_that_lost_the_lease_can_write_nothing() {
        let Some(schema) = Schema::new() else { return };
        let (mut first, mut second) = (node(&schema, "first", OVER), node(&schema, "second", LONG));
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        let former = open_as(&schema, "first", 1).unwrap();
        say(&former, "1").await.unwrap();
        assert_eq!(second.claim().await.unwrap(), Claimed::Taken { epoch: 2 });
        assert!(say(&former, "2").await.is_err());
        let error = format!("{:?}", open_as(&schema, "first", 1).err().unwrap());
        assert!(error.contains("another node of the cluster has taken over"), "{error}");

        assert!(open_as(&schema, "first", 2).is_err(), "another node has this epoch");

        let present = open_as(&schema, "second", 2).unwrap();
        say(&present, "3").await.unwrap();
        assert!(say(&former, "4").await.is_err());
        drop(present);
        assert!(say(&former, "5").await.is_err(), "the lock is free, but the epoch is over");
        let present = open_as(&schema, "second", 2).unwrap();
        assert_eq!(present.counts(&agent("me")).await.unwrap().memories[0], 2);
    }

    #[tokio::test]
    async fn session_of_the_same_epoch_goes_on_after_the_server_ended_it() {
        let Some(schema) = Schema::new() else { return };
        assert_eq!(node(&schema, "first", OVER).claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        let catalog = open_as(&schema, "first", 1).unwrap();
        schema.cutter()();
        say(&catalog, "1").await.unwrap();
    }

    /// Packets may vanish, for example after the restart of a firewall.
    #[tokio::test(flavor = "multi_thread")]
    async fn connection_that_was_cut_silently_is_replaced_in_time() {
        let Some(schema) = Schema::new() else { return };
        let mut first = node(&schema, "first", Duration::from_secs(6));
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        // A transaction that locks the row has the same effect: no answer comes.
        let silence = schema.transaction("SELECT * FROM node_lease FOR UPDATE");
        assert!(first.renew(1).await.is_err());
        assert!(first.client.is_none());
        drop(silence);
        assert!(first.renew(1).await.unwrap());
    }

    #[tokio::test]
    async fn second_address_of_the_database_is_reached_if_the_first_is_dead() {
        let Some(schema) = Schema::new() else { return };
        // No machine has this address (RFC 5737). In most networks packets to it vanish.
        let url = schema.url.replacen('@', "@192.0.2.1,", 1) + "&sslmode=disable";
        let own = Node { id: "first".into(), address: "first:7411".into() };
        let mut lease = Lease::new(&url, own, Duration::from_secs(15)).unwrap();
        assert_eq!(lease.config.get_hosts().len(), 2, "{url}");
        assert_eq!(lease.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
    }

    #[tokio::test]
    async fn process_that_is_no_node_is_refused_while_a_node_has_the_lease() {
        let Some(schema) = Schema::new() else { return };
        let mut first = node(&schema, "first", LONG);
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        let error = format!("{:?}", PostgresCatalog::open(&schema.url).err().unwrap());
        assert!(error.contains("the node first:7411 of a cluster uses this database"), "{error}");
        // The refused session has not kept the lock.
        say(&open_as(&schema, "first", 1).unwrap(), "1").await.unwrap();
        first.release().await.unwrap();
        say(&PostgresCatalog::open(&schema.url).unwrap(), "2").await.unwrap();
    }

    #[tokio::test]
    async fn no_node_gets_the_lease_of_a_closed_catalog() {
        let Some(schema) = Schema::new() else { return };
        let catalog = PostgresCatalog::open(&schema.url).unwrap();
        let closed =
            Closed::Copying { adoption: "a1".into(), from: "/srv/old".into(), service: Some("old:7411".into()) };
        catalog.close(closed.clone()).await.unwrap();
        let mut first = node(&schema, "first", LONG);
        assert_eq!(first.claim().await.unwrap(), Claimed::Closed(closed));
        catalog.reopen().await.unwrap();
        assert_eq!(first.claim().await.unwrap(), Claimed::Taken { epoch: 1 });
    }

    #[tokio::test]
    async fn claim_does_not_end_the_session_of_a_command() {
        let Some(schema) = Schema::new() else { return };
        let command = PostgresCatalog::open(&schema.url).unwrap();
        assert_eq!(node(&schema, "first", LONG).claim().await.unwrap(), Claimed::Taken { epoch: 1 });
        say(&command, "1").await.unwrap();
    }
}
