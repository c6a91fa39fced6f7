//! Reads the JSON in which Letta wraps messages of the person and its own events: `{"type": "user_message", "message": …}`.

use serde_json::Value;

/// The content of a wrapped text.
#[derive(Debug, PartialEq)]
pub enum Envelope {
    /// The message that the person wrote.
    Message(String),
    /// An event of the server, with its type.
    Event(String),
}

/// Unwraps a text. Returns `None` if it is not wrapped, or has an unknown type.
pub fn open(text: &str) -> Option<Envelope> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    match value["type"].as_str()? {
        "user_message" => Some(Envelope::Message(value["message"].as_str()?.to_owned())),
        event @ ("login" | "heartbeat" | "system_alert" | "function_response" | "package_message") => {
            Some(Envelope::Event(event.to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_are_opened() {
        let message = |text: &str| Some(Envelope::Message(text.into()));
        assert_eq!(open(r#"{"type": "user_message", "message": "Hi", "time": "now"}"#), message("Hi"));
        assert_eq!(open(r#" {"type": "heartbeat"}"#), Some(Envelope::Event("heartbeat".into())));
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in ["Hi", "{", "{}", r#"{"type": "invoice"}"#, r#"{"type": "user_message"}"#, "[1]"] {
            assert_eq!(open(text), None, "{text}");
        }
    }
}
