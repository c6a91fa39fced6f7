//! Checks a message field by field before it is stored. Reports all faults of a message, not just the first.

use annals_core::retry::later;
use annals_core::{Fault, Message, Period, Timestamp};
use jiff::tz::TimeZone;

/// Returns the faults of a message, or none if it may be stored.
pub fn check(message: &Message, now: Timestamp) -> Vec<Fault> {
    let names = [
        ("conversation", Some(&message.conversation)),
        ("id", message.client_id.as_ref()),
        ("name", message.name.as_ref()),
    ];
    let mut faults: Vec<Fault> = names
        .into_iter()
        .filter_map(|(field, name)| check_name(name?).map(|reason| Fault::new(field, reason)))
        .collect();
    faults.extend(check_content(&message.content).map(|reason| Fault::new("content", reason)));
    faults.extend(check_at(message.at, now).map(|reason| Fault::new("at", reason)));
    faults
}

pub(crate) fn check_name(name: &str) -> Option<String> {
    match name {
        "" => Some("is empty".into()),
        _ if name.len() > Message::MAX_NAME_BYTES => {
            Some(format!("has {} bytes; {} are allowed", name.len(), Message::MAX_NAME_BYTES))
        }
        _ => name.chars().find(|c| c.is_control()).map(|c| format!("contains the control character {c:?}")),
    }
}

pub(crate) fn check_content(content: &str) -> Option<String> {
    if content.trim().is_empty() {
        return Some("is empty".into());
    }
    if content.len() > Message::MAX_CONTENT_BYTES {
        return Some(format!("has {} bytes; {} are allowed", content.len(), Message::MAX_CONTENT_BYTES));
    }
    content.contains('\0').then(|| "contains a NUL character".into())
}

fn check_at(at: Timestamp, now: Timestamp) -> Option<String> {
    let latest = later(now, Message::MAX_AHEAD);
    let ahead = || (at > latest).then(|| format!("is {at}, more than five minutes ahead of now, {now:.0}"));
    check_year(at).or_else(ahead)
}

/// Returns the fault of an instant in a year that is not stored.
pub(crate) fn check_year(at: Timestamp) -> Option<String> {
    let (first, last) = (Period::YEARS.start(), Period::YEARS.end());
    let year = at.to_zoned(TimeZone::UTC).year();
    (!Period::is_in_years(at)).then(|| format!("is in the year {year}; years {first} to {last} are allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_core::Role;

    const NOW: &str = "2026-03-04T12:00:00Z";

    fn message() -> Message {
        Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: "hello".into(),
            at: NOW.parse().unwrap(),
        }
    }

    #[track_caller]
    fn faults(message: &Message, expect: &[&str]) {
        let found: Vec<String> = check(message, NOW.parse().unwrap()).iter().map(ToString::to_string).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn valid_message_has_no_faults() {
        faults(&message(), &[]);
        faults(&Message { at: "2026-03-04T12:05:00Z".parse().unwrap(), ..message() }, &[]);
        faults(&Message { content: "x".repeat(Message::MAX_CONTENT_BYTES), ..message() }, &[]);
    }

    #[test]
    fn each_fault_names_its_field() {
        faults(&Message { content: " \n".into(), ..message() }, &["content is empty"]);
        let long = Message { content: "x".repeat(10 << 20), ..message() };
        faults(&long, &["content has 10485760 bytes; 262144 are allowed"]);
        faults(&Message { content: "a\0b".into(), ..message() }, &["content contains a NUL character"]);
        let ahead = Message { at: "2026-03-04T12:05:01Z".parse().unwrap(), ..message() };
        faults(&ahead, &["at is 2026-03-04T12:05:01Z, more than five minutes ahead of now, 2026-03-04T12:00:00Z"]);
        let ancient = Message { at: "0000-05-01T00:00:00Z".parse().unwrap(), ..message() };
        faults(&ancient, &["at is in the year 0; years 2 to 9998 are allowed"]);
    }

    #[test]
    fn all_faults_are_found_at_once() {
        let bad = Message {
            conversation: String::new(),
            client_id: Some("a\tb".into()),
            name: Some("n".repeat(300)),
            content: String::new(),
            ..message()
        };
        let expect = [
            "conversation is empty",
            "id contains the control character '\\t'",
            "name has 300 bytes; 256 are allowed",
            "content is empty",
        ];
        faults(&bad, &expect);
    }
}
