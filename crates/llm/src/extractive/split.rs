//! Splits text into sentences by Unicode's rules, corrected for abbreviations, and very long sentences into clauses.

use unicode_segmentation::UnicodeSegmentation;

use super::budget::length;

/// Sentences with more words are split into clauses: Pepys' diary has sentences of a hundred words, and a reader of a summary
/// needs only one of their statements.
const LONG: usize = 45;

/// Minimum words of a clause; shorter ones do not stand alone.
const CLAUSE: usize = 10;

/// Marks at which a long sentence is split: first the strong ones, then, if a piece is still long, the weak ones.
const MARKS: [&[&str]; 2] = [&["; ", ";—", ":—"], &[", and ", ", but ", ", so "]];

/// Lower-case words after which a full stop does not end the sentence.
const ABBREVIATIONS: [&str; 29] = [
    "mr", "mrs", "ms", "messrs", "dr", "prof", "st", "esq", "jr", "sr", "rev", "hon", "capt", "col", "gen", "lt",
    "sgt", "mt", "vs", "e.g", "i.e", "cf", "approx", "dept", "bros", "viz", "incl", "inkl", "evtl",
];

/// Returns the sentences of a text in order; those with more than `LONG` or `room` words are split into clauses if possible.
/// Each is a slice of the text without surrounding whitespace, list marks, a comma, semicolon, colon or dash at its end, and
/// "and" at its beginning; none is empty.
pub(crate) fn sentences(text: &str, room: usize) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(of_line)
        .flat_map(move |sentence| clauses(sentence, LONG.min(room)))
        .map(bare)
        .filter(|sentence| !sentence.is_empty())
}

/// Splits a piece of notes without capitals at its stops: "disk failed. ordered a new one". Unicode's rules end no sentence
/// before a small letter.
pub(super) fn notes(piece: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    if piece.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase) {
        for (at, mark) in piece.match_indices(['.', '!', '?']) {
            let end = at + mark.len();
            if piece[end..].starts_with(' ') && !is_cut_short(&piece[start..at]) {
                found.push(piece[start..end].trim());
                start = end;
            }
        }
    }
    found.push(piece[start..].trim());
    found
}

/// Returns whether the last word may be an abbreviation, whose stop does not end a sentence: "ca", "incl".
fn is_cut_short(text: &str) -> bool {
    const SHORT: usize = 3;
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_plain = word.chars().all(char::is_lowercase);
    is_plain && (word.len() <= SHORT || is_abbreviation(word)) || word.contains('.') && !word.contains(char::is_numeric)
}

fn of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, segment) in line.split_sentence_bound_indices() {
        let end = at + segment.len();
        // "4." is the end of "at st. 4.", but the beginning of "4. Buy milk".
        let is_first = at == start;
        let is_numbered = is_short_word(segment) && line[end..].starts_with(|c: char| c.is_ascii_digit());
        if is_numbered {
            continue;
        }
        let is_ordinal = ends_in_number(segment) && follows_ordinal(&line[end..]);
        if !is_ordinal && (!ends_no_sentence(segment) || !is_first && is_number(segment)) {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

/// Returns whether the segment ends with an abbreviation that a number may follow: "st. 4", "Nr. 12", "p. 5".
fn is_short_word(segment: &str) -> bool {
    let Some(rest) = segment.trim_end().strip_suffix('.') else { return false };
    let word = rest.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    (1..=3).contains(&word.len()) && word.chars().all(char::is_alphabetic)
}

fn ends_in_number(segment: &str) -> bool {
    let Some(rest) = segment.trim_end().strip_suffix('.') else { return false };
    rest.rsplit(char::is_whitespace).next().is_some_and(|word| word.len() <= 3 && is_number(word))
}

/// Returns whether a text begins with a German noun that a number with a stop belongs to: "80. Geburtstag", "29. März". Words that are
/// also English are left out: "We have 12. Stock up."
pub(super) fn follows_ordinal(text: &str) -> bool {
    const NOUNS: &str = "geburtstag hochzeitstag jahrestag todestag jubiläum klasse etage platz woche lebensjahr jahrhundert spieltag schuljahr ssw \
        januar februar märz mai juni juli oktober dezember";
    let first = first_word(text);
    first.starts_with(char::is_uppercase) && NOUNS.split_whitespace().any(|noun| noun == first.to_lowercase())
}

/// Returns whether a German text begins with a word that follows a number of a day: "11. bis 25. Juli", "5. passt".
pub(super) fn follows_day(text: &str) -> bool {
    ["bis", "und", "oder", "passt", "geht", "klappt"].contains(&first_word(text))
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

fn is_number(segment: &str) -> bool {
    segment.trim_end().trim_end_matches('.').chars().all(|c| c.is_ascii_digit())
}

/// Returns whether the full stop belongs to "Mr.", "e.g.", an initial such as "J." (but not "I"), or a number in a list or
/// diary: "1.", "2nd.".
fn ends_no_sentence(segment: &str) -> bool {
    let Some(rest) = segment.trim_end().trim_end_matches(')').strip_suffix('.') else { return false };
    let word = rest.rsplit(|c: char| c.is_whitespace() || "(\"“‘[".contains(c)).next().unwrap_or_default();
    let is_all = word.len() == rest.len();
    let mut letters = word.chars();
    let is_initial =
        letters.next().is_some_and(|letter| letter.is_uppercase() && letter != 'I') && letters.next().is_none();
    is_initial || is_german_date(rest, word) || (is_all && word.starts_with(char::is_numeric)) || is_abbreviation(word)
}

/// Returns whether the number is the day of a German date: "Am 1. Mai", "der 31. Dezember".
fn is_german_date(text: &str, last: &str) -> bool {
    let before = text[..text.len() - last.len()].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_day = last.len() <= 2 && last.chars().all(|c| c.is_ascii_digit());
    is_day && ["am", "der", "den", "dem", "vom", "zum", "bis", "ab", "seit"].contains(&before.to_lowercase().as_str())
}

/// Returns whether a word is an abbreviation: "Ms", but not the unit in "95 ms.", because titles are capitalised.
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

/// Splits after a mark if both sides then have at least the length of a clause.
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

/// Returns the ends of the marks in ascending order. The word of a mark such as ", and " is left to the next clause.
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
    fn text_is_split_into_sentences() {
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
        check("Omas 80. Geburtstag ist bald. Wir feiern.", &["Omas 80. Geburtstag ist bald.", "Wir feiern."]);
        check(
            "Sommer? 11. bis 25. Juli. Haus 3. Bald mehr.",
            &["Sommer?", "11. bis 25. Juli.", "Haus 3.", "Bald mehr."],
        );
        check("我去了北京。很好！你呢？", &["我去了北京。", "很好！", "你呢？"]);
    }

    #[test]
    fn notes_without_capitals_are_split_at_their_stops() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(notes(text), expect, "{text}");
        }
        check("disk 2 failed. since when?? ordered one.", &["disk 2 failed.", "since when??", "ordered one."]);
        check("14:22 consumer-3 OOM. restarted. 14:40 ok", &["14:22 consumer-3 OOM.", "restarted.", "14:40 ok"]);
        check("costs ca. 40 eur incl. tax, e.g. in vol. 2", &["costs ca. 40 eur incl. tax, e.g. in vol. 2"]);
        check("Costs rise. no comment", &["Costs rise. no comment"]);
    }

    #[test]
    fn long_sentences_are_split_into_clauses() {
        let clause = "the ten of us went down to the river again";
        let text = format!("{clause}; {clause}, and {clause}; then home, {clause}, and {clause}.");
        let expect =
            [clause.to_owned(), format!("{clause}, and {clause}"), format!("then home, {clause}, and {clause}.")];
        assert_eq!(sentences(&text, 25).collect::<Vec<_>>(), expect);
        assert_eq!(sentences(&text, 15).count(), 5);
        assert_eq!(sentences("too short; to stand; alone", 2).count(), 1);
    }
}
