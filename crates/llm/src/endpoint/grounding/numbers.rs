//! Numbers in a text, as digits and as English words, in one normal form.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::plain;

const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty";
const ORDINALS: &str = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth \
    thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth";
const TENS: [(&str, u64); 14] = [
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1_000),
    ("once", 1),
    ("twice", 2),
    ("both", 2),
    ("couple", 2),
    ("dozen", 12),
];

/// Parses a single number word: a cardinal up to twenty, a multiple of ten, "hundred" or "thousand", an ordinal up to
/// "twentieth", or a word such as "twice".
pub(super) fn number_word(word: &str) -> Option<u64> {
    let place = |list: &str| list.split_whitespace().position(|name| name == word).map(|place| place as u64);
    place(ONES).or_else(|| place(ORDINALS)).or_else(|| TENS.iter().find(|(name, _)| *name == word).map(|(_, n)| *n))
}

/// Parses a cardinal number up to twenty or a multiple of ten below a hundred: "two", "thirty".
pub(super) fn cardinal(word: &str) -> Option<u64> {
    let place = ONES.split_whitespace().position(|name| name == word).map(|place| place as u64);
    place.or_else(|| TENS[..7].iter().find(|(name, _)| *name == word).map(|(_, n)| *n))
}

/// Parses a compound number word: "twenty-five", "thirty-first".
pub(super) fn compound(word: &str) -> Option<u64> {
    let word = plain(word);
    let (tens, ones) = word.split_once('-')?;
    Some(number_word(tens)? + number_word(ones)?)
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
