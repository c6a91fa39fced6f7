//! How long things wait in the lanes: for each agent with something waiting, the oldest of it and since when.
//!
//! One entry per agent and lane; what comes after the oldest is timed once that is through, so that a lane under load tells the
//! longest waits and not the mean.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use annals_core::Agent;

/// What new messages go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Until searches find them.
    Working,
    /// Until they were read for facts.
    Extract,
}

#[derive(Default)]
pub(super) struct Waits(Mutex<HashMap<(Lane, Agent), (u64, Instant)>>);

impl Waits {
    /// Something waits from now on, unless something older does.
    pub(super) fn begin(&self, lane: Lane, agent: &Agent, seq: u64, now: Instant) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.entry((lane, agent.clone())).or_insert((seq, now));
    }

    /// A lane came that far: how long the oldest had waited, if it is through.
    pub(super) fn end(&self, lane: Lane, agent: &Agent, reached: u64, now: Instant) -> Option<Duration> {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (lane, agent.clone());
        let (_, since) = waits.get(&key).filter(|(seq, _)| *seq <= reached)?;
        let waited = now.duration_since(*since);
        waits.remove(&key);
        Some(waited)
    }

    /// How long the oldest of all agents has waited.
    pub(super) fn longest(&self, lane: Lane, now: Instant) -> Duration {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_lane = waits.iter().filter(|((of, _), _)| *of == lane);
        of_lane.map(|(_, (_, since))| now.duration_since(*since)).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_counts_until_it_is_through() {
        let (waits, ann, bob) = (Waits::default(), Agent::new("ann").unwrap(), Agent::new("bob").unwrap());
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        waits.begin(Lane::Working, &ann, 5, at(0));
        waits.begin(Lane::Working, &ann, 9, at(2));
        waits.begin(Lane::Working, &bob, 7, at(2));
        assert_eq!(waits.longest(Lane::Working, at(3)), Duration::from_secs(3));
        assert_eq!(waits.longest(Lane::Extract, at(3)), Duration::ZERO);
        assert_eq!(waits.end(Lane::Working, &ann, 4, at(3)), None);
        assert_eq!(waits.end(Lane::Extract, &ann, 5, at(3)), None);
        assert_eq!(waits.end(Lane::Working, &ann, 5, at(3)), Some(Duration::from_secs(3)));
        assert_eq!(waits.end(Lane::Working, &ann, 5, at(3)), None);
        assert_eq!(waits.longest(Lane::Working, at(3)), Duration::from_secs(1));
    }
}
