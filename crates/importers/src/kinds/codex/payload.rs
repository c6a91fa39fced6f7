//! Reads the payload of a line of Codex: typed text, calls and results of tools, events without a message.

use serde_json::Value;

use crate::kinds::files::{filled, list, text};

/// Beginnings of messages that the program sends in the role of the user. Such messages are not imported.
const INJECTED: [&str; 12] = [
    "<user_instructions>",
    "<environment_context>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "<user_shell_command>",
    "<personality_spec>",
    "# AGENTS.md instructions",
    "Warning: apply_patch was requested via",
];

/// Events without a message. Further ones are recognised by their beginnings, [`EVENT_PREFIXES`].
const EVENTS: [&str; 22] = [
    "token_count",
    "turn_aborted",
    "turn_diff",
    "thread_rolled_back",
    "thread_name_updated",
    "thread_goal_updated",
    "thread_settings_applied",
    "session_configured",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "compaction_progress",
    "entered_review_mode",
    "exited_review_mode",
    "background_event",
    "stream_error",
    "error",
    "warning",
    "plan_update",
    "plan_delta",
    "shutdown_complete",
    "view_image_tool_call",
];
const EVENT_PREFIXES: [&str; 14] = [
    "task_",
    "turn_",
    "item_",
    "exec_",
    "mcp_",
    "patch_apply_",
    "web_search_",
    "image_generation_",
    "hook_",
    "collab_",
    "sub_agent_",
    "guardian_",
    "apply_patch_",
    "dynamic_tool_",
];

/// The heading that the editor's plug-in writes before the typed text. The heading and the text before it are removed.
const REQUEST: &str = "## My request for Codex:";

/// Returns whether events of this kind are known to hold no message. The caller counts them as no messages, and events of
/// unknown kinds as unknown.
pub fn is_known_event(kind: &str) -> bool {
    EVENTS.contains(&kind) || EVENT_PREFIXES.iter().any(|prefix| kind.starts_with(prefix))
}

/// Returns the text that a person typed, or `None` if the text is blank or the program wrote the whole of it.
pub fn typed(text: &str) -> Option<String> {
    let text = text.split_once(REQUEST).map_or(text, |(_, request)| request).trim();
    let is_injected = INJECTED.iter().any(|begin| text.starts_with(begin));
    (!text.is_empty() && !is_injected).then(|| text.to_owned())
}

/// Returns the texts of a message: the content if it is a text, otherwise those texts of its parts that are not blank.
pub fn texts(payload: &Value) -> Vec<&str> {
    match payload.get("content") {
        Some(Value::String(text)) => vec![text],
        _ => list(payload, "content").iter().filter_map(|part| filled(part, "text")).collect(),
    }
}

/// Returns the text of a call, as `NAME: ARGUMENTS`, or of a result; `None` if it has no text.
pub fn tool(payload: &Value) -> Option<String> {
    let name = filled(payload, "name").or_else(|| text(payload, "type")).unwrap_or("tool");
    let arguments = ["arguments", "input", "action"]
        .iter()
        .find_map(|field| payload.get(*field))
        .filter(|arguments| !arguments.is_null());
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match (arguments, payload.get("output")) {
        (Some(arguments), _) => Some(format!("{name}: {}", plain(arguments))),
        (None, Some(output)) => Some(filled(output, "content").map_or_else(|| plain(output), str::to_owned)),
        (None, None) => None,
    }
    .filter(|text| !text.trim().is_empty())
}
