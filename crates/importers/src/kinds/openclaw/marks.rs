//! Removes the marks that OpenClaw and its channels put around the text of a person or the agent: metadata, timestamps, events,
//! tags. Keeps the time and the sender that the marks give.

use annals_core::{Role, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::kinds::notes::clock;
use crate::kinds::texts::without_spans;

/// A turn without its marks.
#[derive(Debug, Default, PartialEq)]
pub struct Cleaned {
    /// The text; empty if there is none.
    pub text: String,
    /// When the turn was said; `None` if no mark has a time.
    pub at: Option<Timestamp>,
    /// The name of the sender; `None` if no mark has one.
    pub sender: Option<String>,
    /// If OpenClaw wrote the turn: the kind under which the turn is skipped.
    pub machine: Option<&'static str>,
}

/// Answers of the agent that mean that it has nothing to say. Such a turn is skipped.
const SILENT: [&str; 2] = ["NO_REPLY", "HEARTBEAT_OK"];
/// Beginnings of prompts that OpenClaw sends in the name of the person, each with the kind under which the turn is skipped.
const PROMPTS: [(&str, &str); 4] = [
    ("A new session was started via", "prompt of a new session"),
    ("[Startup context loaded by runtime]", "prompt of a new session"),
    ("Read HEARTBEAT.md if it exists", "prompt of a heartbeat"),
    ("Pre-compaction memory flush", "prompt of a memory flush"),
];
/// The beginning of a notice that OpenClaw sends in the name of the agent. Such a turn is skipped.
const NEW_SESSION: &str = "✅ New session started";
/// The beginning and the end of the text that replaces a tool call of another model. Such a text is removed from its turn.
const FOREIGN_CALL: (&str, &str) =
    ("[Historical context: a different model called tool", "use proper function calling.]");

/// Removes the marks from a turn. Times without a zone are local in `zone`.
pub fn clean(role: Role, text: &str, zone: &TimeZone) -> Cleaned {
    let mut found = Cleaned::default();
    let mut rest = text.trim();
    let mut has_event = false;
    let mut labels: Vec<String> = Vec::new();
    while let Some((mark, behind)) = mark(rest, zone) {
        match mark {
            Mark::Metadata(value) => {
                let named = ["name", "sender", "id"].iter().filter_map(|field| value[*field].as_str());
                labels.extend(named.map(|name| format!("{name}: ")));
                found.add_metadata(&value, zone);
            }
            Mark::Stamp(at) => found.at = found.at.or(at),
            Mark::Event(at) => {
                has_event = true;
                found.at = found.at.or(at);
            }
        }
        rest = behind;
    }
    // Some channels also put the sender before the text.
    rest = labels.iter().find_map(|label| rest.strip_prefix(label.as_str())).unwrap_or(rest);
    found.machine = match role {
        Role::User => PROMPTS.iter().find(|(start, _)| rest.starts_with(start)).map(|(_, what)| *what),
        _ if SILENT.contains(&rest) => Some("silent answer of the agent"),
        _ => rest.starts_with(NEW_SESSION).then_some("notice of a new session"),
    };
    match found.machine {
        Some(_) => found.at = found.at.or_else(|| current_time(rest, zone)),
        None => found.text = without_tags(rest),
    }
    if has_event && found.text.is_empty() {
        found.machine = found.machine.or(Some("event of the system"));
    }
    found
}

impl Cleaned {
    fn add_metadata(&mut self, value: &Value, zone: &TimeZone) {
        let field = |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        self.at = self.at.or_else(|| time_of(field("timestamp")?, zone));
        // Channels without names put the id in the place of the name.
        let is_name = |name: &&str| Some(*name) != field("sender_id") && Some(*name) != field("id");
        let sender = field("sender").filter(is_name).map(str::to_owned);
        self.sender = field("name").filter(is_name).map(str::to_owned).or(self.sender.take()).or(sender);
    }
}

enum Mark {
    Metadata(Value),
    Stamp(Option<Timestamp>),
    /// A paragraph about an event, such as a change of the model.
    Event(Option<Timestamp>),
}

/// Reads the mark at the beginning of a text. Returns it with the rest of the text, or `None` if the text does not begin with a
/// mark.
fn mark<'t>(text: &'t str, zone: &TimeZone) -> Option<(Mark, &'t str)> {
    if let Some((value, rest)) = metadata(text) {
        return Some((Mark::Metadata(value), rest));
    }
    if let Some(event) = text.strip_prefix("System: [") {
        let (stamp, _) = event.split_once(']')?;
        let rest = event.split_once("\n\n").map_or("", |(_, rest)| rest);
        return Some((Mark::Event(time_of(stamp, zone)), rest.trim_start()));
    }
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let stamp = time_of(inside, zone);
    if stamp.is_some() || inside.starts_with("message_id:") {
        return Some((Mark::Stamp(stamp), rest.trim_start()));
    }
    // The address of an answer: `[QQBot] to=qqbot:c2c:…`
    let line = rest.lines().next().unwrap_or_default();
    let is_address = line.starts_with(" to=") && !line.trim().contains(' ');
    is_address.then(|| (Mark::Stamp(None), rest[line.len()..].trim_start()))
}

/// Reads a block `Sender (untrusted metadata):` with its JSON at the beginning of a text. Returns its value and the rest, or
/// `None` without such a block. The value is null if the JSON is damaged.
fn metadata(text: &str) -> Option<(Value, &str)> {
    let (title, rest) = text.split_once('\n')?;
    if !title.trim_end().ends_with("(untrusted metadata):") && !title.contains("(untrusted, for context):") {
        return None;
    }
    let rest = rest.trim_start().strip_prefix("```json")?;
    let (inside, rest) = rest.split_once("\n```")?;
    Some((serde_json::from_str(inside).unwrap_or_default(), rest.trim_start()))
}

/// Removes the tags that direct an answer, `[[reply_to_current]]` and `<final>`, and the texts that replace calls of other
/// models.
fn without_tags(text: &str) -> String {
    let text = text.replace("<final>", "").replace("</final>", "");
    let text = without_spans(&text, "[[reply_to", "]]");
    let text = without_spans(&text, FOREIGN_CALL.0, FOREIGN_CALL.1);
    let text = text.trim();
    // Some channels put the id of the message after the text.
    let behind = text.rsplit_once("\n[message_id: ").filter(|(_, id)| id.find(']') == Some(id.len() - 1));
    behind.map_or(text, |(text, _)| text.trim_end()).to_owned()
}

/// Returns the time at the end of a prompt, after `Current time: … / 2026-04-11 04:46 UTC`; `None` without one.
fn current_time(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let (_, time) = text.rsplit_once("Current time:")?;
    time_of(time.rsplit_once(" / ")?.1, zone)
}

/// Reads the time that OpenClaw writes: `Mon 2026-03-09 16:05 GMT+0`, `2026-03-09 16:35:49 UTC`, or an ISO 8601 instant. A time
/// without a zone is local in `zone`. The name of a channel and the weekday may come before the date. Returns `None` for other
/// texts.
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
        let at = at.map(|at| at.parse().unwrap());
        Cleaned { text: text.into(), at, sender: sender.map(Into::into), machine: None }
    }

    fn machine(what: &'static str, at: Option<&str>) -> Cleaned {
        Cleaned { machine: Some(what), ..text("", at, None) }
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
        check(
            Role::User,
            "[Mon 2026-07-06 16:20 UTC] Hi\nyou\n[message_id: 7]",
            text("Hi\nyou", Some("2026-07-06T16:20:00Z"), None),
        );
        check(Role::User, "Hi\n[message_id: 7] there", text("Hi\n[message_id: 7] there", None, None));
        check(Role::User, "[not a time] stays", text("[not a time] stays", None, None));
        check(Role::Assistant, "[[reply_to_current]] <final>Hello.</final>", text("Hello.", None, None));
        check(Role::Assistant, "[[reply_to: 5]]a [[reply_to", text("a [[reply_to", None, None));
    }

    #[test]
    fn events_before_a_text_are_removed() {
        let event = "System: [2026-02-25 10:33:27 GMT+8] Model switched.\n\n";
        check(Role::User, &format!("{event}hi"), text("hi", Some("2026-02-25T02:33:27Z"), None));
        check(Role::User, event, machine("event of the system", Some("2026-02-25T02:33:27Z")));
        check(Role::User, "[QQBot] to=qqbot:c2c:7\n\nhi", text("hi", None, None));
        check(Role::User, "[a] to=b or not", text("[a] to=b or not", None, None));
    }

    #[test]
    fn ids_are_no_names() {
        let sender = "Sender (untrusted metadata):\n```json\n{\"label\": \"772C\", \"id\": \"772C\", \"name\": \"772C\"}\n```\n\nhi";
        check(Role::User, sender, text("hi", None, None));
    }

    #[test]
    fn sender_before_the_words_is_removed() {
        let sender = |name: &str| {
            format!(
                "Sender (untrusted metadata):\n```json\n{{\"id\": \"ou_7\", \"name\": \"{name}\"}}\n```\n\n[message_id: om_1]\n"
            )
        };
        check(
            Role::User,
            &format!("{}Mira: two oars: mine", sender("Mira")),
            text("two oars: mine", None, Some("Mira")),
        );
        check(Role::User, &format!("{}ou_7: hi", sender("ou_7")), text("hi", None, None));
        check(Role::User, &format!("{}Note: hi", sender("Mira")), text("Note: hi", None, Some("Mira")));
    }

    #[test]
    fn texts_of_the_machine_are_named() {
        let prompt = "A new session was started via /new.\nCurrent time: Saturday - 12:46 PM (Asia/Shanghai) / 2026-04-11 04:46 UTC";
        check(Role::User, prompt, machine("prompt of a new session", Some("2026-04-11T04:46:00Z")));
        check(Role::Assistant, "NO_REPLY", machine("silent answer of the agent", None));
        check(Role::Assistant, "✅ New session started · model: x", machine("notice of a new session", None));
        check(Role::User, "NO_REPLY", text("NO_REPLY", None, None));
        let foreign = "Done.[Historical context: a different model called tool \"exec\" with {}. Do not mimic - use proper function calling.]";
        check(Role::Assistant, foreign, text("Done.", None, None));
    }
}
