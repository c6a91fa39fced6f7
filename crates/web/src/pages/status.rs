//! The state of one memory: what is stored, what waits, what failed and when it is tried again, and what it cost.

use std::collections::BTreeMap;

use annals_core::ports::Scope;
use annals_service::wire::{DeadLetterView, FailureView, RollupRequest, SettingsView, StatusView, UsageView};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::Shown;
use crate::fields::Form;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{link, words};

/// `GET /agents/{agent}/status`
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let now = site.service.now();
    let status = site.service.status(&agent, now).await?;
    let settings = site.service.settings(&agent).await?;
    let dead = site.service.dead_letters(&agent).await?;
    let page = Page { title: "Status".into(), visitor: Some(&visitor), agent: Some(&name), tab: Some("status") };
    Ok(page.show(html! {
        h1 { "Status" }
        (stored(&status))
        (waiting(&name, &status))
        @if visitor.caller.may(Scope::Admin) {
            form method="post" action=(link::agent(&name, "retry")) { (token(&visitor)) button type="submit" { "Write due summaries now" } }
        }
        (failed(&name, &status.failed))
        (dead_letters(&name, &dead))
        (cost(&status.usage, &settings))
    }))
}

/// `POST /agents/{agent}/retry`: rolls up what is due.
pub(crate) async fn retry(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>, _: Form) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    site.service.rollup(&agent, RollupRequest::default(), site.service.now()).await?;
    Ok(redirect(&link::agent(&name, "status")))
}

fn stored(status: &StatusView) -> Markup {
    let number = |grain: annals_core::Grain| status.memories.get(grain.as_str()).copied().unwrap_or_default();
    html! {
        div.tiles {
            @for grain in annals_core::Grain::ALL {
                div.tile { span.figure { (words::count(number(grain))) } span { (words::grain(grain).to_lowercase()) } }
            }
        }
        dl.notes {
            div { dt { "Time zone" } dd { (status.time_zone) } }
            div { dt { "Retention plan" } dd { (status.plan) @if status.sealed > 0 { "; " (words::plural(status.sealed as u64, "period")) " sealed" } } }
            div { dt { "Last message stored" } dd { (status.last_ingest.as_deref().map_or_else(|| "never".to_owned(), moment)) } }
        }
    }
}

fn moment(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), words::utc)
}

fn waiting(agent: &str, status: &StatusView) -> Markup {
    html! {
        h2 { "Waiting" }
        dl.notes {
            div { dt { "Not searchable yet" } dd { (words::plural(status.not_yet_searchable, "change")) } }
            div { dt { "Not read for facts yet" } dd { (words::plural(status.not_yet_read_for_facts, "change")) @if let Some(error) = &status.extraction_error { ": " (error) } } }
            div { dt { "Due for a summary" } dd { @if status.due.is_empty() { "nothing" } @else { (periods(agent, &status.due)) } } }
            div { dt { "Not over yet" } dd { @if status.open.is_empty() { "nothing" } @else { (periods(agent, &status.open)) } } }
            @if !status.degraded.is_empty() { div.warning { dt { "Degraded" } dd { (periods(agent, &status.degraded)) } } }
        }
    }
}

/// Links of the first periods, and how many more there are.
fn periods(agent: &str, labels: &[String]) -> Markup {
    html! {
        @for (number, label) in labels.iter().take(12).enumerate() {
            @if number > 0 { ", " }
            a href=(link::timeline(agent, label, None)) { (label) }
        }
        @if labels.len() > 12 { " and " (words::count(labels.len() as u64 - 12)) " more" }
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
                    th scope="row" { a href=(link::timeline(agent, &failure.period, None)) { (failure.period) } }
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

/// Tokens of the last thirty days: a column per day, and a table by purpose and model.
fn cost(usage: &[UsageView], settings: &SettingsView) -> Markup {
    html! {
        h2 { "Cost of the last thirty days" }
        @if usage.is_empty() {
            p.empty { "0 tokens. No model was called; the built-in engine needs none." }
        } @else {
            (columns(usage, settings.daily_tokens))
            (by_purpose(usage))
        }
        p.hint { @match settings.daily_tokens {
            Some(most) => { "At most " (words::count(most)) " tokens per UTC day for this agent." },
            None => { "The budget of the configuration applies; it bounds the tokens per UTC day." },
        } }
    }
}

fn columns(usage: &[UsageView], budget: Option<u64>) -> Markup {
    let mut days: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for entry in usage {
        let day = days.entry(entry.day.as_str()).or_default();
        *day = (day.0 + entry.tokens_in, day.1 + entry.tokens_out);
    }
    let most = days.values().map(|day| day.0 + day.1).chain(budget).max().unwrap_or(1).max(1);
    let height = |tokens: u64| tokens as f64 / most as f64 * 90.0;
    let step = 100.0 / days.len().max(1) as f64;
    html! {
        figure.cost {
            svg width="100%" height="110" role="img" aria-label="Tokens per day; the table below has the numbers" {
                @for (number, (day, (read, written))) in days.iter().enumerate() {
                    @let x = format!("{:.2}%", number as f64 * step + step * 0.1);
                    @let width = format!("{:.2}%", step * 0.8);
                    g {
                        title { (day) ": " (words::count(*read)) " in, " (words::count(*written)) " out" }
                        rect.in x=(x) width=(width) y=(format!("{:.1}", 95.0 - height(*read))) height=(format!("{:.1}", height(*read))) {}
                        rect.out x=(x) width=(width) y=(format!("{:.1}", 95.0 - height(read + written))) height=(format!("{:.1}", height(*written))) {}
                    }
                    @if days.len() <= 12 || number % 5 == 0 { text x=(x) y="108" { (day.get(5..).unwrap_or(day)) } }
                }
                @if let Some(budget) = budget {
                    @let y = format!("{:.1}", 95.0 - height(budget));
                    line.budget x1="0" x2="100%" y1=(y) y2=(y) {}
                }
            }
            figcaption { ul.inline {
                li { svg.swatch width="12" height="12" aria-hidden="true" { rect.in width="12" height="12" {} } " read by models" }
                li { svg.swatch width="12" height="12" aria-hidden="true" { rect.out width="12" height="12" {} } " written by models" }
            } }
        }
    }
}

fn by_purpose(usage: &[UsageView]) -> Markup {
    let mut rows: BTreeMap<(&str, &str), (u64, u64, u64)> = BTreeMap::new();
    for entry in usage {
        let row = rows.entry((&entry.purpose, &entry.model)).or_default();
        *row = (row.0 + entry.calls, row.1 + entry.tokens_in, row.2 + entry.tokens_out);
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Cost by purpose" { table {
            thead { tr { th scope="col" { "For" } th scope="col" { "Model" } th.n scope="col" { "Calls" } th.n scope="col" { "Tokens in" } th.n scope="col" { "Tokens out" } } }
            tbody { @for ((purpose, model), (calls, read, written)) in &rows { tr {
                th scope="row" { (purpose) } td { bdi { (model) } } td.n { (words::count(*calls)) } td.n { (words::count(*read)) } td.n { (words::count(*written)) }
            } } }
        } }
    }
}
