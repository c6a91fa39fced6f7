//! Parses the transcripts that OpenClaw writes into its daily notes at the commands /new and /reset.

use annals_core::{Role, Timestamp};
use jiff::tz::TimeZone;

use super::marks::time_of;

#[derive(Debug)]
pub struct Transcript {
    pub session: Option<String>,
    /// When the note was written; `None` if the heading has no time.
    pub written: Option<Timestamp>,
    pub turns: Vec<Turn>,
}

/// One turn of a transcript, with its marks.
#[derive(Debug)]
pub struct Turn {
    /// The number of the turn's first line, counted from 1.
    pub line: u64,
    pub role: Role,
    /// The text of the turn, with its marks.
    pub text: String,
}

/// Returns the transcript in a note, or `None` if the note has no heading `Session:` at its beginning or no turns.
pub fn parse(text: &str, zone: &TimeZone) -> Option<Transcript> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| line.trim().is_empty());
    let (first, _) = lines.next()?;
    let heading = first.trim_start_matches('#').trim().strip_prefix("Session:").filter(|_| first.starts_with('#'))?;
    let mut found = Transcript { session: None, written: time_of(heading, zone), turns: Vec::new() };
    for (line, number) in lines {
        match speaker(line) {
            Some((role, text)) => found.turns.push(Turn { line: number, role, text: text.to_owned() }),
            None => match found.turns.last_mut() {
                Some(turn) => {
                    turn.text.push('\n');
                    turn.text.push_str(line);
                }
                None => {
                    let session = line.trim().strip_prefix("- **Session ID**:").map(|id| id.trim().to_owned());
                    found.session = found.session.or(session.filter(|id| !id.is_empty()));
                }
            },
        }
    }
    (!found.turns.is_empty()).then_some(found)
}

fn speaker(line: &str) -> Option<(Role, &str)> {
    [("user:", Role::User), ("assistant:", Role::Assistant), ("system:", Role::System), ("toolResult:", Role::Tool)]
        .into_iter()
        .find_map(|(mark, role)| Some((role, line.strip_prefix(mark)?)))
        .map(|(role, text)| (role, text.strip_prefix(' ').unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_without_turns_is_no_transcript() {
        let zone = TimeZone::UTC;
        for note in ["", "# Plan\nuser: hi", "# Session: 2026-03-09 16:35:49 UTC\n\nnothing", "Session: x\nuser: hi"] {
            assert!(parse(note, &zone).is_none(), "{note}");
        }
        let found = parse("# Session: soon\nuser: a\nb\nassistant:c", &zone).unwrap();
        assert_eq!((found.written, found.turns.len(), found.turns[0].text.as_str()), (None, 2, "a\nb"));
    }
}
