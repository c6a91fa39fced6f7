//! The names of the columns that a table has on the disk, where the index reads some of them.

/// The key of a row, `<memory>#<part>`.
pub const ID: &str = "id";
/// The memory's id, never text of a user.
pub const MEMORY: &str = "memory";
/// Which piece of it.
pub const PART: &str = "part";
/// Turn, fact or summary.
pub const KIND: &str = "kind";
/// Label of the period.
pub const PERIOD: &str = "period";
/// First instant covered, in microseconds.
pub const START: &str = "start_us";
/// First instant after it, in microseconds.
pub const END: &str = "end_us";
/// The speaker of a turn.
pub const SPEAKER: &str = "speaker";
/// The conversation of a turn, text of a user.
pub const CONVERSATION: &str = "conversation";
/// The words as they were said.
pub const TEXT: &str = "text";
/// The words as they are stats for; see `lex.rs`.
pub const LEX: &str = "lex";
/// The vector.
pub const VECTOR: &str = "vector";
/// Digest of all columns above.
pub const DIGEST: &str = "digest";
/// The catalog sequence that wrote it.
pub const SEQ: &str = "seq";
