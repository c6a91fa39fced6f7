//! Prints text for people, with invisible and active characters escaped (control sequences, direction marks, zero-width
//! characters), and text for programs, unchanged.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use annals_core::{Error, is_invisible};

use crate::failure;

/// The escape sequences for colours and weights in text for people. None of them hides or moves text.
const STYLES: [&str; 5] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[33m", "\u{1b}[36m"];

/// Prints text for people to standard output, without colours unless a terminal shows them. Escapes control sequences and
/// invisible characters: the text of memories is untrusted.
pub(crate) fn print(words: fmt::Arguments<'_>) {
    print_text(&visible(&words.to_string()));
}

/// Prints text for programs to standard output, unchanged.
pub(crate) fn print_raw(words: fmt::Arguments<'_>) {
    print_text(&words.to_string());
}

/// Prints the greeting of a service as far as it can be written: a service goes on when nobody reads its output any more.
pub(crate) fn announce(line: &str) {
    let _ = writeln!(anstream::stdout(), "{}", visible(line));
}

/// Prints the text. If it cannot be written, ends the process: with exit code 0 if the reader has closed the pipe (`| head`),
/// otherwise with an error, because a full disk must not look like success.
fn print_text(text: &str) {
    let Err(cause) = write!(anstream::stdout(), "{text}") else { return };
    if cause.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    failure::end(&Error::storage("writing to standard output", cause));
}

/// Returns the text with invisible characters as escapes such as `\u{202e}`. Line ends, tabs and our own colours stay; a line end
/// of Windows becomes a plain one.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("\r\n") {
            rest = &rest[1..];
            continue;
        }
        let style = STYLES.iter().find(|style| rest.starts_with(**style));
        let length = style.map_or(next.len_utf8(), |style| style.len());
        if style.is_none() && is_hidden(next) {
            shown.extend(next.escape_unicode());
        } else {
            shown.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    is_control || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}
