//! The parsers, each with good inputs and the conditions for damaged ones.

mod answers;
mod backups;
mod commands;
mod exports;
mod imports;
mod messages;
mod queries;
mod requests;
mod stores;
mod texts;

use annals_core::{Error, Fault};

use super::Verdict;

/// Checks that an error is a fault of the input, with a place and a reason.
fn names_its_fault(error: &Error, lines: usize) -> Verdict {
    let faults: &[Fault] = match error {
        Error::Invalid(fault) => std::slice::from_ref(fault),
        Error::Faults(faults) => faults,
        other => return Err(format!("no fault of the input: {other}")),
    };
    for fault in faults {
        if fault.reason.is_empty() || fault.field.is_empty() || fault.line.is_some_and(|line| line == 0 || line > lines)
        {
            return Err(format!("a fault without place or reason: {fault:?}"));
        }
    }
    if faults.is_empty() { Err("an error without a fault".into()) } else { Ok(()) }
}

fn lines(input: &[u8]) -> usize {
    input.split(|byte| *byte == b'\n').count()
}
