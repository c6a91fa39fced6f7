//! Removes the labels of sections in records: "Today's Progress: Fixed the parser". Drops lines of links, tags, captions or
//! authors, and lines such as "Blockers: none". Finds the headline of an entry.

use std::borrow::Cow;

use super::budget::length;

/// Labels that only structure an entry. They are removed; the text behind them stays.
const LABELS: &str = "today's progress|todays progress|progress|done|completed|accomplished|what i did|worked on|thoughts|thought|notes|note|summary|highlights|\
    log|misc|other|breaking|update|developing|just in|urgent|eilmeldung|urgente|erledigt|gemacht|fortschritt|notizen|fait|avancement|hecho|progreso|notas";

/// Labels of lines that are dropped, because they are not part of the text.
const DROPPED: &str = "link|links|link to work|links to work|link(s) to work|tags|mood|source|sources|read more|\
    foto|fotos|photo|photograph|picture|image|caption|bild|related";

/// Minimum and maximum words of a headline.
const HEADLINE: std::ops::RangeInclusive<usize> = 2..=14;

/// Returns the text of an entry without labels and dropped lines.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    if !text.contains([':', '\n', '[']) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<str>> = text.lines().filter_map(of_line).collect();
    Cow::Owned(lines.join("\n"))
}

fn of_line(line: &str) -> Option<Cow<'_, str>> {
    if is_byline(line) {
        return None;
    }
    if let Some(left) = unchecked(line) {
        return Some(Cow::Owned(format!("- TODO: {left}")));
    }
    // "10:14 BREAKING: …"
    let timed = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':' || c == ' ');
    let Some((label, rest)) = timed.split_once(':') else { return Some(Cow::Borrowed(without_check(line))) };
    let label = label.trim_matches(|c: char| !c.is_alphanumeric() && c != ')').to_lowercase().replace('’', "'");
    let is_one_of = |list: &str| list.split('|').any(|one| one == label);
    if is_one_of(DROPPED) {
        return None;
    }
    // "Blockers: none"
    let is_empty =
        ["none", "none.", "n/a", "-", "–", "keine", "aucun", "ninguno"].contains(&rest.trim().to_lowercase().as_str());
    if is_empty {
        return None;
    }
    Some(Cow::Borrowed(if is_one_of(LABELS) { rest.trim_start() } else { without_check(line) }))
}

/// Returns what is to be done by an open box of a list: "- [ ] write docs".
fn unchecked(line: &str) -> Option<&str> {
    let item = line.trim_start().trim_start_matches(['-', '*', ' ']);
    item.strip_prefix("[ ] ").map(str::trim).filter(|left| !left.is_empty())
}

/// Removes the ticked box of what is done: "[x] migrate the table".
fn without_check(line: &str) -> &str {
    let item = line.trim_start().trim_start_matches(['-', '*', ' ']);
    ["[x]", "[X]"].iter().find_map(|mark| item.strip_prefix(mark)).map_or(line, str::trim_start)
}

/// Returns the headline of an entry: a first line of a few words that begins with a capital or a digit, has no punctuation mark
/// at its end, and stands above at least one sentence. `None` if the first line is no such line.
pub(super) fn headline(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let is_open = first.ends_with(|c: char| c.is_alphanumeric() || "”\"’'%)".contains(c));
    let is_title =
        first.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) && HEADLINE.contains(&length(first));
    let has_body = lines.any(|line| line.ends_with(['.', '”', '"', '!']) && length(line) >= *HEADLINE.start() * 2);
    (is_open && is_title && has_body).then_some(first)
}

/// Returns whether a short line names the author: "By Hannah Voss, arts writer".
fn is_byline(line: &str) -> bool {
    const MAX_WORDS: usize = 8;
    let line = line.trim();
    let name = ["By ", "Von ", "Par ", "Por "].iter().find_map(|by| line.strip_prefix(by));
    let is_open = line.ends_with(char::is_alphabetic) && line.split_whitespace().count() <= MAX_WORDS;
    is_open && name.is_some_and(|name| name.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_sections_are_removed() {
        fn check(text: &str, expect: &str) {
            assert_eq!(without(text), expect, "{text}");
        }
        check("Today's Progress: Fixed it.\nThoughts: Hard.", "Fixed it.\nHard.");
        check("- [x] migrate the table\n- [ ] write docs", "migrate the table\n- TODO: write docs");
        check("Fixed it.\nLink to work: https://a.example", "Fixed it.");
        check("Blockers: none", "");
        check("Decision: we use Postgres.", "Decision: we use Postgres.");
        check("No colon", "No colon");
        check("Rates rise\nBy Ann Lee, arts writer\nAll rise.", "Rates rise\nAll rise.");
        check("By May, all was over.\nBy Easter Ann had left.", "By May, all was over.\nBy Easter Ann had left.");
    }
}
