//! The names of the columns of a table on disk; the index reads some of them.

/// The key of a row, `<memory>#<part>`.
pub const ID: &str = "id";
/// The memory's id, never text of a user.
pub const MEMORY: &str = "memory";
/// The number of the part of the memory's text, from 0.
pub const PART: &str = "part";
/// `turn`, `fact` (a statement) or `summary`.
pub const KIND: &str = "kind";
/// The label of the period.
pub const PERIOD: &str = "period";
/// The first instant covered, in microseconds.
pub const START: &str = "start_us";
/// The first instant after those covered, in microseconds.
pub const END: &str = "end_us";
/// The speaker of a turn.
pub const SPEAKER: &str = "speaker";
/// The conversation of a turn, text of a user.
pub const CONVERSATION: &str = "conversation";
/// The original text.
pub const TEXT: &str = "text";
/// The tokens of the text, joined by spaces; see `lex.rs`.
pub const LEX: &str = "lex";
pub const VECTOR: &str = "vector";
/// The digest of all columns above.
pub const DIGEST: &str = "digest";
/// The sequence number of the change that wrote the row.
pub const SEQ: &str = "seq";
