//! Numbers in Chinese numerals: "三", "二十五", "三百零五".

/// The numerals from one to ten, in ascending order. Numbers of days and months are written with these.
pub const UP_TO_TEN: &str = "一二三四五六七八九十";

/// Returns the value of a numeral from zero to nine, or `None` for any other character. Accepts both forms of zero (零 and 〇)
/// and the three forms of two (二, 两 and 兩).
pub fn digit(numeral: char) -> Option<u32> {
    match numeral {
        '零' | '〇' => Some(0),
        '两' | '兩' => Some(2),
        _ => UP_TO_TEN.chars().take(9).zip(1..).find(|(one, _)| *one == numeral).map(|(_, value)| value),
    }
}

/// Returns the number below a hundred that is written with exactly these numerals: `十五` is 15. Returns `None` for other
/// combinations, such as `一五`.
pub fn below_hundred(numerals: &[char]) -> Option<u32> {
    match *numerals {
        ['十'] => Some(10),
        ['十', ones] => Some(10 + digit(ones)?),
        [tens, '十'] => Some(10 * digit(tens)?),
        [tens, '十', ones] => Some(10 * digit(tens)? + digit(ones)?),
        [one] => digit(one),
        _ => None,
    }
}

/// Returns the number below ten thousand that is written as it is spoken, or digit by digit: `三百零五` is 305, `二〇二五` is 2025.
/// Returns `None` for zero, for numerals in another order, and for a text with any other character.
pub fn number(text: &str) -> Option<u64> {
    let number = spoken(text).or_else(|| digit_by_digit(text))?;
    (1..10_000).contains(&number).then_some(number)
}

fn spoken(text: &str) -> Option<u64> {
    let (mut sum, mut last, mut smallest) = (0, None, u64::MAX);
    for numeral in text.chars() {
        match unit(numeral) {
            Some(unit) if unit < smallest => {
                sum += last.take().unwrap_or(1) * unit;
                smallest = unit;
            }
            None if last.is_none() => last = Some(u64::from(digit(numeral)?)).filter(|digit| *digit > 0),
            _ => return None,
        }
    }
    Some(sum + last.unwrap_or(0))
}

fn digit_by_digit(text: &str) -> Option<u64> {
    let append = |number: u64, numeral| number.checked_mul(10)?.checked_add(u64::from(digit(numeral)?));
    text.chars().try_fold(0, append)
}

/// Returns the value of each run of numerals in a text, in order. Skips zeros.
pub fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c| digit(c).is_none() && unit(c).is_none()).filter_map(number)
}

fn unit(numeral: char) -> Option<u64> {
    match numeral {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_of_a_text_return_their_numbers() {
        fn check(text: &str, expect: &[u64]) {
            assert_eq!(numbers(text).collect::<Vec<_>>(), expect, "{text}");
        }
        check("三只猫", &[3]);
        check("两百块，二十五个", &[200, 25]);
        check("十天", &[10]);
        check("三百零五", &[305]);
        check("没有", &[]);
        check("二〇二五年", &[2025]);
        check("九千九千", &[]);
        check("一百一百", &[]);
        check("一二三四五", &[]);
        assert_eq!(number("三只"), None);
        assert_eq!(number("零"), None);
    }

    #[test]
    fn only_whole_numbers_below_a_hundred_are_read() {
        fn check(text: &str, expect: Option<u32>) {
            assert_eq!(below_hundred(&text.chars().collect::<Vec<_>>()), expect, "{text}");
        }
        check("零", Some(0));
        check("兩", Some(2));
        check("十", Some(10));
        check("十五", Some(15));
        check("二十", Some(20));
        check("九十九", Some(99));
        check("一五", None);
        check("一百", None);
        check("", None);
    }
}
