//! The pages of keys for access from outside: a list, a form for a new key, limits, revocation. The text of a key is shown once,
//! in the answer to the form. For the operator.

use std::collections::BTreeSet;

use annals_core::ports::Scope;
use annals_core::{Error, SignedDuration};
use annals_service::wire::{KeyView, NewKey};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::Shown;
use crate::fields::Form;
use crate::labels;
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;

/// Serves `GET /keys`: the list of keys, and the form for a new one.
pub(crate) async fn show(State(site): State<Site>, visitor: Visitor) -> Shown {
    visitor.needs_all()?;
    let keys = site.service.keys(site.service.now()).await?;
    let page = Page { title: "Keys".into(), visitor: Some(&visitor), ..Page::default() };
    Ok(page.show(html! {
        h1 { "Keys" }
        @if keys.is_empty() {
            p.lead { "There is no key yet. Every process of this machine may use the service, and nobody else." }
            p.notice { "After the first key every request needs one, this page too. Make it an admin key, and note it down: it is shown once." }
        } @else { (table(&visitor, &keys)) }
        (form(&visitor))
    }))
}

/// Serves `POST /keys`: creates a key, and shows its text.
pub(crate) async fn add(State(site): State<Site>, visitor: Visitor, Form(form): Form) -> Shown {
    visitor.needs_all()?;
    let now = site.service.now();
    let scopes = form.all("scope").map(str::parse::<Scope>).collect::<Result<BTreeSet<_>, _>>()?;
    if scopes.is_empty() {
        return Err(Error::invalid("scope", "is missing; choose at least one").into());
    }
    let days: Option<i64> = form.parsed("days")?;
    let agents = form.get("agents").unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let request = NewKey {
        name: form.required("name")?.to_owned(),
        workspace: form.get("workspace").unwrap_or("default").to_owned(),
        scopes,
        agents: agents.map(str::to_owned).collect(),
        expires_at: days
            .and_then(|days| now.saturating_add(SignedDuration::from_hours(days.clamp(1, 36_500) * 24)).ok()),
        daily_tokens: form.parsed("daily_tokens")?,
    };
    let (issued, view) = site.service.add_key(request, now, getrandom::fill).await?;
    let page = Page { title: "New key".into(), visitor: Some(&visitor), ..Page::default() };
    Ok(page.show(html! {
        h1 { "Key " bdi { (view.name) } }
        p.lead { "This is the only time that it is shown. Copy it now." }
        pre.key { code { (secret(&issued)) } }
        p { "Programs send it as " code { "Authorization: Bearer …" } "; people sign in with it." }
        p { a href="/keys" { "All keys" } }
    }))
}

/// Serves `POST /keys/{id}/limit`: sets the limit of tokens of a key. An empty field removes it.
pub(crate) async fn limit(
    State(site): State<Site>,
    visitor: Visitor,
    Path(id): Path<String>,
    Form(form): Form,
) -> Shown {
    visitor.needs_all()?;
    site.service.limit_key(&id, form.parsed("daily_tokens")?).await?;
    Ok(redirect("/keys"))
}

/// Serves `POST /keys/{id}/revoke`: revokes a key.
pub(crate) async fn revoke(State(site): State<Site>, visitor: Visitor, Path(id): Path<String>, _: Form) -> Shown {
    visitor.needs_all()?;
    site.service.revoke_key(&id, site.service.now()).await?;
    Ok(redirect("/keys"))
}

fn secret(issued: &annals_service::IssuedKey) -> &str {
    use secrecy::ExposeSecret;
    issued.text.expose_secret()
}

fn table(visitor: &Visitor, keys: &[KeyView]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Keys" { table {
            thead { tr {
                th scope="col" { "Name" } th scope="col" { "Scopes" } th scope="col" { "Workspace" } th scope="col" { "Agents" }
                th scope="col" { "Created" } th scope="col" { "Valid" }
                th scope="col" { "Model tokens today (UTC)" } th scope="col" { span.hidden { "Revoke" } }
            } }
            tbody { @for key in keys { tr.ended[!key.good] {
                th scope="row" { bdi { (key.name) } " " code { (key.id) } }
                td { (key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ")) }
                td { bdi { (key.workspace) } }
                td { @if key.agents.is_empty() { "all" } @else { bdi { (key.agents.join(", ")) } } }
                td { (labels::utc(key.created_at)) }
                td { (validity(key)) }
                td { (tokens(visitor, key)) }
                td { @if key.good { form method="post" action=(format!("/keys/{}/revoke", key.id)) {
                    (token(visitor)) button.plain type="submit" aria-label=(format!("Revoke {}", key.name)) { "Revoke" }
                } } }
            } } }
        } }
    }
}

/// Draws the tokens that models have used for the key today, with a field for the limit.
fn tokens(visitor: &Visitor, key: &KeyView) -> Markup {
    html! {
        (labels::count(key.tokens_today))
        @if key.good { form.inline method="post" action=(format!("/keys/{}/limit", key.id)) {
            (token(visitor)) " of "
            input type="number" name="daily_tokens" min="0" placeholder="no limit" value=[key.daily_tokens] aria-label=(format!("Limit of {}", key.name));
            " " button.plain type="submit" aria-label=(format!("Set the limit of {}", key.name)) { "Set" }
        } } @else if let Some(limit) = key.daily_tokens { " of " (labels::count(limit)) }
    }
}

fn validity(key: &KeyView) -> String {
    match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {}", labels::utc(at)),
        (None, Some(at)) if key.good => format!("until {}", labels::utc(at)),
        (None, Some(at)) => format!("expired {}", labels::utc(at)),
        (None, None) => "yes".to_owned(),
    }
}

fn form(visitor: &Visitor) -> Markup {
    html! {
        section.changes {
            h2 { "New key" }
            form.stack method="post" action="/keys" {
                (token(visitor))
                label for="name" { "Name" } input #name name="name" required placeholder="phone";
                fieldset.inline { legend { "It may" }
                    @for (scope, meaning) in [(Scope::Search, "read"), (Scope::Ingest, "add"), (Scope::Admin, "do everything")] {
                        label.check { input type="checkbox" name="scope" value=(scope); " " (meaning) " (" (scope) ")" }
                    }
                }
                label for="workspace" { "Workspace" } input #workspace name="workspace" value="default";
                label for="agents" { "Only these agents, separated by commas" } input #agents name="agents" placeholder="all";
                label for="days" { "Days until it expires" } input #days type="number" name="days" min="1" placeholder="never";
                label for="daily_tokens" { "Model tokens per day" } input #daily_tokens type="number" name="daily_tokens" min="0" placeholder="no limit of its own";
                button type="submit" { "Create the key" }
            }
        }
    }
}
