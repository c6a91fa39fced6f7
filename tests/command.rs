//! Runs the command in a child process, on a folder that lives as long as the test.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The current time of all tests.
pub const NOW: &str = "2026-11-20T12:00:00Z";

/// Returns the command under test: the binary built with the tests, or the one in `ANNALS_BIN`, so that the next build does
/// not disturb a long run.
pub fn program() -> Command {
    Command::new(std::env::var("ANNALS_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_annals").to_owned()))
}

/// A data folder, and commands that run on it.
pub struct Annals {
    temp_dir: TempDir,
}

/// Exit code and output of a command.
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Annals {
    pub fn new() -> Annals {
        Annals { temp_dir: tempfile::tempdir().unwrap() }
    }

    pub fn data(&self) -> PathBuf {
        self.temp_dir.path().join("data")
    }

    /// Writes a file beside the data folder.
    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.temp_dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Prepares the command, to run at [`NOW`].
    pub fn command(&self, args: &[&str]) -> Command {
        self.command_at(NOW, args)
    }

    fn command_at(&self, now: &str, args: &[&str]) -> Command {
        let mut command = program();
        command.args(args).arg("--data").arg(self.data()).args(["--now", now]);
        command.env_remove("ANNALS_DATA").env_remove("ANNALS_CONFIG").stdin(Stdio::null());
        command
    }

    /// Runs the command `hours` after [`NOW`].
    pub fn run_after(&self, hours: u32, args: &[&str]) -> Answer {
        let present: jiff::Timestamp = NOW.parse().unwrap();
        let now = present + jiff::SignedDuration::from_hours(i64::from(hours));
        Answer::from(self.command_at(&now.to_string(), args).output().unwrap())
    }

    /// Runs a command that must succeed, `hours` after [`NOW`]. Returns its JSON.
    #[track_caller]
    pub fn json_after(&self, hours: u32, args: &[&str]) -> Value {
        let answer = self.run_after(hours, &[args, &["--json"]].concat());
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
        serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", answer.out))
    }

    pub fn run(&self, args: &[&str]) -> Answer {
        Answer::from(self.command(args).output().unwrap())
    }

    /// Runs a command that must succeed. Returns its JSON.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> Value {
        let answer = self.run(&[args, &["--json"]].concat());
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.err);
        serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", answer.out))
    }

    /// Imports messages that must be valid.
    #[track_caller]
    pub fn import(&self, messages: &str) -> Value {
        let path = self.file("messages.jsonl", messages);
        self.json(&["import", path.to_str().unwrap()])
    }

    /// Checks that every table matches the catalog. Summaries may still be due.
    #[track_caller]
    pub fn expect_sound_tables(&self) {
        let answer = self.run(&["verify", "--json"]);
        let verified: Value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}", answer.err));
        assert_eq!(verified["catalog"], serde_json::json!([]));
        for agent in verified["agents"].as_array().unwrap() {
            assert_eq!((&agent["tables"], &agent["facts_differ"]), (&serde_json::json!([]), &Value::from(false)));
        }
    }

    /// Returns the dump of the folder, in canonical order.
    #[track_caller]
    pub fn dump(&self) -> String {
        let answer = self.run(&["dump"]);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.out
    }
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        Answer {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Returns every file below a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
