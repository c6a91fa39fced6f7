//! Makes texts, names and ids storable: the rules of `writer/src/check.rs`, applied instead of reported.

use annals_core::Digest;

/// Maximum bytes of one message's content. `writer/src/check.rs` refuses longer ones.
pub const LONGEST_CONTENT: usize = 256 * 1024;
/// Maximum bytes of a conversation, an id or a name.
pub const LONGEST_NAME: usize = 256;

/// Returns a text without NUL characters, which stores refuse.
pub fn text(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// Splits a text into parts of at most [`LONGEST_CONTENT`] bytes, at the end of a paragraph, line or word if there is one
/// in the second half. A short text is one part.
pub fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > LONGEST_CONTENT {
        let window = &rest[..floor(rest, LONGEST_CONTENT)];
        let ends = ["\n\n", "\n", " "].into_iter().filter_map(|end| window.rfind(end).map(|at| at + end.len()));
        let cut = ends.into_iter().find(|at| *at > LONGEST_CONTENT / 2).unwrap_or(window.len());
        parts.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    parts.push(rest);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Returns an id without control characters. An id that is too long keeps its beginning and gets the digest of the whole.
pub fn id(id: &str) -> String {
    if id.len() <= LONGEST_NAME && !id.chars().any(char::is_control) {
        return id.to_owned();
    }
    let digest = Digest::of([id]).to_string();
    let plain: String = id.chars().filter(|c| !c.is_control()).collect();
    format!("{}~{}", &plain[..floor(&plain, LONGEST_NAME - 40)], &digest[..32])
}

/// Returns the name of a speaker without control characters and surrounding space, at most [`LONGEST_NAME`] bytes; `None` if
/// nothing is left.
pub fn name(name: &str) -> Option<String> {
    let plain: String = name.chars().filter(|c| !c.is_control()).collect();
    let trimmed = plain.trim();
    let cut = trimmed[..floor(trimmed, LONGEST_NAME)].trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// Returns the greatest character boundary up to `at`.
fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_split_at_a_paragraph_and_nothing_is_lost() {
        let text = format!("{}\n\n{}", "a ".repeat(100_000), "é".repeat(100_000));
        let split = parts(&text);
        assert_eq!(split.len(), 2);
        assert!(split[0].ends_with("\n\n"), "{:?}", &split[0][split[0].len() - 4..]);
        assert_eq!(split.concat(), text);
        let unbroken = "é".repeat(LONGEST_CONTENT);
        assert!(parts(&unbroken).iter().all(|part| part.len() <= LONGEST_CONTENT));
        assert_eq!(parts(&unbroken).concat(), unbroken);
    }

    #[test]
    fn ids_and_names_pass_the_checks() {
        assert_eq!(id("plain"), "plain");
        let long = "x".repeat(5000);
        assert!(id(&long).len() <= LONGEST_NAME);
        assert_ne!(id(&long), id(&format!("{long}y")));
        assert_ne!(id("a\nb"), id("ab"));
        assert_eq!(name("  Ann\n "), Some("Ann".to_owned()));
        assert_eq!(name("\u{7}"), None);
        assert!(name(&"é".repeat(500)).is_some_and(|name| name.len() <= LONGEST_NAME));
    }
}
