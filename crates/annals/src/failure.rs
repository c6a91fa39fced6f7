//! Prints errors: as text for people or JSON for programs. Only this module does so.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Fault, ObjectKind};
use annals_server::exit_codes_and_statuses;
use annals_server::rest::{FaultView, chain};
use serde_json::json;

/// Prints the error to standard error and returns its exit code.
pub(crate) fn report(error: &Error, json: bool) -> ExitCode {
    let (text, exit) = render(error, json);
    print(&text);
    ExitCode::from(exit)
}

/// Prints the error as text and ends the process with its exit code: for an error that no caller can handle.
pub(crate) fn end(error: &Error) -> ! {
    let (text, exit) = render(error, false);
    print(&text);
    std::process::exit(exit.into())
}

/// Formats the error as text or as JSON, and returns it with the exit code.
fn render(error: &Error, json: bool) -> (String, u8) {
    let exit = exit_codes_and_statuses::row(error).exit_code;
    if !json {
        let text = chain(error);
        return (format!("annals: {text}{}{}", advice(error), advice_on_storage(&text)), exit);
    }
    let faults: Vec<FaultView> = faults(error).iter().map(FaultView::from).collect();
    (json!({ "error": { "code": error.code(), "detail": chain(error), "faults": faults } }).to_string(), exit)
}

/// Prints a line to standard error. If nobody reads it any more, does nothing.
pub(crate) fn print(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Suggests what to do about a name that was not found; empty for other errors.
fn advice(error: &Error) -> &'static str {
    let Error::NotFound { what, .. } = error else { return "" };
    match what {
        ObjectKind::Agent => "; `annals agent list` lists all agents, `annals agent create` creates one",
        ObjectKind::DataFolder => {
            "; choose another one with --data, or create it with `annals import` or `annals serve`"
        }
        ObjectKind::Job => "; `annals job list` lists all jobs",
        ObjectKind::Key => "; `annals key list` lists all keys",
        ObjectKind::Memory => "; `annals search` and `annals timeline` show ids",
        ObjectKind::Plan => "; `annals plans` lists all plans",
        ObjectKind::Price => "; `annals price list` lists all prices",
        ObjectKind::RunningService => "; `annals serve` starts one",
        _ => "",
    }
}

/// Suggests what to do about a full disk, as SQLite and the system call it; empty for other errors.
fn advice_on_storage(text: &str) -> &'static str {
    let is_full = ["disk is full", "No space left on device"].iter().any(|cause| text.contains(cause));
    if is_full {
        "; free disk space and repeat the command: nothing is half-written, nothing is stored twice"
    } else {
        ""
    }
}

/// Returns the error for a file named by the user that is missing or cannot be read.
pub(crate) fn unreadable(path: &Path, cause: std::io::Error) -> Error {
    if cause.kind() == std::io::ErrorKind::NotFound {
        return Error::NotFound { what: ObjectKind::File, name: path.display().to_string() };
    }
    Error::storage(format!("cannot read {}", path.display()), cause)
}

fn faults(error: &Error) -> &[Fault] {
    match error {
        Error::Invalid(fault) => std::slice::from_ref(fault),
        Error::Faults(faults) => faults,
        _ => &[],
    }
}
