//! Prints text for people, with control sequences escaped, and text for programs, unchanged.

use std::fmt;
use std::io::Write;

use crate::visible::visible;

/// Prints text for people to standard output, without colours unless a terminal shows them. Escapes control sequences and
/// invisible characters: the text of memories is untrusted.
pub fn print(words: fmt::Arguments<'_>) {
    print_text(&visible(&words.to_string()));
}

/// Prints text for programs to standard output, unchanged.
pub fn print_raw(words: fmt::Arguments<'_>) {
    print_text(&words.to_string());
}

/// A closed pipe (`| head`) ends the command quietly.
fn print_text(text: &str) {
    if write!(anstream::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}
