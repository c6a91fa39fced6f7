//! The tokens that one agent, one workspace and all of them may cost on one day, which begins at midnight UTC. What an agent may cost
//! stands in its settings, which its owner writes; the other two are the operator's, and no setting exceeds them.
//!
//! The order of what searches find has a budget of its own: however much is asked, summaries are written, and the other way round.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use annals_core::ports::Replies;
use annals_core::{Agent, Date, Error, Purpose, Result, Timestamp};
use jiff::tz::TimeZone;

/// The most tokens of one day beyond those of an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// For all agents of one workspace together.
    pub(super) workspace: u64,
    /// For all agents.
    pub(super) process: u64,
}

/// What agents have cost today. Only agents that asked something since the start are counted; what they had cost before is too.
#[derive(Debug, Default)]
pub(super) struct Spending(Mutex<(Option<Date>, HashMap<Agent, u64>)>);

impl Spending {
    /// Notes what an agent has cost today, and says whether `need` more is left of the caps.
    pub(super) fn afford(&self, caps: Caps, agent: &Agent, spent: u64, need: u64, now: Timestamp) -> Result<()> {
        let today = now.to_zoned(TimeZone::UTC).date();
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.0 != Some(today) {
            *noted = (Some(today), HashMap::new());
        }
        noted.1.insert(agent.clone(), spent);
        let sum = |counts: &dyn Fn(&Agent) -> bool| {
            let counted = noted.1.iter().filter(|(other, _)| counts(other)).map(|(_, spent)| *spent);
            counted.fold(need, u64::saturating_add)
        };
        let of_workspace = sum(&|other| other.workspace() == agent.workspace());
        match () {
            () if of_workspace > caps.workspace => Err(used_up(caps.workspace, today)),
            () if sum(&|_| true) > caps.process => Err(used_up(caps.process, today)),
            () => Ok(()),
        }
    }
}

/// Whether `need` tokens are left of `limit`, of which the kinds of work that `counts` names have taken; how many they have taken.
pub(super) async fn afford(
    replies: &dyn Replies,
    agent: &Agent,
    counts: fn(Purpose) -> bool,
    (need, limit): (u64, u64),
    now: Timestamp,
) -> Result<u64> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let usage = replies.usage(agent, midnight(today, now)).await?;
    let of_today = usage.iter().filter(|usage| usage.day == today && counts(usage.purpose));
    let spent: u64 = of_today.map(|usage| usage.tokens_in + usage.tokens_out).sum();
    if spent.saturating_add(need) <= limit { Ok(spent) } else { Err(used_up(limit, today)) }
}

fn used_up(limit: u64, today: Date) -> Error {
    let again = today.tomorrow().map_or(Timestamp::MAX, |tomorrow| midnight(tomorrow, Timestamp::MAX));
    Error::Budget { limit, again }
}

fn midnight(day: Date, otherwise: Timestamp) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(otherwise, |midnight| midnight.timestamp())
}

#[cfg(test)]
mod tests {
    use annals_testkit::at;

    use super::*;

    #[test]
    fn a_workspace_and_the_process_have_caps_that_many_agents_share() {
        let spending = Spending::default();
        let caps = Caps { workspace: 100, process: 150 };
        let afford = |workspace: &str, name: &str, spent: u64, now: &str| {
            let agent = Agent::in_workspace(workspace, name).unwrap();
            match spending.afford(caps, &agent, spent, 10, at(now)) {
                Ok(()) => 0,
                Err(Error::Budget { limit, .. }) => limit,
                Err(other) => panic!("{other}"),
            }
        };
        let noon = "2026-03-10T12:00:00Z";
        assert_eq!(afford("one", "a", 0, noon), 0);
        assert_eq!(afford("one", "a", 40, noon), 0);
        assert_eq!(afford("one", "b", 50, noon), 0);
        assert_eq!(afford("one", "c", 0, noon), 0, "90 and 10 are 100");
        assert_eq!(afford("one", "c", 1, noon), 100, "another agent of the workspace does not get around its cap");
        assert_eq!(afford("two", "a", 50, noon), 150, "nor another workspace around that of the process");
        assert_eq!(afford("one", "c", 1, "2026-03-11T00:00:00Z"), 0, "the next day begins anew");
    }
}
