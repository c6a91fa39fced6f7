//! Reads Markdown notes: front matter, sections, and the day and time that a note gives. Used by the kinds `openclaw`,
//! `markdown` and `letta`.

pub mod clock;
pub mod daily;
pub mod day;
pub mod front_matter;
pub mod sections;
