//! Parses the head of a message: `[14/10/2021, 3:34:09 PM] Name: text` on iOS, `14/10/21, 15:34 - Name: text` on Android.

use crate::kinds::local_time::{Written, is_space, leading};

/// A line with a head.
#[derive(Debug, PartialEq)]
pub struct Head<'l> {
    /// Date and time. The order of day and month is decided later.
    pub written: Written,
    /// The name of the sender; `None` for a line of WhatsApp itself.
    pub name: Option<String>,
    /// The text after the name, or the whole text of a line of WhatsApp.
    pub text: &'l str,
}

/// Maximum length in bytes of the name of a person or group. A line with a longer one counts as a line of WhatsApp itself.
const MAX_NAME_LENGTH: usize = 100;

/// Parses the head of a line. Returns `None` for a line that continues the message before it.
pub fn parse(line: &str) -> Option<Head<'_>> {
    let line = line.trim_start_matches(is_invisible);
    let bracketed = line.strip_prefix('[');
    let (written, rest) = leading(bracketed.unwrap_or(line))?;
    written.time?;
    let rest = rest.trim_start_matches(is_invisible);
    let rest = if bracketed.is_some() {
        rest.strip_prefix(']')?.trim_start_matches(is_space)
    } else {
        // Korean phones write a comma instead of a hyphen.
        let rest = rest.trim_start_matches(is_space);
        rest.strip_prefix(['-', '–', ',']).map(|rest| rest.trim_start_matches(is_space)).filter(|text| *text != rest)?
    };
    let (name, text) = split_name(rest).map_or((None, rest), |(name, text)| (Some(name), text));
    Some(Head { written, name, text })
}

/// Splits `Name: text`. Returns `None` for a line of WhatsApp itself. A colon within quotes belongs to a line of WhatsApp:
/// `Ann created group "Choir: 2021"`.
fn split_name(rest: &str) -> Option<(String, &str)> {
    let (name, text) = rest
        .split_once(':')
        .filter(|(_, text)| text.is_empty() || text.starts_with([' ', '\u{200e}', '\u{200f}', '\u{a0}']))?;
    if name.contains(['"', '“', '„', '«']) || name.len() > MAX_NAME_LENGTH {
        return None;
    }
    let plain: String = name.chars().filter(|c| !is_invisible(*c)).map(|c| if is_space(c) { ' ' } else { c }).collect();
    // The names of people who are not in the address book begin with a tilde.
    let plain = plain.trim().trim_start_matches('~').trim();
    (!plain.is_empty()).then(|| (plain.to_owned(), text.strip_prefix(' ').unwrap_or(text)))
}

/// Returns whether a character is a mark of direction or byte order, which WhatsApp writes around names and dates.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, name: Option<&str>, text: &str) {
        let head = parse(line).unwrap();
        assert_eq!((head.name.as_deref(), head.text), (name, text), "{line}");
    }

    #[test]
    fn heads_of_both_systems_are_read() {
        check("[14/10/2021, 3:34:09\u{202f}PM] Tove: Hi", Some("Tove"), "Hi");
        check(
            "\u{200e}[14/10/2021, 15:34:09] ~\u{202f}Arvid: \u{200e}image omitted",
            Some("Arvid"),
            "\u{200e}image omitted",
        );
        check("14/10/21, 15:34 - +46 70 123: a: b", Some("+46 70 123"), "a: b");
        check("2021년 10월 14일 오후 3:34, 현우 : 안녕", Some("현우"), "안녕");
        check("14/10/21, 15:34 - \u{202a}+46 70\u{a0}1\u{202c}: Hi", Some("+46 70 1"), "Hi");
        check("14/10/21, 15:34 - Tove:", Some("Tove"), "");
    }

    #[test]
    fn lines_of_whatsapp_have_no_name() {
        check("14/10/21, 15:35 - Tove left", None, "Tove left");
        check("14/10/21, 15:35 - Tove created group \"Choir: 2021\"", None, "Tove created group \"Choir: 2021\"");
        check("14/10/21, 15:35 - Meet at 10:30", None, "Meet at 10:30");
    }

    #[test]
    fn other_lines_have_no_head() {
        for line in [
            "",
            "Hi",
            "14/10/21 we met",
            "[14/10] note",
            "14/10/21, 15:34",
            "[14/10/21, 15:34 Tove: x",
            "15:34 - Tove: Hi",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
