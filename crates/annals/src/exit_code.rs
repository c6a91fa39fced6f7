//! The exit code of a command for each error. Codes 0 and 1 are not errors: 1 means that a command ran and found or left a problem.

use annals_core::Error;

/// Returns the exit code of an error. Scripts depend on the numbers: they never change.
pub(crate) fn exit_code(error: &Error) -> u8 {
    match error {
        Error::Invalid(_) | Error::Faults(_) | Error::Conflict { .. } | Error::Exists { .. } | Error::KeyReused => 2,
        Error::NotFound { .. } => 3,
        Error::InUse { .. } => 4,
        Error::Damaged { .. } => 5,
        Error::Storage { .. } => 6,
        Error::Model { .. } | Error::Unavailable { .. } | Error::Budget { .. } | Error::InBatch => 7,
        Error::Stale { .. } => 8,
        Error::AddressInUse { .. } => 9,
    }
}
