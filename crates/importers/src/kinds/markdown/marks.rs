//! Removes comments and the brackets of links from Markdown as Obsidian and Logseq write it. Code is left alone.

use crate::kinds::texts::window;

/// Maximum length in bytes of a link, and of code within a line. The brackets of a longer link stay, and longer code is read as
/// text.
const MAX_MARK_LENGTH: usize = 4 * 1024;

/// Returns a text without comments and brackets of links. The number of lines stays the same.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['%', '`', '~', '[', '!']) {
        cleaned.push_str(&rest[..at]);
        let is_line_start = cleaned.is_empty() || cleaned.ends_with('\n');
        rest = &rest[at..];
        let (kept, length) = mark(rest, is_line_start);
        cleaned.push_str(&kept);
        rest = &rest[length..];
    }
    cleaned.push_str(rest);
    cleaned
}

/// Returns the replacement for the mark at the beginning of a text, and the length in bytes of the replaced part.
fn mark(text: &str, is_line_start: bool) -> (String, usize) {
    let fence = ["```", "~~~"].into_iter().find(|fence| is_line_start && text.starts_with(fence));
    if let Some(length) = fence.map(|fence| code(text, fence)) {
        return (text[..length].to_owned(), length);
    }
    if text.starts_with('`') {
        let ticks = text.len() - text.trim_start_matches('`').len();
        let line = window(text, MAX_MARK_LENGTH + ticks).lines().next().unwrap_or_default();
        let end = line[ticks..].find(&text[..ticks]).map_or(ticks, |end| ticks + end + ticks);
        return (text[..end].to_owned(), end);
    }
    if let Some(length) = text.strip_prefix("%%").and_then(|inside| inside.find("%%")).map(|end| end + 4) {
        return (text[..length].matches('\n').collect(), length);
    }
    for opening in ["![[", "[["] {
        let inside = window(text, MAX_MARK_LENGTH)
            .strip_prefix(opening)
            .and_then(|inside| inside.split_once("]]"))
            .map(|(inside, _)| inside);
        if let Some(inside) = inside.filter(|inside| !inside.contains(['\n', '['])) {
            let shown = inside.split_once('|').map_or(inside, |(_, alias)| alias);
            return (shown.to_owned(), opening.len() + inside.len() + 2);
        }
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    (text[..first].to_owned(), first)
}

/// Returns the length in bytes of a block of code, up to and including its closing fence, or up to the end of the text.
fn code(text: &str, fence: &str) -> usize {
    let mut length = 0;
    for (line, number) in text.split_inclusive('\n').zip(0..) {
        length += line.len();
        if number > 0 && line.trim_start().starts_with(fence) {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(clean(text), expect);
    }

    #[test]
    fn comments_are_removed() {
        check("a %%b%% c", "a  c");
        check("a\n%%\nb\n%%\nc", "a\n\n\n\nc");
        check("50% and 60%% of", "50% and 60%% of");
    }

    #[test]
    fn links_keep_what_is_shown() {
        check("[[Page]], [[People/Rui|Rui]], ![[a.png]], [[Page#H]]", "Page, Rui, a.png, Page#H");
        check("[[open, [a](b), [[a\n]]", "[[open, [a](b), [[a\n]]");
        check("hello! ![x](y)", "hello! ![x](y)");
    }

    #[test]
    fn marks_without_end_are_left_alone() {
        for hostile in ["[[".repeat(1 << 19), "`a``".repeat(1 << 18), "%".repeat(1 << 19) + "%", "!".repeat(1 << 20)] {
            let cleaned = clean(&hostile);
            assert!(cleaned == hostile || hostile.starts_with('%'));
        }
    }

    #[test]
    fn code_is_left_alone() {
        check("```\n%%a%%\n```\n%%b%%", "```\n%%a%%\n```\n");
        check("`[[a]]` [[b]] ``` `", "`[[a]]` b ``` `");
        check("~~~\n[[a]]", "~~~\n[[a]]");
        check("~~struck~~", "~~struck~~");
    }
}
