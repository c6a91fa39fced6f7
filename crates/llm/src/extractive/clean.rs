//! Removes the parts of a message that its writer did not say: captions and other remarks in brackets, code, quoted mail,
//! tables, headings, marks.

use std::borrow::Cow;

/// Maximum characters of a remark. A bracket that closes later, or never, is ordinary text.
const MAX_CHARS: usize = 400;

/// Returns the text without remarks, code, quoted mail, tables, headings and marks, or unchanged if nothing else would be left.
/// Keeps line breaks.
pub(super) fn without_asides(text: &str) -> Cow<'_, str> {
    if !text.contains(['[', '`', '>', '|', '*', '#', '<']) {
        return Cow::Borrowed(text);
    }
    let mut is_code = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let bare = line.trim_start();
        let is_mark = bare.starts_with("```");
        is_code ^= is_mark;
        if !is_mark && !is_code && !bare.starts_with("> ") && !bare.starts_with('|') && !is_heading(bare) {
            kept.push_str(&without_remarks(line));
            kept.push('\n');
        }
    }
    // A message of code only is kept unchanged.
    if kept.trim().is_empty() { Cow::Borrowed(text) } else { Cow::Owned(kept.replace("**", "").replace(" ()", "")) }
}

/// Returns whether a line is a heading in Markdown.
fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())) && title.starts_with(' ')
}

fn without_remarks(line: &str) -> Cow<'_, str> {
    if !line.contains('[') {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        let Some(end) = closing(&rest[at..]).map(|end| at + end) else {
            kept.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        kept.push_str(rest[..at].strip_suffix('!').filter(|_| rest[end..].starts_with('(')).unwrap_or(&rest[..at]));
        let inside = &rest[at + 1..end - 1];
        let is_link = rest[end..].starts_with('(') && rest[end..].contains(')');
        if is_kept(inside) {
            kept.push_str(&rest[at..end]);
        } else if is_link && !rest[..at].ends_with('!') {
            kept.push_str(inside);
        }
        rest = &rest[end..];
        if is_link {
            rest = &rest[rest.find(')').map_or(0, |close| close + 1)..];
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns the position after the bracket that closes the one with which the text begins; `None` if there is none within
/// [`MAX_CHARS`].
fn closing(text: &str) -> Option<usize> {
    let near = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
    text[..near].find(']').map(|at| at + 1)
}

/// Returns whether a bracket is kept: its content is a masked credential or begins with a digit, as dates and numbers of
/// footnotes do.
fn is_kept(inside: &str) -> bool {
    inside.starts_with("masked") || inside.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unspoken_parts_are_removed() {
        fn check(text: &str, expect: &str) {
            assert_eq!(without_asides(text).trim_end(), expect, "{text}");
        }
        check("I moved.", "I moved.");
        check("I moved. [shared a picture: a photo of a dog]", "I moved.");
        check("See [the plan](https://a.example/p) today.", "See the plan today.");
        check("Look ![a dog](dog.png) here", "Look  here");
        check("The key is [masked:api-key].", "The key is [masked:api-key].");
        check("We met [2026-03-04].", "We met [2026-03-04].");
        check("a [ b", "a [ b");
        check("> You wrote this\nI did.\n```\ncode\n```\n**Done** then.", "I did.\nDone then.");
        check("```\ncode\n```", "```\ncode\n```");
        check("# Monday\nI moved.\n## Done", "I moved.");
        check("# Monday", "# Monday");
        check("#812 is merged", "#812 is merged");
    }
}
