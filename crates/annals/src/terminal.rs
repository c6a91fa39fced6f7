//! Where the words of a command go, and where it reads: this process's terminal and directory, or those of another process on
//! whose behalf the owner of the folder runs the command.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use annals_server::jobs::AlarmClock;
use axum::body::Bytes;
use futures::executor::block_on;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::unconstrained;

use crate::folder::Folder;
use crate::visible::visible;

/// Another process, for which a command runs here.
#[derive(Clone)]
pub struct Guest {
    /// The folder that this process owns.
    pub folder: Folder,
    /// What this process does by itself.
    pub alarm_clock: Arc<AlarmClock>,
    /// What the other process looks like.
    pub call: Call,
    /// What it has on its standard input, piece by piece as it comes.
    pub input: Arc<Mutex<Option<Receiver<io::Result<Bytes>>>>>,
    /// What it is to do. Whoever sends faster than the other process prints waits.
    pub frames: Sender<Frame>,
}

/// A command of another process. No `Debug`: its environment may hold keys.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its words, without the program's name.
    pub args: Vec<String>,
    /// Where it was started: relative paths begin there.
    pub directory: PathBuf,
    /// The configuration that it was started with, by a flag or a variable.
    pub config: Option<PathBuf>,
    /// Its environment, as far as it is text.
    pub environment: Vec<(String, String)>,
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

/// Prints words for people to standard output, without colours where nobody sees them. What a terminal would obey, or a reader not
/// see, is shown as an escape: words of memories are anybody's.
pub fn print(words: fmt::Arguments<'_>) {
    print_text(&visible(&words.to_string()));
}

/// Prints as it is, for programs.
pub fn print_raw(words: fmt::Arguments<'_>) {
    print_text(&words.to_string());
}

/// Prints a line to standard error.
pub fn print_error(text: &str) {
    let sent = guest(|guest| {
        let _ = block_on(unconstrained(guest.frames.send(Frame::Err(text.to_owned()))));
    });
    if sent.is_none() {
        crate::failure::print(text);
    }
}

/// A reader that went away (`| head`) ends the command quietly.
fn print_text(text: &str) {
    let sent = guest(|guest| {
        let text = if guest.call.colours { text.to_owned() } else { anstream::adapter::strip_str(text).to_string() };
        // A process that went away needs no words. Commands of guests run on threads that may block.
        let _ = block_on(unconstrained(guest.frames.send(Frame::Out(text))));
    });
    if sent.is_none() && write!(anstream::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Standard input, to its end.
pub fn input() -> Box<dyn Read> {
    let received = guest(|guest| guest.input.lock().unwrap_or_else(PoisonError::into_inner).take());
    match received {
        Some(pieces) => Box::new(Piped { pieces, piece: Bytes::new() }),
        None => Box::new(io::stdin()),
    }
}

/// The standard input of another process. Ends where that one's ends; an error if the process went away before.
struct Piped {
    /// None if it was read before.
    pieces: Option<Receiver<io::Result<Bytes>>>,
    piece: Bytes,
}

impl Read for Piped {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            let Some(pieces) = &mut self.pieces else { return Ok(0) };
            // Without a budget: within one poll of the command nothing would fill it up again.
            match block_on(unconstrained(pieces.recv())) {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        let length = into.len().min(self.piece.len());
        into[..length].copy_from_slice(&self.piece.split_to(length));
        Ok(length)
    }
}

/// The environment of whoever gave the command.
pub fn environment() -> Vec<(OsString, OsString)> {
    let of_guest = guest(|guest| guest.call.environment.clone());
    let as_os = |(name, value): (String, String)| (name.into(), value.into());
    of_guest.map_or_else(|| std::env::vars_os().collect(), |pairs| pairs.into_iter().map(as_os).collect())
}

/// A variable of that environment.
pub fn variable(name: &str) -> Option<String> {
    let found = environment().into_iter().find(|(known, _)| known.to_str() == Some(name));
    found.and_then(|(_, value)| value.into_string().ok())
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
