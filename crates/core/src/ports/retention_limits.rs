//! What retention compares all agents with, to find those that may have something to prune.

use std::collections::BTreeMap;

use crate::{Date, Timestamp};

/// The limits of all plans at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionLimits {
    /// By plan, for each grain in the order of [`crate::Grain::ALL`]: the last day whose memories may be past the plan in
    /// any time zone. `None` if no day is.
    pub last_days: BTreeMap<String, [Option<Date>; 6]>,
    /// Saved replies of models are dropped if they are older; `None` if none is dropped now.
    pub replies_before: Option<Timestamp>,
}

impl RetentionLimits {
    /// Returns whether an agent with this plan may hold something past it. `earliest` is the last day that the earliest
    /// memory of each grain covers. A plan without limits counts as reached, so that its absence is reported.
    pub fn are_reached(&self, plan: &str, earliest: &[Option<Date>; 6]) -> bool {
        let Some(limits) = self.last_days.get(plan) else { return true };
        let mut grains = limits.iter().zip(earliest);
        grains.any(|(limit, earliest)| limit.zip(*earliest).is_some_and(|(limit, earliest)| earliest <= limit))
    }
}
