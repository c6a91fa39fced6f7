//! The page for searching by words, grains and days, with the parts of each score.

use annals_core::ports::Scope;
use annals_core::{Grain, Zones};
use annals_service::wire::{MemoryView, PartView, SearchAnswer, SearchRequest};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, parts};
use crate::failure::Failure;
use crate::fields::{Fields, Query};
use crate::layout::Page;
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

const RESULTS: usize = 20;
/// Maximum number of pieces of a text that are shown. Each word and each gap between words is a piece.
const MAX_TEXT_LENGTH: usize = 180;

/// Serves `GET /agents/{agent}/search`: the form, and the results.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let answer = match request(&query)? {
        Some(request) => Some(visitor.service(&site).search(&agent, request, site.service.now()).await?),
        None => None,
    };
    let zones = site.service.zones(&agent).await?;
    let page = Page {
        title: "Search".into(),
        visitor: Some(&visitor),
        agent: Some(agent.name()),
        tab: Some("search"),
        ..Page::default()
    };
    Ok(page.show(html! {
        h1 { "Search" }
        (form(&name, &query))
        @match &answer {
            Some(answer) => (results(&name, answer, query.get("q").unwrap_or_default(), query.get("explain").is_some(), &zones)),
            None => p.empty { "Ask in your own words. Times in the question, such as “last March”, raise memories of that time; the days below filter strictly." },
        }
    }))
}

fn request(query: &Fields) -> Result<Option<SearchRequest>, Failure> {
    let Some(text) = query.get("q") else { return Ok(None) };
    let grains = query.all("grain").map(str::parse::<Grain>).collect::<Result<_, _>>()?;
    Ok(Some(SearchRequest {
        query: Some(text.to_owned()),
        grains,
        from: query.parsed("from")?,
        to: query.parsed("to")?,
        explain: query.get("explain").is_some(),
        limit: RESULTS,
        ..SearchRequest::default()
    }))
}

fn form(agent: &str, query: &Fields) -> Markup {
    html! {
        form.search method="get" action=(link::agent(agent, "search")) role="search" {
            div.row {
                label.hidden for="q" { "Question" }
                input.grow #q type="search" name="q" value=(query.get("q").unwrap_or_default()) placeholder="Why was the trip cancelled?" dir="auto" required;
                button type="submit" { "Search" }
            }
            div.row {
                fieldset.inline {
                    legend { "Grains" }
                    @for grain in Grain::ALL {
                        label.check { input type="checkbox" name="grain" value=(grain) checked[query.all("grain").any(|on| on == grain.as_str())]; " " (labels::grain(grain)) }
                    }
                }
                label { "From " input type="date" name="from" value=(query.get("from").unwrap_or_default()); }
                label { "To " input type="date" name="to" value=(query.get("to").unwrap_or_default()); }
                label.check { input type="checkbox" name="explain" value="yes" checked[query.get("explain").is_some()]; " Explain the order" }
            }
            p.hint { "Without a grain, the search chooses them by the question and the days. " a href=(link::agent(agent, "")) { "Choose the days on the timeline" } }
        }
    }
}

fn results(agent: &str, answer: &SearchAnswer, query: &str, is_explained: bool, zones: &Zones) -> Markup {
    let grains: Vec<&str> = answer.grains.iter().map(|grain| labels::grain(*grain)).collect();
    let best = answer.results.iter().filter_map(|result| result.score).fold(0.0, f64::max);
    html! {
        p.hint {
            (labels::plural(answer.results.len() as u64, "result")) " in " (grains.join(", ").to_lowercase())
            @if let Some((from, to)) = answer.range.from.zip(answer.range.to) { ", " (labels::days(from, to)) }
            @for time in &answer.said {
                "; “" (time.words) "” is understood as a time"
                @if let Some(day) = time.days.to.map(|day| day.to_string()) {
                    " (" a href=(link::with(&link::agent(agent, "facts"), [("as_of", day.as_str())])) { "facts of that time" } ")"
                }
            }
        }
        @if let Some(hint) = &answer.hint { p.notice { (hint) } }
        @if answer.results.is_empty() { p.empty { "Nothing was found" @if answer.range_is_empty { ": no memory lies in these days" } "." } }
        ol.results { @for result in &answer.results { (result_of(agent, result, query, is_explained, best, zones)) } }
    }
}

fn result_of(agent: &str, result: &MemoryView, query: &str, is_explained: bool, best: f64, zones: &Zones) -> Markup {
    html! {
        li {
            div.head {
                a.when href=(link::memory(agent, &result.id)) { bdi { (parts::name(result, zones)) } }
                span.grain { (labels::one(result.grain)) }
                @if result.days_outside.is_some_and(|days| days > 0) { span.hint { "also covers days outside the range" } }
            }
            p.said dir="auto" { (marked(&result.text, query)) }
            @if is_explained { (bars(&result.parts, result.score.unwrap_or_default(), best)) }
        }
    }
}

/// Draws a text, and marks the words that begin with a word of the question. Words of up to three letters say little and do not
/// count. Cuts a longer text around the first marked word, or after the beginning if no word is marked.
fn marked(text: &str, query: &str) -> Markup {
    let wanted: Vec<String> = words_of(query).filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect();
    let is_wanted = |piece: &str| {
        let piece = piece.to_lowercase();
        wanted.iter().any(|word| piece.starts_with(word.as_str()))
    };
    let pieces = pieces(text);
    let first = pieces.iter().position(|piece| is_wanted(piece)).unwrap_or_default();
    let start = first.saturating_sub(60);
    html! {
        @if start > 0 { "… " }
        @for piece in pieces.iter().skip(start).take(MAX_TEXT_LENGTH) { @if is_wanted(piece) { mark { (piece) } } @else { (piece) } }
        @if pieces.len() > start + MAX_TEXT_LENGTH { " …" }
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Splits a text into words and the gaps between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| c.is_alphanumeric() != first.is_alphanumeric()).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Draws the parts of a score as bars from a line at zero: parts that raise the score to the right, parts that lower it to the
/// left. Leaves out parts that are zero.
fn bars(parts: &[PartView], score: f64, best: f64) -> Markup {
    let widest = parts.iter().map(|part| part.value.abs()).fold(best.abs(), f64::max).max(f64::MIN_POSITIVE);
    let zero = if parts.iter().any(|part| part.value < 0.0) { 30.0 } else { 0.0 };
    html! {
        table.explain {
            caption { "Score " (format!("{score:.3}")) }
            tbody { @for part in parts.iter().filter(|part| part.value != 0.0) {
                tr {
                    th scope="row" { (part.name) }
                    td.n { (format!("{:+.3}", part.value)) }
                    td.bar {
                        svg width="100%" height="10" aria-hidden="true" {
                            @let width = (part.value.abs() / widest * (100.0 - zero)).min(if part.value < 0.0 { zero } else { 100.0 });
                            @let x = if part.value < 0.0 { zero - width } else { zero };
                            rect.(if part.value < 0.0 { "minus" } else { "plus" }) x=(format!("{x:.1}%")) width=(format!("{width:.1}%")) height="10" {}
                            line x1=(format!("{zero}%")) y1="0" x2=(format!("{zero}%")) y2="10" {}
                        }
                    }
                    td.why { (meaning(&part.name)) }
                }
            } }
        }
    }
}

/// Returns what a part of a score means, as a tooltip shows it.
fn meaning(part: &str) -> &'static str {
    match part {
        "vector" => "how similar the meaning is",
        "words" => "how many words are the same",
        "neighbours" => "how well the turns right before and after fit",
        "conversation" => "how well its conversation fits",
        "speaker" => "the question names the speaker",
        "role" => "the question asks for this speaker’s words",
        "question" => "only asks, and answers nothing",
        "length" => "how long the text is",
        "when" => "the question asks when, and it has a time",
        "said" => "said at the time in the question",
        "recency" => "recent, and the question is about the present",
        "importance" => "a model judged it important",
        "confidence" => "a model was sure of it",
        "access" => "often found before",
        "pinned" => "pinned",
        "kind" => "turn, statement or summary",
        "period" => "the summary of the time in the question",
        "rerank" => "moved by the reranking model",
        "repeat" => "repeats a better result",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_question_are_marked_and_markup_is_text() {
        let html = marked("The <b>trip</b> was cancelled.", "why was the trip cancelled").into_string();
        assert_eq!(html, "The &lt;b&gt;<mark>trip</mark>&lt;/b&gt; was <mark>cancelled</mark>.");
    }
}
