//! Runs the commands of README.md as written, in order, with the built binary in a scratch folder. Leaves out commands that
//! fetch or build (`scripts/…`), `annals serve`, and lines with an ellipsis for the reader to fill in.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::command::{Annals, NOW};
use crate::import_from::{fixture, zip};
use crate::service::Served;
use crate::story::{days, line};

/// Address of the service in the README.
const ADDRESS: &str = "http://127.0.0.1:7411";

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap()
}

/// Returns the commands of all `sh` blocks, one per line.
fn commands(text: &str) -> Vec<String> {
    let fences = text.split("```").skip(1).step_by(2);
    let shell = fences.filter_map(|fence| fence.strip_prefix("sh\n"));
    let lines = shell.flat_map(str::lines).map(str::to_owned);
    lines.filter(|line| !line.is_empty() && !line.contains('…') && !line.starts_with("scripts/")).collect()
}

/// Creates a folder with a program `annals` that runs the built binary at [`NOW`].
fn programs(annals: &Annals) -> PathBuf {
    let folder = annals.data().with_file_name("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("annals");
    let script = format!("#!/bin/sh\nexec '{}' \"$@\" --now {NOW}\n", env!("CARGO_BIN_EXE_annals"));
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn run(annals: &Annals, script: &str) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).env("PATH", format!("{}:{path}", programs(annals).display()));
    shell.current_dir(annals.data().parent().unwrap());
    shell.env("ANNALS_DATA", annals.data()).env_remove("ANNALS_CONFIG").output().unwrap()
}

#[track_caller]
fn expect_success(script: &str, output: &Output) {
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{words}");
}

#[test]
fn readme_commands_run_as_written() {
    let annals = Annals::new();
    let zelda = line("ann", "talk", "z", "Zelda Quist", "Hello, Ann.", "2026-01-02T10:00:00Z");
    annals.file("chat.jsonl", &(days("ann", 40, 2) + &zelda));
    let chatgpt = std::fs::read(fixture("chatgpt.json")).unwrap();
    std::fs::write(annals.file("chatgpt.zip", ""), zip("conversations.json", &chatgpt)).unwrap();
    let commands = commands(&readme());
    let of_the_command: Vec<&String> = commands
        .iter()
        .filter(|command| command.starts_with("annals ") && !command.starts_with("annals serve"))
        .collect();
    assert!(of_the_command.len() >= 14, "{commands:?}");
    for command in of_the_command {
        expect_success(command, &run(&annals, command));
    }
}

/// Sends the requests of the README to a service on a free port.
#[test]
fn readme_requests_are_answered_as_written() {
    let served = Served::unlimited();
    let commands = commands(&readme());
    let requests: Vec<&String> =
        commands.iter().filter(|one| one.starts_with("A=") || one.starts_with("curl ")).collect();
    assert_eq!(requests.len(), 4, "{commands:?}");
    // Older versions of curl have no `--json`.
    let script: String = requests.iter().map(|one| format!("{one}\necho\n")).collect();
    let script =
        script.replace(ADDRESS, &served.address).replace("curl ", "curl -sSf -H 'content-type: application/json' ");
    let script = script.replace("--json", "--data");
    let output = run(&served.annals, &script);
    expect_success(&script, &output);
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = answers.lines().filter(|line| !line.is_empty()).collect();
    // Facts may have been extracted by then, too.
    let is_searchable =
        ["searchable", "extracted"].map(|status| answers[0].contains(&format!("\"status\":\"{status}\"")));
    assert!(is_searchable.contains(&true), "{answers:?}");
    assert!(answers[1].contains("I moved from Oslo to Bern last week."), "{answers:?}");
    assert!(answers[2].contains("Bern"), "{answers:?}");
}

/// Checks the port in the README and the exit code for a missing folder.
#[test]
fn port_and_exit_code_match_the_readme() {
    let annals = Annals::new();
    assert!(readme().contains(ADDRESS));
    let answer = annals.run(&["config", "show"]);
    assert!(answer.out.contains("7411"), "{} {}", answer.out, answer.err);
    assert_eq!(annals.run(&["status"]).code, 3, "{}", readme());
}
