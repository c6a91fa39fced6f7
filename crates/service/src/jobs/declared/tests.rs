//! Tests of the five built-in files, of overrides by a user's files, and of refused files.

use super::*;

#[test]
fn built_in_jobs_have_the_expected_timings() {
    let jobs = Jobs::built_in();
    let timings = [
        ("rollup", &jobs.rollup.timing),
        ("retention", &jobs.retention.timing),
        ("compaction", &jobs.compaction),
        ("verification", &jobs.verification),
        ("backup", &jobs.backup),
    ];
    let timings = timings.map(|(name, timing)| format!("{name} {} {}", timing.wake, timing.enabled));
    assert_eq!(
        timings,
        [
            "rollup 0 * * * * * true",
            "retention 0 10 * * * * true",
            "compaction 0 20 3 * * * true",
            "verification 0 40 4 * * SUN true",
            "backup 0 10 2 * * * true",
        ]
    );
    assert_eq!(jobs.rollup.agents_at_once, 2);
}

/// Reads each built-in file as a user's file. No key may then be unknown.
#[test]
fn built_in_files_hold_every_key() {
    for (name, text) in BUILT_IN {
        assert_eq!(Jobs::parse(&files(&[(name, text)])).unwrap(), Jobs::built_in(), "{name}");
        let table: toml::Table = text.parse().unwrap();
        let (line, _) = text.lines().enumerate().filter(|(_, line)| line.contains(" = ")).last().unwrap();
        let shorter: String = text.lines().take(line).map(|line| format!("{line}\n")).collect();
        assert!(table.len() > shorter.parse::<toml::Table>().unwrap().len(), "{name}");
    }
}

fn files(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn own_file_overrides_the_keys_it_names() {
    let jobs = Jobs::parse(&files(&[("rollup", "agents_at_once = 4"), ("backup", "minutes = 7")])).unwrap();
    let built_in = Jobs::built_in();
    assert_eq!(jobs.rollup, AgentJob { agents_at_once: 4, ..built_in.rollup });
    assert_eq!(jobs.backup, Timing { minutes: 7, ..built_in.backup });
    assert_eq!(jobs.retention, built_in.retention);
}

#[track_caller]
fn check(fixture: &[(&str, &str)], expect: &str) {
    assert_eq!(Jobs::parse(&files(fixture)).unwrap_err().to_string(), expect);
}

#[test]
fn all_faults_of_all_files_are_reported_at_once() {
    check(
        &[
            ("roll-up", "enabled = true"),
            ("rollup", "enabled = 1\nagents_at_once = 0\nminutes = 1441\nwhen = 3"),
            ("retention", "wake = \"daily\"\nagents_at_once = 65536"),
            ("backup", "wake = 7"),
        ],
        "roll-up.toml: the file does not belong to a job; the jobs are rollup, retention, compaction, verification, backup\n\
         rollup.toml: agents_at_once is 0; 1 to 64 are allowed\n\
         rollup.toml: enabled is integer; it must be true or false\n\
         rollup.toml: minutes is 1441; 1 to 1440 are allowed\n\
         rollup.toml: when is not a known key\n\
         retention.toml: agents_at_once is 65536; 1 to 64 are allowed\n\
         retention.toml: wake has 1 fields; it has six: second, minute, hour, day of the month, month, day of the week\n\
         backup.toml: wake is integer; it must be a text",
    );
}

#[test]
fn invalid_wake_expression_is_refused() {
    let fault = |wake: &str, reason: &str| {
        check(&[("rollup", &format!("wake = {wake:?}"))], &format!("rollup.toml: wake {reason}"));
    };
    fault("0 61 * * * *", "is \"0 61 * * * *\", which is not a cron expression");
    fault("0 * * * * NOT", "is \"0 * * * * NOT\", which is not a cron expression");
    fault("* * * * *", "has 5 fields; it has six: second, minute, hour, day of the month, month, day of the week");
    fault("0 0 0 31 2 *", "is \"0 0 0 31 2 *\", which never occurs");
}

#[test]
fn invalid_toml_is_reported_with_its_line() {
    let error = Jobs::parse(&files(&[("rollup", "enabled = true\nwake = \"0\n")])).unwrap_err().to_string();
    assert!(error.starts_with("rollup.toml: line 2: the file is not TOML: "), "{error}");
}

#[test]
fn missing_folder_yields_the_built_in_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    assert_eq!(Jobs::in_folder(&jobs).unwrap(), Jobs::built_in());
    std::fs::create_dir(&jobs).unwrap();
    std::fs::write(jobs.join("retention.toml"), "enabled = false").unwrap();
    std::fs::write(jobs.join("notes.txt"), "no job").unwrap();
    assert!(!Jobs::in_folder(&jobs).unwrap().retention.timing.enabled);
    std::fs::write(jobs.join("retain.toml"), "").unwrap();
    assert!(
        Jobs::in_folder(&jobs).unwrap_err().to_string().starts_with("retain.toml: the file does not belong to a job")
    );
}
