//! `GET /`: a page with the addresses of the service. Needs no key and discloses nothing else.

use axum::response::Html;

/// Returns the page at the root.
pub async fn page() -> Html<&'static str> {
    Html(include_str!("home.html"))
}
