//! `annals timeline`: lists memories oldest first; for people also the periods that are still open.

use std::process::ExitCode;

use annals_core::{DateRange, Grain, Period, Result, Zones};
use annals_service::calls::ReadTimeline;
use annals_service::wire::{MemoryView, TimelineAnswer, TimelineRequest};

use crate::cli::Timeline;
use crate::client::Client;
use crate::view::{BOLD, DATE, DIM, column, dates, print_json, say, say_zone};

/// Number of memories fetched per page, the most that one answer has.
const PAGE: usize = 1000;

pub async fn run(client: &Client, args: &Timeline, json: bool) -> Result<ExitCode> {
    let answer = read(client, args).await?;
    if json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    let zones = client.zones(&args.agent).await?;
    answer.memories.iter().for_each(|memory| print(memory, &zones));
    say_zone(answer.memories.iter(), &zones);
    let asked = DateRange { from: args.range.from, to: args.range.to };
    if asked.contains(zones.day_of(client.now())) {
        print_open(args, &answer);
    }
    if answer.memories.is_empty() {
        say!("{DIM}Nothing here yet. `annals rollup` writes the summaries of closed periods.{DIM:#}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads page by page, up to the limit of the command.
async fn read(client: &Client, args: &Timeline) -> Result<TimelineAnswer> {
    let grains: Vec<&str> = args.grains.iter().map(|grain| grain.as_str()).collect();
    let most = args.limit.unwrap_or(usize::MAX);
    let page = async |left: usize, cursor: Option<String>| {
        let request = TimelineRequest {
            grains: (!grains.is_empty()).then(|| grains.join(",")),
            from: args.range.from,
            to: args.range.to,
            limit: Some(left.min(PAGE)),
            cursor,
        };
        client.call(ReadTimeline { agent: args.agent.clone(), request }).await
    };
    let mut answer = page(most, None).await?;
    while let Some(cursor) = answer.next_cursor.take_if(|_| answer.memories.len() < most) {
        let next = page(most - answer.memories.len(), Some(cursor)).await?;
        answer.memories.extend(next.memories);
        answer.next_cursor = next.next_cursor;
    }
    Ok(answer)
}

/// Prints the open periods of the chosen grains, and how many of their parts have a summary in the answer.
fn print_open(args: &Timeline, answer: &TimelineAnswer) {
    let is_chosen = |grain: Grain| match args.grains.is_empty() {
        true => grain != Grain::Working,
        false => args.grains.contains(&grain),
    };
    let open = answer.open.iter().filter_map(|label| label.parse::<Period>().ok());
    for period in open.filter(|period| is_chosen(period.grain())) {
        let is_closed = |child: &Period| answer.memories.iter().any(|memory| memory.period == child.to_string());
        let closed = period.children().iter().filter(|child| is_closed(child)).count();
        say!("{BOLD}{:<9}{BOLD:#} {DATE}{period}{DATE:#} {DIM}open, {closed} parts closed{DIM:#}", period.grain());
    }
}

fn print(memory: &MemoryView, zones: &Zones) {
    say!("{BOLD}{:<9}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{}{DIM:#}", memory.grain, dates(memory, zones), memory.id);
    say!("{}\n", column(&memory.text, 2));
}
