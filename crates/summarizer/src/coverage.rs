//! Promise 2, checked: every day with content has exactly one live summary at every grain whose period is closed.

use std::collections::{HashMap, HashSet};

use annals_core::ports::Select;
use annals_core::{Agent, Grain, MemoryId, Period, Result, Timestamp, Zones};

use crate::Summarizer;

/// A day that the summary of a closed period does not have in its lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The day with content.
    pub day: Period,
    /// The closed period whose summary is missing, or does not have the day in its lineage.
    pub period: Period,
}

/// A live summary as coverage sees it: its period and the ids that it was made from.
pub type Lineage = (Period, MemoryId, Vec<MemoryId>);

/// The gaps, by day and grain. `days` are those with content; `lineages` those of all live summaries.
pub fn gaps(
    days: &[Period],
    lineages: &[Lineage],
    zones: &Zones,
    grace: jiff::SignedDuration,
    now: Timestamp,
) -> Vec<Gap> {
    let by_period: HashMap<Period, &Lineage> = lineages.iter().map(|lineage| (lineage.0, lineage)).collect();
    let mut gaps = Vec::new();
    for day in days {
        let periods = Grain::SUMMARIES.map(|grain| day.ancestor(grain));
        for (index, period) in periods.iter().enumerate() {
            let covered = (0..=index).all(|below| links(&by_period, &periods[..=index], below));
            if zones.is_closed(*period, grace, now) && !covered {
                gaps.push(Gap { day: *day, period: *period });
            }
        }
    }
    gaps
}

/// Whether the summary of `path[index]` exists and has that of the finer period in its sources.
fn links(by_period: &HashMap<Period, &Lineage>, path: &[Period], index: usize) -> bool {
    let Some((_, _, sources)) = by_period.get(&path[index]) else { return false };
    index == 0 || by_period.get(&path[index - 1]).is_some_and(|(_, finer, _)| sources.contains(finer))
}

impl Summarizer {
    /// The gaps in an agent's summaries at `now`: what promise 2 says must be none after a pass.
    pub async fn coverage(&self, agent: &Agent, now: Timestamp) -> Result<Vec<Gap>> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let select = |grain| Select {
            grain,
            within: annals_core::Interval::ALWAYS,
            conversation: None,
            newest_first: false,
            limit: usize::MAX,
        };
        let turns = self.catalog.list(agent, &select(Grain::Working)).await?;
        let mut seen = HashSet::new();
        let days: Vec<Period> = turns.iter().map(|turn| turn.period).filter(|day| seen.insert(*day)).collect();
        let mut lineages = Vec::new();
        for grain in Grain::SUMMARIES {
            let summaries = self.catalog.list(agent, &select(grain)).await?;
            lineages.extend(summaries.into_iter().map(|summary| (summary.period, summary.id, summary.sources)));
        }
        Ok(gaps(&days, &lineages, &zones, self.patience.grace, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Summaries as `label<finer,finer`; expects gaps as `day@period`.
    #[track_caller]
    fn check(days: &str, summaries: &str, now: &str, expect: &str) {
        let days: Vec<Period> = days.split_whitespace().map(|day| day.parse().unwrap()).collect();
        let lineages: Vec<Lineage> = summaries.split_whitespace().map(lineage).collect();
        let zones = Zones::new("UTC").unwrap();
        let found = gaps(&days, &lineages, &zones, jiff::SignedDuration::ZERO, now.parse().unwrap());
        let found: Vec<String> = found.iter().map(|gap| format!("{}@{}", gap.day, gap.period)).collect();
        assert_eq!(found.join(" "), expect);
    }

    fn lineage(text: &str) -> Lineage {
        let (label, sources) = text.split_once('<').unwrap_or((text, ""));
        let sources = sources.split(',').map(MemoryId::from_text).collect();
        (label.parse().unwrap(), MemoryId::from_text(label), sources)
    }

    #[test]
    fn nothing_is_asked_of_open_periods() {
        check("2026-03-04", "", "2026-03-04T12:00:00Z", "");
        check("2026-03-04", "2026-03-04", "2026-03-05T12:00:00Z", "");
    }

    #[test]
    fn a_missing_summary_is_a_gap_for_it_and_what_is_above() {
        check("2026-03-04", "", "2026-03-09T00:00:00Z", "2026-03-04@2026-03-04 2026-03-04@2026-W10");
        check("2026-03-04", "2026-03-04", "2026-03-09T00:00:00Z", "2026-03-04@2026-W10");
    }

    #[test]
    fn a_summary_that_was_not_made_from_the_day_is_a_gap() {
        let days = "2026-03-04 2026-03-05";
        let now = "2026-03-09T00:00:00Z";
        check(days, "2026-03-04 2026-03-05 2026-W10<2026-03-04,2026-03-05", now, "");
        check(days, "2026-03-04 2026-03-05 2026-W10<2026-03-04", now, "2026-03-05@2026-W10");
    }
}
