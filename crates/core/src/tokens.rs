//! Token estimates without the tokenizer of the model that will read the text. They err on the high side, for text that must
//! fit a limit.
//!
//! The weights lie above the counts of cl100k, o200k and Llama 2 for usual text in a dozen languages; the true count is
//! about 0.75 of the estimate.

use crate::is_wide;

/// Returns an upper estimate of the tokens of a text.
pub fn tokens(text: &str) -> u64 {
    text.chars().map(weight).sum::<u64>().div_ceil(1_000)
}

/// Returns the longest prefix of a text with an estimate of at most `most` tokens.
pub fn beginning(text: &str, most: u64) -> &str {
    let mut thousandths = 0;
    let end = text.char_indices().find(|(_, c)| {
        thousandths += weight(*c);
        thousandths > most.saturating_mul(1_000)
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Returns the upper weight of a character within usual text, in thousandths of a token.
fn weight(c: char) -> u64 {
    match c {
        ' ' => 300,
        'a'..='z' | 'A'..='Z' => 350,
        '0'..='9' => 1_150,
        '\0'..='\u{7F}' => 1_000,
        // Cyrillic.
        '\u{400}'..='\u{52F}' => 700,
        '\u{1F000}'.. => 4_500,
        // Korean syllables, which older tokenizers split.
        '\u{AC00}'..='\u{D7AF}' => 2_200,
        _ if is_wide(c) => 1_500,
        _ => 1_300,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_is_not_below_any_tokenizer_count() {
        // `counted` is the highest count of cl100k_base, o200k_base and the Llama 2 tokenizer.
        fn check(text: &str, counted: u64) {
            assert!((counted..=counted * 2).contains(&tokens(text)), "{counted} {} {text}", tokens(text));
        }
        check("The movers come on Friday at seven, and Marta brings the keys.", 16);
        check("Сегодня я подписала договор на новую квартиру.", 21);
        check("今天我签了里斯本新公寓的合同。", 20);
        check("금요일 일곱 시에 이삿짐센터가 옵니다.", 34);
        check("😀 so happy 🏠🔑", 16);
        check("", 0);
    }

    #[test]
    fn prefix_has_at_most_the_requested_tokens() {
        fn check(text: &str, most: u64, expect: &str) {
            assert_eq!(beginning(text, most), expect);
            assert!(tokens(expect) <= most);
        }
        check("abcdefgh", 1, "ab");
        check("今天我去了北京", 3, "今天");
        check("short", u64::MAX, "short");
        check("", 0, "");
    }
}
