//! What happens to a cluster in one round: to a node, the network, the bucket or the database. Each is mended before the next.

use std::time::Duration;

use annals_testkit::Dice;

use super::Cluster;
use super::link::Condition;

/// A kind of trouble, with its share of a hundred rounds.
pub const KINDS: [(Trouble, i64); 9] = [
    (Trouble::Kill, 15),
    (Trouble::Stop, 12),
    (Trouble::ShortStop, 5),
    (Trouble::Terminate, 12),
    (Trouble::Database, 12),
    (Trouble::Bucket, 20),
    (Trouble::Between, 8),
    (Trouble::Restart, 8),
    (Trouble::Promote, 8),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The active node is killed.
    Kill,
    /// The active node stands still for longer than its lease.
    Stop,
    /// It stands still for less.
    ShortStop,
    /// Any node is told to stop, and started again.
    Terminate,
    /// The active node cannot reach the database.
    Database,
    /// A node, or all, cannot use the bucket.
    Bucket,
    /// The others cannot reach the active node.
    Between,
    /// The database is killed and started again.
    Restart,
    /// The database is killed, and its standby promoted.
    Promote,
}

impl Trouble {
    pub fn draw(dice: &mut Dice) -> Trouble {
        let mut left = dice.below(100);
        for (kind, share) in KINDS {
            if left < share {
                return kind;
            }
            left -= share;
        }
        Trouble::Kill
    }

    /// Lets it happen and mends it. Returns how, in words.
    pub async fn happen(self, cluster: &mut Cluster, dice: &mut Dice) -> String {
        let active = cluster.active().await;
        let lease = Duration::from_secs(super::LEASE.into());
        match self {
            Trouble::Kill => {
                cluster.nodes[active].signal("-KILL");
                cluster.start_again(active).await;
                format!("{self:?} node {active}")
            }
            Trouble::Stop | Trouble::ShortStop => {
                let time = if self == Trouble::Stop { lease + lease / 2 } else { lease / 4 };
                cluster.nodes[active].signal("-STOP");
                tokio::time::sleep(time).await;
                cluster.nodes[active].signal("-CONT");
                format!("{self:?} node {active} for {time:?}")
            }
            Trouble::Terminate => {
                let node = below(dice, cluster.nodes.len());
                cluster.nodes[node].signal("-TERM");
                cluster.start_again(node).await;
                format!("{self:?} node {node}, node {active} is active")
            }
            Trouble::Database => {
                let condition = [Condition::Closed, Condition::Silent, Condition::Unanswered][below(dice, 3)];
                let time = lease * u32::try_from(1 + dice.below(3)).unwrap() / 2;
                cluster.links[active].databases.iter().for_each(|link| link.set(condition));
                tokio::time::sleep(time).await;
                cluster.links[active].databases.iter().for_each(|link| link.set(Condition::Up));
                format!("{self:?} {condition:?} for node {active} for {time:?}")
            }
            Trouble::Bucket => {
                let conditions = [Condition::Closed, Condition::Silent, Condition::Unanswered, Condition::Unavailable];
                let (condition, for_all) = (conditions[below(dice, 4)], dice.percent(40));
                let time = Duration::from_millis(500 + dice.below(8000).unsigned_abs());
                let is_cut = |node: usize| for_all || node == active;
                let cut = || cluster.links.iter().enumerate().filter(|(node, _)| is_cut(*node));
                cut().for_each(|(_, links)| links.bucket.set(condition));
                tokio::time::sleep(time).await;
                cut().for_each(|(_, links)| links.bucket.set(Condition::Up));
                format!("{self:?} {condition:?} for {} for {time:?}", if for_all { "all" } else { "the active node" })
            }
            Trouble::Between => {
                let condition = [Condition::Closed, Condition::Silent, Condition::Unanswered][below(dice, 3)];
                let time = Duration::from_millis(500 + dice.below(5000).unsigned_abs());
                cluster.links[active].node.set(condition);
                tokio::time::sleep(time).await;
                cluster.links[active].node.set(Condition::Up);
                format!("{self:?} {condition:?} before node {active} for {time:?}")
            }
            Trouble::Restart => {
                cluster.database.restart_primary().await;
                format!("{self:?}")
            }
            Trouble::Promote => {
                cluster.database.until_synchronous().await;
                cluster.database.promote_standby().await;
                format!("{self:?}")
            }
        }
    }
}

fn below(dice: &mut Dice, bound: usize) -> usize {
    usize::try_from(dice.below(i64::try_from(bound).unwrap())).unwrap()
}
