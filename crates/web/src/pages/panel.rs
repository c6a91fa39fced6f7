//! The panel below the timeline with the opened period or turn: its text, its sources, and the summaries that cover it.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Error, Grain, Period, Zones};
use annals_service::Service;
use annals_service::wire::{MemoryAnswer, MemoryView, PeriodState, PeriodView, PeriodsAnswer, PeriodsRequest};
use maud::{Markup, html};

use super::parts;
use super::timeline::{memory_id, turns};
use crate::failure::Failure;
use crate::timeline::{Picture, Window};
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of turns of a day that are shown at once.
const MAX_TURNS: usize = 300;

/// The period or turn that the address opens.
#[derive(Clone, Copy)]
pub(super) struct OpenPeriod<'a> {
    pub(super) window: Window,
    /// The label of a period, or the id of a turn.
    pub(super) open: &'a str,
    /// The position after which the turns of a day are shown; `None` for the first turns.
    pub(super) after: Option<&'a str>,
}

impl OpenPeriod<'_> {
    /// Returns the address of the timeline with this period or turn opened.
    pub(super) fn address(self, agent: &str) -> String {
        let window = self.window.to_string();
        match self.after {
            Some(after) => link::turns_after(agent, &window, self.open, after),
            None => link::timeline(agent, &window, Some(self.open)),
        }
    }
}

/// Draws the period or memory that the address names, or a message if nothing is known of the period.
pub(super) async fn opened(
    service: &Service,
    visitor: &Visitor,
    agent: &Agent,
    zones: &Zones,
    answer: &PeriodsAnswer,
    opened_at: OpenPeriod<'_>,
) -> Result<Markup, Failure> {
    let OpenPeriod { window, open, .. } = opened_at;
    if let Some(id) = memory_id(open) {
        let answer = service.memory(agent, id.as_str()).await?;
        return Ok(turn(agent.name(), window, &answer, zones));
    }
    let period: Period = open.parse()?;
    let (first, last) = period.cover_days();
    let beyond;
    let answer = if window.contains(first) && window.contains(last) {
        answer
    } else {
        // If the period extends beyond the window, the answer for the window lacks some of the period's parts, so they are read
        // here.
        let request = PeriodsRequest { from: Some(first), to: Some(last) };
        beyond = service.periods(agent, request, service.now()).await?;
        &beyond
    };
    let picture = &Picture::new(window, answer, None, Vec::new());
    let Some(view) = picture.view(period) else {
        let name = labels::period(period);
        return Ok(html! { section.panel #opened { h2 { (name) } p.empty { "Nothing happened in this time." } } });
    };
    let summary = match &view.summary {
        Some(id) => Some(service.memory(agent, id).await?),
        None => None,
    };
    let turns = picture.turns(view.from, view.to);
    let made_from = match period.grain() {
        Grain::Daily => turns_of(service, agent, zones, opened_at, first, turns).await?,
        _ => made_from(service, agent, window, period, summary.as_ref(), picture).await?,
    };
    let may_change = visitor.caller.may(Scope::Admin);
    Ok(html! {
        section.panel #opened aria-labelledby="opened-name" {
            (head(agent.name(), window, period, view, turns))
            (why_failed(view))
            div.columns {
                div {
                    @match &summary {
                        Some(summary) => (summary_text(agent.name(), summary)),
                        None => p.empty { (why_no_text(view)) },
                    }
                    (actions(agent.name(), summary.as_ref(), view, may_change))
                    (notes(view))
                }
                div { (made_from) }
            }
        }
    })
}

fn head(agent: &str, window: Window, period: Period, view: &PeriodView, turns: u64) -> Markup {
    let to = |period: Period| link::timeline(agent, &window.to_string(), Some(&period.to_string()));
    let above: Vec<Period> = std::iter::successors(period.parent(), |period| period.parent()).collect();
    html! {
        div.head {
            h2 #opened-name { time datetime=(view.from) { (labels::period(period)) } }
            (parts::chip(view.state))
            span.days {
                @if period.grain() != Grain::Daily { (labels::days(view.from, view.to)) " · " }
                (labels::plural(turns, "turn"))
            }
            @if window.period() != Some(period) {
                a href=(link::timeline(agent, &period.to_string(), None)) { "Zoom to it" }
            }
        }
        @if !above.is_empty() {
            p.up { "Covered by " @for (number, period) in above.iter().enumerate() {
                @if number > 0 { " › " }
                a href=(to(*period)) { (labels::period(*period)) }
            } }
        }
    }
}

fn summary_text(agent: &str, summary: &MemoryAnswer) -> Markup {
    html! {
        div.text {
            @if summary.sentences.is_empty() { (parts::text(&summary.memory.text)) }
            @else { (parts::sentences(agent, &summary.sentences)) }
        }
    }
}

/// Draws a link to the page of the summary, if there is one. For a visitor who may change memories, also draws a link to a dry
/// run of forgetting the days of the period.
fn actions(agent: &str, summary: Option<&MemoryAnswer>, view: &PeriodView, may_change: bool) -> Markup {
    let (from, to) = (view.from.to_string(), view.to.to_string());
    html! {
        p.actions {
            @if let Some(summary) = summary {
                a href=(link::memory(agent, &summary.memory.id)) { @if may_change { "Former texts, correct or pin" } @else { "Details and former texts" } }
            }
            @if may_change {
                @if summary.is_some() { " · " }
                a.danger href=(link::with(&link::agent(agent, "forget"), [("from", from.as_str()), ("to", to.as_str())])) { "Forget these days …" }
            }
        }
    }
}

fn why_no_text(view: &PeriodView) -> String {
    match view.state {
        PeriodState::Open => format!("Not over yet. Its summary is written after {}.", labels::day(view.to)),
        PeriodState::Waiting => "It is over, and its summary is due. The job rollup writes it within minutes.".into(),
        PeriodState::Writing => "Its summary is being written now.".into(),
        PeriodState::Failed => "It has no summary, because every attempt failed so far. The reason is above.".into(),
        PeriodState::Pruned => {
            "Its summary was pruned by the retention plan. The coarser summaries cover these days.".into()
        }
        _ => "Nothing is left of it.".into(),
    }
}

/// Draws notes about the summary: who wrote it, what is doubtful in it, and whether it is outdated.
fn notes(view: &PeriodView) -> Markup {
    html! {
        dl.notes {
            @if view.summary.is_some() {
                div { dt { "Written by" } dd { (writer(view)) @if let Some(author) = author(view) { br; span.hint { (author) } } } }
            }
            @if view.ungrounded > 0 {
                div.warning { dt { "Grounding" } dd { (labels::plural(view.ungrounded.into(), "statement")) " in it that its sources do not support: a name, a number, a date or a negation" } }
            }
            @if view.outdated {
                div { dt { "Recipe" } dd { "written with another prompt, model or engine than the present one; " code { "annals rollup --refresh" } " writes it again" } }
            }
        }
    }
}

/// Draws why the period failed or waits, and the time of the next attempt; nothing if it has no error.
fn why_failed(view: &PeriodView) -> Markup {
    html! {
        @if let Some(error) = &view.error {
            p.notice {
                @match view.attempts {
                    0 => { strong { "Why it waits: " } },
                    attempts => { strong { "Why it failed" } " (" (labels::plural(attempts.into(), "attempt")) "): " },
                }
                bdi { (error) }
                @match view.not_before.as_deref() {
                    Some(next) => { ". Tried again after " (next.parse().map_or_else(|_| next.to_owned(), labels::utc)) "." },
                    None => ". Tried again by the next run of the job rollup.",
                }
            }
        }
    }
}

/// Returns the engine, model and prompt that wrote the summary. Returns `None` if they were not recorded or a person corrected
/// the text.
fn author(view: &PeriodView) -> Option<String> {
    let author = view.author.as_ref().filter(|_| !view.corrected)?;
    let rest = [("model", &author.model), ("prompt", &author.prompt)];
    let rest = rest.iter().filter_map(|(name, value)| Some(format!(", {name} {}", value.as_deref()?)));
    Some(format!("engine {}{}", author.engine, rest.collect::<String>()))
}

fn writer(view: &PeriodView) -> String {
    match () {
        () if view.corrected => "a person, who corrected it".into(),
        () if view.state == PeriodState::Degraded => {
            "the built-in engine, in place of a model that was unavailable".into()
        }
        () if view.tokens == 0 => "the built-in engine, for no tokens; its sentences are quotations".into(),
        () => format!("a model; {} paid for it so far", labels::plural(view.tokens, "token")),
    }
}

/// Draws the turns of a day, at most [`MAX_TURNS`] of them, with a link to the rest.
async fn turns_of(
    service: &Service,
    agent: &Agent,
    zones: &Zones,
    opened_at: OpenPeriod<'_>,
    day: Date,
    total: u64,
) -> Result<Markup, Error> {
    let shown = turns(service, agent, (day, day), MAX_TURNS, opened_at.after).await?;
    let is_all = opened_at.after.is_none() && shown.next_cursor.is_none();
    let total = if is_all { shown.memories.len() as u64 } else { total };
    let time = |turn: Option<&MemoryView>| Some(labels::time(turn?.cover.start.parse().ok()?, zones));
    let ends = time(shown.memories.first()).zip(time(shown.memories.last())).filter(|_| !is_all);
    let window = opened_at.window.to_string();
    Ok(html! {
        @if shown.memories.is_empty() && is_all { p.empty { "Its turns were pruned or forgotten." } }
        @else { h3 { "Made from " (labels::plural(total, "turn")) } }
        @if let Some((first, last)) = ends { p.hint { (labels::count(shown.memories.len() as u64)) " of them, from " (first) " to " (last) } }
        (parts::turns(agent.name(), &shown.memories, zones, None))
        p {
            @if opened_at.after.is_some() { a href=(link::timeline(agent.name(), &window, Some(opened_at.open))) { "First turns" } " " }
            @if let Some(next) = &shown.next_cursor { a href=(link::turns_after(agent.name(), &window, opened_at.open, next)) { "Next turns" } }
        }
    })
}

async fn made_from(
    service: &Service,
    agent: &Agent,
    window: Window,
    period: Period,
    summary: Option<&MemoryAnswer>,
    picture: &Picture<'_>,
) -> Result<Markup, Error> {
    let sources = match summary {
        Some(summary) => service.sources(agent, &summary.memory.id).await?.sources,
        None => Vec::new(),
    };
    let gone = summary.map_or(0, |summary| summary.memory.source_ids.len()).saturating_sub(sources.len());
    let text = |period: Period| sources.iter().find(|source| source.period == period.to_string());
    let children: Vec<(Period, &PeriodView)> =
        period.children().into_iter().filter_map(|child| Some((child, picture.view(child)?))).collect();
    Ok(html! {
        h3 { "Made from" }
        @if children.is_empty() { p.empty { "Nothing of it is left." } }
        @if gone > 0 { p.hint { (labels::plural(gone as u64, "source")) " no longer there: pruned or forgotten." } }
        ol.children {
            @for (child, view) in children { (source(agent.name(), window, child, view, text(child), picture)) }
        }
    })
}

fn source(
    agent: &str,
    window: Window,
    period: Period,
    view: &PeriodView,
    memory: Option<&MemoryView>,
    picture: &Picture<'_>,
) -> Markup {
    html! {
        li {
            a.when href=(link::timeline(agent, &window.to_string(), Some(&view.period))) {
                time datetime=(view.from) { (labels::period(period)) }
            }
            (parts::chip(view.state))
            span.number { (labels::plural(picture.turns(view.from, view.to), "turn")) }
            @if let Some(memory) = memory { p.said dir="auto" { (parts::excerpt(&memory.text)) } }
        }
    }
}

fn turn(agent: &str, window: Window, answer: &MemoryAnswer, zones: &Zones) -> Markup {
    let memory = &answer.memory;
    let day = memory.period.parse::<Period>().ok().map(|period| period.ancestor(Grain::Daily));
    html! {
        section.panel #opened {
            div.head { h2 { bdi { (parts::name(memory, zones)) } } }
            @if let Some(day) = day {
                p.up { "Covered by " a href=(link::timeline(agent, &window.to_string(), Some(&day.to_string()))) { (labels::period(day)) } }
            }
            div.text { (parts::text(&memory.text)) }
            p.actions { a href=(link::memory(agent, &memory.id)) { "Details of this turn" } }
        }
    }
}
