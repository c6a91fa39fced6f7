//! The page of an agent's timeline: the picture of its strata, and below it the opened period or turn.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Error, Grain, MemoryId, Period, Zones};
use annals_service::Service;
use annals_service::wire::{MemoryView, PeriodsAnswer, PeriodsRequest, TimelineAnswer, TimelineRequest};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, jump, live, panel, parts};
use crate::failure::Failure;
use crate::fields::Query;
use crate::layout::{Page, redirect};
use crate::site::Site;
use crate::timeline::{Mark, Picture, Window, legend, outline};
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of turns that are drawn one by one. More would look like a solid bar.
const MAX_MARKS: usize = 600;

/// Serves `GET /agents/{agent}`: the timeline.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let live = live::address(&site, &visitor, Some(&agent)).await?;
    let service = &site.service;
    let wanted = query.get("go");
    if let Some(window) = jump::target(service, &agent, wanted).await? {
        return Ok(redirect(&link::timeline(&name, &window.to_string(), None)));
    }
    let window = query.get("period").map(str::parse::<Window>).transpose()?;
    let (window, answer) = found(service, &agent, window).await?;
    let zones = service.zones(&agent).await?;
    let marks = marks(service, &agent, window, &zones).await?;
    let label = window.to_string();
    let open = query.get("open").or(window.grain().map(|_| label.as_str()));
    let picture = Picture::new(window, &answer, open, marks);
    let opened_at = open.map(|open| panel::OpenPeriod { window, open, after: query.get("after") });
    let opened = match opened_at {
        Some(opened_at) => panel::opened(service, &visitor, &agent, &zones, &answer, opened_at).await?,
        None => html! {},
    };
    let own = opened_at.map_or_else(|| link::timeline(&name, &label, None), |opened_at| opened_at.address(&name));
    let title = window.name();
    let page = Page { title, visitor: Some(&visitor), agent: Some(agent.name()), tab: Some(""), live };
    Ok(page.show(html! {
        (heading(&name, window, &answer))
        (jump::missed(wanted))
        @if answer.first.is_none() { (nothing(&name)) }
        @else {
            (figure(&name, window, &own, &answer, &picture))
            (between(&name, window))
            (opened)
            details.list {
                summary { "The same as a list" }
                (outline(&name, window, &picture))
            }
        }
    }))
}

/// Returns the window and its periods. If no window is given, it is the year of the last memory; if there is no memory, it is
/// the present year.
async fn found(service: &Service, agent: &Agent, window: Option<Window>) -> Result<(Window, PeriodsAnswer), Failure> {
    let now = service.now();
    let window = match window {
        Some(window) => window,
        None => {
            // The answer states the first and last day of all memories, whatever the request; so the request covers no period.
            let nothing = PeriodsRequest { from: Some(Date::MIN), to: Some(Date::MIN) };
            let answer = service.periods(agent, nothing, now).await?;
            Window::containing(Some(Grain::Yearly), answer.last.unwrap_or(answer.today))
        }
    };
    let (first, last) = window.days();
    let request = PeriodsRequest { from: Some(first), to: Some(last) };
    Ok((window, service.periods(agent, request, now).await?))
}

/// Returns the marks of turns that are drawn one by one. Returns none if the window is longer than a week or has more than
/// [`MAX_MARKS`] turns.
async fn marks(service: &Service, agent: &Agent, window: Window, zones: &Zones) -> Result<Vec<Mark>, Error> {
    if !matches!(window.grain(), Some(Grain::Daily | Grain::Weekly)) {
        return Ok(Vec::new());
    }
    let (first, last) = window.days();
    let turns = turns(service, agent, (first, last), MAX_MARKS, None).await?;
    if turns.next_cursor.is_some() {
        return Ok(Vec::new());
    }
    let interval = zones.days(first, last);
    let mark = |turn: &MemoryView| {
        let at = turn.cover.start.parse().ok()?;
        let title = format!("{}: {}", parts::name(turn, zones), parts::excerpt(&turn.text));
        Some(Mark::new(turn.id.clone(), title, at, interval.start, interval.end))
    };
    Ok(turns.memories.iter().filter_map(mark).collect())
}

/// Returns at most `most` turns and statements of these days after a position, with the position of the rest.
pub(super) async fn turns(
    service: &Service,
    agent: &Agent,
    (first, last): (Date, Date),
    most: usize,
    after: Option<&str>,
) -> Result<TimelineAnswer, Error> {
    let request = TimelineRequest {
        grains: Some(Grain::Working.as_str().to_owned()),
        from: Some(first),
        to: Some(last),
        min_days_ago: None,
        max_days_ago: None,
        period: None,
        limit: Some(most),
        cursor: after.map(str::to_owned),
    };
    service.timeline(agent, request, service.now()).await
}

fn heading(agent: &str, window: Window, answer: &PeriodsAnswer) -> Markup {
    let (first, last) = window.days();
    let focus =
        [Some(answer.today), answer.last].into_iter().flatten().find(|day| window.contains(*day)).unwrap_or(first);
    let narrower = window.narrower(focus);
    let today = Window::containing(window.grain(), answer.today);
    let link = |window: Window| link::timeline(agent, &window.to_string(), None);
    html! {
        div.title {
            h1 { (window.name()) }
            p.days { (labels::days(first, last)) ", " (answer.time_zone) }
        }
        nav.tools aria-label="Move and zoom" {
            (tool(Some(link(window.previous())), "ArrowLeft", "‹ Earlier"))
            (tool(Some(link(window.next())), "ArrowRight", "Later ›"))
            (tool(window.wider().map(link), "ArrowUp", "− Wider"))
            (tool(narrower.map(link), "ArrowDown", "+ Closer"))
            (tool(Some(link(today)), "Home", "Today"))
            (jump::form(agent, window))
            span.levels { (levels(agent, window, focus)) }
        }
    }
}

/// Draws a link that a key also follows. Without a target, draws the name as disabled.
fn tool(href: Option<String>, key: &str, name: &str) -> Markup {
    html! {
        @match href {
            Some(href) => a.tool href=(href) data-key=(key) aria-keyshortcuts=(key) { (name) },
            None => span.tool.off aria-disabled="true" role="link" { (name) },
        }
    }
}

fn levels(agent: &str, window: Window, focus: Date) -> Markup {
    let levels = [
        None,
        Some(Grain::Yearly),
        Some(Grain::Quarterly),
        Some(Grain::Monthly),
        Some(Grain::Weekly),
        Some(Grain::Daily),
    ];
    html! {
        @for level in levels {
            @let to = Window::containing(level, focus).to_string();
            a href=(link::timeline(agent, &to, None)) aria-current=[(level == window.grain()).then_some("true")] {
                (level.map_or("decade", labels::one))
            }
        }
    }
}

fn figure(agent: &str, window: Window, own: &str, answer: &PeriodsAnswer, picture: &Picture<'_>) -> Markup {
    let is_empty = answer.periods.is_empty();
    html! {
        figure #strata.strata tabindex="0" aria-label="Strata. Arrow keys move and zoom, Home shows today."
            hx-get=(own) hx-trigger="annalschange from:body" hx-select="#strata" hx-select-oob="#opened" hx-swap="outerHTML" {
            ul.lanes aria-hidden="true" {
                @for grain in Grain::ALL.into_iter().rev() { li { (labels::grain(grain)) @if let Some(by) = picture.drawn_by(grain) { span.by { "by " (labels::one(by)) } } } }
                li.strip { "Turns per " (labels::one(picture.column())) }
            }
            div.canvas {
                (picture.draw())
                (brush(window))
            }
            figcaption {
                @if is_empty { (elsewhere(agent, window, answer)) }
                @else { (legend(&picture.states())) }
            }
        }
    }
}

/// Draws a brush over the strip of turns: a range of days between two handles. It is hidden until the script shows it. The
/// script keeps the brush equal to the fields of [`between`], which have the same effect without a script.
fn brush(window: Window) -> Markup {
    let (first, last) = window.days();
    html! {
        div.brush data-first=(first) data-last=(last) hidden {
            div.chosen {}
            @for (side, name) in [("from", "First day to search"), ("to", "Last day to search")] {
                span.handle role="slider" tabindex="0" data-side=(side) aria-label=(name) aria-valuenow="0" {}
            }
        }
    }
}

/// Draws the form that searches within a range of days.
fn between(agent: &str, window: Window) -> Markup {
    let (first, last) = window.days();
    html! {
        form.between.row #between method="get" action=(link::agent(agent, "search")) role="search" aria-label="Search between days" {
            label { "Search from " input type="date" name="from" value=(first) required; }
            label { "to " input type="date" name="to" value=(last) required; }
            input.grow type="search" name="q" placeholder="What happened in these days?" aria-label="Question" dir="auto";
            button type="submit" { "Search these days" }
            span.hint { "Drag over the strip of turns, or move its ends with ← and →." }
        }
    }
}

/// Draws the message for an empty window. The message links to the last day with a memory if that day is before the window,
/// otherwise to the first day with a memory. Has no link if there is no memory.
fn elsewhere(agent: &str, window: Window, answer: &PeriodsAnswer) -> Markup {
    let target = answer.last.filter(|last| *last < window.days().0).or(answer.first);
    html! {
        p.empty {
            "Nothing happened in this time. "
            @if let Some(day) = target {
                a href=(link::timeline(agent, &Window::containing(window.grain(), day).to_string(), None)) {
                    "Go to " (labels::day(day))
                }
            }
        }
    }
}

fn nothing(agent: &str) -> Markup {
    html! {
        div.empty {
            p.lead { "This memory has no messages yet." }
            p { "Send the first to " code { "POST /v1/agents/" (agent) "/messages" } ", or connect the agent over MCP at "
                code { "/mcp/" (agent) } "." }
        }
    }
}

/// Returns the id of a memory, or `None` if the text is the label of a period.
pub(super) fn memory_id(open: &str) -> Option<MemoryId> {
    open.parse::<Period>().is_err().then(|| MemoryId::from_text(open))
}
