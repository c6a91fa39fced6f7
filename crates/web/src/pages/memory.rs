//! The page of one memory: its text, its sources, its former texts, and the forms that correct or pin it.

use annals_core::ports::Scope;
use annals_core::{Grain, Period, Timestamp, Zones};
use annals_service::wire::{CorrectRequest, MemoryAnswer, MemoryView, VersionView};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, parts};
use crate::fields::Form;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Serves `GET /agents/{agent}/memories/{id}`: the memory.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let answer = site.service.memory(&agent, &id).await?;
    let zones = site.service.zones(&agent).await?;
    let is_turn = answer.memory.message.is_some();
    let sources = if is_turn { Vec::new() } else { site.service.sources(&agent, &id).await?.sources };
    let title = parts::name(&answer.memory, &zones);
    let page =
        Page { title: title.clone(), visitor: Some(&visitor), agent: Some(agent.name()), tab: None, ..Page::default() };
    Ok(page.show(html! {
        h1 { bdi { (title) } }
        (breadcrumbs(&name, &answer.memory))
        section.panel {
            div.text {
                @if answer.sentences.is_empty() { (parts::text(&answer.memory.text)) }
                @else { (parts::sentences(&name, &answer.sentences)) }
            }
        }
        (details(&answer.memory, &zones))
        @if !sources.is_empty() { h2 { "Made from" } (made_from(&name, &sources, &zones)) }
        (former(&answer.versions, &zones))
        @if visitor.caller.may(Scope::Admin) { (changes(&visitor, &name, &answer)) }
    }))
}

/// Draws links to the memory in the timeline and to the summaries that cover it.
fn breadcrumbs(agent: &str, memory: &MemoryView) -> Markup {
    let Ok(period) = memory.period.parse::<Period>() else { return html! {} };
    let is_summary = memory.grain != Grain::Working;
    html! {
        p.up {
            a href=(link::timeline(agent, &period.to_string(), Some(if is_summary { &memory.period } else { &memory.id }))) { "Show in the timeline" }
            " · Covered by "
            @for (number, period) in summaries_above(memory).into_iter().enumerate() {
                @if number > 0 { " › " }
                a href=(link::timeline(agent, &period.to_string(), None)) { (labels::period(period)) }
            }
        }
    }
}

/// Returns the periods with a summary that covers the memory, from fine to coarse. These summaries may not exist yet.
fn summaries_above(memory: &MemoryView) -> Vec<Period> {
    let period = memory.period.parse::<Period>().ok();
    let first = if memory.grain == Grain::Working { period } else { period.and_then(Period::parent) };
    std::iter::successors(first, |period| period.parent()).collect()
}

fn details(memory: &MemoryView, zones: &Zones) -> Markup {
    let moment =
        |text: &str| text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), |at| labels::moment(at, zones));
    html! {
        dl.notes {
            div { dt { "Covers" } dd { @if memory.grain == Grain::Working { (moment(&memory.cover.start)) } @else { (memory.cover.from) " to " (memory.cover.to) } } }
            @if let Some(conversation) = &memory.conversation { div { dt { "Conversation" } dd { bdi { (conversation) } } } }
            @if let Some(role) = memory.role { div { dt { "Role" } dd { (role) } } }
            @if let Some(message) = &memory.message { div { dt { "Message" } dd { code { (message) } } } }
            @if let Some(document) = &memory.document { div { dt { "Document" } dd { bdi { (document.collection) "/" (document.key) } } } }
            div { dt { "Id" } dd { code { (memory.id) } } }
            div { dt { "Pinned" } dd { (if memory.pinned { "yes: retention keeps it" } else { "no" }) } }
        }
    }
}

fn made_from(agent: &str, sources: &[MemoryView], zones: &Zones) -> Markup {
    html! {
        ol.children { @for source in sources {
            li {
                a.when href=(link::memory(agent, &source.id)) { bdi { (parts::name(source, zones)) } }
                p.said dir="auto" { (parts::excerpt(&source.text)) }
            }
        } }
    }
}

fn former(versions: &[VersionView], zones: &Zones) -> Markup {
    let moment =
        |text: &str| text.parse::<Timestamp>().map_or_else(|_| text.to_owned(), |at| labels::moment(at, zones));
    html! {
        @if !versions.is_empty() {
            h2 { "Former texts" }
            ol.versions { @for version in versions.iter().rev() {
                li { p.hint { "until " (moment(&version.replaced_at)) } (parts::text(&version.text)) }
            } }
        }
    }
}

fn changes(visitor: &Visitor, agent: &str, answer: &MemoryAnswer) -> Markup {
    let (memory, path) = (&answer.memory, link::memory(agent, &answer.memory.id));
    let is_summary = memory.grain != Grain::Working;
    html! {
        section.changes {
            h2 { "Change it" }
            form method="post" action=(format!("{path}/pin")) {
                (token(visitor))
                input type="hidden" name="pinned" value=(!memory.pinned);
                button type="submit" { (if memory.pinned { "Unpin" } else { "Pin" }) }
                span.hint { " A pinned memory is never pruned by the retention plan." }
            }
            details {
                summary { "Correct the text" }
                form.stack method="post" action=(format!("{path}/text")) {
                    (token(visitor))
                    label for="text" { "Text" }
                    textarea #text name="text" rows="8" required dir="auto" { (memory.text) }
                    button type="submit" { "Save" }
                    p.hint { "The present text stays as a former text. What was made from it is written again" (written_again(memory)) "." }
                }
            }
            @if !is_summary {
                p { a.danger href=(link::with(&link::agent(agent, "forget"), [("id", memory.id.as_str())])) { "Forget it …" }
                    span.hint { " First shows everything that would be erased." } }
            } @else {
                p.hint { "A summary is made from other memories: forget those, and it is written again without them." }
            }
        }
    }
}

/// Returns the names of the summaries that a correction makes stale, as `: NAME, NAME`; empty if there are none.
fn written_again(memory: &MemoryView) -> String {
    let above: Vec<String> = summaries_above(memory).into_iter().map(labels::period).collect();
    if above.is_empty() { String::new() } else { format!(": {}", above.join(", ")) }
}

/// Serves `POST /agents/{agent}/memories/{id}/text`: replaces the text of a memory.
pub(crate) async fn correct(
    State(site): State<Site>,
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
    Form(form): Form,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    let request = CorrectRequest { text: Some(form.required("text")?.to_owned()), pinned: None };
    site.service.correct(&agent, &id, request, site.service.now()).await?;
    Ok(redirect(&link::memory(&name, &id)))
}

/// Serves `POST /agents/{agent}/memories/{id}/pin`: pins or unpins a memory.
pub(crate) async fn pin(
    State(site): State<Site>,
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
    Form(form): Form,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    let request = CorrectRequest { text: None, pinned: form.parsed("pinned")? };
    site.service.correct(&agent, &id, request, site.service.now()).await?;
    Ok(redirect(&link::memory(&name, &id)))
}
