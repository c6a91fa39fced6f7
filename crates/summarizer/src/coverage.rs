//! Checks that every day with content is covered by a live summary at every grain with a closed period, except for the finer
//! summaries that retention has pruned. [`gaps`] has the rules.

use std::collections::{HashMap, HashSet};

use annals_core::ports::Select;
use annals_core::{Agent, Grain, LedgerRow, MemoryId, Period, Result, SignedDuration, Timestamp, Zones};

use crate::Summarizer;
use crate::input::nothing;

/// A day that the summary of a closed period does not have in its lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// The day with content.
    pub day: Period,
    /// The closed period with a missing summary, or with a summary that lacks the day in its lineage.
    pub period: Period,
}

/// A day that has, or had, content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    pub day: Period,
    /// Whether some of its turns are live; otherwise they were pruned.
    pub turns: bool,
}

/// A live summary as the coverage check reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage {
    pub period: Period,
    /// The memories that it was made from.
    pub sources: Vec<MemoryId>,
    /// Whether the period is sealed, so that some of these memories were pruned.
    pub sealed: bool,
}

/// Returns the gaps in the order of `days`, and for each day from the finest grain to the coarsest.
///
/// A day has content if its turns are live. It also has content if they were pruned: then the day was rolled up, and no period of
/// its path had an empty input at its last roll-up. (An empty input means that the content was forgotten.) The *path* of a day is
/// the day, its week, month, quarter and year. Retention removes the finer end of a path step by step, so each path has a lowest
/// live summary, and these rules must hold:
///
/// - From the lowest summary up, every closed period has a live summary that names the one below it among its sources.
/// - If the turns are live, the lowest summary is that of the day itself.
/// - If the turns are pruned, some live summary is sealed. Unless it is the day's own, it names the summary of the period just
///   below. The summary below was complete when it was pruned, because only complete sets of clean periods are pruned. Below
///   the sealed summary there may again be live summaries, made from late input. They cover other days; the path of this day
///   starts at the sealed summary.
/// - A path with nothing live was removed with its year, by plan. The tests of retention check that nothing else removes one.
pub fn gaps(
    agent: &Agent,
    days: &[Content],
    lineages: &[Lineage],
    zones: &Zones,
    grace: SignedDuration,
    now: Timestamp,
) -> Vec<Gap> {
    let live: HashMap<Period, &Lineage> = lineages.iter().map(|lineage| (lineage.period, lineage)).collect();
    let mut gaps = Vec::new();
    for content in days {
        let path = Grain::SUMMARIES.map(|grain| content.day.ancestor(grain));
        let reached = path.map(|period| live.get(&period).copied());
        let anchor = (0..path.len()).find(|index| is_anchored(agent, &path, &reached, *index));
        let lowest = if content.turns { Some(0) } else { anchor.or_else(|| reached.iter().position(Option::is_some)) };
        let Some(lowest) = lowest else { continue };
        let mut covered = content.turns || anchor.is_some();
        for (index, period) in path.into_iter().enumerate() {
            covered &= index < lowest || (reached[index].is_some() && links(agent, &path, &reached, index, lowest));
            if !covered && zones.is_closed(period, grace, now) {
                gaps.push(Gap { day: content.day, period });
            }
        }
    }
    gaps
}

type Path = [Period; 5];
type Reached<'a> = [Option<&'a Lineage>; 5];

/// Returns whether the missing part below this summary of a path was pruned: it is sealed and names the summary just
/// below.
fn is_anchored(agent: &Agent, path: &Path, reached: &Reached, lowest: usize) -> bool {
    let Some(summary) = reached[lowest].filter(|summary| summary.sealed) else { return false };
    lowest == 0 || summary.sources.contains(&MemoryId::summary(agent, path[lowest - 1]))
}

/// Returns whether a summary names that of the period just below it. True for the lowest one, which has nothing below.
fn links(agent: &Agent, path: &Path, reached: &Reached, index: usize, lowest: usize) -> bool {
    let below = || MemoryId::summary(agent, path[index - 1]);
    index == lowest || reached[index].is_some_and(|summary| summary.sources.contains(&below()))
}

impl Summarizer {
    /// Returns the gaps in an agent's summaries at `now`. There are none once every closed period is rolled up.
    pub async fn coverage(&self, agent: &Agent, now: Timestamp) -> Result<Vec<Gap>> {
        let zones = self.store.settings(agent).await?.zones()?;
        let ledger = self.store.ledger(agent).await?;
        let sealed: HashSet<Period> = ledger.iter().filter(|row| row.sealed).map(|row| row.period).collect();
        // Reads no text: an agent may have a million turns.
        let days = self.store.children(agent).await?.into_iter().filter(|children| children.last_turn > 0);
        let with_turns = days.map(|children| children.parent).collect();
        let days = days_with_content(&ledger, &with_turns);
        let mut lineages = Vec::new();
        for grain in Grain::SUMMARIES {
            let summaries = self.store.list(agent, &Select::all(grain)).await?.into_iter();
            lineages.extend(summaries.map(|summary| Lineage {
                period: summary.period,
                sources: summary.sources().to_vec(),
                sealed: sealed.contains(&summary.period),
            }));
        }
        Ok(gaps(agent, &days, &lineages, &zones, self.policy.grace, now))
    }
}

/// Returns the days with content. Those in `with_turns` have live turns.
fn days_with_content(ledger: &[LedgerRow], with_turns: &HashSet<Period>) -> Vec<Content> {
    let emptied = ledger.iter().filter(|row| row.input_digest == Some(nothing()));
    let emptied: HashSet<Period> = emptied.map(|row| row.period).collect();
    let was_read = |row: &&LedgerRow| {
        let path = Grain::SUMMARIES.map(|grain| row.period.ancestor(grain));
        row.input_digest.is_some() && !path.iter().any(|period| emptied.contains(period))
    };
    let days = ledger.iter().filter(|row| row.period.grain() == Grain::Daily);
    let with_content = days.filter(|row| with_turns.contains(&row.period) || was_read(row));
    with_content.map(|row| Content { day: row.period, turns: with_turns.contains(&row.period) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the gaps. `days` has labels, with `!` after a day with pruned turns. `summaries` has `label<finer,finer`, with
    /// `!` after a sealed label. `expect` has gaps as `day@period`.
    #[track_caller]
    fn check(days: &str, summaries: &str, now: &str, expect: &str) {
        let agent = Agent::new("a").unwrap();
        let days: Vec<Content> = days.split_whitespace().map(content).collect();
        let lineages: Vec<Lineage> = summaries.split_whitespace().map(|text| lineage(&agent, text)).collect();
        let zones = Zones::new("UTC").unwrap();
        let found = gaps(&agent, &days, &lineages, &zones, SignedDuration::ZERO, now.parse().unwrap());
        let found: Vec<String> = found.iter().map(|gap| format!("{}@{}", gap.day, gap.period)).collect();
        assert_eq!(found.join(" "), expect, "{summaries}");
    }

    fn content(text: &str) -> Content {
        Content { day: text.trim_end_matches('!').parse().unwrap(), turns: !text.ends_with('!') }
    }

    fn lineage(agent: &Agent, text: &str) -> Lineage {
        let (label, sources) = text.split_once('<').unwrap_or((text, ""));
        let sources = sources.split(',').filter(|source| !source.is_empty());
        Lineage {
            period: label.trim_end_matches('!').parse().unwrap(),
            sources: sources.map(|source| MemoryId::summary(agent, source.parse().unwrap())).collect(),
            sealed: label.ends_with('!'),
        }
    }

    const APRIL: &str = "2026-04-01T00:00:00Z";

    #[test]
    fn open_periods_need_no_summary() {
        check("2026-03-04", "", "2026-03-04T12:00:00Z", "");
        check("2026-03-04", "2026-03-04", "2026-03-05T12:00:00Z", "");
    }

    #[test]
    fn missing_summary_is_a_gap_for_it_and_coarser_periods() {
        check("2026-03-04", "", "2026-03-09T00:00:00Z", "2026-03-04@2026-03-04 2026-03-04@2026-W10");
        check("2026-03-04", "2026-03-04", "2026-03-09T00:00:00Z", "2026-03-04@2026-W10");
    }

    #[test]
    fn summary_not_made_from_the_day_is_a_gap() {
        let days = "2026-03-04 2026-03-05";
        let now = "2026-03-09T00:00:00Z";
        check(days, "2026-03-04 2026-03-05 2026-W10<2026-03-04,2026-03-05", now, "");
        check(days, "2026-03-04 2026-03-05 2026-W10<2026-03-04", now, "2026-03-05@2026-W10");
    }

    #[test]
    fn pruned_turns_need_a_sealed_day() {
        let now = "2026-03-09T00:00:00Z";
        check("2026-03-04!", "2026-03-04! 2026-W10<2026-03-04", now, "");
        check("2026-03-04!", "2026-03-04 2026-W10<2026-03-04", now, "2026-03-04@2026-03-04 2026-03-04@2026-W10");
    }

    #[test]
    fn pruned_summaries_are_covered_by_a_sealed_one_that_names_them() {
        let quarter = "2026-Q1<2026-03";
        check("2026-03-04!", &format!("2026-W10!<2026-03-04 2026-03<2026-W10 {quarter}"), APRIL, "");
        check("2026-03-04!", &format!("2026-03!<2026-W10 {quarter}"), APRIL, "");
        check("2026-03-04!", "2026-Q1!<2026-03", APRIL, "");
        // A late message recreated the week; it covers another day.
        check("2026-03-04!", &format!("2026-W10<2026-03-05 2026-03!<2026-W10 {quarter}"), APRIL, "");
        let all = "2026-03-04@2026-03-04 2026-03-04@2026-W10 2026-03-04@2026-03 2026-03-04@2026-Q1";
        // The month is not sealed, or is made of other weeks, so there is no evidence that the day was included.
        check("2026-03-04!", &format!("2026-03<2026-W10 {quarter}"), APRIL, all);
        check("2026-03-04!", &format!("2026-03!<2026-W11 {quarter}"), APRIL, all);
        // The week was pruned although its day is live, which no plan does.
        check(
            "2026-03-04!",
            &format!("2026-03-04! 2026-03!<2026-W10 {quarter}"),
            APRIL,
            "2026-03-04@2026-W10 2026-03-04@2026-03 2026-03-04@2026-Q1",
        );
    }

    #[test]
    fn late_turns_need_new_summaries_up_to_the_sealed_one() {
        let above = "2026-03!<2026-W10 2026-Q1<2026-03";
        let gaps = "2026-03-04@2026-03-04 2026-03-04@2026-W10 2026-03-04@2026-03 2026-03-04@2026-Q1";
        check("2026-03-04", above, APRIL, gaps);
        check("2026-03-04", &format!("2026-03-04 {above}"), APRIL, gaps.split_once(' ').unwrap().1);
        check("2026-03-04", &format!("2026-03-04 2026-W10<2026-03-04 {above}"), APRIL, "");
    }

    /// Checks the days with content. `rows` has ledger rows as `label:r` (read something), `label:e` (found nothing) or
    /// `label:n` (never rolled up). `with_turns` has the days with live turns. `expect` has `!` after days without live turns.
    #[track_caller]
    fn check_content(rows: &str, with_turns: &str, expect: &str) {
        let row = |text: &str| {
            let (label, read) = text.split_once(':').unwrap();
            let input_digest = match read {
                "r" => Some(annals_core::Digest::of(["something"])),
                "e" => Some(nothing()),
                _ => None,
            };
            LedgerRow { input_digest, ..LedgerRow::new(label.parse().unwrap(), 1, Timestamp::UNIX_EPOCH) }
        };
        let rows: Vec<LedgerRow> = rows.split_whitespace().map(row).collect();
        let with_turns = with_turns.split_whitespace().map(|day| day.parse().unwrap()).collect();
        let found = days_with_content(&rows, &with_turns);
        let found: Vec<String> =
            found.iter().map(|found| format!("{}{}", found.day, if found.turns { "" } else { "!" })).collect();
        assert_eq!(found.join(" "), expect);
    }

    #[test]
    fn days_with_content_were_read_or_have_live_turns() {
        check_content("2026-03-04:n 2026-03-05:r 2026-03-06:e", "2026-03-04 2026-03-05", "2026-03-04 2026-03-05");
        check_content("2026-03-04:n 2026-03-05:r 2026-03-06:e", "", "2026-03-05!");
        check_content("2026-03-05:r 2026-W10:r 2026-03:n", "", "2026-03-05!");
        check_content("2026-03-05:r 2026-03-09:r 2026-W10:e", "", "2026-03-09!");
        check_content("2026-03-05:r 2026-03-09:r 2026-W10:e", "2026-03-05", "2026-03-05 2026-03-09!");
    }

    #[test]
    fn path_with_nothing_live_has_no_gaps() {
        check("2026-03-04!", "", APRIL, "");
        check("2026-03-04! 2026-03-05", "", "2026-03-06T00:00:00Z", "2026-03-05@2026-03-05");
    }
}
