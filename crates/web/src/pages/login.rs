//! The pages for signing in with a key, and for signing out.

use annals_service::PresentedKey;
use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use maud::html;

use super::Shown;
use crate::failure::Failure;
use crate::fields::{Form, Query};
use crate::layout::{Page, redirect};
use crate::link;
use crate::session::LIFETIME;
use crate::site::Site;
use crate::visit::{COOKIE, TOKEN, Visitor, session_id};

/// Serves `GET /login`: the form for a key.
pub(crate) async fn form(
    State(site): State<Site>,
    visitor: Option<Extension<Visitor>>,
    Query(query): Query,
) -> Response {
    let to = query.get("to").filter(|to| link::is_own(to)).unwrap_or("/");
    let token = visitor.as_ref().map_or(site.sessions.shared_token(), |visitor| &visitor.token);
    Page { title: "Sign in".into(), ..Page::default() }.show(html! {
        section.narrow {
            h1 { "Sign in" }
            p.lead { "This memory is protected by a key." }
            form.stack method="post" action="/login" {
                input type="hidden" name=(TOKEN) value=(token);
                input type="hidden" name="to" value=(to);
                label for="key" { "Key" }
                input #key type="password" name="key" autocomplete="current-password" required placeholder="annals_…" autofocus;
                button type="submit" { "Sign in" }
            }
            p.hint { "On the machine of the service, " code { "annals key add NAME" } " creates a key. It is checked here and not kept: "
                "the browser gets a session of twelve hours." }
        }
    })
}

/// Serves `POST /login`: opens a session if the key is valid, and redirects to the requested page.
pub(crate) async fn open(State(site): State<Site>, Form(form): Form) -> Shown {
    let to = form.get("to").filter(|to| link::is_own(to)).unwrap_or("/");
    let wrong = || Failure::WrongKey { to: to.to_owned() };
    let now = site.service.now();
    let presented = form.get("key").and_then(|key| PresentedKey::parse(key.trim())).ok_or_else(wrong)?;
    let key = site.service.authenticate(&presented, now).await?.ok_or_else(wrong)?;
    let id = site.sessions.open(key.id, now)?;
    Ok(with_cookie(redirect(to), &id, LIFETIME.as_secs()))
}

/// Serves `POST /logout`: closes the session.
pub(crate) async fn close(State(site): State<Site>, headers: HeaderMap) -> Response {
    if let Some(id) = session_id(&headers) {
        site.sessions.close(id);
    }
    with_cookie(redirect("/login"), "", 0)
}

/// Adds the cookie of a session to a response. Scripts cannot read the cookie, and browsers do not send it with requests from
/// pages of other sites.
fn with_cookie(response: Response, id: &str, seconds: i64) -> Response {
    let cookie = format!("{COOKIE}={id}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}");
    let mut response = response.into_response();
    response.headers_mut().extend(HeaderValue::from_str(&cookie).ok().map(|cookie| (header::SET_COOKIE, cookie)));
    response
}
