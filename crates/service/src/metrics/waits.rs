//! How long new messages wait in a pipeline: for each agent, the oldest waiting change and when its wait began.
//!
//! There is one entry per agent and pipeline. While a change waits, later changes of the agent are not timed, so under load the
//! metric shows the longest waits, not the mean.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use annals_core::Agent;
use parking_lot::Mutex;

/// A pipeline for new messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pipeline {
    /// Makes messages searchable.
    Working,
    /// Extracts facts from messages.
    Extract,
}

#[derive(Default)]
pub(super) struct Waits(Mutex<HashMap<(Pipeline, Agent), (u64, Instant)>>);

impl Waits {
    /// Begins to time the wait of change `seq`, unless an older change of the agent waits already.
    pub(super) fn begin(&self, pipeline: Pipeline, agent: &Agent, seq: u64, now: Instant) {
        let mut waits = self.0.lock();
        waits.entry((pipeline, agent.clone())).or_insert((seq, now));
    }

    /// Records that a pipeline has processed changes up to `reached`. Returns how long the timed change waited, if it is one of
    /// these.
    pub(super) fn end(&self, pipeline: Pipeline, agent: &Agent, reached: u64, now: Instant) -> Option<Duration> {
        let mut waits = self.0.lock();
        let key = (pipeline, agent.clone());
        let (_, since) = waits.get(&key).filter(|(seq, _)| *seq <= reached)?;
        let waited = now.duration_since(*since);
        waits.remove(&key);
        Some(waited)
    }

    /// Replaces the agents that wait for a pipeline. Agents that wait already keep the time when their wait began.
    pub(super) fn set<'a>(&self, pipeline: Pipeline, waiting: impl Iterator<Item = (&'a Agent, u64)>, now: Instant) {
        let mut waits = self.0.lock();
        let mut left = waiting.map(|(agent, seq)| ((pipeline, agent.clone()), (seq, now))).collect::<HashMap<_, _>>();
        waits.retain(|key, _| key.0 != pipeline || left.remove(key).is_some());
        waits.extend(left);
    }

    /// Returns the longest current wait of all agents in a pipeline.
    pub(super) fn longest(&self, pipeline: Pipeline, now: Instant) -> Duration {
        let waits = self.0.lock();
        let of_pipeline = waits.iter().filter(|((of, _), _)| *of == pipeline);
        of_pipeline.map(|(_, (_, since))| now.duration_since(*since)).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_of_the_oldest_lasts_until_it_has_passed() {
        let (waits, ann, bob) = (Waits::default(), Agent::new("ann").unwrap(), Agent::new("bob").unwrap());
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        waits.begin(Pipeline::Working, &ann, 5, at(0));
        waits.begin(Pipeline::Working, &ann, 9, at(2));
        waits.begin(Pipeline::Working, &bob, 7, at(2));
        assert_eq!(waits.longest(Pipeline::Working, at(3)), Duration::from_secs(3));
        assert_eq!(waits.longest(Pipeline::Extract, at(3)), Duration::ZERO);
        assert_eq!(waits.end(Pipeline::Working, &ann, 4, at(3)), None);
        assert_eq!(waits.end(Pipeline::Extract, &ann, 5, at(3)), None);
        assert_eq!(waits.end(Pipeline::Working, &ann, 5, at(3)), Some(Duration::from_secs(3)));
        assert_eq!(waits.end(Pipeline::Working, &ann, 5, at(3)), None);
        assert_eq!(waits.longest(Pipeline::Working, at(3)), Duration::from_secs(1));
    }

    #[test]
    fn agents_that_no_longer_wait_are_dropped() {
        let (waits, ann, bob) = (Waits::default(), Agent::new("ann").unwrap(), Agent::new("bob").unwrap());
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        waits.begin(Pipeline::Extract, &bob, 1, at(0));
        waits.begin(Pipeline::Working, &ann, 5, at(0));
        waits.set(Pipeline::Working, [(&ann, 6), (&bob, 1)].into_iter(), at(2));
        assert_eq!(waits.longest(Pipeline::Working, at(3)), Duration::from_secs(3));
        waits.set(Pipeline::Working, [(&bob, 1)].into_iter(), at(3));
        assert_eq!(waits.longest(Pipeline::Working, at(3)), Duration::from_secs(1));
        assert_eq!(waits.longest(Pipeline::Extract, at(3)), Duration::from_secs(3), "another pipeline");
    }
}
