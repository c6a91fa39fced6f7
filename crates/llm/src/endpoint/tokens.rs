//! How many tokens a text is, without knowing the model's tokenizer: an estimate from above, for what must fit, and a bound from
//! below, for what a server must have read.
//!
//! From above is core's estimate. Its weights lie above what cl100k, o200k and Llama 2 make of English, German, Russian, Greek,
//! Arabic, Hindi, Thai,
//! Chinese, Japanese, Korean, emoji and code. Measured as questions are put (numbered lines, 60 each, of LoCoMo, Pepys' diary and
//! an IRC channel), the true count is 0.61 to 0.88 of the estimate in the middle, and at most 0.93.
//! From below: no tokenizer joins two words into one token, and none makes less than a token of three wide characters. The
//! bound was at most 0.83 of the true count on the same questions.

pub(super) use annals_core::{beginning, tokens as at_most};

/// The first character of the wide scripts: Chinese, Japanese, Korean, and emoji above them.
const WIDE: char = '\u{2E80}';

/// Roles and separators of one message.
const MESSAGE: u64 = 8;

/// At most so many tokens, as a conversation of these messages.
pub(super) fn of_messages<'a>(messages: impl IntoIterator<Item = &'a str>) -> u64 {
    messages.into_iter().map(|message| at_most(message) + MESSAGE).sum()
}

/// At least so many tokens.
pub(super) fn at_least(text: &str) -> u64 {
    text.split_whitespace().map(|word| (word.chars().filter(|c| *c >= WIDE).count() as u64 / 3).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_truth_lies_between() {
        // Counted by cl100k_base, o200k_base and the tokenizer of Llama 2.
        fn check(text: &str, counted: [u64; 3]) {
            let (least, most) = (at_least(text), at_most(text));
            assert!(counted.iter().all(|truth| (least..=most).contains(truth)), "{least} {counted:?} {most} {text}");
        }
        check("The movers come on Friday at seven, and Marta brings the keys.", [15, 14, 16]);
        check(
            "[12] 2026-03-04 09:00 Ann: The movers come on Friday at seven, and Marta brings the keys.",
            [31, 30, 39],
        );
        check("Сегодня я подписала договор на новую квартиру.", [21, 9, 17]);
        check("今天我签了里斯本新公寓的合同。", [17, 13, 20]);
        check("금요일 일곱 시에 이삿짐센터가 옵니다.", [22, 16, 34]);
        check("सामान ले जाने वाले आएंगे।", [28, 9, 28]);
        check("😀 so happy 🏠🔑", [10, 8, 16]);
        check("", [0, 0, 0]);
    }

    #[test]
    fn a_beginning_has_no_more_tokens_than_were_asked_for() {
        fn check(text: &str, most: u64, expect: &str) {
            assert_eq!(beginning(text, most), expect);
            assert!(at_most(expect) <= most);
        }
        check("abcdefgh", 1, "ab");
        check("今天我去了北京", 3, "今天");
        check("short", 9, "short");
        check("", 0, "");
    }

    proptest! {
        #[test]
        fn the_bounds_never_cross(text in "\\PC{0,200}") {
            // A lone letter between spaces is a token and weighs little: the estimate is for texts, not for such.
            prop_assume!(text.split_whitespace().all(|word| word.chars().count() > 3));
            prop_assert!(at_least(&text) <= at_most(&text));
        }
    }
}
