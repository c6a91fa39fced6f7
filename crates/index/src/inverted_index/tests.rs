use super::*;

fn words(rows: &[&str]) -> (InvertedIndex, RowBitmap) {
    let (mut words, mut passing) = (InvertedIndex::default(), RowBitmap::default());
    for row in rows {
        words.push(row);
        passing.push(true);
    }
    (words, passing)
}

/// Returns a query for words, each with its tokens separated by slashes.
fn query(text: &str) -> Query {
    let word = |word: &str| Word { tokens: word.split('/').map(str::to_owned).collect() };
    Query { words: text.split(' ').map(word).collect() }
}

fn search(words: &InvertedIndex, text: &str, passing: &RowBitmap) -> WordScores {
    let mut found = WordScores::default();
    words.search(&query("milk cake"), passing, &mut found);
    words.search(&query(text), passing, &mut found);
    found
}

#[test]
fn tokens_of_a_word_count_as_one_word() {
    let (mixed, passing) = words(&["tea:de cake", "tea", "milk", "tea tea:de", "milk milk"]);
    let (plain, _) = words(&["tea cake", "tea", "milk", "tea tea", "milk milk"]);
    let (mixed, plain) = (search(&mixed, "no tea/tea:de/tea:fr", &passing), search(&plain, "no tea", &passing));
    assert_eq!((mixed.rows, &mixed.matched), (vec![0, 1, 3], &plain.matched));
    assert_eq!((mixed.scores, mixed.rarity), (plain.scores, plain.rarity));
}

#[test]
fn merged_postings_are_ascending_and_bounded() {
    let postings =
        |rows: &[(u32, u32)]| rows.iter().map(|(row, times)| row << FREQUENCY_BITS | times).collect::<Vec<_>>();
    let (a, b) = (postings(&[(1, 2), (4, 9), (5, 1)]), postings(&[(0, 1), (1, 1), (4, 9)]));
    assert_eq!(merged(&a, &b), postings(&[(0, 1), (1, 3), (4, 15), (5, 1)]));
    assert_eq!(merged(&a, &[]), a);
}

#[test]
fn repeated_word_scores_below_two_words() {
    let often = "tea ".repeat(40);
    let (words, passing) = words(&[often.trim(), "tea cake", "cake"]);
    let found = search(&words, "tea cake", &passing);
    assert_eq!((found.rows, found.matched), (vec![0, 1, 2], vec![0b01, 0b11, 0b10]));
    assert_eq!(found.rarity.len(), 2);
    assert!(found.scores[1] > found.scores[0] && found.scores[0] > 0.0, "{:?}", found.scores);
}

#[test]
fn removed_rows_do_not_affect_scores() {
    let (mut some, mut passing) = words(&["tea", "tea cake", "milk"]);
    some.remove(0);
    passing.clear(0);
    let (fresh, all) = words(&["tea cake", "milk"]);
    let (some, fresh) = (search(&some, "tea milk", &passing), search(&fresh, "tea milk", &all));
    assert_eq!(some.scores[1..], fresh.scores);
}

#[test]
fn held_bytes_equal_allocated_bytes() {
    let (mut words, _) = words(&["tea", "tea cake", "tea milk milk", "tea", "tea", "tea"]);
    let counted = |words: &InvertedIndex| -> usize {
        words.postings.iter().map(|(word, rows)| word.len() + WORD_BYTES + rows.capacity() * 4).sum()
    };
    assert_eq!(words.held_bytes, counted(&words));
    words.shrink();
    assert_eq!(words.held_bytes, counted(&words));
    assert_eq!(words.postings.values().map(Vec::capacity).sum::<usize>(), 8);
}

#[test]
fn filtered_rows_are_not_found_but_count_in_rarity() {
    let (words, mut passing) = words(&["tea", "tea", "milk"]);
    let all = search(&words, "tea", &passing);
    passing.clear(0);
    let some = search(&words, "tea", &passing);
    assert_eq!((some.rows, some.scores[0]), (vec![1], 0.0));
    assert_eq!(some.scores[1], all.scores[1]);
}
