//! `annals timeline`: lists memories oldest first, and the periods that are still open. For people, the open periods are
//! printed only if the range contains today.

use std::collections::BTreeSet;
use std::process::ExitCode;

use annals_core::{Date, DateRange, Grain, Period, Result, Zones};
use annals_service::calls::ReadTimeline;
use annals_service::wire::{MemoryView, TimelineAnswer, TimelineRequest};

use crate::cli::{Days, Timeline};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DATE, DIM, JsonList, WARN, column, dates, say, say_zone_of, spoken};

/// Maximum number of memories fetched per page, the most that one answer has.
const PAGE: usize = 1000;

pub(crate) async fn run(client: &Client, args: &Timeline, json: bool) -> Result<ExitCode> {
    let mut pages = Pages { client, args, left: args.limit.unwrap_or(usize::MAX) };
    let mut page = pages.next(None).await?;
    if json {
        let mut list = JsonList::begin(&[("agent", &page.agent), ("time_zone", &page.time_zone)], "memories");
        list.items(&page.memories);
        while let Some(cursor) = page.next_cursor.take_if(|_| pages.left > 0) {
            page = pages.next(Some(cursor)).await?;
            list.items(&page.memories);
        }
        list.end(&[("open", page.open.into()), ("next_cursor", page.next_cursor.into())]);
        return Ok(ExitCode::SUCCESS);
    }
    let zones = client.zones(&args.agent).await?;
    let mut printed = Printed::default();
    printed.page(&page.memories, &zones);
    while let Some(cursor) = page.next_cursor.take_if(|_| pages.left > 0) {
        page = pages.next(Some(cursor)).await?;
        printed.page(&page.memories, &zones);
    }
    say_zone_of(printed.turn.as_ref(), &zones);
    if include(&args.days, zones.day_of(client.now())) {
        print_open(args, &page.open, &printed.periods);
    }
    if printed.periods.is_empty() {
        say!("{DIM}No summaries here yet: `annals rollup` writes them, `--grains working` lists messages.{DIM:#}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns whether the days include today.
fn include(days: &Days, today: Date) -> bool {
    let Days { range, period, min_days_ago, .. } = days;
    let is_in_period = period.is_none_or(|period| period.first_day() <= today && today <= period.last_day());
    DateRange { from: range.from, to: range.to }.contains(today) && is_in_period && min_days_ago.unwrap_or(0) == 0
}

/// The pages of a timeline, up to the limit of the command. One is in memory at a time.
struct Pages<'a> {
    client: &'a Client,
    args: &'a Timeline,
    left: usize,
}

impl Pages<'_> {
    async fn next(&mut self, cursor: Option<String>) -> Result<TimelineAnswer> {
        let grains: Vec<&str> = self.args.grains.iter().map(|grain| grain.as_str()).collect();
        let request = TimelineRequest {
            grains: (!grains.is_empty()).then(|| grains.join(",")),
            from: self.args.days.range.from,
            to: self.args.days.range.to,
            min_days_ago: self.args.days.min_days_ago,
            max_days_ago: self.args.days.max_days_ago,
            period: self.args.days.period.map(|period| period.to_string()),
            limit: Some(self.left.min(PAGE)),
            cursor,
        };
        let page = self.client.call(ReadTimeline { agent: self.args.agent.clone(), request }).await?;
        self.left -= page.memories.len();
        Ok(page)
    }
}

/// The labels of all printed periods, and one printed turn, if there is any.
#[derive(Default)]
struct Printed {
    /// A printed memory of the working grain, which shows a time of day.
    turn: Option<MemoryView>,
    periods: BTreeSet<String>,
}

impl Printed {
    fn page(&mut self, memories: &[MemoryView], zones: &Zones) {
        for memory in memories {
            print(memory, zones);
            self.periods.insert(memory.period.clone());
            if memory.grain == Grain::Working && self.turn.is_none() {
                self.turn = Some(memory.clone());
            }
        }
    }
}

/// Prints the open periods of the chosen grains, and how many of their parts have a summary in the answer.
fn print_open(args: &Timeline, open: &[String], printed: &BTreeSet<String>) {
    let is_chosen = |grain: Grain| match args.grains.is_empty() {
        true => grain != Grain::Working,
        false => args.grains.contains(&grain),
    };
    let open = open.iter().filter_map(|label| label.parse::<Period>().ok());
    for period in open.filter(|period| is_chosen(period.grain())) {
        let is_closed = |child: &Period| printed.contains(&child.to_string());
        let closed = period.children().iter().filter(|child| is_closed(child)).count();
        say!("{BOLD}{:<9}{BOLD:#} {DATE}{period}{DATE:#} {DIM}open, {closed} parts closed{DIM:#}", period.grain());
    }
}

fn print(memory: &MemoryView, zones: &Zones) {
    say!("{BOLD}{:<9}{BOLD:#} {DATE}{}{DATE:#}  {DIM}{}{DIM:#}", memory.grain, dates(memory, zones), memory.id);
    say!("{}\n", column(&spoken(memory), 2));
    print_ungrounded(memory);
}

/// Prints the sentences of a summary that its sources do not support.
pub(super) fn print_ungrounded(memory: &MemoryView) {
    for sentence in &memory.ungrounded {
        say!("{WARN}Its sources do not support all of:{WARN:#} {sentence}\n");
    }
}
