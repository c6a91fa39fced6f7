//! Formats numbers for sentences in reports, on pages and in the output of commands.

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

#[cfg(test)]
mod tests {
    use super::*;

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
