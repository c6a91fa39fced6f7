use std::io::{BufReader, Read};

use proptest::prelude::*;

use super::{Elements, Lines};

/// Returns the elements as `LINE:VALUE`, or `LINE:!` for a damaged one. The input is read in pieces of three bytes.
fn elements(text: &str) -> Vec<String> {
    let mut elements = Elements::new(BufReader::with_capacity(3, text.as_bytes()));
    let mut found = Vec::new();
    while let Some(element) = elements.next().unwrap() {
        found.push(format!("{}:{}", element.line, element.value.map_or("!".to_owned(), |value| value.to_string())));
    }
    found
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    assert_eq!(elements(text), expect, "{text:?}");
}

#[test]
fn lists_objects_and_lines_are_split() {
    check("[1, {\"a\":[2]},\n \"x,]\", null]", &["1:1", "1:{\"a\":[2]}", "2:\"x,]\"", "2:null"]);
    check("\u{feff} {\"a\":1}", &["1:{\"a\":1}"]);
    check("{\"a\":1}\n{\"b\":2}\n", &["1:{\"a\":1}", "2:{\"b\":2}"]);
    check("[{\"a\":\"quote \\\" brace }\"}]", &["1:{\"a\":\"quote \\\" brace }\"}"]);
    check("[]", &[]);
    check("", &[]);
    check("  \n", &[]);
}

#[test]
fn damaged_values_do_not_hide_those_after_them() {
    check("[{\"a\":1},{\"b\":oops},{\"c\":3}]", &["1:{\"a\":1}", "1:!", "1:{\"c\":3}"]);
    check("[oops, 2]", &["1:!", "1:2"]);
    check("[1] trailing", &["1:1"]);
}

#[test]
fn cut_off_file_is_reported_once() {
    check("[{\"a\":1},", &["1:{\"a\":1}", "1:!"]);
    check("[{\"a\":1},{\"b\":\"x", &["1:{\"a\":1}", "1:!"]);
    check("[", &["1:!"]);
    check("}", &["1:!"]);
}

#[test]
fn nesting_without_end_is_damaged_and_no_stack_overflow() {
    check(&format!("[{}]", "[".repeat(100_000)), &["1:!"]);
}

#[test]
fn lines_are_numbered_and_damaged_ones_are_reported() {
    let text = "\u{feff}{\"a\":1}\r\n\n{oops\n[2]";
    let mut lines = Lines::new(text.as_bytes());
    let mut found = Vec::new();
    while let Some(line) = lines.next().unwrap() {
        found.push((line.line, line.value.map(|value| value.to_string()).ok()));
    }
    assert_eq!(found, [(1, Some("{\"a\":1}".to_owned())), (3, None), (4, Some("[2]".to_owned()))]);
}

#[test]
fn line_beyond_the_limit_is_passed_over_without_being_kept() {
    let long = std::io::repeat(b'x').take(super::MAX_VALUE_BYTES as u64 + 100);
    let rest: &[u8] = b"\n{\"a\":1}\n";
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, long.chain(rest)));
    let first = lines.next().unwrap().unwrap();
    assert!(first.value.unwrap_err().contains("larger than 256 MiB"));
    assert_eq!(lines.next().unwrap().unwrap().line, 2);
    assert!(lines.buffer.capacity() <= 2 * super::KEPT);
}

proptest! {
    #[test]
    fn every_list_round_trips(values in prop::collection::vec(value(), 0..8), space in "[ \n\t]{0,3}") {
        let texts: Vec<String> = values.iter().map(|value| format!("{space}{value}{space}")).collect();
        let mut elements = Elements::new(BufReader::with_capacity(5, std::io::Cursor::new(format!("[{}]", texts.join(",")))));
        let mut found = Vec::new();
        while let Some(element) = elements.next().unwrap() {
            found.push(element.value.unwrap());
        }
        prop_assert_eq!(found, values);
    }

    #[test]
    fn any_bytes_end(bytes in prop::collection::vec(prop::sample::select(b"[]{}\",\\:1ax\n \xff".to_vec()), 0..200)) {
        let mut elements = Elements::new(&bytes[..]);
        let mut count = 0;
        while elements.next().unwrap().is_some() {
            count += 1;
        }
        prop_assert!(count <= bytes.len() + 1);
    }
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        ".{0,8}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::hash_map(".{0,4}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}
