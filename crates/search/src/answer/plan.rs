//! A query, with the values derived from it: bounds, grains, times that the question names. Says which memories it admits.

use annals_core::ports::Select;
use annals_core::{Agent, DateRange, Filter, Found, Grain, Memory, Query, Settings, TimeExpression, Timestamp, Zones};
use jiff::ToSpan;

use crate::range::{Bounds, within};
use crate::rank::{self, Ranked};

/// Days after a time named in the question during which memories still get the bonus for that time, because people talk
/// about events later.
const TELLING_DELAY: i64 = 7;

/// A query with the values derived from it.
pub(super) struct QueryPlan<'a> {
    pub(super) agent: &'a Agent,
    pub(super) query: &'a Query,
    /// The search text; `None` to list the newest memories.
    pub(super) text: Option<&'a str>,
    pub(super) settings: Settings,
    pub(super) zones: Zones,
    pub(super) bounds: Bounds,
    pub(super) grains: Vec<Grain>,
    pub(super) times: Vec<TimeExpression>,
    pub(super) period: Option<DateRange>,
    pub(super) now: Timestamp,
}

impl QueryPlan<'_> {
    pub(super) fn filter(&self, grain: Grain) -> Filter {
        let conversation = self.query.conversation.clone();
        Filter { within: self.bounds.of_grain(grain), kinds: self.query.kinds.clone(), conversation }
    }

    /// Selects the memories of a grain within the bounds and the conversation, the newest first.
    pub(super) fn select(&self, grain: Grain) -> Select {
        let (within, conversation) = (self.bounds.of_grain(grain), self.query.conversation.clone());
        Select { within, conversation, newest_first: true, ..Select::all(grain) }
    }

    /// Returns the times that the question names, as intervals. A time such as "before May" has no week after it.
    pub(super) fn named_times(&self) -> Vec<rank::NamedTime> {
        let longer = |days: DateRange| DateRange {
            to: days.to.map(|to| if days.from.is_some() { to.saturating_add(TELLING_DELAY.days()) } else { to }),
            ..days
        };
        let named = |days| rank::NamedTime {
            itself: within(days, &self.zones),
            with_week_after: within(longer(days), &self.zones),
        };
        self.times.iter().map(|time| named(time.days)).collect()
    }

    /// Returns whether the range is over, or the question names a time that is over.
    pub(super) fn is_about_the_past(&self) -> bool {
        let today = self.zones.day_of(self.now);
        self.bounds.is_past() || self.times.iter().any(|time| time.days.to.is_some_and(|to| to < today))
    }

    pub(super) fn found(&self, ranked: Vec<Ranked>) -> Vec<Found> {
        let found = |ranked: Ranked| Found {
            days_outside: self.days_outside(&ranked.memory),
            score: ranked.score.total(),
            fit: ranked.fit,
            parts: if self.query.explain { ranked.score.explain() } else { Vec::new() },
            memory: ranked.memory,
        };
        ranked.into_iter().map(found).collect()
    }

    fn days_outside(&self, memory: &Memory) -> i64 {
        self.bounds.days_of(memory.grain).days_outside(memory.days.0, memory.days.1)
    }

    pub(super) fn admits(&self, memory: &Memory) -> bool {
        self.filter(memory.grain).admits(&memory.cover, memory.kind(), memory.conversation())
            && self.bounds.is_over(memory)
            && !memory.is_expired(self.now)
            && !(self.query.strict && self.days_outside(memory) > 0)
    }
}
