//! The frame of every page: head, navigation, foot. All links and scripts of the frame point to this site.

use annals_core::ports::Scope;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::visit::{TOKEN, Visitor};
use crate::{assets, link};

/// The configuration of htmx. It must not run code from attributes or add styles.
const HTMX: &str = r#"{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0,"refreshOnHistoryMiss":true,"scrollBehavior":"auto"}"#;

/// The pages of an agent: for each the part of the address after the agent, and the name in the navigation.
pub(crate) const TABS: [(&str, &str); 6] = [
    ("", "Timeline"),
    ("search", "Search"),
    ("context", "Context"),
    ("facts", "Facts"),
    ("status", "Status"),
    ("import", "Import"),
];

/// The frame of a page, which its content is put into.
#[derive(Default)]
pub(crate) struct Page<'a> {
    pub(crate) title: String,
    /// The visitor; `None` if nobody is signed in and the server gives callers without a key no rights.
    pub(crate) visitor: Option<&'a Visitor>,
    /// The name of the agent that the page is about.
    pub(crate) agent: Option<&'a str>,
    /// The tab of the page, as in [`TABS`].
    pub(crate) tab: Option<&'a str>,
    /// The address of the events that tell the browser when to load the parts of the page again.
    pub(crate) live: Option<String>,
}

impl Page<'_> {
    /// Returns the page with this content as a response.
    pub(crate) fn show(&self, content: Markup) -> Response {
        Html(self.markup(&content).into_string()).into_response()
    }

    fn markup(&self, content: &Markup) -> Markup {
        let title = [Some(self.title.as_str()), self.agent, Some("Annals")].into_iter().flatten().collect::<Vec<_>>();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (title.join(" · ")) }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="htmx-config" content=(HTMX);
                    link rel="icon" type="image/svg+xml" href=(assets::ICON.path());
                    link rel="stylesheet" href=(assets::STYLE.path());
                    script src=(assets::HTMX.path()) defer {}
                    script src=(assets::SCRIPT.path()) defer {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    (self.head())
                    main #main tabindex="-1" data-live=[self.live.as_deref()] { (content) }
                    (foot())
                }
            }
        }
    }

    /// Returns the tabs of an agent, without "Import" if the visitor may not import.
    fn tabs(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let may_add = self.visitor.is_some_and(|visitor| visitor.caller.may(Scope::Ingest));
        TABS.into_iter().filter(move |(page, _)| may_add || *page != "import")
    }

    fn head(&self) -> Markup {
        html! {
            header.site {
                a.brand href="/" { img src=(assets::ICON.path()) width="22" height="22" alt=""; "Annals" }
                @if let Some(agent) = self.agent {
                    nav.tabs aria-label=(format!("Memory of {agent}")) {
                        a.agent href=(link::agent(agent, "")) { bdi { (agent) } }
                        @for (page, name) in self.tabs() {
                            a href=(link::agent(agent, page)) aria-current=[(self.tab == Some(page)).then_some("page")] { (name) }
                        }
                    }
                }
                @if let Some(visitor) = self.visitor { (operator(visitor)) }
            }
        }
    }
}

fn operator(visitor: &Visitor) -> Markup {
    html! {
        nav.operator aria-label="Service" {
            a href="/" { "Agents" }
            a href="/costs" { "Costs" }
            @if visitor.is_operator() {
                a href="/jobs" { "Jobs" }
                a href="/operator" { "Service" }
                a href="/keys" { "Keys" }
            }
            @if visitor.caller.key.is_some() {
                form method="post" action="/logout" { (token(visitor)) button.plain type="submit" { "Sign out" } }
            }
        }
    }
}

fn foot() -> Markup {
    html! {
        footer.site {
            span { "Annals " (env!("CARGO_PKG_VERSION")) }
            a href="/docs" { "HTTP API" }
            a href="/docs/problems" { "Error codes" }
        }
    }
}

/// Returns the hidden field that every form of a change contains.
pub(crate) fn token(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name=(TOKEN) value=(visitor.token); }
}

/// Returns a redirect (303) to another page of this site.
pub(crate) fn redirect(to: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}
