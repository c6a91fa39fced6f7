//! Bounds on the tokens of a text without knowing the model's tokenizer: an upper estimate for what must fit, and a lower bound
//! for what a server must have read.
//!
//! The upper estimate is core's. Its weights exceed what cl100k, o200k and Llama 2 make of English, German, Russian, Greek,
//! Arabic, Hindi, Thai, Chinese, Japanese, Korean, emoji and code. For requests of 60 numbered lines of LoCoMo, Pepys' diary
//! and an IRC channel, the true count is 0.61 to 0.88 of the estimate in the median, and at most 0.93. The lower bound counts
//! one token per word, or one for every three wide characters in it: no known tokenizer makes fewer. For the same requests,
//! this bound was at most 0.83 of the true count.

use annals_core::is_wide;
pub(super) use annals_core::{beginning, tokens as at_most};

/// Tokens for roles and separators of one message.
const MESSAGE: u64 = 8;

/// Returns an upper estimate of the tokens of a conversation of these messages.
pub(super) fn of_messages<'a>(messages: impl IntoIterator<Item = &'a str>) -> u64 {
    messages.into_iter().map(|message| at_most(message) + MESSAGE).sum()
}

/// Returns a lower bound on the tokens of a text.
pub(super) fn at_least(text: &str) -> u64 {
    text.split_whitespace().map(|word| (word.chars().filter(|c| is_wide(*c)).count() as u64 / 3).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn true_count_lies_between_the_bounds() {
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
    fn prefix_has_at_most_the_requested_tokens() {
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
        fn lower_bound_never_exceeds_the_estimate(text in "\\PC{0,200}") {
            // A single letter between spaces is one token but has a low weight: the estimate is meant for ordinary text.
            prop_assume!(text.split_whitespace().all(|word| word.chars().count() > 3));
            prop_assert!(at_least(&text) <= at_most(&text));
        }
    }
}
