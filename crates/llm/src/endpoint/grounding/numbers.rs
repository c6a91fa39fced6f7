//! Numbers in a text, as digits and as words, in one normal form.

use std::sync::LazyLock;

use annals_core::number_words;
use regex::{Captures, Regex};
use unicode_segmentation::UnicodeSegmentation;

use super::plain;

const ORDINALS: &str = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth \
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth";

/// Further English words that mean a number.
const OTHERS: [(&str, u64); 7] =
    [("hundred", 100), ("thousand", 1_000), ("once", 1), ("twice", 2), ("both", 2), ("couple", 2), ("dozen", 12)];

/// Parses a single English number word in lower case: a cardinal up to twenty, a multiple of ten, "hundred" or "thousand", an
/// ordinal up to "twentieth", or a word such as "twice".
pub(super) fn number_word(word: &str) -> Option<u64> {
    let ordinal = || ORDINALS.split_whitespace().position(|name| name == word).map(|index| index as u64);
    let other = || OTHERS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    cardinal(word).or_else(ordinal).or_else(other)
}

/// Parses an English cardinal number up to twenty or a multiple of ten below a hundred: "two", "thirty".
pub(super) fn cardinal(word: &str) -> Option<u64> {
    if word == "zero" { Some(0) } else { number_words::english(word).map(u64::from) }
}

/// Parses a compound English number word with a hyphen: "twenty-five", "thirty-first".
pub(super) fn compound(word: &str) -> Option<u64> {
    let word = plain(word);
    let (tens, ones) = word.split_once('-')?;
    Some(number_word(tens)? + number_word(ones)?)
}

/// Number words of other languages that mean something else in one of them or in English. Such a word in a source supports the
/// number. In a claim it does not count as a number.
const AMBIGUOUS: [&str; 13] =
    ["acht", "elf", "six", "sept", "neuf", "dix", "onze", "once", "doce", "nove", "dez", "sei", "otto"];

/// Words that make a number word beside them a part of a larger number: "cinq cents", "trente et cinq".
const PARTS: [&str; 16] = [
    "cent",
    "cents",
    "cientos",
    "mil",
    "mille",
    "mila",
    "hundert",
    "tausend",
    "honderd",
    "duizend",
    "y",
    "e",
    "et",
    "und",
    "en",
    "millionen",
];

/// Parses a number word of another language than English, as written: three to twelve, twenty, or a hundred in German or
/// Spanish.
pub(super) fn foreign_word(word: &str) -> Option<u64> {
    let word = word.to_lowercase();
    if ["hundert", "cien"].contains(&word.as_str()) {
        return Some(100);
    }
    number_words::foreign(&word).map(u64::from).filter(|number| matches!(number, 3..=12 | 20))
}

/// Returns the numbers from three to twelve that a text writes as words of another language than English. Leaves out words that
/// are part of a larger number, and those in [`AMBIGUOUS`].
pub(super) fn foreign_words(text: &str) -> Vec<u64> {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    let is_part = |word: Option<&String>| {
        word.is_some_and(|word| PARTS.contains(&word.as_str()) || foreign_word(word).is_some() || is_tens(word))
    };
    let alone =
        |at: &usize| !is_part(words.get(at + 1)) && !is_part(at.checked_sub(1).and_then(|before| words.get(before)));
    let is_clear = |at: &usize| !AMBIGUOUS.contains(&words[*at].as_str());
    let number = |at: usize| foreign_word(&words[at]).filter(|number| *number <= 12);
    (0..words.len()).filter(alone).filter(is_clear).filter_map(number).collect()
}

/// Returns whether a word has the ending of a multiple of ten: "trente", "cuarenta", "fünfzig", "dertig".
fn is_tens(word: &str) -> bool {
    ["zig", "ssig", "ßig", "enta", "inta", "anta", "ante", "ente", "tig"].iter().any(|ending| word.ends_with(ending))
}

static NUMBERS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\d+(?:[.,:/]\d+)*").expect("the pattern is a constant, and a test uses it"));

/// Returns the numbers of a text in normal form: `1,000` as `1000`, `2.50` as `2.5`, `2nd` as `2`.
pub(super) fn numbers(text: &str) -> Vec<String> {
    NUMBERS.find_iter(text).map(|number| normal(number.as_str())).collect()
}

fn normal(number: &str) -> String {
    let groups: Vec<&str> = number.split([',', '.']).collect();
    let is_grouped = groups.len() > 1 && groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    if is_grouped {
        return groups.concat();
    }
    let number = number.replace(',', ".");
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { &number };
    let bare = number.trim_start_matches('0');
    if bare.is_empty() { "0".to_owned() } else { bare.to_owned() }
}

static HOURS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b").expect("the pattern is a constant, and a test uses it")
});

/// Converts times of the 12-hour clock to the 24-hour clock: `2 pm` to `14` and `14:00`.
pub(super) fn hours(text: &str) -> Vec<String> {
    let of = |captures: Captures<'_>| {
        let hour: u32 = captures[1].parse().unwrap_or_default();
        let hour = hour % 12 + if captures[3].eq_ignore_ascii_case("p") { 12 } else { 0 };
        let minute = captures.get(2).map_or("00", |minute| minute.as_str());
        [normal(&hour.to_string()), normal(&format!("{hour}:{minute}"))]
    };
    HOURS.captures_iter(text).flat_map(of).collect()
}
