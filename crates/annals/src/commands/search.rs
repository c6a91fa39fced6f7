//! `annals search`: searches by grain and date range; prints for people or as JSON.

use std::process::ExitCode;

use annals_core::{Agent, Answer, Found, Grain, Kind, Memory, Query, Result, Zones};

use crate::cli::Search;
use crate::console::remote;
use crate::folder::Folder;
use crate::view::excerpt::Excerpt;
use crate::view::{BOLD, DATE, DIM, column, dates, plural, print_json, range, say, say_zone};

pub async fn run(folder: &Folder, args: &Search, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    let query = Query {
        text: args.text.clone(),
        grains: args.grains.clone(),
        from: args.range.from,
        to: args.range.to,
        min_days_ago: args.min_days_ago,
        max_days_ago: args.max_days_ago,
        period: args.period,
        ignore_times: args.ignore_times,
        strict: args.strict,
        kinds: args.kinds.clone(),
        conversation: args.conversation.clone(),
        limit: args.limit,
        explain: args.explain,
        ..Query::default()
    };
    if json {
        folder.service().make_searchable(&agent, &|_| ()).await?;
        print_json(&folder.service().search_by(&agent, &query, folder.now()).await?);
    } else {
        let answer = answer(folder, &agent, &query).await?;
        let zones = folder.service().zones(&agent).await?;
        print(&answer, args.text.as_deref(), agent.name(), &zones);
    }
    if remote(|_| ()).is_none() {
        folder.service().flush_access_counts().await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Brings the tables up to date, then searches.
pub async fn answer(folder: &Folder, agent: &Agent, query: &Query) -> Result<Answer> {
    folder.service().make_searchable(agent, &|_| ()).await?;
    folder.service().answer(agent, query, folder.now()).await
}

/// Prints an answer for people.
pub fn print(answer: &Answer, question: Option<&str>, agent: &str, zones: &Zones) {
    if answer.range_is_empty {
        say!("There are no memories ({}).", searched(answer));
    } else if answer.results.is_empty() {
        say!("Nothing was found ({}).", searched(answer));
    }
    for found in &answer.results {
        print_found(found, question, agent, zones);
    }
    say_zone(answer.results.iter().map(|found| &found.memory), zones);
    if let Some(why) = answer.reranked.why_not() {
        say!("{DIM}The configured model did not rerank these results: {why}.{DIM:#}");
    }
}

/// Describes the days that were searched, and those of summaries if they differ.
fn searched(answer: &Answer) -> String {
    match answer.summary_range {
        None => range(answer.range),
        Some(summaries) => format!("{}; summaries {}", range(answer.range), range(summaries)),
    }
}

/// Prints one result: grain and dates, then the text. Of a summary, prints the sentences that match the question best.
pub fn print_found(found: &Found, question: Option<&str>, agent: &str, zones: &Zones) {
    let memory = &found.memory;
    let edge = match found.days_outside {
        0 => String::new(),
        1 => " · 1 day outside the range".into(),
        days => format!(" · {days} days outside the range"),
    };
    let grain = memory.grain;
    say!(
        "{BOLD}{grain:<9}{BOLD:#} {DATE}{}{DATE:#} {DIM}score {:+.2}{edge}  {}{DIM:#}",
        dates(memory, zones),
        found.score,
        memory.id
    );
    if !found.parts.is_empty() {
        let parts = found.parts.iter().map(|part| format!("{} {:+.2}", part.name, part.value));
        say!("  {DIM}{}{DIM:#}", parts.collect::<Vec<_>>().join(" · "));
    }
    if memory.kind() == Kind::Summary {
        return print_excerpt(memory, question, agent);
    }
    let speaker = memory.speaker().filter(|_| grain == Grain::Working);
    let text = speaker.map_or_else(|| memory.text.clone(), |speaker| format!("{speaker}: {}", memory.text));
    say!("{}\n", column(&text, 2));
}

fn print_excerpt(memory: &Memory, question: Option<&str>, agent: &str) {
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
        say!("    {DIM}… {left} more: annals show {} --agent {agent}{DIM:#}", memory.id);
    }
    say!();
}
