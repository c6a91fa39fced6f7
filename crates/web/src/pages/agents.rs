//! The page of the agents that a visitor may see, with the size and the state of each memory. If there is only one agent, the
//! page redirects to its timeline, unless the address asks for all agents, a name or a further page.

use annals_core::Agent;
use annals_core::ports::Scope;
use annals_service::wire::AgentView;
use axum::extract::State;
use maud::{Markup, html};

use super::{Shown, live};
use crate::fields::Query;
use crate::layout::{Page, redirect};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of agents on one page.
const PAGE_SIZE: usize = 50;

/// Serves `GET /`: the list of agents.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor, Query(query): Query) -> Shown {
    visitor.needs(Scope::Search)?;
    let live = live::address(&site, &visitor, None).await?;
    let after = query.get("after");
    let (caller, named) = (&visitor.caller, query.get("name").map(str::to_lowercase));
    let is_named = |agent: &Agent| named.as_ref().is_none_or(|part| agent.name().to_lowercase().contains(part.trim()));
    let may_use = |agent: &Agent| caller.opens(agent) && is_named(agent);
    let mut agents = site.service.agents(caller.workspace(), after, PAGE_SIZE + 1, may_use).await?;
    if let ([only], None, None, None) = (agents.as_slice(), after, query.get("all"), &named) {
        return Ok(redirect(&link::agent(only.name(), "")));
    }
    let more = agents.len() > PAGE_SIZE;
    agents.truncate(PAGE_SIZE);
    let mut rows = Vec::new();
    for agent in &agents {
        rows.push(site.service.agent_overview(agent).await?);
    }
    let address = |after: Option<&str>| {
        let fields = [("all", query.get("all")), ("name", query.get("name")), ("after", after)];
        link::with("/", fields.into_iter().filter_map(|(name, value)| Some((name, value?))))
    };
    let page = Page { title: "Agents".into(), visitor: Some(&visitor), live, ..Page::default() };
    Ok(page.show(html! {
        h1 { "Agents" }
        @if more || after.is_some() || named.is_some() { (find(query.get("name"))) }
        div #live hx-get=(address(after)) hx-trigger="annalschange from:body" hx-select="#live" hx-swap="outerHTML" {
            @if !rows.is_empty() { (table(&rows)) }
            @else if named.is_some() { p.empty { "No agent has this in its name." } }
            @else { (nobody()) }
        }
        @if let Some(last) = agents.last().map(Agent::name).filter(|_| more) {
            p { a href=(address(Some(last))) { "More agents" } }
        }
        @if visitor.caller.may(Scope::Ingest) { (import()) }
    }))
}

/// Draws the form that searches for an agent by a part of its name.
fn find(name: Option<&str>) -> Markup {
    html! {
        form.row method="get" action="/" role="search" {
            label { "Name contains " input type="search" name="name" value=[name] maxlength="128" dir="auto"; }
            button type="submit" { "Find" }
        }
    }
}

fn table(rows: &[AgentView]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Agents" {
            table {
                thead { tr {
                    th scope="col" { "Agent" } th.n scope="col" { "Turns" } th.n scope="col" { "Summaries" }
                    th scope="col" { "From – to" } th scope="col" { "Last message stored" }
                    th.n scope="col" { "Not searchable yet" } th scope="col" { "Summaries in trouble" }
                } }
                tbody { @for row in rows { (line(row)) } }
            }
        }
    }
}

fn line(row: &AgentView) -> Markup {
    let days = row.first.zip(row.last).map(|(first, last)| labels::days(first, last));
    html! {
        tr {
            th scope="row" { a href=(link::agent(&row.agent, "")) { bdi { (row.agent) } } }
            td.n { (labels::count(row.turns)) }
            td.n { (labels::count(row.summaries)) }
            td.t { (days.unwrap_or_else(|| "nothing yet".into())) }
            td.t { @if let Some(at) = row.last_ingest { (labels::utc(at)) } @else { "never" } }
            td.n { (labels::count(row.not_yet_searchable)) }
            td {
                @if row.failed + row.degraded == 0 { "none" }
                @else {
                    a href=(link::agent(&row.agent, "status")) {
                        @if row.failed > 0 { span.chip.failed { (labels::count(row.failed)) " failed" } " " }
                        @if row.degraded > 0 { span.chip.degraded { (labels::count(row.degraded)) " degraded" } }
                    }
                }
            }
        }
    }
}

fn import() -> Markup {
    html! {
        form.row.changes method="get" action="/import" {
            label { "Import what another program keeps, into the agent " input name="agent" required maxlength="128" placeholder="ann" autocomplete="off"; }
            button type="submit" { "Choose the file" }
        }
    }
}

fn nobody() -> Markup {
    html! {
        div.empty {
            p.lead { "No memory is stored yet." }
            p { "Add a first message, on the machine of the service:" }
            pre { code { "curl http://127.0.0.1:7411/v1/agents/ann/messages \\\n  --json '{\"conversation\": \"chat-1\", \"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}'" } }
            p { "Or connect an agent over MCP, with the address " code { "/mcp/ann" } ", or import what another program keeps: "
                code { "annals import FILE" } ". " code { "annals demo" } " shows a memory of fourteen months." }
        }
    }
}
