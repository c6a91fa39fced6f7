//! The names of the columns of a table on disk; the index reads some of them.

/// The key of a row, `<memory>#<part>`.
pub const ID: &str = "id";
/// The id of the memory. It never contains text of a user.
pub const MEMORY: &str = "memory";
/// The number of the part of the memory's text, from 0.
pub const PART: &str = "part";
/// The kind of the memory: `turn`, `fact` (a statement), `summary` or `passage`.
pub const KIND: &str = "kind";
/// The label of the period, such as `2026-03-04` or `2026-W10`.
pub const PERIOD: &str = "period";
/// The first instant covered, in microseconds since 1970.
pub const START: &str = "start_us";
/// The end of the covered time, exclusive, in microseconds since 1970.
pub const END: &str = "end_us";
/// The speaker of a turn, or of a statement if it has one.
pub const SPEAKER: &str = "speaker";
/// The name of a turn's conversation. It is text of a user.
pub const CONVERSATION: &str = "conversation";
/// The text of the part, unchanged.
pub const TEXT: &str = "text";
/// The tokens of the text, joined by spaces; see `lex.rs`.
pub const LEX: &str = "lex";
pub const VECTOR: &str = "vector";
/// The digest of all columns above.
pub const DIGEST: &str = "digest";
/// The sequence number of the change that wrote the row.
pub const SEQ: &str = "seq";
