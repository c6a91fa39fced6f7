//! The pages for importing data of another program: a form with an upload, its progress, and the report of what was stored and
//! skipped.

use annals_core::ports::Scope;
use annals_core::{Error, ObjectKind};
use annals_service::Service;
use annals_service::wire::{
    FoundItems, ImportCounts, ImportReport, ImportStatus, ImportView, SkippedView, StoredItems,
};
use axum::extract::{Path, Request, State};
use maud::{Markup, html};

use super::operator::bytes;
use super::{Shown, live};
use crate::fields::Query;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::upload::{Received, receive};
use crate::visit::Visitor;
use crate::{labels, link};

/// The kinds of sources, each with its name and what to upload.
const KINDS: [(&str, &str); 12] = [
    ("chatgpt", "ChatGPT: the ZIP of “Export data”"),
    ("claude", "Claude.ai: the ZIP of “Export data”"),
    ("claude-code", "Claude Code: a session (.jsonl) or a ZIP of ~/.claude/projects"),
    ("codex", "Codex: a session (.jsonl) or a ZIP of ~/.codex/sessions"),
    ("openclaw", "OpenClaw: a ZIP of the workspace"),
    ("markdown", "Daily notes: a ZIP of Markdown files, as of Obsidian or Logseq"),
    ("letta", "Letta: an agent file (.af) or a ZIP of its memory"),
    ("mem0", "mem0: memories as JSON"),
    ("mcp-memory", "MCP memory server: memory.jsonl"),
    ("slack", "Slack: the ZIP of a workspace"),
    ("whatsapp", "WhatsApp: an exported chat (.txt or .zip)"),
    ("csv", "CSV: one message a line"),
];

/// Serves `GET /import?agent=…`: redirects to the form of an agent, which need not exist yet.
pub(crate) async fn choose(State(site): State<Site>, visitor: Visitor, Query(query): Query) -> Shown {
    visitor.needs(Scope::Ingest)?;
    let agent = site.service.agent(&visitor.caller, query.required("agent")?).await?;
    Ok(redirect(&link::agent(agent.name(), "import")))
}

/// Serves `GET /agents/{agent}/import`: the form, and the imports of this agent that the process still keeps in memory.
pub(crate) async fn form(State(site): State<Site>, visitor: Visitor, Path(name): Path<String>) -> Shown {
    visitor.needs(Scope::Ingest)?;
    let agent = site.service.agent(&visitor.caller, &name).await?;
    let live = live::address(&site, &visitor, Some(&agent)).await?;
    let imports = site.service.present_uploads(Some(&agent));
    let page =
        Page { title: "Import".into(), visitor: Some(&visitor), agent: Some(agent.name()), tab: Some("import"), live };
    Ok(page.show(html! {
        h1 { "Import" }
        p.lead { "Reads what another program keeps: conversations, notes, facts. A later export of the same adds only what is new." }
        (upload_form(&visitor, &name))
        div #live hx-get=(link::agent(&name, "import")) hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
            @if !imports.is_empty() { (list(&name, &imports)) }
        }
    }))
}

/// Serves `POST /agents/{agent}/imports`: receives an upload, which is then imported in the background.
pub(crate) async fn upload(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    body: Request,
) -> Shown {
    visitor.needs(Scope::Ingest)?;
    let agent = site.service.agent(&visitor.caller, &name).await?;
    let Received { request, file } = receive(&site.service, &visitor, &agent, body).await?;
    let view = site.service.import_upload(&agent, request, file, site.service.now()).await?;
    Ok(redirect(&address(&name, &view.operation_id)))
}

/// Serves `GET /agents/{agent}/imports/{id}`: the progress and report of an import.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path((name, id)): Path<(String, String)>,
) -> Shown {
    visitor.needs(Scope::Ingest)?;
    let agent = site.service.agent(&visitor.caller, &name).await?;
    let live = live::address(&site, &visitor, Some(&agent)).await?;
    let found = site.service.upload(agent.workspace(), &id).await?;
    let none = || Error::NotFound { what: ObjectKind::Import, name: id.clone() };
    let (_, view) = found.filter(|(owner, _)| *owner == agent).ok_or_else(none)?;
    let live = live.filter(|_| matches!(view.status, ImportStatus::Waiting | ImportStatus::Running));
    let page =
        Page { title: "Import".into(), visitor: Some(&visitor), agent: Some(agent.name()), tab: Some("import"), live };
    Ok(page.show(html! {
        h1 { @if view.dry_run { "What the upload holds" } @else { "Import" } }
        div #live hx-get=(address(&name, &id)) hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
            (progress(&view))
            @if let Some(report) = &view.report { (shown_report(&name, report, view.dry_run)) }
        }
        p { a href=(link::agent(&name, "import")) { @if view.dry_run { "Import it now: the form again" } @else { "Another import" } } }
    }))
}

fn address(agent: &str, id: &str) -> String {
    format!("{}/{id}", link::agent(agent, "imports"))
}

fn upload_form(visitor: &Visitor, agent: &str) -> Markup {
    let kinds = Service::import_kinds();
    let name = |kind: &str| {
        KINDS.iter().find(|(known, _)| *known == kind).map_or_else(|| kind.to_owned(), |(_, name)| (*name).to_owned())
    };
    html! {
        // The file is the last field, so that all other fields are read and checked before its first byte.
        form.stack.import method="post" action=(link::agent(agent, "imports")) enctype="multipart/form-data" {
            (token(visitor))
            label { "What it is" select name="from" required { @for kind in kinds { option value=(kind) { (name(kind)) } } } }
            label { "Your name " span.hint { "(the speaker of your messages; may be empty)" } input name="me" maxlength="200" autocomplete="off"; }
            details {
                summary { "More options" }
                label { "Time zone " span.hint { "(of times without an offset, such as Europe/Lisbon)" } input name="time_zone" maxlength="100"; }
                label { "Names of the assistants in a chat " span.hint { "(separated by commas)" } input name="assistants" maxlength="1000"; }
                label { "Columns of a CSV file " span.hint { "(content=Text,at=Date)" } input name="columns" maxlength="1000"; }
                label { "Order of dates " select name="date_order" { option value="" { "as the file shows" } option value="dmy" { "day, month, year" } option value="mdy" { "month, day, year" } option value="ymd" { "year, month, day" } } }
                label { "Branches " select name="branches" { option value="active" { "the one that was continued" } option value="all" { "all" } } }
                label.check { input type="checkbox" name="tools" value="true"; " Calls and results of tools, too" }
                label.check { input type="checkbox" name="thinking" value="true"; " The thinking of models, too" }
                label.check { input type="checkbox" name="unforget" value="true"; " Messages that were forgotten, too" }
            }
            label.check { input type="checkbox" name="dry_run" value="true" checked; " Only report what it holds and what would be skipped" }
            label { "File" input type="file" name="file" required; }
            button type="submit" { "Upload" }
        }
    }
}

fn list(agent: &str, imports: &[ImportView]) -> Markup {
    html! {
        h2 { "Imports since the service started" }
        div.scroll tabindex="0" role="region" aria-label="Imports" { table {
            thead { tr { th scope="col" { "From" } th scope="col" { "Kind" } th scope="col" { "State" } th.n scope="col" { "Size" } th scope="col" { "Result" } } }
            tbody { @for view in imports { tr {
                th scope="row" { a href=(address(agent, &view.operation_id)) { (view.from) } }
                td { @if view.dry_run { "report only" } @else { "import" } }
                td { (chip(view.status)) }
                td.n { (bytes(view.bytes)) }
                td dir="auto" { @if let Some(error) = &view.error { (error) } @else if let Some(report) = &view.report { (in_short(report)) } @else { (percent(view)) " %" } }
            } } }
        } }
    }
}

fn in_short(report: &ImportReport) -> String {
    let skipped: u64 = all_skipped(report).map(|skipped| skipped.count).sum();
    let first = match &report.stored {
        Some(stored) => format!("{} new", labels::plural(stored.messages.new, "message")),
        None => labels::plural(report.found.messages, "message"),
    };
    format!("{first}, {} skipped", labels::count(skipped))
}

fn all_skipped(report: &ImportReport) -> impl Iterator<Item = &SkippedView> {
    report.skipped.iter().chain(report.stored.iter().flat_map(|stored| &stored.skipped))
}

fn chip(status: ImportStatus) -> Markup {
    let (class, word) = match status {
        ImportStatus::Waiting => ("waiting", "waiting"),
        ImportStatus::Running => ("writing", "running"),
        ImportStatus::Done => ("closed", "done"),
        ImportStatus::Failed => ("failed", "failed"),
        ImportStatus::Interrupted => ("stale", "interrupted"),
    };
    html! { span.chip.(class) { (word) } }
}

fn percent(view: &ImportView) -> u64 {
    view.bytes_read.saturating_mul(100) / view.bytes.max(1)
}

fn progress(view: &ImportView) -> Markup {
    let is_over = !matches!(view.status, ImportStatus::Waiting | ImportStatus::Running);
    html! {
        p.lead { (chip(view.status)) " " @match view.status {
            ImportStatus::Waiting => "Other imports come first.",
            ImportStatus::Running => "It is being read and stored. You may leave this page.",
            ImportStatus::Done if view.dry_run => "Nothing was stored.",
            ImportStatus::Done => "Everything is stored and searchable.",
            ImportStatus::Failed => "What came before the error is stored. The same upload completes it.",
            ImportStatus::Interrupted => "The service stopped before it ended. The same upload completes it.",
        } }
        @if view.bytes > 0 && !is_over {
            p { progress max="100" value=(percent(view)) aria-label="Read so far" {} " " (bytes(view.bytes_read)) " of " (bytes(view.bytes)) " read" }
        }
        @if let Some(error) = &view.error { p.notice dir="auto" { (error) } }
        @if !is_over { p.hint { "This page follows by itself; without script, load it again." } }
    }
}

fn shown_report(agent: &str, report: &ImportReport, is_dry: bool) -> Markup {
    let skipped: Vec<&SkippedView> = all_skipped(report).collect();
    html! {
        @if let Some(stored) = &report.stored { (shown_stored(stored)) }
        h2 { "What it holds" }
        (shown_found(&report.found))
        h2 { "Skipped" }
        @if skipped.is_empty() { p.empty { "Nothing was skipped." } }
        @else {
            div.scroll tabindex="0" role="region" aria-label="Skipped" { table {
                thead { tr { th scope="col" { "What" } th.n scope="col" { "How many" } th scope="col" { "Why or what" } th scope="col" { "First at" } } }
                tbody { @for one in skipped { tr {
                    th scope="row" { (one.kind) } td.n { (labels::count(one.count)) } td dir="auto" { (one.example) } td { bdi { (one.location) } }
                } } }
            } }
        }
        @if !is_dry && report.found.first_day.is_some() {
            p { a href=(timeline(agent, &report.found)) { "Look at it on the timeline" } }
        }
    }
}

fn timeline(agent: &str, found: &FoundItems) -> String {
    let year = found.last_day.as_deref().and_then(|day| day.get(..4)).unwrap_or_default();
    link::timeline(agent, year, None)
}

fn shown_stored(stored: &StoredItems) -> Markup {
    let rows: [(&str, &ImportCounts); 5] = [
        ("Messages", &stored.messages),
        ("Statements", &stored.statements),
        ("Facts", &stored.facts),
        ("Blocks", &stored.blocks),
        ("Documents", &stored.documents),
    ];
    html! {
        h2 { "Stored" }
        div.scroll tabindex="0" role="region" aria-label="Stored" { table {
            thead { tr { th scope="col" { "What" } th.n scope="col" { "New" } th.n scope="col" { "Known already" } th.n scope="col" { "Revised" } th.n scope="col" { "Stay forgotten" } } }
            tbody { @for (name, counts) in rows.into_iter().filter(|(_, counts)| counts.total() > 0) { tr {
                th scope="row" { (name) }
                @for number in [counts.new, counts.known, counts.revised, counts.forgotten] { td.n { (labels::count(number)) } }
            } } }
        } }
        p.hint {
            (labels::plural(stored.searchable, "change")) " made searchable"
            @if stored.masked > 0 { ", " (labels::plural(stored.masked, "credential")) " masked" }
            @if stored.dead > 0 { ", " (labels::plural(stored.dead, "message")) " could not be made searchable" }
            "."
        }
    }
}

fn shown_found(found: &FoundItems) -> Markup {
    html! {
        dl.notes {
            div { dt { "Messages" } dd { (labels::count(found.messages)) " in " (labels::plural(found.conversations, "conversation"))
                @if let (Some(first), Some(last)) = (&found.first_day, &found.last_day) { ", " (first) " to " (last) " (" (labels::plural(found.days, "day")) ")" } } }
            @if !found.people.is_empty() { div { dt { "People" } dd { @for (number, (name, count)) in found.people.iter().take(20).enumerate() { @if number > 0 { ", " } bdi { (name) } " " (labels::count(*count)) } } } }
            @for (name, count) in [("Statements", found.statements), ("Facts", found.facts), ("Blocks", found.blocks), ("Documents", found.documents)] {
                @if count > 0 { div { dt { (name) } dd { (labels::count(count)) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name() {
        for kind in Service::import_kinds() {
            assert!(KINDS.iter().any(|(known, _)| *known == kind), "{kind}");
        }
    }
}
