//! Items of a conversation as turns and back. The text of a turn is what a person would read of the item; the item itself is
//! kept unchanged.

use annals_core::Role;
use serde_json::{Map, Value, json};

/// The role, speaker and text of an item.
#[derive(Debug, PartialEq)]
pub(super) struct ItemText {
    pub(super) role: Role,
    pub(super) name: Option<String>,
    pub(super) text: String,
}

/// Returns the type of an item; `message` for an item with a role and without a type.
pub(super) fn kind(item: &Map<String, Value>) -> Option<&str> {
    match item.get("type") {
        None | Some(Value::Null) => item.contains_key("role").then_some("message"),
        Some(kind) => kind.as_str(),
    }
}

/// Returns the prefix of the ids of items of a type.
pub(super) fn prefix(kind: &str) -> &'static str {
    match kind {
        "message" => "msg_",
        "function_call" => "fc_",
        "function_call_output" => "fco_",
        "reasoning" => "rs_",
        _ => "item_",
    }
}

/// Returns the role, speaker and text of an item. Items that are not messages get the role tool, so that no summary and no
/// fact is made from them.
pub(super) fn item_text(item: &Map<String, Value>, kind: &str) -> ItemText {
    let field = |name: &str| item.get(name).unwrap_or(&Value::Null);
    let (role, name, text) = match kind {
        "message" => (role(field("role")), None, text_of(field("content"))),
        "function_call" => {
            let name = field("name").as_str().unwrap_or_default();
            (Role::Tool, Some(name), format!("{name}({})", text_of(field("arguments"))))
        }
        "function_call_output" => (Role::Tool, None, text_of(field("output"))),
        "reasoning" => (Role::Tool, None, [text_of(field("summary")), text_of(field("content"))].join("\n")),
        _ => (Role::Tool, None, Value::Object(item.clone()).to_string()),
    };
    let is_name = |name: &&str| (1..=256).contains(&name.len()) && !name.contains(char::is_control);
    let text = if text.trim().is_empty() { format!("[{kind}]") } else { text.replace('\0', "") };
    ItemText { role, name: name.filter(is_name).map(str::to_owned), text: text.trim_end_matches('\n').to_owned() }
}

fn role(role: &Value) -> Role {
    match role.as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::System,
    }
}

/// Returns the text of a content, which is a text or a list of parts. Joins parts with line breaks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of_part).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn text_of_part(part: &Value) -> String {
    let text = ["text", "refusal", "transcript"].into_iter().find_map(|field| part[field].as_str());
    match (text, part["filename"].as_str(), part["type"].as_str()) {
        (Some(text), ..) => text.to_owned(),
        (None, Some(file), _) => format!("[file {file}]"),
        (None, None, Some(kind)) => format!("[{kind}]"),
        _ => text_of(part),
    }
}

/// Returns an item as answers show it: as the client sent it, with its id. A message with a plain text as content gets the
/// fields that OpenAI adds.
pub(super) fn answered(mut item: Map<String, Value>, id: &str) -> Value {
    item.insert("id".into(), id.into());
    if kind(&item) == Some("message") {
        item.insert("type".into(), "message".into());
        item.entry("status").or_insert_with(|| "completed".into());
        if let Some(Value::String(text)) = item.get("content") {
            let parts = parts(role(&item["role"]), text);
            item.insert("content".into(), parts);
        }
    }
    Value::Object(item)
}

/// Builds a message item for a turn that was not added through this interface.
pub(super) fn of_turn(role: Role, text: &str, id: &str) -> Value {
    json!({ "type": "message", "role": role, "status": "completed", "content": parts(role, text), "id": id })
}

fn parts(role: Role, text: &str) -> Value {
    match role {
        Role::Assistant => json!([{ "type": "output_text", "text": text, "annotations": [] }]),
        _ => json!([{ "type": "input_text", "text": text }]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn item_is_spoken_by_its_kind() {
        #[track_caller]
        fn check(item: Value, role: Role, name: Option<&str>, text: &str) {
            let item = object(item);
            let item_text = item_text(&item, kind(&item).unwrap());
            assert_eq!(item_text, ItemText { role, name: name.map(Into::into), text: text.into() });
        }
        check(json!({"role": "user", "content": "Hi"}), Role::User, None, "Hi");
        let parts = json!([{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "b"}]);
        check(json!({"type": "message", "role": "assistant", "content": parts}), Role::Assistant, None, "a\nb");
        let parts = json!([{"type": "input_image"}, {"type": "input_file", "filename": "a.pdf"}]);
        check(json!({"role": "user", "content": parts}), Role::User, None, "[input_image]\n[file a.pdf]");
        check(json!({"role": "developer", "content": "Be brief."}), Role::System, None, "Be brief.");
        let call = json!({"type": "function_call", "name": "get_weather", "arguments": "{\"city\":\"Bern\"}"});
        check(call, Role::Tool, Some("get_weather"), "get_weather({\"city\":\"Bern\"})");
        check(json!({"type": "function_call_output", "output": "rain"}), Role::Tool, None, "rain");
        check(json!({"type": "reasoning", "summary": [{"text": "thinks"}]}), Role::Tool, None, "thinks");
        check(json!({"type": "reasoning", "summary": []}), Role::Tool, None, "[reasoning]");
        check(json!({"role": "assistant", "content": ""}), Role::Assistant, None, "[message]");
        check(json!({"a": 1, "type": "new_call"}), Role::Tool, None, r#"{"a":1,"type":"new_call"}"#);
    }

    #[test]
    fn short_message_is_answered_in_full_and_other_items_as_they_came() {
        let short = answered(object(json!({"role": "user", "content": "Hi"})), "msg_1");
        let content = json!([{"type": "input_text", "text": "Hi"}]);
        let full = json!({"id": "msg_1", "type": "message", "role": "user", "status": "completed", "content": content});
        assert_eq!(short, full);
        assert_eq!(answered(object(full.clone()), "msg_1"), full);
        let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "extra": [1, null]});
        let mut expect = call.clone();
        expect["id"] = json!("fc_1");
        assert_eq!(answered(object(call), "fc_1"), expect);
    }
}
