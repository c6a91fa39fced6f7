use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, options, read};
use crate::{Kind, Options};

fn mapped(columns: &[(&str, &str)]) -> Options {
    let mut options = options("Europe/Berlin");
    options.columns = columns.iter().map(|(field, column)| ((*field).to_owned(), (*column).to_owned())).collect();
    options
}

fn english() -> Options {
    mapped(&[("content", "text"), ("at", "date"), ("name", "speaker")])
}

#[test]
fn tables_are_read_by_their_mapping() {
    let mut threads = english();
    threads.columns.insert("conversation".into(), "thread".into());
    check(Kind::Csv, "csv/english.csv", &threads);
    check(Kind::Csv, "csv/semicolons.csv", &mapped(&[("content", "Nachricht"), ("at", "Zeitpunkt"), ("name", "Wer")]));
    check(Kind::Csv, "csv/faults.csv", &english());
    check(Kind::Csv, "csv/tabs.tsv", &mapped(&[("content", "text"), ("at", "date")]));
    check(Kind::Csv, "csv/same.csv", &english());
}

#[test]
fn row_that_is_added_before_others_is_the_only_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let later = folder.path().join("same.csv");
    std::fs::copy(fixture("csv/same-longer.csv"), &later).unwrap();
    check_longer(Kind::Csv, "csv/same.csv", later.to_str().unwrap(), 1, &english());
}

#[test]
fn missing_columns_are_named() {
    for (columns, expect) in [
        (vec![("at", "date")], "has no column for content; map one, such as content=COLUMN"),
        (vec![("content", "Text "), ("at", "date")], "maps content to \"Text \", which is no column"),
        (vec![("what", "text")], "maps the unknown field \"what\""),
    ] {
        let error = read(Kind::Csv, &fixture("csv/english.csv"), &mapped(&columns)).unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains("english.csv") && error.contains("speaker"), "{error}");
    }
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["english.csv", "faults.csv", "tabs.tsv"] {
        check_damaged(Kind::Csv, &format!("csv/{name}"), 100, &english());
    }
}
