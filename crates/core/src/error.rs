//! What can go wrong, as the caller would act on it.
//!
//! Context is attached once, where the failing thing is known by name; the chain is printed at the top, by the binary.

use std::fmt;

/// A result of this product.
pub type Result<T> = std::result::Result<T, Error>;

/// Every failure of Annals. A caller decides by variant, a person reads the text.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request is wrong; asking again will not help. Names the field.
    #[error(transparent)]
    Invalid(#[from] Fault),
    /// Several faults of one request or file, all of them at once.
    #[error("{}", list(.0))]
    Faults(Vec<Fault>),
    /// What was named does not exist.
    #[error("there is no {what} {name:?}")]
    NotFound {
        /// The kind of thing, as in `agent`.
        what: &'static str,
        /// The name that was asked for.
        name: String,
    },
    /// The id is taken by other content. `revise` says that the new one is meant.
    #[error("message {id:?} of conversation {conversation:?} is already stored with other content; revise replaces it")]
    Conflict {
        /// The conversation of the message.
        conversation: String,
        /// The client's id of the message.
        id: String,
    },
    /// There is something of that name already.
    #[error("there is an {what} {name:?} already")]
    Exists {
        /// The kind of thing, as in `agent`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Another program listens there.
    #[error("another program listens on {address} already; choose another with --listen, or stop that one")]
    AddressInUse {
        /// Address and port.
        address: String,
    },
    /// Another process owns the data folder.
    #[error("the data folder {folder} is in use by another annals process{owner}")]
    InUse {
        /// The folder's path.
        folder: String,
        /// Who holds it, when it says so: ` (pid 123)`.
        owner: String,
    },
    /// Stored bytes are not what was written. Tables can be rebuilt from the catalog.
    #[error("{what} is damaged: {why}")]
    Damaged {
        /// The table or file.
        what: String,
        /// What reading it said.
        why: String,
    },
    /// A store cannot be written or read now: disk full, permission, a device error. Nothing was half-written.
    #[error("{what}: {source}")]
    Storage {
        /// What was being done, to which object.
        what: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model's answer cannot be used, even after it was told why: a fault of this input or model, not of the moment.
    #[error("{what}: {source}")]
    Model {
        /// What was being done.
        what: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A model's endpoint does not answer now: network, overload, a limit. The input is not at fault.
    #[error("{what}: {source}")]
    Unavailable {
        /// What was being done.
        what: String,
        /// How long to wait, if it said so.
        retry_after: Option<jiff::SignedDuration>,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The tokens of the day are spent.
    #[error("the daily budget of {limit} tokens is spent; it begins anew at {again:.0}")]
    Budget {
        /// The most tokens of a day.
        limit: u64,
        /// When there are more.
        again: crate::Timestamp,
    },
    /// What was to be changed has changed meanwhile; look again.
    #[error("{what} has changed meanwhile")]
    Stale {
        /// What it was.
        what: String,
    },
}

/// One thing wrong with an input: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, where there are several.
    pub file: Option<String>,
    /// The line of the file, counted from 1, where there is one.
    pub line: Option<usize>,
    /// The field's name as the user wrote it.
    pub field: String,
    /// What is wrong, as the end of a sentence that starts with the field.
    pub reason: String,
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{} {}", self.field, self.reason)
    }
}

impl Fault {
    /// A fault of one field.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Fault {
        Fault { file: None, line: None, field: field.into(), reason: reason.into() }
    }

    /// The same fault, at a line of a file.
    pub fn at_line(self, line: usize) -> Fault {
        Fault { line: Some(line), ..self }
    }
}

impl Error {
    /// A wrong field: `Error::invalid("at", "is missing")` reads `at is missing`.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::Invalid(Fault::new(field, reason))
    }

    /// A store's failure while doing `what`.
    pub fn storage(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Storage { what: what.into(), source: source.into() }
    }

    /// A model's failure while doing `what`.
    pub fn model(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Model { what: what.into(), source: source.into() }
    }

    /// An endpoint that does not answer while doing `what`.
    pub fn unavailable(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Unavailable { what: what.into(), retry_after: None, source: source.into() }
    }

    /// Stored bytes of `what` that cannot be right.
    pub fn damaged(what: impl Into<String>, why: impl ToString) -> Error {
        Error::Damaged { what: what.into(), why: why.to_string() }
    }
}

fn list(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}
