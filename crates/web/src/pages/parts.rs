//! Drawing functions that several pages share.

use annals_core::{Grain, Period, Timestamp, Zones};
use annals_service::wire::{MemoryView, PeriodState, SentenceView};
use maud::{Markup, html};

use crate::{labels, link};

/// Maximum number of characters of an excerpt.
const EXCERPT: usize = 220;

/// Draws the name of a state with its colour.
pub(super) fn chip(state: PeriodState) -> Markup {
    html! { span.chip.(labels::state(state)) title=(labels::meaning(state)) { (labels::state(state)) } }
}

/// Draws the text of a memory: a paragraph for each line that is not blank. The browser detects the writing direction of each
/// paragraph.
pub(super) fn text(text: &str) -> Markup {
    html! { @for line in text.split('\n').filter(|line| !line.trim().is_empty()) { p.said dir="auto" { (line) } } }
}

/// Returns the first [`EXCERPT`] characters of a text as one line, with "…" if the text is longer.
pub(super) fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Returns the name of a memory: the name of the period for a summary, otherwise speaker and time.
pub(super) fn name(memory: &MemoryView, zones: &Zones) -> String {
    match memory.period.parse::<Period>() {
        Ok(period) if memory.grain != Grain::Working => labels::period(period),
        _ => {
            let at = memory.cover.start.parse::<Timestamp>().map(|at| labels::moment(at, zones));
            format!(
                "{}, {}",
                memory.speaker.as_deref().unwrap_or("statement"),
                at.unwrap_or_else(|_| memory.date.clone())
            )
        }
    }
}

/// Draws turns as a conversation: time, speaker, text.
pub(super) fn turns(agent: &str, turns: &[MemoryView], zones: &Zones, open: Option<&str>) -> Markup {
    html! {
        ol.turns {
            @for turn in turns {
                @let at = turn.cover.start.parse::<Timestamp>().ok();
                li #(turn.id) .(turn.role.map_or("statement", annals_core::Role::as_str)) aria-current=[(open == Some(turn.id.as_str())).then_some("true")] {
                    a.when href=(link::memory(agent, &turn.id)) {
                        @if let Some(at) = at { time datetime=(at) { (labels::time(at, zones)) } } @else { (turn.date) }
                    }
                    span.who { bdi { (turn.speaker.as_deref().unwrap_or("statement")) } }
                    div.what { (text(&turn.text)) }
                }
            }
        }
    }
}

/// Draws the sentences of a summary, each with its day and links to up to three of its source turns.
pub(super) fn sentences(agent: &str, sentences: &[SentenceView]) -> Markup {
    html! {
        ol.sentences {
            @for sentence in sentences {
                li {
                    time.when datetime=(sentence.day) { (short_day(&sentence.day)) }
                    p.said dir="auto" {
                        @if let Some(speaker) = &sentence.speaker { span.who { bdi { (speaker) } } " " }
                        @if sentence.grounded { (sentence.text) } @else {
                            mark.ungrounded title="Its sources do not support all of it" { (sentence.text) }
                            span.hidden { " (its sources do not support all of it)" }
                        }
                        @for (number, id) in sentence.from.iter().enumerate().take(3) {
                            " " a.source href=(link::memory(agent, id)) {
                                @if number == 0 { "source" } @else { (number + 1) }
                                span.hidden { " of the sentence of " (sentence.day) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn short_day(day: &str) -> String {
    day.parse()
        .map_or_else(|_| day.to_owned(), |day: annals_core::Date| format!("{} {}", day.day(), labels::short_month(day)))
}
