//! Numbers in a text, as digits and as English words, in one normal form.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_segmentation::UnicodeSegmentation;

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

/// Numbers up to twelve in German, French, Spanish, Portuguese, Italian and Dutch. Words that mean something else in one of these
/// languages or in English are absent ("once", "neuf"), so that a text of any of them can be read.
const FOREIGN: &str = "drei=3 vier=4 fünf=5 sechs=6 sieben=7 neun=9 zehn=10 zwölf=12 trois=3 quatre=4 cinq=5 huit=8 douze=12 tres=3 \
    cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 três=3 quatro=4 sete=7 oito=8 doze=12 tre=3 quattro=4 \
    cinque=5 sette=7 dieci=10 undici=11 dodici=12 drie=3 vijf=5 zes=6 zeven=7 negen=9 tien=10 twaalf=12 zwanzig=20 \
    vingt=20 veinte=20 vinte=20 venti=20 twintig=20 hundert=100";

/// Further words for numbers, which mean something else too. A source with such a word supports the number.
const AMBIGUOUS: &str =
    "acht=8 elf=11 six=6 sept=7 neuf=9 dix=10 onze=11 once=11 doce=12 nove=9 dez=10 sei=6 otto=8 cien=100";

/// Endings and words of larger numbers, of which a number word may be a part: "cinq cents", "trente et cinq".
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

/// Parses a number word of another language than English, as written.
pub(super) fn foreign_word(word: &str) -> Option<u64> {
    let word = word.to_lowercase();
    entry(FOREIGN, &word).or_else(|| entry(AMBIGUOUS, &word))
}

/// Returns the numbers from three to twelve that a text writes as words of another language than English, each on its own.
pub(super) fn foreign_words(text: &str) -> Vec<u64> {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    let is_part = |word: Option<&String>| {
        word.is_some_and(|word| PARTS.contains(&word.as_str()) || foreign_word(word).is_some() || is_tens(word))
    };
    let alone =
        |at: &usize| !is_part(words.get(at + 1)) && !is_part(at.checked_sub(1).and_then(|before| words.get(before)));
    let number = |at: usize| entry(FOREIGN, &words[at]).filter(|number| *number <= 12);
    (0..words.len()).filter(alone).filter_map(number).collect()
}

/// Returns the number of a word in a list of `word=number`.
fn entry(list: &str, word: &str) -> Option<u64> {
    list.split_whitespace().filter_map(|entry| entry.split_once('=')).find(|(name, _)| *name == word)?.1.parse().ok()
}

/// Returns whether a word is a multiple of ten: "trente", "cuarenta", "fünfzig", "dertig".
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
