//! The pages for forgetting: first a dry run that shows numbers and samples of what would be erased, then the erasure with its
//! proof. Only the page of a dry run has the form that starts the erasure.

use annals_core::ports::Scope;
use annals_core::{Agent, Zones};
use annals_service::wire::{ForgetAnswer, ForgetRequest, MemoryView};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, parts};
use crate::failure::Failure;
use crate::fields::{Fields, Form, Query};
use crate::layout::{Page, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Serves `GET /agents/{agent}/forget`: the dry run, or a form that asks what to forget.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    let page = Page {
        title: "Forget".into(),
        visitor: Some(&visitor),
        agent: Some(agent.name()),
        tab: None,
        ..Page::default()
    };
    let Some(request) = request(&query, true)? else { return Ok(page.show(html! { h1 { "Forget" } (ask(&name)) })) };
    let answer = visitor.service(&site).forget(&agent, request, site.service.now()).await?;
    let report = site.service.with_samples(&agent, answer).await?;
    let zones = site.service.zones(&agent).await?;
    Ok(page.show(html! {
        h1 { "Forget: this would be erased" }
        p.lead { "Nothing has been erased yet." }
        (counts(&report.answer))
        (samples(&name, &report.samples, &zones))
        form.stack method="post" action=(link::agent(&name, "forget")) {
            (token(&visitor))
            (hidden(&query))
            label.check { input type="checkbox" name="sure" value="yes" required; " I have read this. It cannot be undone." }
            button.danger type="submit" { "Forget it for ever" }
        }
        p { a href=(link::agent(&name, "")) { "Keep everything" } }
    }))
}

/// Serves `POST /agents/{agent}/forget`: erases, and shows the proof.
pub(crate) async fn carry_out(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Form(form): Form,
) -> Shown {
    let agent: Agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    form.required("sure")?;
    let nothing = || annals_core::Error::invalid("what is to be forgotten", "is missing");
    let request = request(&form, false)?.ok_or_else(nothing)?;
    let answer = visitor.service(&site).forget(&agent, request, site.service.now()).await?;
    let page = Page {
        title: "Forgotten".into(),
        visitor: Some(&visitor),
        agent: Some(agent.name()),
        tab: None,
        ..Page::default()
    };
    Ok(page.show(html! {
        h1 { "Forgotten" }
        @if let Some(proof) = &answer.proof {
            p.lead {
                @if proof.clean { "Every file was searched afterwards, and nothing is left: " }
                @else { "Something is still there: " }
                (labels::plural(proof.sentences as u64, "sentence")) " in " (labels::plural(proof.files, "file")) "."
            }
            @if !proof.still_in.is_empty() { ul { @for store in &proof.still_in { li { (store) } } } }
        }
        (counts(&answer))
        p { a href=(link::agent(&name, "")) { "Back to the timeline" } }
    }))
}

fn request(fields: &Fields, dry_run: bool) -> Result<Option<ForgetRequest>, Failure> {
    let text = |name: &str| fields.get(name).map(str::to_owned);
    let request = ForgetRequest {
        ids: fields.all("id").map(str::to_owned).collect(),
        conversation: text("conversation"),
        subject: text("subject"),
        from: fields.parsed("from")?,
        to: fields.parsed("to")?,
        dry_run,
    };
    let has_days = request.from.is_some() || request.to.is_some();
    let asks = !request.ids.is_empty() || request.conversation.is_some() || request.subject.is_some() || has_days;
    Ok(asks.then_some(request))
}

fn hidden(query: &Fields) -> Markup {
    html! {
        @for name in ["id", "conversation", "subject", "from", "to"] {
            @for value in query.all(name) { input type="hidden" name=(name) value=(value); }
        }
    }
}

fn ask(agent: &str) -> Markup {
    let form = |name: &str, label: &str, hint: &str| {
        html! {
            form.row method="get" action=(link::agent(agent, "forget")) {
                label for=(name) { (label) }
                input #(name) name=(name) required;
                button type="submit" { "Show what would be erased" }
                span.hint { (hint) }
            }
        }
    };
    html! {
        p.lead { "Choose what to forget. The next page shows everything that would be erased, before anything is." }
        (form("subject", "A person or thing", "everything that names it, and everything that it said"))
        (form("conversation", "A conversation", "by its name"))
        form.row method="get" action=(link::agent(agent, "forget")) {
            label for="from" { "Days from" } input #from type="date" name="from" required;
            label for="to" { "to" } input #to type="date" name="to" required;
            button type="submit" { "Show what would be erased" }
        }
    }
}

fn counts(answer: &ForgetAnswer) -> Markup {
    let rows: [(&str, usize); 10] = [
        ("turns", answer.turns.len()),
        ("statements", answer.statements.len()),
        ("memories that stay and lose a former text", answer.former_texts.len()),
        ("operations of facts", answer.operations.len()),
        ("blocks", answer.blocks.len()),
        ("documents", answer.documents.len()),
        ("turns pruned earlier", answer.pruned.len()),
        ("summaries that are written again from the rest", answer.rebuilt.len()),
        ("sealed summaries that lose sentences", answer.cut.len()),
        ("sealed summaries that are erased whole, because a model wrote them", answer.lost.len()),
    ];
    html! {
        table.facts { tbody {
            @for (name, number) in rows.into_iter().filter(|(_, number)| *number > 0) {
                tr { th scope="row" { (name) } td.n { (labels::count(number as u64)) } }
            }
            @if rows.iter().all(|(_, number)| *number == 0) { tr { th scope="row" { "Nothing matches." } td {} } }
        } }
        @if let Some(reason) = &answer.not_rewritten { p.warning { "These summaries are not written yet: " (reason) ". The next roll-up writes them." } }
        @if !answer.prompts.is_empty() { p.warning { "Your own prompts name it, and stay. Edit them: " (answer.prompts.join(", ")) } }
        @for part in &answer.partly_named {
            p.warning {
                (labels::count(part.memories as u64)) " other memories name only “" (part.name) "”, a part of the name, and stay. To forget them too, \
                forget the subject “" (part.name) "”."
            }
        }
        @if answer.unresolved > 0 { p.warning { (labels::count(answer.unresolved)) " pruned turns cannot be checked; look into " (answer.unresolved_in.join(", ")) } }
    }
}

fn samples(agent: &str, samples: &[MemoryView], zones: &Zones) -> Markup {
    html! { @if !samples.is_empty() { h2 { "For example" } (parts::turns(agent, samples, zones, None)) } }
}
