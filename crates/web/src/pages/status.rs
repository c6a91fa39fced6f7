//! The page of the state of one memory: what is stored, what waits, what failed and when it is tried again, and what models
//! cost.

use annals_core::ports::Scope;
use annals_service::numbers::money;
use annals_service::wire::{CostsAnswer, CostsRequest, DeadLetterView, FailureView, RollupRequest, StatusView};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, cost_tables, costs, live};
use crate::fields::Form;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Serves `GET /agents/{agent}/status`: the state of the memory.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let live = live::address(&site, &visitor, Some(&agent)).await?;
    let now = site.service.now();
    let status = site.service.status(&agent, now).await?;
    let agents = std::slice::from_ref(&agent);
    let paid = site.service.costs(agents, &CostsRequest::default(), now).await?;
    let budget = costs::budget(&site.service, agents, &paid).await?;
    let dead = site.service.dead_letters(&agent).await?;
    let page =
        Page { title: "Status".into(), visitor: Some(&visitor), agent: Some(agent.name()), tab: Some("status"), live };
    Ok(page.show(html! {
        h1 { "Status" }
        div #live hx-get=(link::agent(&name, "status")) hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
        (stored(&status))
        (waiting(&name, &status))
        @if visitor.caller.may(Scope::Admin) {
            form method="post" action=(link::agent(&name, "retry")) { (token(&visitor)) button #retry type="submit" { "Write due summaries now" } }
        }
        (failed(&name, &status.failed))
        (dead_letters(&name, &dead))
        (cost(&name, &paid, budget))
        }
    }))
}

/// Serves `POST /agents/{agent}/retry`: rolls up the periods that are due.
pub(crate) async fn retry(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>, _: Form) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    visitor.service(&site).rollup(&agent, RollupRequest::default(), site.service.now()).await?;
    Ok(redirect(&link::agent(&name, "status")))
}

fn stored(status: &StatusView) -> Markup {
    let number = |grain: annals_core::Grain| status.memories.get(grain.as_str()).copied().unwrap_or_default();
    html! {
        div.tiles {
            @for grain in annals_core::Grain::ALL {
                div.tile { span.figure { (labels::count(number(grain))) } span { (labels::grain(grain).to_lowercase()) } }
            }
        }
        dl.notes {
            div { dt { "Time zone" } dd { (status.time_zone) } }
            div { dt { "Retention plan" } dd { (status.plan) @if status.sealed > 0 { "; " (labels::plural(status.sealed as u64, "period")) " sealed" } } }
            div { dt { "Last message stored" } dd { (status.last_ingest.as_deref().map_or_else(|| "never".to_owned(), moment)) } }
        }
    }
}

fn moment(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), labels::utc)
}

fn waiting(agent: &str, status: &StatusView) -> Markup {
    html! {
        h2 { "Waiting" }
        dl.notes {
            div { dt { "Not searchable yet" } dd { (labels::plural(status.not_yet_searchable, "change")) @if let Some(error) = &status.index_error { ": " (error) } } }
            div { dt { "Not read for facts yet" } dd { (labels::plural(status.not_yet_read_for_facts, "change")) @if let Some(error) = &status.extraction_error { ": " (error) } } }
            div { dt { "Due for a summary" } dd { @if status.due.is_empty() { "nothing" } @else { (periods(agent, &status.due)) } } }
            div { dt { "Not over yet" } dd { @if status.open.is_empty() { "nothing" } @else { (periods(agent, &status.open)) } } }
            @if !status.degraded.is_empty() { div.warning { dt { "Degraded" } dd { (periods(agent, &status.degraded)) } } }
        }
    }
}

/// Draws links to the first twelve periods, and the number of further ones.
fn periods(agent: &str, labels: &[String]) -> Markup {
    html! {
        @for (number, label) in labels.iter().take(12).enumerate() {
            @if number > 0 { ", " }
            a href=(link::timeline(agent, label, None)) { (label) }
        }
        @if labels.len() > 12 { " and " (labels::count(labels.len() as u64 - 12)) " more" }
    }
}

fn failed(agent: &str, failed: &[FailureView]) -> Markup {
    html! {
        h2 { "Failed" }
        @if failed.is_empty() { p.empty { "No summary failed." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Failed periods" { table {
                thead { tr { th scope="col" { "Period" } th.n scope="col" { "Attempts" } th scope="col" { "Why" } th scope="col" { "Tried again after" } } }
                tbody { @for failure in failed { tr {
                    th scope="row" { a href=(link::timeline(agent, &failure.period, Some(&failure.period))) { (failure.period) } }
                    td.n { (failure.attempts) }
                    td dir="auto" { (failure.error) }
                    td { (failure.not_before.as_deref().map_or_else(|| "as soon as possible".to_owned(), moment)) }
                } } }
            } }
        }
    }
}

fn dead_letters(agent: &str, dead: &[DeadLetterView]) -> Markup {
    html! {
        @if !dead.is_empty() {
            h2 { "Dead letters" }
            p.hint { "Memories that a stage rejected because of themselves. " code { "annals dead replay" } " tries them again." }
            ul { @for letter in dead.iter().take(50) { li { a href=(link::memory(agent, letter.memory.as_str())) { (letter.memory) } ": " (letter.error) } } }
        }
    }
}

/// Draws the tokens of the last thirty days, with a link to the page of costs.
fn cost(agent: &str, costs: &CostsAnswer, budget: Option<u64>) -> Markup {
    html! {
        h2 { "Cost of the last thirty days" }
        @if costs.costs.is_empty() {
            p.empty { "0 tokens. No model was called; the built-in engine needs none." }
        } @else {
            p.lead {
                (labels::plural(costs.tokens_in + costs.tokens_out, "token"))
                @if costs.cost > 0.0 { ", " (money(costs.cost, &costs.currency)) }
                @if !costs.unpriced.is_empty() { ", without the models that have no price yet" }
            }
            (cost_tables::columns(costs, budget))
        }
        p { a href=(link::with("/costs", [("agent", agent)])) { "By purpose, model and day; prices" } }
    }
}
