//! `annals timeline`: lists memories oldest first; for people also the periods that are still open.

use std::process::ExitCode;

use annals_core::{DateRange, Grain, Memory, Result, Zones};
use annals_service::wire::MemoryView;

use crate::cli::Timeline;
use crate::folder::Folder;
use crate::view::{BOLD, DATE, DIM, column, dates, print_json, say, say_zone};

pub async fn run(folder: &Folder, args: &Timeline, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let zones = folder.store.settings(&agent).await?.zones()?;
    let grains = if args.grains.is_empty() { Grain::SUMMARIES.to_vec() } else { args.grains.clone() };
    let within = folder.days(&zones, args.range.from, args.range.to, folder.now)?;
    let memories = folder.in_order(&agent, &grains, within, args.limit.unwrap_or(usize::MAX)).await?;
    if json {
        print_json(&memories.iter().map(MemoryView::from).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    memories.iter().for_each(|memory| print(memory, &zones));
    say_zone(memories.iter(), &zones);
    let asked = DateRange { from: args.range.from, to: args.range.to };
    for period in folder.open_periods(&agent, &zones, folder.now).await? {
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

fn print(memory: &Memory, zones: &Zones) {
    say!("{BOLD}{:<9}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{}{DIM:#}", memory.grain, dates(memory, zones), memory.id);
    say!("{}\n", column(&memory.text, 2));
}
