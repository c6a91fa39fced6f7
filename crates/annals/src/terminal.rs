//! Where the words of a command go, and where it reads: this process's terminal and directory, or those of another process on
//! whose behalf the owner of the folder runs the command.

use std::fmt;
use std::io::{Cursor, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use annals_server::jobs::AlarmClock;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::UnboundedSender;

use crate::folder::Folder;

/// Another process, for which a command runs here.
#[derive(Clone)]
pub struct Guest {
    /// The folder that this process owns.
    pub folder: Folder,
    /// What this process does by itself.
    pub alarm_clock: Arc<AlarmClock>,
    /// What the other process looks like.
    pub call: Call,
    /// What it has on its standard input.
    pub input: Vec<u8>,
    /// What it is to do.
    pub frames: UnboundedSender<Frame>,
}

/// A command of another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its words, without the program's name.
    pub args: Vec<String>,
    /// Where it was started: relative paths begin there.
    pub directory: PathBuf,
    /// The columns of its terminal.
    pub columns: usize,
    /// Whether its terminal shows colours.
    pub colours: bool,
}

/// What the other process is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// Print to standard output.
    Out(String),
    /// Print to standard error.
    Err(String),
    /// End with this code.
    Exit(u8),
}

tokio::task_local! {
    static GUEST: Guest;
}

/// Runs a command on behalf of another process.
pub async fn on_behalf_of<F: Future>(guest: Guest, command: F) -> F::Output {
    GUEST.scope(guest, command).await
}

/// The other process, if there is one.
pub fn guest<T>(look: impl FnOnce(&Guest) -> T) -> Option<T> {
    GUEST.try_with(look).ok()
}

/// Prints to standard output, without colours where nobody sees them. A reader that went away (`| head`) ends the
/// command quietly.
pub fn print(words: fmt::Arguments<'_>) {
    let sent = guest(|guest| {
        let text = words.to_string();
        let text = if guest.call.colours { text } else { anstream::adapter::strip_str(&text).to_string() };
        // A process that went away needs no words.
        let _ = guest.frames.send(Frame::Out(text));
    });
    if sent.is_none() && write!(anstream::stdout(), "{words}").is_err() {
        std::process::exit(0);
    }
}

/// Standard input, to its end.
pub fn input() -> Box<dyn Read> {
    match guest(|guest| guest.input.clone()) {
        Some(bytes) => Box::new(Cursor::new(bytes)),
        None => Box::new(std::io::stdin()),
    }
}

/// The columns to write in.
pub fn columns() -> usize {
    guest(|guest| guest.call.columns).unwrap_or_else(textwrap::termwidth)
}

/// A path of the command line, from where the command was started.
pub fn path(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    if text == "-" {
        return Ok(PathBuf::from(text));
    }
    Ok(guest(|guest| guest.call.directory.join(text)).unwrap_or_else(|| PathBuf::from(text)))
}
