//! Chinese numerals below ten thousand.

/// The numerals of which dates consist, for patterns.
pub(super) const DIGITS: &str = "一二三四五六七八九十";

/// Returns the number of a Chinese numeral: "三", "二十五", "三百零五". `None` if the text is none.
pub(super) fn number(text: &str) -> Option<u64> {
    let (mut sum, mut digit) = (0, None);
    for character in text.chars() {
        if let Some(unit) = unit(character) {
            sum += digit.take().unwrap_or(1) * unit;
        } else if character == '零' || character == '〇' {
            digit = None;
        } else {
            digit = Some(one(character)?);
        }
    }
    let number = sum + digit.unwrap_or(0);
    (number > 0).then_some(number)
}

/// Returns the numbers of all numerals in a text.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c| one(c).is_none() && unit(c).is_none() && c != '零' && c != '〇').filter_map(number)
}

fn one(character: char) -> Option<u64> {
    match character {
        '两' | '兩' => Some(2),
        _ => "一二三四五六七八九".chars().zip(1..).find(|(digit, _)| *digit == character).map(|(_, value)| value),
    }
}

fn unit(character: char) -> Option<u64> {
    match character {
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
    fn numerals_are_read() {
        fn check(text: &str, expect: &[u64]) {
            assert_eq!(numbers(text).collect::<Vec<_>>(), expect, "{text}");
        }
        check("三只猫", &[3]);
        check("两百块，二十五个", &[200, 25]);
        check("十天", &[10]);
        check("三百零五", &[305]);
        check("没有", &[]);
        assert_eq!(number("三只"), None);
    }
}
