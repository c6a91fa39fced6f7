//! Converts the words of a question to tokens. Reads English, the language of the question, and Chinese wherever it occurs.
//! Pure.

use annals_core::{Date, Period, folded, is_wide};

use super::Token::Ordinal;
use super::vocabulary::{Words, language_of};
use super::{Length, Token, Word, chinese, names, nth_day};

/// Maximum number of words of one entry of the vocabulary.
const MAX_ENTRY_WORDS: usize = 4;

/// Returns the words of a question as tokens. The language and the time zone are the agent's. In the south, a season becomes
/// the northern one with the same months.
pub(super) fn read<'a>(text: &'a str, language: &str, zone: &str, today: Date) -> Vec<Word<'a>> {
    let whole: Vec<String> = text.split_whitespace().map(key).collect();
    let language = language_of(&whole, [language, "en"]);
    let vocabulary = Words::of(language);
    let pieces: Vec<&str> =
        text.split_whitespace().flat_map(|word| elided(word, language)).flat_map(hyphened).collect();
    let keys: Vec<String> = pieces.iter().map(|piece| key(piece)).collect();
    let (mut words, mut index) = (Vec::new(), 0);
    while index < pieces.len() {
        if pieces[index].chars().any(is_wide) {
            chinese::read(pieces[index], today, &mut words);
            index += 1;
            continue;
        }
        let last = index.checked_sub(1).map_or("", |last| keys[last].as_str());
        let (length, token) =
            longest(&keys[index..], &vocabulary).unwrap_or((1, plain(pieces[index], &keys[index], last, language)));
        let token = match token {
            Token::Month(month) if is_name(pieces[index], language) => Token::PerhapsMonth(month),
            _ => token,
        };
        words.push(Word { text: span(text, pieces[index], pieces[index + length - 1]), token });
        index += length;
    }
    names::set_apart(&mut words, language, today);
    nth_day::read(&mut words, language, today);
    for word in &mut words {
        if let Token::Season(season) = word.token {
            word.token = Token::Season(season.northern_in(zone));
        }
    }
    words
}

/// Returns whether a month is written like a name, in a language that writes months in lower case: "Julio".
fn is_name(piece: &str, language: &str) -> bool {
    ["fr", "es", "pt", "it"].contains(&language) && bare(piece).starts_with(char::is_uppercase)
}

/// Returns the longest entry of the vocabulary at the beginning of the words: its number of words, and its token.
fn longest(keys: &[String], vocabulary: &Words) -> Option<(usize, Token)> {
    let lengths = (1..=MAX_ENTRY_WORDS.min(keys.len())).rev();
    lengths.into_iter().find_map(|length| Some((length, vocabulary.get(&keys[..length].join(" "))?)))
}

/// Returns the part of the text from the beginning of `first` to the end of `last`, which are slices of the text.
fn span<'a>(text: &'a str, first: &'a str, last: &'a str) -> &'a str {
    let start = first.as_ptr() as usize - text.as_ptr() as usize;
    let end = last.as_ptr() as usize + last.len() - text.as_ptr() as usize;
    &text[start..end]
}

/// Splits an elided article, with its apostrophe, from its noun, such as "l'été". French and Italian only.
fn elided<'a>(word: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let apart = ["fr", "it"].contains(&language);
    let split = word.find(['\'', '’']).filter(|index| apart && *index <= 4).and_then(|index| {
        let noun = word[index..].trim_start_matches(['\'', '’']);
        let article = &word[..word.len() - noun.len()];
        (!noun.is_empty()).then_some([article, noun])
    });
    split.unwrap_or([word, ""]).into_iter().filter(|piece| !piece.is_empty())
}

/// Splits hyphenated times such as "mid-February", "mi-février" and "3-5"; returns other words whole.
fn hyphened(word: &str) -> Vec<&str> {
    let Some((first, rest)) = word.split_once(['-', '–']) else { return vec![word] };
    let is_number = |text: &str| !text.is_empty() && text.len() < 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(first) && is_number(bare(rest)) {
        return vec![first, &word[first.len()..word.len() - rest.len()], rest];
    }
    if ["mid", "mi"].contains(&folded(first).as_str()) { vec![first, rest] } else { vec![word] }
}

/// Returns the word as the vocabulary spells it: without case, accents, surrounding punctuation and a possessive ending.
fn key(word: &str) -> String {
    folded(bare(word)).replace('’', "'")
}

/// Removes surrounding punctuation and a possessive ending.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Returns the token of a word that is in no vocabulary: a number, a date, a label of a period, or [`Token::Other`]. `last` is
/// the word before it.
fn plain(piece: &str, key: &str, last: &str, language: &str) -> Token {
    if let Some((first, last)) = labelled(bare(piece)).or_else(|| numeric(bare(piece), language)) {
        return Token::Days(first, last);
    }
    let numbered = |signs: &[char]| key.strip_prefix(signs).filter(|rest| rest.len() == 1)?.parse().ok();
    if let Some(quarter) = numbered(&['q', 't']) {
        return Token::Numbered(Length::Quarter, quarter);
    }
    if let Some(half) = numbered(&['h']) {
        return Token::Numbered(Length::Half, half);
    }
    if let Some(decade) = decade(key, last) {
        return Token::Decade(decade);
    }
    if ["-", "–"].contains(&piece) {
        return Token::To;
    }
    if language == "de" && piece.ends_with('.') && key.len() < 3 {
        return key.parse().map_or(Token::Other, Ordinal);
    }
    let digits = key.trim_end_matches(|c: char| !c.is_ascii_digit());
    let ending = &key[digits.len()..];
    match digits.parse::<i16>() {
        Ok(year) if ending.is_empty() && digits.len() == 4 && (1900..2100).contains(&year) => Token::Year(year),
        Ok(number) if ending.is_empty() && digits.len() < 4 => Token::Number(number),
        Ok(number) if ["st", "nd", "rd", "th", "er", "e", "de", "ste", "º", "ª", "o", "a"].contains(&ending) => {
            Ordinal(number)
        }
        _ => Token::Other,
    }
}

/// Reads "1990s", "the 90s", "90er". "90s" without an article may be seconds.
fn decade(key: &str, last: &str) -> Option<i16> {
    let digits =
        key.strip_suffix("er").or_else(|| key.strip_suffix("s").filter(|year| year.len() == 4 || last == "the"))?;
    digits.parse().ok().filter(|year| year % 10 == 0 && (10..100).contains(year) || (1900..2100).contains(year))
}

/// Reads the label of a period with a hyphen: `2026-03-04`, `2026-W10`.
fn labelled(word: &str) -> Option<(Date, Date)> {
    let period: Period = word.contains('-').then(|| word.to_uppercase().parse().ok())??;
    Some((period.first_day(), period.last_day()))
}

/// Reads a date in digits: `4.3.2026`, `14/10/2026`, `10/14/2026`, `2026/10/14`. Where day and month are not certain, the day
/// comes first, except in English, where `3/4/2026` is not read because countries differ.
pub(super) fn numeric(word: &str, language: &str) -> Option<(Date, Date)> {
    let mark = word.chars().find(|c| !c.is_ascii_digit()).filter(|mark| ['.', '/', '-'].contains(mark))?;
    let numbers: Option<Vec<i16>> = word.split(mark).map(|part| part.parse().ok()).collect();
    let &[first, second, third] = numbers?.as_slice() else { return None };
    let (year, month, day) = match first {
        1900.. => (first, second, third),
        _ if second > 12 => (third, first, second),
        ..=12 if mark == '/' && language == "en" && first != second => return None,
        _ => (third, second, first),
    };
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok().filter(|_| year >= 1900)?;
    Some((date, date))
}
