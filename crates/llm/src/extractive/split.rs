//! Where sentences begin and end: Unicode's rules, repaired for abbreviations, and clauses of very long sentences.

use unicode_segmentation::UnicodeSegmentation;

use super::budget::length;

/// Longer sentences are split into clauses: the diary of Pepys has sentences of a hundred words, and a reader of a
/// summary wants one thing of them.
const LONG: usize = 45;

/// Shorter clauses do not stand alone.
const CLAUSE: usize = 10;

/// Where a long sentence is split: first at the strong marks, then, if still long, at the weak ones.
const MARKS: [&[&str]; 2] = [&["; ", ";—", ":—"], &[", and ", ", but ", ", so "]];

/// Words that end in a full stop and no sentence, in lower case.
const ABBREVIATIONS: [&str; 26] = [
    "mr", "mrs", "ms", "messrs", "dr", "prof", "st", "esq", "jr", "sr", "rev", "hon", "capt", "col", "gen", "lt",
    "sgt", "mt", "vs", "e.g", "i.e", "cf", "approx", "dept", "bros", "viz",
];

/// The sentences of a text, and the clauses of those with more than `room` words, in order. Each is a piece of the text
/// without the whitespace and list marks around it; none is empty.
pub(crate) fn sentences(text: &str, room: usize) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(of_line)
        .flat_map(move |sentence| clauses(sentence, LONG.min(room)))
        .map(bare)
        .filter(|sentence| !sentence.is_empty())
}

fn of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, segment) in line.split_sentence_bound_indices() {
        let end = at + segment.len();
        if !ends_no_sentence(segment) {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

/// "Mr.", "e.g.", initials such as "J." but not the word "I", and the numbers of lists and diaries: "1.", "2nd.".
fn ends_no_sentence(segment: &str) -> bool {
    let Some(rest) = segment.trim_end().trim_end_matches(')').strip_suffix('.') else { return false };
    let word = rest.rsplit(|c: char| c.is_whitespace() || "(\"“‘[".contains(c)).next().unwrap_or_default();
    let is_all = word.len() == rest.len();
    let mut letters = word.chars();
    let is_initial =
        letters.next().is_some_and(|letter| letter.is_uppercase() && letter != 'I') && letters.next().is_none();
    is_initial || is_german_date(rest, word) || (is_all && word.starts_with(char::is_numeric)) || is_abbreviation(word)
}

/// "Am 1. Mai", "der 31. Dezember".
fn is_german_date(text: &str, last: &str) -> bool {
    let before = text[..text.len() - last.len()].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_day = last.len() <= 2 && last.chars().all(|c| c.is_ascii_digit());
    is_day && ["am", "der", "den", "dem", "vom", "zum", "bis", "ab", "seit"].contains(&before.to_lowercase().as_str())
}

/// "Ms." but not "95 ms.": titles are written with a capital.
fn is_abbreviation(word: &str) -> bool {
    let is_unit = ["ms", "st", "lt", "col", "gen", "mt"].contains(&word);
    !is_unit && ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

fn clauses(sentence: &str, longest: usize) -> Vec<&str> {
    let mut pieces = vec![sentence];
    for marks in MARKS {
        pieces = pieces.into_iter().flat_map(|piece| split_long(piece, longest, marks)).collect();
    }
    pieces
}

/// Splits behind a mark where both sides then have the length of a clause.
fn split_long<'a>(piece: &'a str, longest: usize, marks: &[&str]) -> Vec<&'a str> {
    let mut left = length(piece);
    if left <= longest {
        return vec![piece];
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in ends_of_marks(piece, marks) {
        let clause = length(&piece[start..end]).min(left);
        if clause >= CLAUSE && left - clause >= CLAUSE {
            pieces.push(&piece[start..end]);
            start = end;
            left -= clause;
        }
    }
    pieces.push(&piece[start..]);
    pieces
}

/// Where the marks end, ascending. A word that belongs to a mark, as in ", and ", is left to the clause that it begins.
fn ends_of_marks(piece: &str, marks: &[&str]) -> Vec<usize> {
    let mut ends: Vec<usize> =
        marks.iter().flat_map(|mark| piece.match_indices(mark).map(|(at, _)| at + mark_end(mark))).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn mark_end(mark: &str) -> usize {
    mark.find(' ').map_or(mark.len(), |space| space + 1)
}

fn bare(sentence: &str) -> &str {
    let sentence = sentence.trim();
    let unlisted = sentence.trim_start_matches(['-', '*', '•', '#', '>', '–', '·']);
    let sentence = if unlisted.starts_with(' ') { unlisted.trim_start() } else { sentence };
    let sentence = sentence.trim_end_matches([',', ';', ':', '—', ' ']);
    sentence.strip_prefix("and ").unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_sentences() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(sentences(text, 60).collect::<Vec<_>>(), expect);
        }
        check("", &[]);
        check(" \n\t\n", &[]);
        check("One. Two! Three? four", &["One.", "Two!", "Three?", "four"]);
        check(
            "Mr. Sheply met Dr. W. Joyce, Esq. of St. James. I. Then he left.",
            &["Mr. Sheply met Dr. W. Joyce, Esq. of St. James.", "I.", "Then he left."],
        );
        check(
            "Fruit, e.g. Apples. Sir John (formerly Dr.) Smith came.",
            &["Fruit, e.g. Apples.", "Sir John (formerly Dr.) Smith came."],
        );
        check(
            "2nd. In the morning I rose. It cost 3.50 in all.",
            &["2nd. In the morning I rose.", "It cost 3.50 in all."],
        );
        check("It took 95 ms. Ms. Lee left.", &["It took 95 ms.", "Ms. Lee left."]);
        check("To do:\n- buy milk\r\n* call Ann\n-5 degrees", &["To do", "buy milk", "call Ann", "-5 degrees"]);
        check("Projektstart am 2. Juni. Es sind 12. Na gut.", &["Projektstart am 2. Juni.", "Es sind 12.", "Na gut."]);
        check("我去了北京。很好！你呢？", &["我去了北京。", "很好！", "你呢？"]);
    }

    #[test]
    fn splits_long_sentences_into_clauses() {
        let clause = "the ten of us went down to the river again";
        let text = format!("{clause}; {clause}, and {clause}; then home, {clause}, and {clause}.");
        let expect =
            [clause.to_owned(), format!("{clause}, and {clause}"), format!("then home, {clause}, and {clause}.")];
        assert_eq!(sentences(&text, 25).collect::<Vec<_>>(), expect);
        assert_eq!(sentences(&text, 15).count(), 5);
        assert_eq!(sentences("too short; to stand; alone", 2).count(), 1);
    }
}
