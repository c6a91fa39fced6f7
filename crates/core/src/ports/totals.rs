//! Sums over all agents, for metrics.

use crate::{Agent, Period, Timestamp, Zones};

/// Sums over all agents that [`super::Agents::agents`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Live memories per grain, in the order of [`crate::Grain::ALL`].
    pub memories: [u64; 6],
    /// Number of dead letters.
    pub dead_letters: u64,
    /// Number of periods for which the last roll-up failed or has to wait.
    pub failed: u64,
    /// Number of periods written by the fallback engine.
    pub degraded: u64,
    /// Number of dirty periods that are over in the zone of their agent.
    pub due: u64,
    /// When the first of the due periods ended; `None` if none is due.
    pub due_since: Option<Timestamp>,
    /// Number of due periods that were rolled up before.
    pub stale: u64,
    /// The agents with changes that are waiting, sorted by workspace, then by key.
    pub backlogs: Vec<Backlog>,
}

/// The changes of the working grain that are waiting for one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The agent with waiting changes.
    pub agent: Agent,
    /// The sequence number up to which its working table has applied changes.
    pub applied: u64,
    /// Number of changes above `applied`.
    pub unsearchable: u64,
    /// The sequence number up to which its turns were read for facts.
    pub extracted: u64,
    /// Number of changes above `extracted`.
    pub unread: u64,
}

impl Totals {
    /// Counts a dirty period if it is over at `now`. `rolled_up` is whether it was rolled up before.
    pub fn count_dirty(&mut self, period: Period, rolled_up: bool, zones: &Zones, now: Timestamp) {
        let end = zones.cover(period).end;
        if end <= now {
            self.due += 1;
            self.due_since = Some(self.due_since.map_or(end, |since| since.min(end)));
            self.stale += u64::from(rolled_up);
        }
    }

    /// Returns the number of changes of the working grain that the agents' tables have not applied yet.
    pub fn unsearchable(&self) -> u64 {
        self.backlogs.iter().map(|backlog| backlog.unsearchable).sum()
    }

    /// Returns the sum of the changes that were not read for facts yet.
    pub fn unread(&self) -> u64 {
        self.backlogs.iter().map(|backlog| backlog.unread).sum()
    }
}
