//! Runs the examples against a service on a free port.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::service::Served;

/// Runs an example and checks that memory answers with what was stored.
#[track_caller]
fn check(served: &Served, mut command: Command) {
    let output = command.env("ANNALS_URL", &served.address).output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("Bern"), "{command:?}\n{out}\n{errors}");
}

fn script(interpreter: &str, name: &str) -> Command {
    let mut command = Command::new(interpreter);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name));
    command
}

/// Returns the path of the Rust example, which cargo builds together with the tests.
fn built(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_annals")).with_file_name("examples").join(name)
}

#[test]
fn examples_find_what_they_stored() {
    let served = Served::unlimited();
    check(&served, script("sh", "agent.sh"));
    check(&served, script("python3", "agent.py"));
    check(&served, Command::new(built("agent")));
}
