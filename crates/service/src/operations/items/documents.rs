//! Splits a document into sections: what stands under a heading, and long sections at the ends of paragraphs.

use std::collections::HashMap;

use annals_core::{SignedDuration, Timestamp};
use annals_importers::storable_id;

/// Bytes of a section, beyond which it is split. About four pages: small enough to be found by any part of it.
const LONGEST: usize = 8 * 1024;
/// Bytes of a heading that become part of an id.
const HEADING: usize = 120;

/// A section of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Its heading with its number among sections of that heading and part. Stays the same while other sections are edited.
    pub(super) id: String,
    /// Its text. That of the first begins with the title of the document.
    pub(super) text: String,
}

/// Splits a text. Sections without text are left out; nothing else is.
pub(super) fn sections(title: &str, text: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut of_heading: HashMap<String, usize> = HashMap::new();
    for (heading, text) in by_heading(text) {
        let number = of_heading.entry(heading.clone()).or_default();
        *number += 1;
        for (piece, part) in pieces(&text).into_iter().zip(1..) {
            let id = storable_id(&format!("{heading}#{number}.{part}"));
            sections.push(Section { id, text: piece.trim().to_owned() });
        }
    }
    if let Some(first) = sections.first_mut()
        && !title.trim().is_empty()
        && !first.text.starts_with('#')
    {
        first.text = format!("{}\n\n{}", title.trim(), first.text);
    }
    sections
}

/// Returns the instant of the section with this index, so that sections of one document keep their order.
pub(super) fn microseconds_after(at: Timestamp, index: i64) -> Timestamp {
    at.saturating_add(SignedDuration::from_micros(index)).unwrap_or(at)
}

/// Splits a text before each Markdown heading outside of fenced code. Each part comes with its heading; the first has none.
fn by_heading(text: &str) -> Vec<(String, String)> {
    let mut parts = vec![(String::new(), String::new())];
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        let marks = line.bytes().take_while(|byte| *byte == b'#').count();
        if !is_code && (1..=6).contains(&marks) && line[marks..].starts_with(' ') {
            let heading = line[marks..].trim();
            let end =
                (0..=HEADING.min(heading.len())).rev().find(|at| heading.is_char_boundary(*at)).unwrap_or_default();
            parts.push((heading[..end].to_owned(), String::new()));
        }
        if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
        }
    }
    parts.retain(|(_, part)| !part.trim().is_empty());
    parts
}

/// Splits a long text at the last end of a paragraph, line or word that fits.
fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while rest.len() > LONGEST {
        let most = (0..=LONGEST).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let ends = ["\n\n", "\n", " "].into_iter().filter_map(|end| rest[..most].rfind(end).map(|at| at + end.len()));
        let cut = ends.into_iter().find(|at| *at > most / 2).unwrap_or(most);
        pieces.push(&rest[..cut]);
        rest = &rest[cut..];
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        sections("", text).into_iter().map(|section| section.id).collect()
    }

    #[test]
    fn section_keeps_its_id_while_others_are_edited() {
        let before = "Intro\n# Tea\nGreen.\n# Cake\nApple.\n# Tea\nBlack.\n";
        assert_eq!(ids(before), ["#1.1", "Tea#1.1", "Cake#1.1", "Tea#2.1"]);
        assert_eq!(ids("# Bread\nRye.\n# Cake\nApple.\n"), ["Bread#1.1", "Cake#1.1"]);
    }

    #[test]
    fn heading_in_code_begins_no_section_and_the_title_stands_first() {
        let found = sections("Notes", "```\n# comment\n```\nText.");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "Notes\n\n```\n# comment\n```\nText.");
    }

    #[test]
    fn long_section_is_split_and_loses_no_word() {
        let text = format!("# Words\n{}", "é tea ".repeat(5000));
        let found = sections("", &text);
        assert!(found.len() > 3 && found.iter().all(|section| section.text.len() <= LONGEST));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let joined: Vec<String> = found.iter().flat_map(|section| words(&section.text)).collect();
        assert_eq!(joined, words(&text));
    }
}
