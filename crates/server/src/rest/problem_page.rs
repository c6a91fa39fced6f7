//! `GET /docs/problems`: a page with the meaning of each problem code. It needs no key.

use std::sync::LazyLock;

use axum::response::Html;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

const PROBLEMS: &str = include_str!("../../../../docs/problems.md");
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n<title>Problems</title>\n\
    <style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 3rem auto; padding: 0 1rem }</style>\n";

/// Returns the page of problem codes, which the `type` of a problem document refers to.
pub(crate) async fn problems() -> Html<&'static str> {
    static PAGE: LazyLock<String> = LazyLock::new(|| {
        let mut page = HEAD.to_owned();
        html::push_html(
            &mut page,
            with_anchors(Parser::new_ext(PROBLEMS, Options::ENABLE_TABLES).filter(is_no_link).collect()).into_iter(),
        );
        page
    });
    Html(&PAGE)
}

/// Drops links, which lead to files beside the text. Their words stay.
fn is_no_link(event: &Event<'_>) -> bool {
    !matches!(event, Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link))
}

/// Sets the id of each heading to its text.
fn with_anchors(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    for index in 1..events.len() {
        let Event::Text(text) = &events[index] else { continue };
        let text = text.clone();
        if let Event::Start(Tag::Heading { id, .. }) = &mut events[index - 1] {
            *id = Some(text);
        }
    }
    events
}
