//! `annals timeline`: memories in order of time, oldest first; for people with the periods that are still open.

use std::collections::BTreeSet;
use std::process::ExitCode;

use annals_core::ports::Select;
use annals_core::{Agent, DateRange, Grain, Interval, Memory, Period, Result, Timestamp, Zones};

use crate::cli::{Range, Timeline};
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, MemoryView, column, dates, print_json, say};

pub async fn run(folder: &Folder, args: &Timeline, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let zones = folder.catalog.settings(&agent).await?.zones()?;
    let grains = if args.grains.is_empty() { Grain::SUMMARIES.to_vec() } else { args.grains.clone() };
    let memories = memories(folder, &agent, &grains, interval(&args.range, &zones), args.limit).await?;
    if json {
        print_json(&memories.iter().map(MemoryView::new).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    memories.iter().for_each(print);
    let asked = DateRange { from: args.range.from, to: args.range.to };
    for period in open_periods(folder, &agent, &zones).await? {
        if grains.contains(&period.grain()) && asked.contains(zones.day_of(folder.now)) {
            let closed = period
                .children()
                .into_iter()
                .filter(|child| memories.iter().any(|memory| memory.period == *child))
                .count();
            say!("{BOLD}{:<9}{BOLD:#} {DATE}{period}{DATE:#} {DIM}open, {closed} parts closed{DIM:#}", period.grain());
        }
    }
    if memories.is_empty() {
        say!("{DIM}Nothing here yet. `annals rollup` writes the summaries of closed periods.{DIM:#}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Memories of several grains in one order of time; of those that begin together the coarsest first.
pub async fn memories(
    folder: &Folder,
    agent: &Agent,
    grains: &[Grain],
    within: Interval,
    limit: Option<usize>,
) -> Result<Vec<Memory>> {
    let mut all = Vec::new();
    let limit = limit.unwrap_or(usize::MAX);
    for grain in BTreeSet::from_iter(grains.iter().copied()) {
        let select = Select { grain, within, conversation: None, newest_first: false, limit };
        all.extend(folder.catalog.list(agent, &select).await?);
    }
    all.sort_by_key(|memory| (memory.cover.start, std::cmp::Reverse(memory.grain)));
    all.truncate(limit);
    Ok(all)
}

/// Periods that have input and are not over yet, from fine to coarse.
pub async fn open_periods(folder: &Folder, agent: &Agent, zones: &Zones) -> Result<Vec<Period>> {
    let now = folder.now;
    let days = folder.catalog.ledger(agent).await?;
    let recent = days.iter().filter(|row| row.period.grain() == Grain::Daily).map(|row| row.period);
    let open: BTreeSet<Period> = recent
        .flat_map(|day| Grain::SUMMARIES.map(|grain| day.ancestor(grain)))
        .filter(|period| zones.cover(*period).end > now)
        .collect();
    Ok(open.into_iter().collect())
}

fn print(memory: &Memory) {
    say!("{BOLD}{:<9}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{}{DIM:#}", memory.grain, dates(memory), memory.id);
    say!("{}\n", column(&memory.text, 2));
}

/// The instants of a range of local days.
pub fn interval(range: &Range, zones: &Zones) -> Interval {
    Interval {
        start: range.from.map_or(Timestamp::MIN, |from| zones.day_interval(from).start),
        end: range.to.map_or(Timestamp::MAX, |to| zones.day_interval(to).end),
    }
}
