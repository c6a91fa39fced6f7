//! Transcripts that OpenClaw writes into its daily notes at /new and /reset, and the marks that its channels put around what
//! a person wrote. Knows no files and no items.

use annals_core::{Role, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::kinds::notes::clock;

/// A transcript.
#[derive(Debug)]
pub struct Transcript {
    /// The id of the session.
    pub session: Option<String>,
    /// When the note was written.
    pub written: Option<Timestamp>,
    /// The turns, in order.
    pub turns: Vec<Turn>,
}

/// One turn of a transcript, with its marks.
#[derive(Debug)]
pub struct Turn {
    /// The number of its first line, counted from 1.
    pub line: u64,
    /// Who spoke.
    pub role: Role,
    /// What stands there.
    pub text: String,
}

/// Returns the transcript of a note, or `None` if the note is none. A note is a transcript if it begins with a heading
/// `Session:` and has turns.
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

/// What a person or the agent wrote, without the marks of OpenClaw.
#[derive(Debug, PartialEq)]
pub enum Cleaned {
    /// A text, with the time and the sender that its marks give.
    Text {
        /// The text; may be empty.
        text: String,
        /// When it was said.
        at: Option<Timestamp>,
        /// Who said it.
        sender: Option<String>,
    },
    /// A text that OpenClaw wrote itself; the word names what it is.
    Machine(&'static str),
}

/// Words that the agent answers when it has nothing to say.
const SILENT: [&str; 2] = ["NO_REPLY", "HEARTBEAT_OK"];
/// Beginnings of prompts that OpenClaw sends as the person.
const PROMPTS: [(&str, &str); 6] = [
    ("A new session was started via", "prompt of a new session"),
    ("Read HEARTBEAT.md if it exists", "prompt of a heartbeat"),
    ("Pre-compaction memory flush", "prompt of a memory flush"),
    ("Pre-compaction memory flush turn", "prompt of a memory flush"),
    ("System: [", "event of the system"),
    ("[Startup context loaded by runtime]", "prompt of a new session"),
];

/// Removes the marks from a turn. Times without a zone are local in `zone`.
pub fn clean(role: Role, text: &str, zone: &TimeZone) -> Cleaned {
    let mut text = text.trim();
    let (mut at, mut sender) = (None, None);
    while let Some((value, rest)) = metadata(text) {
        let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        at = at.or_else(|| time_of(field("timestamp")?, zone));
        sender = field("name").or(sender.as_deref()).or(field("sender")).map(str::to_owned);
        text = rest;
    }
    if let Some((inside, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        if let Some(stamp) = time_of(inside, zone) {
            (at, text) = (at.or(Some(stamp)), rest.trim_start());
        } else if inside.starts_with("message_id:") {
            text = rest.trim_start();
        }
    }
    if role == Role::User {
        if let Some((_, what)) = PROMPTS.iter().find(|(start, _)| text.starts_with(start)) {
            return Cleaned::Machine(what);
        }
    } else if SILENT.contains(&text) {
        return Cleaned::Machine("silent answer of the agent");
    }
    Cleaned::Text { text: without_tags(text), at, sender }
}

/// Reads a block `Sender (untrusted metadata):` with its JSON at the beginning of a text. Returns its value and the rest.
fn metadata(text: &str) -> Option<(Value, &str)> {
    let (title, rest) = text.split_once('\n')?;
    if !title.trim_end().ends_with("(untrusted metadata):") && !title.contains("(untrusted, for context):") {
        return None;
    }
    let rest = rest.trim_start().strip_prefix("```json")?;
    let (inside, rest) = rest.split_once("\n```")?;
    Some((serde_json::from_str(inside).unwrap_or_default(), rest.trim_start()))
}

/// Removes the tags that direct an answer: `[[reply_to_current]]`, `<final>`.
fn without_tags(text: &str) -> String {
    let mut text = text.replace("<final>", "").replace("</final>", "");
    while let Some(start) = text.find("[[reply_to") {
        let Some(length) = text[start..].find("]]") else { break };
        text.replace_range(start..start + length + 2, "");
    }
    text.trim().to_owned()
}

/// Reads the time that OpenClaw writes: `Mon 2026-03-09 16:05 GMT+0`, `2026-03-09 16:35:49 UTC`. The day of the week may stand
/// in front, and a channel's name.
pub fn time_of(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(at) = text.trim().parse() {
        return Some(at);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.len() == 10 && word.parse::<jiff::civil::Date>().is_ok())?;
    let time = words.get(at + 1).filter(|word| word.contains(':'))?;
    let local: DateTime = format!("{}T{time}", words[at]).parse().ok()?;
    let named = words.get(at + 2).and_then(|word| clock::zone(word));
    clock::instant(local, named.as_ref().map_or(zone, |(zone, _)| zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, at: Option<&str>, sender: Option<&str>) -> Cleaned {
        Cleaned::Text { text: text.into(), at: at.map(|at| at.parse().unwrap()), sender: sender.map(Into::into) }
    }

    #[track_caller]
    fn check(role: Role, input: &str, expect: Cleaned) {
        assert_eq!(clean(role, input, &TimeZone::get("Europe/Lisbon").unwrap()), expect);
    }

    #[test]
    fn metadata_gives_time_and_sender() {
        let info = "Conversation info (untrusted metadata):\n```json\n{\"sender\":\"4411\",\"timestamp\":\"Mon 2026-03-09 16:05 GMT+2\"}\n```\n\n";
        let sender = "Sender (untrusted metadata):\n```json\n{\"name\": \"Mira\"}\n```\n\n";
        check(
            Role::User,
            &format!("{info}{sender}Hi.\nYou there?"),
            text("Hi.\nYou there?", Some("2026-03-09T14:05:00Z"), Some("Mira")),
        );
        check(
            Role::User,
            &format!("{info}[message_id: 7]\nHi."),
            text("Hi.", Some("2026-03-09T14:05:00Z"), Some("4411")),
        );
        check(Role::User, "Sender (untrusted metadata):\n```json\n{broken\n```\nHi.", text("Hi.", None, None));
        check(
            Role::User,
            "Sender (untrusted metadata):\nno block",
            text("Sender (untrusted metadata):\nno block", None, None),
        );
    }

    #[test]
    fn tags_and_stamps_are_removed() {
        check(Role::User, "[Mon 2026-07-06 16:20 UTC] Done!", text("Done!", Some("2026-07-06T16:20:00Z"), None));
        check(
            Role::User,
            "[Telegram Mira id:44 2026-07-06 16:20] Done!",
            text("Done!", Some("2026-07-06T15:20:00Z"), None),
        );
        check(Role::User, "[not a time] stays", text("[not a time] stays", None, None));
        check(Role::Assistant, "[[reply_to_current]] <final>Hello.</final>", text("Hello.", None, None));
        check(Role::Assistant, "[[reply_to: 5]]a [[reply_to", text("a [[reply_to", None, None));
    }

    #[test]
    fn texts_of_the_machine_are_named() {
        check(
            Role::User,
            "A new session was started via /new or /reset. Run …",
            Cleaned::Machine("prompt of a new session"),
        );
        check(Role::Assistant, "NO_REPLY", Cleaned::Machine("silent answer of the agent"));
        check(Role::User, "NO_REPLY", text("NO_REPLY", None, None));
    }

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
