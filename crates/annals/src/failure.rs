//! The one place where errors become text for people, JSON for programs, and exit codes.

use std::process::ExitCode;

use annals_core::{Error, Fault};
use serde_json::json;

/// Prints the error to standard error and gives the exit code that a script may branch on.
#[expect(clippy::print_stderr, reason = "this is where errors are printed")]
pub fn report(error: &Error, json: bool) -> ExitCode {
    let (code, exit) = code(error);
    if json {
        let faults: Vec<_> = faults(error).iter().map(fault).collect();
        let answer = json!({ "error": { "code": code, "message": chain(error), "faults": faults } });
        eprintln!("{answer}");
    } else {
        eprintln!("annals: {}", chain(error));
    }
    ExitCode::from(exit)
}

/// A stable word and an exit code. 1 is kept for `verify` finding something, 2 also for wrong options.
fn code(error: &Error) -> (&'static str, u8) {
    match error {
        Error::Invalid(_) | Error::Faults(_) => ("invalid", 2),
        Error::Conflict { .. } => ("conflict", 2),
        Error::NotFound { .. } => ("not_found", 3),
        Error::InUse { .. } => ("in_use", 4),
        Error::Damaged { .. } => ("damaged", 5),
        Error::Storage { .. } => ("storage", 6),
        Error::Model { .. } => ("model", 7),
        Error::Unavailable { .. } => ("unavailable", 7),
        Error::Budget { .. } => ("budget", 7),
        Error::Stale { .. } => ("stale", 8),
    }
}

fn faults(error: &Error) -> &[Fault] {
    match error {
        Error::Invalid(fault) => std::slice::from_ref(fault),
        Error::Faults(faults) => faults,
        _ => &[],
    }
}

fn fault(fault: &Fault) -> serde_json::Value {
    json!({ "line": fault.line, "field": fault.field, "reason": fault.reason })
}

/// The error and its causes, leaving out a cause that its effect already tells word by word.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}
