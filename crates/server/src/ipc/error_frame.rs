//! Errors between processes: every variant keeps its fields, so that text, code, faults and exit code are the same on both
//! sides.

use annals_core::{Error, Fault, ObjectKind, SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::rest::chain;

/// An [`Error`] as plain data, with the same fields. Causes are joined into one text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorFrame {
    Invalid(FaultFrame),
    Faults(Vec<FaultFrame>),
    NotFound { what: ObjectKind, name: String },
    Conflict { conversation: String, id: String },
    Exists { what: ObjectKind, name: String },
    AddressInUse { address: String },
    InUse { folder: String, owner: String },
    Damaged { what: String, why: String },
    Storage { what: String, cause: String },
    Model { what: String, cause: String },
    Unavailable { what: String, retry_after: Option<SignedDuration>, cause: String },
    Budget { limit: u64, of_key: bool, again: Timestamp },
    InBatch,
    KeyReused,
    Stale { what: String },
}

/// A [`Fault`] as plain data, with the same fields.
#[derive(Debug, Serialize, Deserialize)]
pub struct FaultFrame {
    pub file: Option<String>,
    pub line: Option<usize>,
    pub field: String,
    pub reason: String,
}

impl From<Error> for ErrorFrame {
    fn from(error: Error) -> ErrorFrame {
        let cause = causes(&error);
        match error {
            Error::Invalid(fault) => ErrorFrame::Invalid(fault.into()),
            Error::Faults(faults) => ErrorFrame::Faults(faults.into_iter().map(Into::into).collect()),
            Error::NotFound { what, name } => ErrorFrame::NotFound { what, name },
            Error::Conflict { conversation, id } => ErrorFrame::Conflict { conversation, id },
            Error::Exists { what, name } => ErrorFrame::Exists { what, name },
            Error::AddressInUse { address } => ErrorFrame::AddressInUse { address },
            Error::InUse { folder, owner } => ErrorFrame::InUse { folder, owner },
            Error::Damaged { what, why } => ErrorFrame::Damaged { what, why },
            Error::Storage { what, .. } => ErrorFrame::Storage { what, cause },
            Error::Model { what, .. } => ErrorFrame::Model { what, cause },
            Error::Unavailable { what, retry_after, .. } => ErrorFrame::Unavailable { what, retry_after, cause },
            Error::Budget { limit, of_key, again } => ErrorFrame::Budget { limit, of_key, again },
            Error::InBatch => ErrorFrame::InBatch,
            Error::KeyReused => ErrorFrame::KeyReused,
            Error::Stale { what } => ErrorFrame::Stale { what },
        }
    }
}

/// Returns the causes as one text, as [`chain`] prints them after the description of the failure. Empty for errors without
/// causes.
fn causes(error: &Error) -> String {
    match error {
        Error::Storage { what, .. } | Error::Model { what, .. } | Error::Unavailable { what, .. } => {
            let text = chain(error);
            text.strip_prefix(&format!("{what}: ")).map(str::to_owned).unwrap_or(text)
        }
        _ => String::new(),
    }
}

impl From<ErrorFrame> for Error {
    fn from(frame: ErrorFrame) -> Error {
        match frame {
            ErrorFrame::Invalid(fault) => Error::Invalid(fault.into()),
            ErrorFrame::Faults(faults) => Error::Faults(faults.into_iter().map(Into::into).collect()),
            ErrorFrame::NotFound { what, name } => Error::NotFound { what, name },
            ErrorFrame::Conflict { conversation, id } => Error::Conflict { conversation, id },
            ErrorFrame::Exists { what, name } => Error::Exists { what, name },
            ErrorFrame::AddressInUse { address } => Error::AddressInUse { address },
            ErrorFrame::InUse { folder, owner } => Error::InUse { folder, owner },
            ErrorFrame::Damaged { what, why } => Error::Damaged { what, why },
            ErrorFrame::Storage { what, cause } => Error::storage(what, cause),
            ErrorFrame::Model { what, cause } => Error::model(what, cause),
            ErrorFrame::Unavailable { what, retry_after, cause } => {
                Error::Unavailable { what, retry_after, source: cause.into() }
            }
            ErrorFrame::Budget { limit, of_key, again } => Error::Budget { limit, of_key, again },
            ErrorFrame::InBatch => Error::InBatch,
            ErrorFrame::KeyReused => Error::KeyReused,
            ErrorFrame::Stale { what } => Error::Stale { what },
        }
    }
}

impl From<Fault> for FaultFrame {
    fn from(fault: Fault) -> FaultFrame {
        let Fault { file, line, field, reason } = fault;
        FaultFrame { file, line, field, reason }
    }
}

impl From<FaultFrame> for Fault {
    fn from(frame: FaultFrame) -> Fault {
        let FaultFrame { file, line, field, reason } = frame;
        Fault { file, line, field, reason }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn every_error_keeps_variant_code_text_and_faults() {
        let fault = Fault { file: Some("f".into()), line: Some(3), ..Fault::new("at", "is missing") };
        let disk = || io::Error::other("disk full");
        let errors = [
            Error::Invalid(fault.clone()),
            Error::Faults(vec![fault, Fault::new("id", "is empty")]),
            Error::NotFound { what: ObjectKind::Agent, name: "bob".into() },
            Error::Conflict { conversation: "c".into(), id: "i".into() },
            Error::Exists { what: ObjectKind::Agent, name: "bob".into() },
            Error::AddressInUse { address: "127.0.0.1:1".into() },
            Error::InUse { folder: "/f".into(), owner: " (pid 1)".into() },
            Error::damaged("a table", "short"),
            Error::storage("writing", Error::storage("syncing", disk())),
            Error::model("summarizing", disk()),
            Error::Unavailable {
                what: "asking".into(),
                retry_after: Some(SignedDuration::from_secs(7)),
                source: "no route".into(),
            },
            Error::Budget { limit: 5, of_key: true, again: "2026-03-04T00:00:00Z".parse().unwrap() },
            Error::InBatch,
            Error::KeyReused,
            Error::Stale { what: "it".into() },
        ];
        for error in errors {
            let (code, text) = (error.code(), chain(&error));
            let shown = format!("{error:?}").split([' ', '(']).next().unwrap_or_default().to_owned();
            let line = serde_json::to_string(&ErrorFrame::from(error)).unwrap();
            let again = Error::from(serde_json::from_str::<ErrorFrame>(&line).unwrap());
            assert_eq!((again.code(), chain(&again)), (code, text), "{line}");
            assert!(format!("{again:?}").starts_with(&shown), "{line}");
        }
    }
}
