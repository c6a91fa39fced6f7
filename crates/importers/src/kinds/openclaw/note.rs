//! Reads notes below `memory`. A transcript becomes turns, a dated note becomes a message per section, any other note becomes a
//! document.

use std::collections::HashSet;

use annals_core::{Message, Result, Role, Timestamp};

use super::marks::{self, Cleaned};
use super::transcript::{self, Transcript};
use crate::dates;
use crate::item::{Item, Location};
use crate::kinds::notes::{clock, daily::Daily, day, front_matter};
use crate::kinds::texts::MadeIds;
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};

/// Passes on a note. `stem` is its path without extension; `sessions` are the ids of sessions that have a file of their own;
/// turns of a transcript of such a session are counted as skipped.
pub fn read(
    stem: &str,
    text: &str,
    sessions: &HashSet<String>,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let note = front_matter::split(text);
    let day = day::of_path(stem);
    if let Some(found) = transcript::parse(note.body, &output.options().zone) {
        let is_in_file = found.session.as_ref().is_some_and(|session| sessions.contains(session));
        if is_in_file {
            for turn in &found.turns {
                let location = location.at_line(note.lines + turn.line);
                output.skip(Skip::new(SkipReason::Repeated, "turn in a note whose session has a file", "", &location));
            }
            return Ok(());
        }
        let conversation = found.session.clone().unwrap_or_else(|| stem.to_owned());
        return turns(&found, &format!("openclaw:{conversation}"), stem, location, note.lines, output);
    }
    let Some(day) = day else {
        let title = front_matter::first(&note.fields, &["title"]).unwrap_or(stem).to_owned();
        let item =
            Item::Document { id: format!("openclaw:{stem}.md"), title, text: note.body.trim().to_owned(), at: None };
        return output.item(item, location);
    };
    let daily = Daily {
        conversation: format!("openclaw:{stem}.md"),
        title: Some(stem),
        day,
        at: None,
        role: Role::Assistant,
        body: note.body,
        lines_above: note.lines,
        location,
    };
    daily.write(output)
}

fn turns(
    found: &Transcript,
    conversation: &str,
    title: &str,
    location: &Location,
    lines_above: u64,
    output: &mut Output<'_>,
) -> Result<()> {
    output.conversation(conversation, Some(title), None, location)?;
    let zone = &output.options().zone;
    let cleaned: Vec<Cleaned> = found.turns.iter().map(|turn| marks::clean(turn.role, &turn.text, zone)).collect();
    // Turns that OpenClaw wrote itself are not passed on, but their times are used.
    let times: Vec<_> = cleaned.iter().map(|turn| output.past(turn.at.and_then(dates::storable))).collect();
    let noon = || clock::instant(day::of_path(title)?.at(12, 0, 0, 0), zone);
    let written = output.past(found.written.or_else(noon));
    let mut ids = MadeIds::default();
    for ((turn, cleaned), at) in found.turns.iter().zip(cleaned).zip(fill(&times, written)) {
        let location = location.at_line(lines_above + turn.line);
        if let Some(skip) = why_skipped(turn.role, &cleaned, &location, output.options().tools) {
            output.skip(skip);
            continue;
        }
        let Some(at) = at else {
            output.skip(Skip::new(SkipReason::Undated, "turn of a transcript without a date", "", &location));
            continue;
        };
        let id = ids.next(&[turn.role.as_str(), &cleaned.text]);
        if !output.is_new(&format!("{conversation}/{id}")) {
            output.skip(Skip::new(SkipReason::Repeated, "turn that another note of the session has", "", &location));
            continue;
        }
        let sender = cleaned.sender.filter(|_| turn.role == Role::User);
        let message = Message {
            conversation: conversation.to_owned(),
            client_id: Some(id),
            role: turn.role,
            name: output.name_of(turn.role).or(sender),
            content: cleaned.text,
            at,
        };
        output.message(message, &location)?;
    }
    Ok(())
}

/// Returns why a turn is not passed on, or `None` if it is.
fn why_skipped<'p>(role: Role, cleaned: &Cleaned, location: &'p Location, has_tools: bool) -> Option<Skip<'p>> {
    match (cleaned.machine, role) {
        (Some(what), _) => Some(Skip::no_message(what, location)),
        _ if cleaned.text.is_empty() => Some(Skip::no_message("empty message", location)),
        (None, Role::System) => Some(Skip::no_message("system message", location)),
        (None, Role::Tool) if !has_tools => Some(Skip::option("tool result (--tools)", location)),
        _ => None,
    }
}

/// Fills in missing times: a millisecond after the turn before; at the beginning, a millisecond before the turn after. If no
/// turn has a time, the first gets `written`; without `written` all stay undated. A turn never gets a time before that of the
/// turn before it.
fn fill(times: &[Option<Timestamp>], written: Option<Timestamp>) -> Vec<Option<Timestamp>> {
    let first = times.iter().position(Option::is_some);
    let mut last = match first {
        Some(at) => times[at].map(|time| dates::later(time, -i64::try_from(at).unwrap_or_default() - 1)),
        None => written.map(|time| dates::later(time, -1)),
    };
    let mut filled = Vec::with_capacity(times.len());
    for time in times {
        let next = last.map(|last| dates::later(last, 1));
        // A turn is never earlier than the turn before it.
        last = (*time).max(next.filter(|_| time.is_none())).max(last.filter(|_| time.is_some()));
        filled.push(last);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(times: &[Option<i64>], written: Option<i64>, expect: &[Option<i64>]) {
        let instant = |at: &i64| Timestamp::from_millisecond(*at).unwrap();
        let times: Vec<Option<Timestamp>> = times.iter().map(|at| at.as_ref().map(instant)).collect();
        let found = fill(&times, written.as_ref().map(instant));
        assert_eq!(found.iter().map(|at| at.map(Timestamp::as_millisecond)).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn missing_times_follow_their_neighbours() {
        check(
            &[None, None, Some(100), None, Some(200)],
            Some(999),
            &[Some(98), Some(99), Some(100), Some(101), Some(200)],
        );
        check(&[None, None], Some(100), &[Some(100), Some(101)]);
        check(&[None], None, &[None]);
        check(&[], Some(1), &[]);
    }

    #[test]
    fn turn_is_not_earlier_than_the_one_before() {
        check(&[Some(100), Some(50), None], None, &[Some(100), Some(100), Some(101)]);
    }
}
