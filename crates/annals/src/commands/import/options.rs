//! Checks the options of an import: an option without effect is an error, because the user expects an effect.

use annals_core::{Error, Result};
use annals_importers::Kind;

use super::{is_watched, no_effect};
use crate::cli::{Format, Import};

/// Checks that every option that is set has an effect on this format.
pub(crate) fn check(args: &Import, format: Format) -> Result<()> {
    match format {
        Format::Jsonl => check_jsonl(args),
        Format::Of(kind) => check_kind(args, kind),
    }
}

fn check_jsonl(args: &Import) -> Result<()> {
    match set_options(args).first() {
        Some(option) => Err(no_effect(option, "jsonl", "its lines say all that is imported")),
        None => Ok(()),
    }
}

fn check_kind(args: &Import, kind: Kind) -> Result<()> {
    if args.agent.is_none() {
        let reason = format!("is missing; the source is {kind}, which names no agent: give --agent NAME");
        return Err(Error::invalid("--agent", reason));
    }
    if args.revise {
        return Err(no_effect("revise", kind.as_str(), "edited messages are always revised"));
    }
    if args.watch.is_some() && args.files.iter().any(|path| path.as_os_str() == "-") {
        return Err(Error::invalid("--watch", "cannot watch standard input; name a folder"));
    }
    match set_options(args).iter().find(|option| !has_effect(kind, option)) {
        Some(option) => Err(no_effect(option, kind.as_str(), "the source has nothing that it could select")),
        None => Ok(()),
    }
}

/// Returns the names of the options that are set and that apply only to files of other programs.
fn set_options(args: &Import) -> Vec<&'static str> {
    let options = [
        ("me", args.me.is_some()),
        ("assistant", !args.assistant.is_empty()),
        ("branches", args.branches.is_some()),
        ("tools", args.tools),
        ("thinking", args.thinking),
        ("columns", !args.columns.is_empty()),
        ("date-order", args.date_order.is_some()),
        ("watch", args.watch.is_some()),
    ];
    options.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
}

/// Returns whether an option has an effect on files of a kind.
fn has_effect(kind: Kind, option: &str) -> bool {
    use Kind::{ChatGpt, Claude, ClaudeCode, Codex, Csv, Letta, McpMemory, OpenClaw, Slack, WhatsApp};
    match option {
        "me" => kind != McpMemory,
        "assistant" => matches!(kind, Slack | WhatsApp | Csv),
        "branches" => matches!(kind, ChatGpt | Claude),
        "tools" => matches!(kind, ChatGpt | Claude | ClaudeCode | Codex | OpenClaw | Letta | Slack),
        "thinking" => matches!(kind, ChatGpt | Claude | ClaudeCode | Codex | OpenClaw | Letta),
        "columns" => kind == Csv,
        "date-order" => matches!(kind, WhatsApp | Csv),
        "watch" => is_watched(kind),
        _ => true,
    }
}
