//! Returns the text of a Slack message. References to people and channels become names, and links become their labels with the
//! addresses. If the message has no text of its own, it is read from the blocks, or else from the attachments.

use serde_json::Value;

use super::directory::Directory;
use crate::kinds::texts::window;

/// Maximum depth to which nested blocks are read; deeper ones are left out. Real ones have four levels.
const MAX_DEPTH: usize = 12;
/// Maximum length in bytes of a reference, such as a link with its label. A longer one stays as it is written.
const MAX_REFERENCE_LENGTH: usize = 8 * 1024;

/// Returns the text of a message; empty if it has none.
pub fn of_message(message: &Value, directory: &Directory) -> String {
    let own = plain(message["text"].as_str().unwrap_or_default(), directory);
    if !own.trim().is_empty() {
        return own;
    }
    let mut text = String::new();
    blocks(&message["blocks"], directory, 0, &mut text);
    if text.trim().is_empty() {
        for attachment in message["attachments"].as_array().into_iter().flatten() {
            let shown =
                ["pretext", "title", "text", "fallback"].into_iter().filter_map(|field| attachment[field].as_str());
            let lines: Vec<String> =
                shown.filter(|line| !line.is_empty()).take(2).map(|line| plain(line, directory)).collect();
            text.push_str(&lines.join("\n"));
            text.push('\n');
        }
    }
    text.trim().to_owned()
}

/// Replaces references in angle brackets by their text, and the three escapes by their characters.
pub fn plain(text: &str, directory: &Directory) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        plain.push_str(before);
        match window(behind, MAX_REFERENCE_LENGTH).split_once('>').filter(|(inside, _)| !inside.contains(['<', '\n'])) {
            Some((inside, _)) => {
                plain.push_str(&reference(inside, directory));
                rest = &behind[inside.len() + 1..];
            }
            None => {
                plain.push('<');
                rest = behind;
            }
        }
    }
    plain.push_str(rest);
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns the text that Slack displays for a reference, and the address of a link that has a label: `@U1`, `#C1|name`,
/// `!here`, `!date^…|text` or `https://…|label`.
fn reference(inside: &str, directory: &Directory) -> String {
    let (target, label) = inside.split_once('|').map_or((inside, None), |(target, label)| (target, Some(label)));
    let label = label.filter(|label| !label.is_empty());
    if let Some(id) = target.strip_prefix('@') {
        let known = directory.user(id);
        let name = if known == id { label.unwrap_or(id) } else { known };
        return format!("@{}", name.trim_start_matches('@'));
    }
    if let Some(id) = target.strip_prefix('#') {
        return format!("#{}", label.or_else(|| directory.channel_name(id)).unwrap_or(id));
    }
    if let Some(special) = target.strip_prefix('!') {
        let word = special.split('^').next().unwrap_or(special);
        return label.map_or_else(|| format!("@{word}"), str::to_owned);
    }
    let link = target.strip_prefix("mailto:").or(target.strip_prefix("tel:")).unwrap_or(target);
    match label.filter(|label| *label != link && *label != target) {
        Some(label) => format!("{label} ({link})"),
        None => link.to_owned(),
    }
}

/// Appends the text of nested blocks, the format of Slack's newer editor.
fn blocks(value: &Value, directory: &Directory, depth: usize, text: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    for block in value.as_array().into_iter().flatten() {
        let inner = |text: &mut String| blocks(&block["elements"], directory, depth + 1, text);
        match block["type"].as_str().unwrap_or_default() {
            "text" => text.push_str(block["text"].as_str().unwrap_or_default()),
            "user" => text.push_str(&format!("@{}", directory.user(block["user_id"].as_str().unwrap_or_default()))),
            "usergroup" => text.push_str(&format!("@{}", block["usergroup_id"].as_str().unwrap_or_default())),
            "channel" => {
                let id = block["channel_id"].as_str().unwrap_or_default();
                text.push_str(&format!("#{}", directory.channel_name(id).unwrap_or(id)));
            }
            "broadcast" => text.push_str(&format!("@{}", block["range"].as_str().unwrap_or_default())),
            "emoji" => text.push_str(&format!(":{}:", block["name"].as_str().unwrap_or_default())),
            "link" => text.push_str(block["text"].as_str().or(block["url"].as_str()).unwrap_or_default()),
            "section" | "header" => {
                text.push_str(&plain(block["text"]["text"].as_str().unwrap_or_default(), directory));
                text.push('\n');
            }
            "rich_text_list" => {
                for item in block["elements"].as_array().into_iter().flatten() {
                    text.push_str("- ");
                    blocks(&item["elements"], directory, depth + 2, text);
                    text.push('\n');
                }
            }
            "rich_text_section" | "rich_text_preformatted" | "rich_text_quote" => {
                inner(text);
                text.push('\n');
            }
            _ => inner(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(plain(text, &Directory::default()), expect);
    }

    #[test]
    fn references_become_what_people_see() {
        check("<@U1|ann> <@U2> <#C1|oven> <#C2>", "@ann @U2 #oven #C2");
        check(
            "<https://a.b/c|label> <https://a.b> <https://a.b|https://a.b>",
            "label (https://a.b/c) https://a.b https://a.b",
        );
        check(
            "<mailto:o@a.b|o@a.b> <!channel> <!subteam^S1|@bakers> <!date^1^{t}|noon>",
            "o@a.b @channel @bakers noon",
        );
        check("a &lt;b&gt; &amp;amp; <", "a <b> &amp; <");
        check("1 < 2 <@U1>", "1 < 2 @U1");
        let hostile = "<".repeat(1 << 20);
        check(&hostile, &hostile);
    }
}
