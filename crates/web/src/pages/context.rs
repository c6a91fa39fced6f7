//! The page that shows the context an agent would get for a prompt, with its tokens by section.

use std::collections::BTreeMap;

use annals_core::ports::Scope;
use annals_service::wire::{ContextAnswer, ContextItemView, ContextRequest};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, parts};
use crate::failure::Failure;
use crate::fields::{Fields, Query};
use crate::layout::Page;
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

const BUDGET: u64 = 2000;
/// Kinds of items in their order in a context. The frame is the text around the items: days, ids of lines, and the marks around
/// the data.
const KINDS: [&str; 7] = ["block", "fact", "summary", "statement", "turn", "document", FRAME];
const FRAME: &str = "frame";

/// Serves `GET /agents/{agent}/context`: the form, and the context for a prompt.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let request = request(&query)?;
    let budget = request.as_ref().map_or(BUDGET, |request| request.budget_tokens);
    let answer = match request {
        Some(request) => Some(visitor.service(&site).context(&agent, request, site.service.now()).await?),
        None => None,
    };
    let page = Page {
        title: "Context".into(),
        visitor: Some(&visitor),
        agent: Some(agent.name()),
        tab: Some("context"),
        ..Page::default()
    };
    Ok(page.show(html! {
        h1 { "What would the agent be given?" }
        (form(&name, &query, budget))
        @match &answer {
            Some(answer) => (shown_context(&name, answer, budget)),
            None => p.empty { "Type a prompt as a user would. This page shows the memories that fit it, exactly as an agent gets them." },
        }
    }))
}

fn request(query: &Fields) -> Result<Option<ContextRequest>, Failure> {
    let Some(prompt) = query.get("prompt") else { return Ok(None) };
    Ok(Some(ContextRequest {
        prompt: prompt.to_owned(),
        budget_tokens: query.parsed("budget")?.unwrap_or(BUDGET),
        speaker: query.get("speaker").map(str::to_owned),
        conversation: None,
        from: None,
        to: None,
        min_days_ago: None,
        max_days_ago: None,
        period: None,
        documents: Vec::new(),
    }))
}

fn form(agent: &str, query: &Fields, budget: u64) -> Markup {
    html! {
        form.search method="get" action=(link::agent(agent, "context")) {
            div.row {
                label.hidden for="prompt" { "Prompt" }
                input.grow #prompt name="prompt" value=(query.get("prompt").unwrap_or_default()) placeholder="What should I bring Ann for her birthday?" dir="auto" required;
                button type="submit" { "Show" }
            }
            div.row {
                label { "Who asks " input name="speaker" value=(query.get("speaker").unwrap_or_default()) dir="auto"; }
                label { "At most " input type="number" name="budget" min="64" max="100000" value=(budget); " tokens" }
            }
        }
    }
}

fn shown_context(agent: &str, answer: &ContextAnswer, budget: u64) -> Markup {
    let mut tokens: BTreeMap<&str, u64> = BTreeMap::new();
    for item in &answer.items {
        *tokens.entry(item.kind.as_str()).or_default() += item.tokens;
    }
    let frame = answer.tokens.saturating_sub(tokens.values().sum());
    tokens.extend((frame > 0).then_some((FRAME, frame)));
    html! {
        p.lead { (labels::plural(answer.items.len() as u64, "piece")) ", " (labels::count(answer.tokens)) " of " (labels::plural(budget, "token")) }
        (token_bar(&tokens, budget.max(answer.tokens)))
        @if let Some(hint) = &answer.hint { p.notice { (hint) } }
        ol.results { @for item in &answer.items { (piece(agent, item)) } }
        details { summary { "The text, word for word" } pre.verbatim dir="auto" { (answer.text) } }
    }
}

fn token_bar(tokens: &BTreeMap<&str, u64>, budget: u64) -> Markup {
    let share = |tokens: u64| tokens as f64 / budget.max(1) as f64 * 100.0;
    let mut start = 0.0;
    let pieces: Vec<(&str, u64, f64)> = KINDS
        .into_iter()
        .filter_map(|kind| {
            let tokens = *tokens.get(kind)?;
            let x = start;
            start += share(tokens);
            Some((kind, tokens, x))
        })
        .collect();
    html! {
        figure.tokens {
            svg width="100%" height="22" aria-hidden="true" {
                rect.rest width="100%" height="22" {}
                @for (kind, tokens, x) in &pieces {
                    rect.(format!("k-{kind}")) x=(format!("{x:.2}%")) width=(format!("{:.2}%", share(*tokens))) height="22" {}
                }
            }
            figcaption { ul.inline { @for (kind, tokens, _) in &pieces {
                li { svg.swatch width="12" height="12" aria-hidden="true" { rect.(format!("k-{kind}")) width="12" height="12" {} }
                    " " (kind) " " (labels::count(*tokens)) }
            } } }
        }
    }
}

fn piece(agent: &str, item: &ContextItemView) -> Markup {
    let has_page = matches!(item.kind.as_str(), "turn" | "statement" | "summary");
    html! {
        li {
            div.head {
                @if has_page { a.when href=(link::memory(agent, &item.id)) { (item.dates.as_deref().unwrap_or(&item.kind)) } }
                @else { span.when { (item.dates.as_deref().unwrap_or(&item.id)) } }
                span.grain { (item.kind) }
                span.hint { (labels::plural(item.tokens, "token")) }
            }
            (parts::text(&item.text))
        }
    }
}
