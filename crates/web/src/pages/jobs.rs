//! The page of the scheduled jobs: which run, which have run, and when each runs next. Shows failed summaries and batches too.
//! For the operator.

use annals_core::{Error, ObjectKind};
use annals_service::wire::{AgentFailure, BatchView, HealthView, JobView, OutcomeView};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, live};
use crate::fields::Form;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of failed summaries that are listed.
const MAX_FAILURES: usize = 100;

/// Serves `GET /jobs`: jobs, batches and failures.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor) -> Shown {
    visitor.needs_all()?;
    let live = live::address(&site, &visitor, None).await?;
    let health = site.service.health(site.service.now()).await;
    let jobs = site.host.as_ref().and_then(|host| host.jobs());
    let jobs: Vec<JobView> = match jobs {
        Some(jobs) => jobs.status().await.iter().map(JobView::from).collect(),
        None => Vec::new(),
    };
    let failures = site.service.all_failures(MAX_FAILURES).await?;
    let batches = site.service.batches(site.service.now()).await?;
    let page = Page { title: "Jobs".into(), visitor: Some(&visitor), live, ..Page::default() };
    Ok(page.show(html! {
        h1 { "Jobs" }
        p.lead {
            @match &health.error {
                None => { span.chip.closed { "ready" } " The store answers." },
                Some(error) => { span.chip.failed { "not ready" } " " (error) },
            }
        }
        div #live hx-get="/jobs" hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
            @if jobs.is_empty() { p.empty { "This process runs no scheduled jobs." } }
            @else { (table(&visitor, &jobs)) }
            (waiting(&health))
            (in_batches(&batches))
            (failed(&failures))
        }
        h2 { "More for the operator" }
        ul {
            li { a href="/keys" { "Keys" } ": who may read, add and change" }
            li { a href="/metrics" { "Metrics" } ": numbers for Prometheus" }
            li { a href="/operator" { "Service" } ": health, backups, doctor" }
            li { a href="/costs" { "Costs" } ": tokens and prices" }
        }
    }))
}

/// Serves `POST /jobs/{id}/run`: starts a job without waiting for its end.
pub(crate) async fn run(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>, _: Form) -> Shown {
    visitor.needs_all()?;
    let none = || Error::NotFound { what: ObjectKind::Job, name: name.clone() };
    site.host.as_ref().and_then(|host| host.jobs()).ok_or_else(none)?.wake(&name)?;
    Ok(redirect("/jobs"))
}

fn table(visitor: &Visitor, jobs: &[JobView]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Jobs" { table {
            thead { tr {
                th scope="col" { "Job" } th scope="col" { "State" } th scope="col" { "Last run" } th scope="col" { "Took" } th scope="col" { "Outcome" }
                th scope="col" { "Next" } th.n scope="col" { "Runs" } th scope="col" { span.hidden { "Run" } }
            } }
            tbody { @for job in jobs { tr {
                th scope="row" { (job.name) }
                td { (state(job)) }
                td.t { @if let Some(at) = job.last_start { (labels::utc(at)) } @else { "not yet" } }
                td.t { (took(job)) }
                td { (outcome(job)) }
                td.t { @if let Some(at) = job.next_wake { (labels::utc(at)) } @else { "never" } }
                td.n { (labels::count(job.runs)) }
                td.t { form method="post" action=(format!("/jobs/{}/run", job.name)) {
                    (token(visitor)) button.plain #(format!("run-{}", job.name)) type="submit" aria-label=(format!("Run now: {}", job.name)) { "Run now" }
                } }
            } } }
        } }
    }
}

/// Draws the numbers for all agents: periods that are due, changes that are not searchable yet, and dead letters.
fn waiting(health: &HealthView) -> Markup {
    html! {
        h2 { "Waiting" }
        dl.notes {
            div { dt { "Due for a summary" } dd { (labels::plural(health.due, "period")) ", for the job rollup" } }
            div { dt { "Not searchable yet" } dd { (labels::plural(health.not_yet_searchable, "change")) } }
            @if health.dead > 0 { div.warning { dt { "Dead letters" } dd { (labels::count(health.dead)) "; the status page of each agent lists them" } } }
        }
    }
}

/// Draws the batches that providers have not finished, or that failed within the last day.
fn in_batches(batches: &[BatchView]) -> Markup {
    let moment = |text: &str| text.parse().map_or_else(|_| text.to_owned(), labels::utc);
    html! {
        @if !batches.is_empty() {
            h2 #batches { "Batches" }
            p.hint { "Requests that a provider answers within a day, at half the price. Their summaries wait for them." }
            div.scroll tabindex="0" role="region" aria-label="Batches" { table {
                thead { tr { th scope="col" { "Model" } th scope="col" { "State" } th scope="col" { "Since" } th.n scope="col" { "Requests" } th.n scope="col" { "Answered" } } }
                tbody { @for batch in batches { tr {
                    th scope="row" { bdi { (batch.model) } }
                    td { (batch.state) @if let Some(failure) = &batch.failure { " " span.chip.failed { "failed" } " " bdi { (failure) } } }
                    td.t { (moment(&batch.at)) }
                    td.n { (labels::count(batch.requests)) }
                    td.n { (labels::count(batch.done)) }
                } } }
            } }
        }
    }
}

/// Draws the list of summaries that failed, of all agents, with the reasons.
fn failed(failures: &[AgentFailure]) -> Markup {
    html! {
        h2 #failures { "Summaries that failed" }
        @if failures.is_empty() { p.empty { "None. Every due summary was written, or is due with the next run of the job rollup." } }
        @else {
            p.hint { "Each is tried again by the job rollup after the time given here. After the last attempt the built-in engine writes the summary; the model writes it again when it can." }
            div.scroll tabindex="0" role="region" aria-label="Summaries that failed" { table {
                thead { tr { th scope="col" { "Agent" } th scope="col" { "Period" } th.n scope="col" { "Attempts" } th scope="col" { "Why" } th scope="col" { "Tried again after" } } }
                tbody { @for AgentFailure { workspace, agent, failure } in failures { tr {
                    th scope="row" { @if workspace == "default" { a href=(link::agent(agent, "status")) { bdi { (agent) } } } @else { bdi { (workspace) "/" (agent) } } }
                    td { @if workspace == "default" { a href=(link::timeline(agent, &failure.period, Some(&failure.period))) { (failure.period) } } @else { (failure.period) } }
                    td.n { (failure.attempts) }
                    td dir="auto" { (failure.error) }
                    td.t { @match failure.not_before.as_deref() { Some(at) => (at.parse().map_or_else(|_| at.to_owned(), labels::utc)), None => "the next run" } }
                } } }
            } }
            @if failures.len() == MAX_FAILURES { p.hint { "There may be more." } }
        }
    }
}

fn state(job: &JobView) -> Markup {
    html! {
        @match () {
            () if job.running => span.chip.writing { "running" },
            () if !job.enabled => span.chip.pruned { "off" },
            () => span.chip.closed { "idle" },
        }
    }
}

fn took(job: &JobView) -> String {
    let times = job.last_start.zip(job.last_end).filter(|(start, end)| end >= start && !job.running);
    times.map_or_else(String::new, |(start, end)| format!("{:.1} s", end.duration_since(start).as_secs_f64()))
}

fn outcome(job: &JobView) -> Markup {
    html! {
        @match &job.outcome {
            None => {},
            Some(OutcomeView::Done { done, failures }) => {
                @if done.is_empty() { "nothing to do" } @else { (done) }
                @if *failures > 0 { " " span.chip.failed { (labels::plural(*failures, "failure")) } }
            },
            Some(OutcomeView::Failed { error }) => { span.chip.failed { "failed" } " " (error) },
        }
    }
}
