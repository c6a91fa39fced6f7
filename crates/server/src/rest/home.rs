//! `GET /`: where to go from here. Needs no key and tells nothing but where things are.

use axum::response::Html;

/// The page at the root.
pub async fn page() -> Html<&'static str> {
    Html(include_str!("home.html"))
}
