use crate::kinds::fixtures::{check, check_damaged, check_longer, fixture, keyed, options, read};
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
        (vec![("content", "Text "), ("at", "date")], "maps content to \"Text \", which is no column"),
        (vec![("what", "text")], "maps the unknown field \"what\""),
    ] {
        let error = read(Kind::Csv, &fixture("csv/english.csv"), &mapped(&columns)).unwrap_err().to_string();
        assert!(error.contains(expect) && error.contains("english.csv") && error.contains("speaker"), "{error}");
    }
}

#[test]
fn usual_names_of_columns_need_no_mapping() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.csv");
    let check = |header: &str, expect: Result<&str, &str>| {
        std::fs::write(&path, format!("{header}\n2026-03-04T10:00:00Z,Ann,Hello,x\n")).unwrap();
        match (read(Kind::Csv, &path, &options("UTC")), expect) {
            (Ok((items, _)), Ok(expect)) => assert!(format!("{items:?}").contains(expect), "{header}: {items:?}"),
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{header}: {error}"),
            (found, _) => panic!("{header}: {found:?}"),
        }
    };
    check("timestamp,author,message,x", Ok(r#"content: "Hello""#));
    check("Date,Sender,Text,Thread", Ok(r#"conversation: "csv:x""#));
    check("at,name,content,message", Ok(r#"content: "Hello""#));
    check("date,author,text,body", Err("column of content, which may be text or body: --columns content=text"));
    check("date,author,words,x", Err("must name the column of content: --columns content=COLUMN"));
    check(
        "when,author,text,x",
        Err("must name the column of at: --columns at=COLUMN; the columns of the file are when"),
    );
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["english.csv", "faults.csv", "tabs.tsv"] {
        check_damaged(Kind::Csv, &format!("csv/{name}"), 100, &english());
    }
}

#[test]
fn dates_with_the_name_of_a_month_are_read() {
    let check = |text: &str, expect: Option<&str>| {
        let at = super::instant(text, crate::DateOrder::DayMonthYear, &options("Europe/Berlin"));
        assert_eq!(at.map(|at| at.to_string()).as_deref(), expect, "{text}");
    };
    check("4 March 2026", Some("2026-03-04T11:00:00Z"));
    check("4 Mar 2026 18:30", Some("2026-03-04T17:30:00Z"));
    check("March 4, 2026 6:30 PM", Some("2026-03-04T17:30:00Z"));
    check("Mar 4, 2026 18:30:05", Some("2026-03-04T17:30:05Z"));
    check("04-Mar-2026", Some("2026-03-04T11:00:00Z"));
    check("31 February 2026", None);
    check("4 March 2026 or so", None);
    check("March 2026", None);
}

#[test]
fn utf16_with_a_byte_order_mark_is_read() {
    let text = "text,date,speaker\nGrüße aus Zürich 🚀,2026-03-04,Ann\n";
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        keyed(&read(Kind::Csv, &path, &english()).unwrap().0)
    };
    let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
    let expect = write("same.csv", text.into());
    assert!(format!("{expect:?}").contains("Grüße aus Zürich 🚀"), "{expect:?}");
    assert_eq!(write("same.csv", units().flat_map(u16::to_le_bytes).collect()), expect);
    assert_eq!(write("same.csv", units().flat_map(u16::to_be_bytes).collect()), expect);
}
