//! The page of the whole process: health, backups, and the findings of the doctor. For the operator.

use annals_core::{Error, ObjectKind, Timestamp};
use annals_service::wire::{BackupsView, Finding, FindingState, HealthView, JobView};
use axum::extract::State;
use maud::{Markup, html};

use super::{Shown, live};
use crate::fields::Form;
use crate::labels;
use crate::layout::{Page, token};
use crate::site::Site;
use crate::visit::Visitor;

/// Maximum number of backups that are listed, the newest first.
const MAX_BACKUPS: usize = 30;
/// Age in hours from which the newest backup counts as old: backups are made daily.
const LATE_HOURS: i64 = 49;

/// Serves `GET /operator`: health and backups.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor) -> Shown {
    drawn(&site, &visitor, None).await
}

/// Serves `POST /operator/examine`: runs the doctor, and shows its findings.
pub(crate) async fn examine(State(site): State<Site>, visitor: Visitor, _: Form) -> Shown {
    visitor.needs_all()?;
    let none = || Error::NotFound { what: ObjectKind::RunningService, name: String::new() };
    let findings = site.host.as_ref().ok_or_else(none)?.examine().await;
    drawn(&site, &visitor, Some(findings)).await
}

async fn drawn(site: &Site, visitor: &Visitor, findings: Option<Result<Vec<Finding>, Error>>) -> Shown {
    visitor.needs_all()?;
    let live = live::address(site, visitor, None).await?;
    let now = site.service.now();
    let health = site.service.health(now).await;
    let backups = match &site.host {
        Some(host) => host.backups().await,
        None => Ok(BackupsView::default()),
    };
    let job = match site.host.as_ref().and_then(|host| host.jobs()) {
        Some(jobs) => jobs.status().await.iter().map(JobView::from).find(|job| job.name == "backup"),
        None => None,
    };
    let page = Page { title: "Service".into(), visitor: Some(visitor), live, ..Page::default() };
    Ok(page.show(html! {
        h1 { "Service" }
        div #live hx-get="/operator" hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
            (shown_health(&health))
            (shown_backups(&backups, job.as_ref(), now))
            @if let Some(job) = job.as_ref().filter(|job| job.enabled) {
                form method="post" action="/jobs/backup/run" {
                    (token(visitor))
                    button #back-up type="submit" disabled[job.running] { @if job.running { "Backing up…" } @else { "Back up now" } }
                }
            }
        }
        (shown_findings(visitor, findings.as_ref()))
        h2 { "More" }
        ul {
            li { a href="/jobs" { "Jobs" } ": what runs, what failed and why" }
            li { a href="/costs" { "Costs" } ": tokens and prices" }
            li { a href="/keys" { "Keys" } ": who may read, add and change" }
            li { a href="/metrics" { "Metrics" } ": numbers for Prometheus" }
        }
    }))
}

fn shown_health(health: &HealthView) -> Markup {
    let is_low = health.disk_free.is_some_and(|free| free < health.disk_low);
    html! {
        h2 { "Health" }
        p.lead { @match &health.error {
            None if is_low => { span.chip.failed { "disk nearly full" } " Reading works; new messages are refused." },
            None => { span.chip.closed { "healthy" } " The store answers." },
            Some(error) => { span.chip.failed { "not ready" } " " (error) },
        } }
        dl.notes {
            @if let Some(free) = health.disk_free {
                div { dt { "Free disk" } dd { (bytes(free)) "; below " (bytes(health.disk_low)) " new messages are refused" } }
            }
            div { dt { "Not searchable yet" } dd { (labels::plural(health.not_yet_searchable, "change")) } }
            div { dt { "Due for a summary" } dd { (labels::plural(health.due, "period")) } }
            div.warning[health.failed > 0] { dt { "Failed summaries" } dd {
                @if health.failed == 0 { "none" } @else { a href="/jobs#failures" { (labels::count(health.failed)) ", with reasons" } }
            } }
            div.warning[health.dead > 0] { dt { "Dead letters" } dd {
                @if health.dead == 0 { "none" } @else { (labels::count(health.dead)) "; the status page of each agent lists them" }
            } }
        }
    }
}

fn shown_backups(backups: &Result<BackupsView, Error>, job: Option<&JobView>, now: Timestamp) -> Markup {
    html! {
        h2 #backups { "Backups" }
        @match backups {
            Err(error) => p.notice { span.chip.failed { "unreadable" } " " (error) },
            Ok(BackupsView { target: None, .. }) => {
                p { "No place for backups is configured. Add to " code { "annals.toml" } ", for a folder on another disk or a bucket:" }
                pre { code { "[backup]\ntarget = \"/mnt/usb/annals\"   # or s3://bucket/prefix\nkeep = 14" } }
                p.hint { "The service then backs up each night. " code { "annals backup TARGET" } " does it by hand." }
            },
            Ok(view) => (backup_list(view, job, now)),
        }
    }
}

fn backup_list(view: &BackupsView, job: Option<&JobView>, now: Timestamp) -> Markup {
    let newest = view.backups.iter().find(|backup| backup.bytes.is_some()).and_then(|backup| backup.created);
    let is_late = newest.is_none_or(|at| now.duration_since(at).as_hours() >= LATE_HOURS);
    html! {
        p.lead {
            @match newest {
                None => { span.chip.failed { "none yet" } " No complete backup exists." },
                Some(at) if is_late => { span.chip.stale { "old" } " The newest complete backup is " (age(at, now)) " old." },
                Some(at) => { span.chip.closed { "fresh" } " The newest complete backup is " (age(at, now)) " old." },
            }
        }
        dl.notes {
            div { dt { "Place" } dd { code { (view.target.as_deref().unwrap_or_default()) } } }
            div { dt { "Kept" } dd { @match view.keep { Some(keep) => (labels::plural(keep.into(), "backup")), None => "all" } } }
            @if let Some(next) = job.and_then(|job| job.next_wake) { div { dt { "Next" } dd { (labels::utc(next)) } } }
            div { dt { "Check one" } dd { code { "annals backup verify" } } }
            div { dt { "Restore" } dd { code { "annals restore " (view.target.as_deref().unwrap_or_default()) " --data NEW_FOLDER" } } }
        }
        @if !view.backups.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Backups" { table {
                thead { tr { th scope="col" { "Made" } th scope="col" { "Age" } th.n scope="col" { "Size" } th scope="col" { "By version" } th scope="col" { "State" } } }
                tbody { @for backup in view.backups.iter().take(MAX_BACKUPS) { tr {
                    th scope="row" { @match backup.created { Some(at) => (labels::utc(at)), None => (backup.name) } }
                    td { @if let Some(at) = backup.created { (age(at, now)) } }
                    td.n { @if let Some(size) = backup.bytes { (bytes(size)) } }
                    td { (backup.annals.as_deref().unwrap_or_default()) }
                    td { @if backup.bytes.is_some() { span.chip.closed { "complete" } } @else { span.chip.failed { "incomplete" } } }
                } } }
            } }
        }
    }
}

fn shown_findings(visitor: &Visitor, findings: Option<&Result<Vec<Finding>, Error>>) -> Markup {
    html! {
        section #doctor {
            h2 { "Doctor" }
            p.hint { "Tests clock, disk, rights, stores and port, and sends a message through the whole pipeline in a scratch folder. It calls no model. The same as "
                code { "annals doctor --without-models" } "." }
            @match findings {
                None => {},
                Some(Err(error)) => p.notice { span.chip.failed { "not examined" } " " (error) },
                Some(Ok(findings)) => dl.notes { @for finding in findings {
                    div { dt { (finding_chip(finding)) " " (finding.about) } dd {
                        (finding.found)
                        @if let Some(remedy) = &finding.remedy { p.hint { (remedy) } }
                    } }
                } },
            }
            form method="post" action="/operator/examine" {
                (token(visitor))
                button type="submit" { @if findings.is_some() { "Examine again" } @else { "Examine now" } }
            }
        }
    }
}

fn finding_chip(finding: &Finding) -> Markup {
    let (class, word) = match finding.state {
        FindingState::Ok => ("closed", "ok"),
        FindingState::Doubtful => ("stale", "look"),
        FindingState::Wrong => ("failed", "wrong"),
    };
    html! { span.chip.(class) { (word) } }
}

/// Formats a size in bytes: `1.4 GB`.
pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1_000 => labels::plural(size, "byte"),
        1_000..1_000_000 => format!("{:.0} kB", size as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", size as f64 / 1e6),
        _ => format!("{:.1} GB", size as f64 / 1e9),
    }
}

fn age(at: Timestamp, now: Timestamp) -> String {
    let hours = u64::try_from(now.duration_since(at).as_hours()).unwrap_or_default();
    match hours {
        0 => "less than an hour".into(),
        1..48 => labels::plural(hours, "hour"),
        _ => labels::plural(hours / 24, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_as_people_write_them() {
        for (size, expect) in [(1, "1 byte"), (2_500, "2 kB"), (1_400_000, "1.4 MB"), (32_000_000_000, "32.0 GB")] {
            assert_eq!(bytes(size), expect);
        }
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-03-10T12:00:00Z");
        for (then, expect) in [
            ("2026-03-10T11:30:00Z", "less than an hour"),
            ("2026-03-09T12:00:00Z", "24 hours"),
            ("2026-03-01T12:00:00Z", "9 days"),
            ("2026-03-11T12:00:00Z", "less than an hour"),
        ] {
            assert_eq!(age(at(then), now), expect);
        }
    }
}
