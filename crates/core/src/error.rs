//! Errors, one variant per reaction of a caller.
//!
//! Context is attached once, where the name of the failing object is known. The binary prints the error chain.

use std::fmt;

use crate::ObjectKind;

/// Result with [`Error`] as the error type.
pub type Result<T> = std::result::Result<T, Error>;

/// Returns why work on another thread ended without a result. The message of a panic is left out, because it may quote a memory.
pub const fn thread_end(has_panicked: bool) -> &'static str {
    if has_panicked { "internal error; see the log" } else { "it was stopped" }
}

/// Any failure of Annals. Programs react to the variant; the text is for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request is wrong, and retrying will not help. The text names the wrong field.
    #[error(transparent)]
    Invalid(#[from] Fault),
    /// All faults of one request or file.
    #[error("{}", list(.0))]
    Faults(Vec<Fault>),
    /// The named object does not exist.
    #[error("there is no {what} {name:?}")]
    NotFound {
        /// The kind of object that was looked up.
        what: ObjectKind,
        /// The name or id, as it was requested.
        name: String,
    },
    /// The message id is already stored with other content. A request with `revise` replaces it.
    #[error("message {id:?} of conversation {conversation:?} is already stored with other content; revise replaces it")]
    Conflict {
        /// The name of the conversation that holds the message.
        conversation: String,
        /// The client's id of the message.
        id: String,
    },
    /// An object with that name already exists.
    #[error("{what} {name:?} already exists")]
    Exists {
        /// The kind of object that was to be created.
        what: ObjectKind,
        /// The name that is already taken.
        name: String,
    },
    /// Another program already listens on the address.
    #[error("address already in use: {address}; stop the other program, or choose another address with --listen")]
    AddressInUse {
        /// The address and port that could not be bound.
        address: String,
    },
    /// Another process owns the data folder.
    #[error("the data folder {folder} is in use by another annals process{owner}")]
    InUse {
        /// Path of the data folder.
        folder: String,
        /// The owning process, if known: ` (pid 123)`. Otherwise empty.
        owner: String,
    },
    /// Stored bytes are not what was written. Tables can be rebuilt from the catalog.
    #[error("{what} is damaged: {why}")]
    Damaged {
        /// The table or file with the damage, as the subject of the message.
        what: String,
        /// What is wrong with the bytes.
        why: String,
    },
    /// A store cannot be read or written now: full disk, missing permission, device error. Nothing was half-written.
    #[error("{what}: {source}")]
    Storage {
        /// The action that failed and its object, as in `reading the catalog`.
        what: String,
        /// The error of the file system, database or network.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A model failed, or its answer is unusable even after a retry that named the fault. The input or the model is at fault;
    /// the failure is not temporary.
    #[error("{what}: {source}")]
    Model {
        /// The action that the model was called for.
        what: String,
        /// What was wrong with the answer, or why the model failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A model endpoint does not answer now: network error, overload or rate limit. The input is not at fault.
    #[error("{what}: {source}")]
    Unavailable {
        /// The action that the endpoint was called for.
        what: String,
        /// How long to wait before a retry; `None` if the endpoint gave no time.
        retry_after: Option<jiff::SignedDuration>,
        /// Why there was no answer.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The remaining daily token budget is too small for the request.
    #[error(
        "the daily budget of {limit} tokens{} has too little left for this request; it resets at {again:.0}",
        if *.of_key { " of this API key" } else { "" }
    )]
    Budget {
        /// The configured limit of tokens per UTC day.
        limit: u64,
        /// Whether the limit is that of the API key of a request. Other requests and scheduled work may still call models.
        of_key: bool,
        /// When the budget of the next day begins.
        again: crate::Timestamp,
    },
    /// The request was handed to a provider in a batch, or is about to be. Nothing failed: the answer comes within a day.
    #[error("the answer comes with a batch")]
    InBatch,
    /// The idempotency key belongs to another request. A new request needs a new key.
    #[error("this Idempotency-Key was used for another request; choose a new one")]
    KeyReused,
    /// The object changed since it was read; read it again.
    #[error("{what} changed while it was being processed; try again")]
    Stale {
        /// The object that changed, as the subject of the message.
        what: String,
    },
}

/// One fault of an input: its location and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the file; `None` if the input is not a file or has no name.
    pub file: Option<String>,
    /// The line within the file, counted from 1; `None` if the fault is not in one line.
    pub line: Option<usize>,
    /// The field's name as the user wrote it.
    pub field: String,
    /// The reason, phrased as the end of a sentence that starts with the field.
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
    /// Creates a fault of one field, without file and line.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Fault {
        Fault { file: None, line: None, field: field.into(), reason: reason.into() }
    }

    /// Returns the same fault with a line number.
    pub fn at_line(self, line: usize) -> Fault {
        Fault { line: Some(line), ..self }
    }

    /// Returns the same fault with the number of the line that contains this byte of a text.
    pub fn at_offset(self, text: &str, offset: usize) -> Fault {
        self.at_line(line_at(text, offset))
    }
}

/// Returns the number of the line that contains this byte of a text, beginning with 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

impl Error {
    /// Returns the stable code by which programs tell errors apart, over HTTP, MCP and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Invalid(_) | Error::Faults(_) => "invalid",
            Error::NotFound { .. } => "not_found",
            Error::Conflict { .. } => "conflict",
            Error::Exists { .. } => "exists",
            Error::AddressInUse { .. } => "address_in_use",
            Error::InUse { .. } => "in_use",
            Error::Damaged { .. } => "damaged",
            Error::Storage { .. } => "storage",
            Error::Model { .. } => "model",
            Error::Unavailable { .. } => "unavailable",
            Error::Budget { .. } => "budget",
            Error::InBatch => "in_batch",
            Error::KeyReused => "idempotency_key_reused",
            Error::Stale { .. } => "stale",
        }
    }

    /// Returns whether a model does not answer now, or was not called because the token budget is spent. The input is not at
    /// fault.
    pub fn is_outage(&self) -> bool {
        matches!(self, Error::Unavailable { .. } | Error::Budget { .. })
    }

    /// Returns whether a model was not called because the budget of the request's API key is spent. This concerns this request
    /// alone: nothing about the agent is recorded, and scheduled work does later what the request left.
    pub fn is_of_key_budget(&self) -> bool {
        matches!(self, Error::Budget { of_key: true, .. })
    }

    /// Returns whether the input may be at fault, so that the model may succeed on another input.
    pub fn is_of_input(&self) -> bool {
        matches!(self, Error::Model { .. } | Error::Invalid(_) | Error::Faults(_))
    }

    /// Creates an error for a wrong field: `Error::invalid("at", "is missing")` reads `at is missing`.
    pub fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Error {
        Error::Invalid(Fault::new(field, reason))
    }

    /// Creates an error for a store that failed while doing `what`.
    pub fn storage(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Storage { what: what.into(), source: source.into() }
    }

    /// Creates an error for a model that failed while doing `what`.
    pub fn model(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Model { what: what.into(), source: source.into() }
    }

    /// Creates an error for an endpoint that did not answer while doing `what`, without a retry time.
    pub fn unavailable(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Unavailable { what: what.into(), retry_after: None, source: source.into() }
    }

    /// Creates an error for stored bytes of `what` that are corrupt.
    pub fn damaged(what: impl Into<String>, why: impl ToString) -> Error {
        Error::Damaged { what: what.into(), why: why.to_string() }
    }
}

fn list(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}
