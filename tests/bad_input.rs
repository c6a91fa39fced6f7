//! Bad input: an error that names line and field, an exit code, and no partial data.

use std::os::unix::fs::PermissionsExt;

use crate::command::Annals;
use crate::story::{days, line};

const GOOD: &str =
    r#"{"agent":"a","conversation":"c","id":"1","role":"user","content":"hi","at":"2026-01-01T00:00:00Z"}"#;

/// Imports a good line followed by a bad one. Expects the error message, and that the data folder is not created.
#[track_caller]
fn check(bad: &str, expect: &str) {
    let annals = Annals::new();
    let file = annals.file("bad.jsonl", &format!("{GOOD}\n{bad}\n"));
    let answer = annals.run(&["import", file.to_str().unwrap()]);
    assert_eq!((answer.err.trim_end(), answer.code), (format!("annals: {expect}").as_str(), 2));
    assert!(!annals.data().exists(), "nothing is made for a file that is refused");
}

fn with(field: &str, value: &str) -> String {
    let mut message: serde_json::Value = serde_json::from_str(&GOOD.replace("\"1\"", "\"2\"")).unwrap();
    message[field] = serde_json::from_str(value).unwrap();
    message.to_string()
}

#[test]
fn line_that_is_not_json_is_refused() {
    check("hello", "line 2: the line is not JSON: expected value at column 1");
    check("{\"agent\":", "line 2: the line is not JSON: EOF while parsing a value at column 9");
    check("[1]", "line 2: the line is not a JSON object");
}

#[test]
fn field_that_a_line_has_twice_is_refused() {
    let twice = r#"{"content":"tea","content":"coffee"}"#;
    check(twice, "line 2: the line has the field \"content\" twice at column 26");
}

#[test]
fn wrong_fields_are_named() {
    check(&with("content", "7"), "line 2: content is a number; it must be a string");
    check(&with("at", "null"), "line 2: at is missing");
    check(&with("role", "\"robot\""), "line 2: role is \"robot\"; expected one of user, assistant, system, tool");
    check(&with("content", "\" \""), "line 2: content is empty");
    check(&with("agent", "\"\""), "line 2: agent is empty");
    check(&with("agent", "\"a\\u0007\""), "line 2: agent contains the control character '\\u{7}'");
    check(&with("agent", &format!("\"{}\"", "x".repeat(200))), "line 2: agent has 200 bytes; 128 are allowed");
}

#[test]
fn invalid_times_are_refused() {
    check(
        &with("at", "\"2026-01-01 10:00\""),
        "line 2: at is \"2026-01-01 10:00\"; expected a time with an offset, such as 2026-03-04T18:30:00Z",
    );
    check(
        &with("at", "\"2026-11-20T12:05:01Z\""),
        "line 2: at is 2026-11-20T12:05:01Z, more than five minutes ahead of now, 2026-11-20T12:00:00Z",
    );
    check(&with("at", "\"0000-01-01T00:00:00Z\""), "line 2: at is in the year 0; years 2 to 9998 are allowed");
}

#[test]
fn oversized_content_is_refused() {
    let content = format!("\"{}\"", "x".repeat(10 << 20));
    check(&with("content", &content), "line 2: content has 10485760 bytes; 262144 are allowed");
}

#[test]
fn same_id_with_other_content_is_refused() {
    let other = GOOD.replace("hi", "ho");
    check(&other, "line 2: id \"1\" was already used in line 1, with other content");
}

#[test]
fn all_faults_of_all_files_are_reported_at_once() {
    let annals = Annals::new();
    let first = annals.file("first.jsonl", "{}\n");
    let second = annals.file("second.jsonl", &format!("{GOOD}\nnope\n"));
    let answer = annals.run(&["import", first.to_str().unwrap(), second.to_str().unwrap()]);
    let (first, second) = (first.display(), second.display());
    let expect = [
        format!("annals: {first}: line 1: agent is missing"),
        format!("{first}: line 1: conversation is missing"),
        format!("{first}: line 1: role is missing"),
        format!("{first}: line 1: content is missing"),
        format!("{first}: line 1: at is missing"),
        format!("{second}: line 2: the line is not JSON: expected ident at column 2"),
    ];
    assert_eq!(answer.err.trim_end(), expect.join("\n"));
}

#[test]
fn strange_names_are_accepted() {
    for name in ["../../etc", "o'brien \"x\"; DROP TABLE turn; --", "Ünïcödé 名前", &"é".repeat(64)] {
        let annals = Annals::new();
        annals.import(&line(name, name, "../1", name, "the boat was sold", "2026-01-01T10:00:00Z"));
        let args = ["search", "boat", "--agent", name, "--conversation", name];
        assert_eq!(annals.json(&args)["results"].as_array().unwrap().len(), 1, "{name}");
        assert_eq!(annals.json(&["rollup", "--agent", name])[0]["written"]["daily"], 1, "{name}");
        assert_eq!(annals.run(&["verify"]).code, 0, "{name}");
    }
}

#[test]
fn missing_file_is_reported() {
    let annals = Annals::new();
    let answer = annals.run(&["import", "/no/such.jsonl"]);
    assert_eq!((answer.code, answer.err.as_str()), (3, "annals: there is no file \"/no/such.jsonl\"\n"));
}

/// Errors about values use this program's own words and name the option.
#[test]
fn invalid_option_values_are_explained() {
    let annals = Annals::new();
    for (args, expect) in [
        (&["search", "--agent", "a", "--limit", "many"][..], "'many' for '--limit <N>': it must be a whole number"),
        (
            &["search", "--agent", "a", "--max-days-ago", "-1"],
            "'-1' for '--max-days-ago <N>': it must be a whole number",
        ),
        (
            &["search", "--agent", "a", "--from", "2026-02-30"],
            "'2026-02-30' for '--from <DAY>': expected a valid date such as 2026-03-04",
        ),
        (
            &["search", "--agent", "a", "--period", "2026-Q5"],
            "expected an existing period such as 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026",
        ),
        (
            &["facts", "--agent", "a", "--as-of", "soon"],
            "'soon' for '--as-of <T>': expected a time such as 2026-03-04T18:30:00Z",
        ),
        (
            &["key", "add", "phone", "--expires", "soon"],
            "'soon' for '--expires <T>': expected a time such as 2026-03-04T18:30:00Z or a date such as 2026-03-04",
        ),
        (&["status", "--now", "today"], "'today' for '--now <TIME>': expected a time such as 2026-03-04T18:30:00Z"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_annals"));
        let output = command.args(args).arg("--data").arg(annals.data()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && errors.contains(expect), "{args:?}: {errors}");
    }
    let found = annals.run(&["restore", "/no/backups"]);
    assert_eq!((found.code, found.err.as_str()), (3, "annals: there is no backup folder \"/no/backups\"\n"));
}

#[test]
fn empty_names_are_refused() {
    let annals = Annals::new();
    annals.import(GOOD);
    for (args, expect) in [
        (&["key", "add", " "][..], "annals: name is empty; it tells the keys in the list apart\n"),
        (&["forget", "--agent", "a", "--subject", ""], "annals: subject is empty\n"),
        (&["forget", "--agent", "a", "--conversation", " "], "annals: conversation is empty\n"),
    ] {
        let answer = annals.run(args);
        assert_eq!((answer.code, answer.err.as_str()), (2, expect), "{args:?}");
    }
    let key = annals.json(&["key", "add", "phone", "--expires", "2999-03-04"]);
    assert_eq!(key["expires_at"], "2999-03-04T00:00:00Z", "{key}");
}

#[test]
fn missing_folder_or_agent_is_reported() {
    let annals = Annals::new();
    let answer = annals.run(&["status"]);
    assert_eq!(answer.code, 3);
    assert!(answer.err.contains("there is no data folder"), "{}", answer.err);
    assert!(!annals.data().exists());
    annals.import(GOOD);
    let answer = annals.run(&["search", "x", "--agent", "b"]);
    assert_eq!(
        (answer.code, answer.err.as_str()),
        (
            3,
            "annals: there is no agent \"b\"; `annals agent list` lists all agents, `annals agent create` creates one\n"
        )
    );
}

#[test]
fn folder_in_use_is_waited_for_and_then_refused() {
    let annals = Annals::new();
    let mut holder = annals.command(&["import", "-"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
    // The command locks the folder only after reading its input. Let it finish without input, and hold the lock here instead.
    drop(holder.stdin.take());
    holder.wait().unwrap();
    let lock =
        std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(annals.data().join("annals.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    let file = annals.file("x.jsonl", GOOD);
    let refused = annals.run(&["import", file.to_str().unwrap(), "--lock-timeout", "0"]);
    assert_eq!(refused.code, 4);
    assert!(refused.err.contains("is in use by another annals process"), "{}", refused.err);
    let mut waits = annals.command(&["import", file.to_str().unwrap()]);
    let mut waits = waits.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    let mut stderr = std::io::BufReader::new(waits.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut told).unwrap();
    assert!(told.contains("waiting up to 60 s for it"), "{told}");
    lock.unlock().unwrap();
    assert!(waits.wait().unwrap().success(), "the command must go on once the folder is free");
}

#[test]
fn data_folder_that_is_a_file_is_refused() {
    let annals = Annals::new();
    std::fs::write(annals.data(), "x").unwrap();
    let answer = annals.run(&["import", annals.file("x.jsonl", GOOD).to_str().unwrap()]);
    assert_eq!(answer.code, 6);
    assert!(answer.err.contains("as data folder"), "{}", answer.err);
    let answer = annals.run(&["status"]);
    assert!(answer.code == 6 && answer.err.contains("Not a directory"), "{}", answer.err);
}

#[test]
fn folder_with_other_files_is_not_taken_for_a_new_data_folder() {
    let annals = Annals::new();
    std::fs::create_dir(annals.data()).unwrap();
    std::fs::set_permissions(annals.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(annals.data().join("notes.txt"), "tea").unwrap();
    let file = annals.file("x.jsonl", GOOD);
    let answer = annals.run(&["import", file.to_str().unwrap()]);
    assert!(answer.code == 2 && answer.err.contains("(notes.txt)"), "{}", answer.err);
    assert_eq!(
        std::fs::metadata(annals.data()).unwrap().permissions().mode() & 0o777,
        0o755,
        "others may still read it"
    );
    assert_eq!(std::fs::read_dir(annals.data()).unwrap().count(), 1, "nothing was created");
    // What people put into a folder before its first use is no other file.
    std::fs::rename(annals.data().join("notes.txt"), annals.data().join(".env")).unwrap();
    std::fs::create_dir(annals.data().join("prompts")).unwrap();
    assert_eq!(annals.run(&["import", file.to_str().unwrap()]).code, 0);
}

/// Runs a command that cannot write more than `kib` KiB to a file.
fn limited(plain: std::process::Command, kib: u32) -> std::process::Output {
    let mut limited = std::process::Command::new("bash");
    limited.arg("-c").arg(format!("ulimit -f {kib}; trap '' XFSZ; exec \"$0\" \"$@\""));
    limited.arg(plain.get_program()).args(plain.get_args()).output().unwrap()
}

/// `RLIMIT_FSIZE` simulates a full disk: every write beyond it fails. Acknowledged messages stay, and the import can be
/// completed once there is room.
#[test]
fn full_disk_stops_the_import_and_loses_nothing() {
    let messages = days("ann", 200, 30);
    let whole = Annals::new();
    whole.import(&messages);

    let annals = Annals::new();
    let file = annals.file("messages.jsonl", &messages);
    let output = limited(annals.command(&["import", file.to_str().unwrap()]), 1000);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{error}");
    assert!(error.contains("full") || error.contains("File too large") || error.contains("disk I/O"), "{error}");
    assert_eq!(annals.json(&["import", file.to_str().unwrap()])["agents"], 1);
    assert_eq!(annals.dump(), whole.dump());
}

/// On a full disk a search still answers. Only its access counts are lost, because they cannot be written.
#[test]
fn full_disk_does_not_stop_a_search() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    let output = limited(annals.command(&["search", "cello", "--agent", "ann"]), 1);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !output.stdout.is_empty(), "{error}");
}

#[test]
fn wrong_grain_and_period_are_explained() {
    let annals = Annals::new();
    let answer = annals.run(&["search", "x", "--agent", "a", "--grain", "hourly"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.err.contains("expected one of working, daily, weekly, monthly, quarterly, yearly"),
        "{}",
        answer.err
    );
    let answer = annals.run(&["search", "x", "--agent", "a", "--period", "2026-W54"]);
    assert!(
        answer.err.contains("expected an existing period such as 2026-03-04, 2026-W10, 2026-03, 2026-Q1 or 2026"),
        "{}",
        answer.err
    );
}
