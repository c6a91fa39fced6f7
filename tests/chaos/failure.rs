//! The failures of rounds: of a node, the network, the bucket or the database. Each ends before the next round.

use std::time::Duration;

use annals_testkit::Dice;

use super::Cluster;
use super::link::{Condition, Link};

/// The failures, with the share of each in a hundred rounds.
const SHARES: [(Failure, i64); 9] = [
    (Failure::Kill, 15),
    (Failure::Stop, 12),
    (Failure::ShortStop, 5),
    (Failure::Terminate, 12),
    (Failure::Database, 12),
    (Failure::Bucket, 20),
    (Failure::Between, 8),
    (Failure::Restart, 8),
    (Failure::Promote, 8),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// The active node is killed, and started again.
    Kill,
    /// The active node is paused for longer than its lease.
    Stop,
    /// The active node is paused for less than its lease.
    ShortStop,
    /// Any node is stopped by SIGTERM, and started again.
    Terminate,
    /// The active node cannot reach the database.
    Database,
    /// The active node, or every node, cannot use the bucket.
    Bucket,
    /// The other nodes cannot reach the active node.
    Between,
    /// The database is killed and started again.
    Restart,
    /// The database is killed, and its standby promoted.
    Promote,
}

impl Failure {
    pub fn draw(dice: &mut Dice) -> Failure {
        let mut left = dice.below(100);
        for (kind, share) in SHARES {
            if left < share {
                return kind;
            }
            left -= share;
        }
        Failure::Kill
    }

    /// Causes the failure and ends it. Returns what happened, for the output of the test.
    pub async fn cause(self, cluster: &mut Cluster, dice: &mut Dice) -> String {
        let active = cluster.active().await;
        let lease = Duration::from_secs(super::LEASE.into());
        match self {
            Failure::Kill => end(cluster, active, "-KILL").await,
            Failure::Terminate => end(cluster, below(dice, cluster.nodes.len()), "-TERM").await,
            Failure::Stop => pause(cluster, active, lease + lease / 2).await,
            Failure::ShortStop => pause(cluster, active, lease / 4).await,
            Failure::Database => {
                let (condition, time) = (one_of(dice, &CUTS), lease * u32::try_from(1 + dice.below(3)).unwrap() / 2);
                cut(&cluster.links[active].databases.each_ref(), condition, time).await
            }
            Failure::Bucket => {
                let condition = one_of(dice, &[CUTS[0], CUTS[1], CUTS[2], Condition::Unavailable]);
                let (for_all, time) = (dice.percent(40), milliseconds(dice, 8_000));
                let nodes = cluster.links.iter().enumerate().filter(|(node, _)| for_all || *node == active);
                cut(&nodes.map(|(_, links)| &links.bucket).collect::<Vec<_>>(), condition, time).await
            }
            Failure::Between => {
                let (condition, time) = (one_of(dice, &CUTS), milliseconds(dice, 5_000));
                cut(&[&cluster.links[active].node], condition, time).await
            }
            Failure::Restart => {
                cluster.database.restart_primary().await;
                String::new()
            }
            Failure::Promote => {
                cluster.database.until_synchronous().await;
                cluster.database.promote_standby().await;
                String::new()
            }
        }
    }
}

/// The ways in which a connection fails.
const CUTS: [Condition; 3] = [Condition::Closed, Condition::Silent, Condition::Unanswered];

async fn end(cluster: &mut Cluster, node: usize, signal: &str) -> String {
    cluster.nodes[node].signal(signal);
    cluster.start_again(node).await;
    format!("node {node}")
}

async fn pause(cluster: &Cluster, node: usize, time: Duration) -> String {
    cluster.nodes[node].signal("-STOP");
    tokio::time::sleep(time).await;
    cluster.nodes[node].signal("-CONT");
    format!("node {node} for {time:?}")
}

async fn cut(links: &[&Link], condition: Condition, time: Duration) -> String {
    links.iter().for_each(|link| link.set(condition));
    tokio::time::sleep(time).await;
    links.iter().for_each(|link| link.set(Condition::Up));
    format!("{condition:?}, {} links for {time:?}", links.len())
}

/// Draws a time of half a second and up to `more` milliseconds.
fn milliseconds(dice: &mut Dice, more: i64) -> Duration {
    Duration::from_millis(500 + dice.below(more).unsigned_abs())
}

fn one_of(dice: &mut Dice, conditions: &[Condition]) -> Condition {
    conditions[below(dice, conditions.len())]
}

fn below(dice: &mut Dice, bound: usize) -> usize {
    usize::try_from(dice.below(i64::try_from(bound).unwrap())).unwrap()
}
