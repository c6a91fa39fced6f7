//! Makes texts, names and ids storable: changes what `writer/src/check.rs` would refuse.

use annals_core::{Digest, Message};

/// Replaces NUL characters, which stores refuse, by the replacement character U+FFFD.
pub fn text(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// Splits the content of a message into parts of at most [`Message::MAX_CONTENT_BYTES`] bytes. Leaves out parts that are only
/// white space, so a blank text has no parts.
pub fn parts(text: &str) -> Vec<&str> {
    let parts = split(text, Message::MAX_CONTENT_BYTES).into_iter();
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// Splits a text into parts of at most `max_bytes`, at the end of a paragraph, line or word if there is one in the second half
/// of a part, otherwise between two characters. The parts together are the text.
pub fn split(text: &str, max_bytes: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > max_bytes {
        let window = &rest[..rest.floor_char_boundary(max_bytes)];
        let ends = ["\n\n", "\n", " "].into_iter().filter_map(|end| window.rfind(end).map(|at| at + end.len()));
        let cut = ends.into_iter().find(|at| *at > max_bytes / 2).unwrap_or(window.len());
        parts.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    parts.push(rest);
    parts
}

/// Returns an id without control characters. An id that is too long or has control characters is cut and gets the digest of the
/// whole id at its end.
pub fn id(id: &str) -> String {
    if id.len() <= Message::MAX_NAME_BYTES && !id.chars().any(char::is_control) {
        return id.to_owned();
    }
    let digest = Digest::of([id]).to_string();
    let plain: String = id.chars().filter(|c| !c.is_control()).collect();
    format!("{}~{}", &plain[..plain.floor_char_boundary(Message::MAX_NAME_BYTES - 40)], &digest[..32])
}

/// Returns the name of a speaker without control characters and surrounding white space, cut to [`Message::MAX_NAME_BYTES`]
/// bytes; `None` if nothing is left.
pub fn name(name: &str) -> Option<String> {
    let plain: String = name.chars().filter(|c| !c.is_control()).collect();
    let trimmed = plain.trim();
    let cut = trimmed[..trimmed.floor_char_boundary(Message::MAX_NAME_BYTES)].trim_end();
    (!cut.is_empty()).then(|| cut.to_owned())
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
        let unbroken = "é".repeat(Message::MAX_CONTENT_BYTES);
        assert!(parts(&unbroken).iter().all(|part| part.len() <= Message::MAX_CONTENT_BYTES));
        assert_eq!(parts(&unbroken).concat(), unbroken);
    }

    #[test]
    fn ids_and_names_pass_the_checks() {
        assert_eq!(id("plain"), "plain");
        let long = "x".repeat(5000);
        assert!(id(&long).len() <= Message::MAX_NAME_BYTES);
        assert_ne!(id(&long), id(&format!("{long}y")));
        assert_ne!(id("a\nb"), id("ab"));
        assert_eq!(name("  Ann\n "), Some("Ann".to_owned()));
        assert_eq!(name("\u{7}"), None);
        assert!(name(&"é".repeat(500)).is_some_and(|name| name.len() <= Message::MAX_NAME_BYTES));
    }
}
