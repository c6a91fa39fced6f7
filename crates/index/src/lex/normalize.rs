//! Gives each word one spelling: folds compatibility forms, case and accents, so that "Café" and "cafe" match.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns the text in one spelling. Removes accents, Hebrew points and Arabic vowel signs, but keeps the marks of other
/// scripts, such as the voicing marks of Japanese. Of Cyrillic letters only ё loses its dots: й is a letter of its own, and
/// Russian endings need it. Writes letters such as ß and ø in ASCII.
pub(crate) fn normalize(text: &str) -> String {
    let mut base = ' ';
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().flat_map(char::to_lowercase) {
        if !is_combining_mark(c) {
            base = c;
        } else if is_accent(c) && loses_accents(base) {
            continue;
        }
        match spelled_out(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
    folded.nfc().collect()
}

/// Returns whether a mark is an accent, a Hebrew point or an Arabic vowel sign. Other scripts spell with their marks.
fn is_accent(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{652}' | '\u{670}')
}

fn loses_accents(base: char) -> bool {
    let is_cyrillic = ('\u{400}'..='\u{52f}').contains(&base);
    !is_cyrillic || base == 'е'
}

/// Returns the ASCII spelling of a letter that Unicode does not decompose and that many keyboards lack; `None` for other
/// letters.
fn spelled_out(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' => "d",
        'ı' => "i",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_a_word_fold_to_one_spelling() {
        fn check(text: &str, expect: &str) {
            assert_eq!(normalize(text), expect, "{text:?}");
        }
        check("ÀÉÎÕÜ çñ", "aeiou cn");
        check("e\u{301}", "e");
        check("İstanbul ılık", "istanbul ilik");
        check("Ёлка йод", "елка йод");
        check("ΆΣ", "ασ");
        check("が", "が");
        check("한", "한");
        check("ｶﾞ", "ガ");
        check("㎏ ½", "kg 1⁄2");
        check("a\u{a0}b\u{202f}c", "a b c");
    }
}
