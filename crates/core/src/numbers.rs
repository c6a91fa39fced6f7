//! Formats numbers for sentences in reports, on pages and in the output of commands.

/// Maximum number of digits behind the point in a sum of money. Costs are counted in millionths.
const MOST_DIGITS: usize = 6;

/// Formats a number with its digits in groups: `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Formats a number with its noun: `1 turn`, `12 turns`, `2 queries`.
pub fn plural(number: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if number == 1 => format!("1 {one}"),
        Some(stem) if !stem.ends_with('a') => format!("{} {stem}ies", count(number)),
        _ => format!("{} {one}s", count(number)),
    }
}

/// Formats a sum of money with its currency: `12.35 USD`. Sums below one keep four digits behind the point, and smaller ones two
/// digits that are not zero: `0.0042 USD`, `0.000013 USD`.
pub fn money(amount: f64, currency: &str) -> String {
    let has_two = |digits: &usize| amount * 10_f64.powi(i32::try_from(*digits).unwrap_or_default()) >= 9.95;
    let digits = if amount >= 1.0 { 2 } else { (4..MOST_DIGITS).find(has_two).unwrap_or(MOST_DIGITS) };
    let text = format!("{amount:.digits$}");
    let whole = text.find('.').map_or(text.len(), |point| point + 3);
    let (kept, zeros) = text.split_at(whole.min(text.len()));
    format!("{kept}{} {currency}", zeros.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sums_keep_their_digits() {
        fn check(amount: f64, expect: &str) {
            assert_eq!(money(amount, "USD"), expect);
        }
        check(0.0, "0.00 USD");
        check(0.000_000_4, "0.00 USD");
        check(0.000_001, "0.000001 USD");
        check(0.000_9, "0.0009 USD");
        check(0.004_2, "0.0042 USD");
        check(0.004_249, "0.0042 USD");
        check(0.009_99, "0.01 USD");
        check(0.042, "0.042 USD");
        check(0.1, "0.10 USD");
        check(0.42, "0.42 USD");
        check(0.014_46, "0.0145 USD");
        check(0.000_13, "0.00013 USD");
        check(0.999_99, "1.00 USD");
        check(12.345_1, "12.35 USD");
        check(1_234.5, "1234.50 USD");
    }

    #[test]
    fn numbers_stand_with_their_nouns() {
        fn check(number: u64, one: &str, expect: &str) {
            assert_eq!(plural(number, one), expect);
        }
        check(0, "turn", "0 turns");
        check(1, "turn", "1 turn");
        check(12, "turn", "12 turns");
        check(12_345_678, "turn", "12,345,678 turns");
        check(1, "memory", "1 memory");
        check(2, "memory", "2 memories");
        check(2, "day", "2 days");
        check(1000, "daily summary", "1,000 daily summaries");
    }
}
