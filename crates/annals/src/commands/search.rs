//! `annals search`: searches by grain and date range; prints for people or as JSON.

use std::process::ExitCode;

use annals_core::{DateRange, Kind, Result, Zones};
use annals_service::calls;
use annals_service::wire::{MemoryView, PassageOf, RangeView, SearchAnswer, SearchRequest};

use super::timeline::print_ungrounded;
use crate::cli::Search;
use crate::run_or_hand_over::Client;
use crate::view::excerpt::Excerpt;
use crate::view::{BOLD, DATE, DIM, WARN, column, dates, plural, print_json, range, say, say_zone, spoken};

pub(crate) async fn run(client: &Client, args: &Search, json: bool) -> Result<ExitCode> {
    let request = SearchRequest {
        query: args.text.clone(),
        grains: args.grains.clone(),
        from: args.days.range.from,
        to: args.days.range.to,
        min_days_ago: args.days.min_days_ago,
        max_days_ago: args.days.max_days_ago,
        period: args.days.period.map(|period| period.to_string()),
        ignore_times: args.ignore_times,
        strict: args.strict,
        kinds: args.kinds.clone(),
        conversation: args.conversation.clone(),
        explain: args.explain,
        budget_tokens: None,
        limit: args.limit,
    };
    let answer = client.call(calls::Search { agent: args.agent.clone(), request }).await?;
    if json {
        print_json(&answer);
    } else {
        print(&answer, args.text.as_deref(), &client.zones(&args.agent).await?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints an answer for people.
fn print(answer: &SearchAnswer, question: Option<&str>, zones: &Zones) {
    if answer.range_is_empty {
        say!("There are no memories ({}).", searched(answer));
    } else if answer.results.is_empty() {
        say!("Nothing was found ({}).", searched(answer));
    }
    for found in &answer.results {
        print_found(found, question, zones);
    }
    say_zone(answer.results.iter(), zones);
    if let Some(why) = &answer.not_reranked_because {
        say!("{DIM}The configured model did not rerank these results: {why}.{DIM:#}");
    }
    if let Some(why) = &answer.words_alone_because {
        say!("{WARN}Some vectors were not compared: {why}. `annals rebuild --embedder` embeds them again.{WARN:#}");
    }
    if let Some(why) = &answer.incomplete_because {
        say!("{WARN}The newest messages were not searched: {why}.{WARN:#}");
    }
}

/// Describes the days that were searched, and the days searched in summaries if they differ.
fn searched(answer: &SearchAnswer) -> String {
    let words = |view: RangeView| range(DateRange { from: view.from, to: view.to });
    match answer.summary_range {
        None => words(answer.range),
        Some(summaries) => format!("{}; summaries {}", words(answer.range), words(summaries)),
    }
}

/// Prints one result: grain and dates, then the text. Of a summary, prints the lines that match the question best, or the first
/// lines without a question, and the sentences that the sources do not support.
pub(crate) fn print_found(memory: &MemoryView, question: Option<&str>, zones: &Zones) {
    let edge = match memory.days_outside.unwrap_or(0) {
        0 => String::new(),
        1 => " · 1 day outside the range".into(),
        days => format!(" · {days} days outside the range"),
    };
    let grain = memory.grain;
    say!(
        "{BOLD}{grain:<9}{BOLD:#} {DATE}{}{DATE:#} {DIM}score {:+.2}{edge}  {}{DIM:#}",
        dates(memory, zones),
        memory.score.unwrap_or(0.0),
        memory.id
    );
    if !memory.parts.is_empty() {
        let parts = memory.parts.iter().map(|part| format!("{} {:+.2}", part.name, part.value));
        say!("  {DIM}{}{DIM:#}", parts.collect::<Vec<_>>().join(" · "));
    }
    if memory.kind == Kind::Summary {
        return print_excerpt(memory, question);
    }
    if let Some(PassageOf { collection, key, passage }) = &memory.document {
        say!("  {DIM}{collection}/{key}#{}{DIM:#}", passage.ordinal);
    }
    say!("{}\n", column(&spoken(memory), 2));
}

fn print_excerpt(memory: &MemoryView, question: Option<&str>) {
    let excerpt = Excerpt::of(&memory.text, question.unwrap_or_default());
    for line in &excerpt.lines {
        let text = column(line.text, 4);
        if line.is_best {
            say!("{BOLD}  › {}{BOLD:#}", text.trim_start());
        } else {
            say!("{text}");
        }
    }
    if excerpt.left_out > 0 {
        let left = plural(excerpt.left_out as u64, "line");
        say!("    {DIM}… {left} more: annals show {}{DIM:#}", memory.id);
    }
    say!();
    print_ungrounded(memory);
}
