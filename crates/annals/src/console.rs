//! Input and output of a command. They belong to this process, or to another process for which the owner of the folder runs the
//! command: then its standard streams, directory, environment and terminal width are used.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use annals_service::jobs::AlarmClock;
use axum::body::Bytes;
use futures::executor::block_on;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::unconstrained;

use crate::folder::Folder;
use crate::visible::visible;

/// Another process, for which this process runs a command.
#[derive(Clone)]
pub struct RemoteCommand {
    /// The folder that this process owns.
    pub folder: Folder,
    /// The scheduled jobs of this process.
    pub alarm_clock: Arc<AlarmClock>,
    /// The command line and environment of the other process.
    pub call: Call,
    /// The standard input of the other process, in pieces as they arrive.
    pub input: Arc<Mutex<Option<Receiver<io::Result<Bytes>>>>>,
    /// Output to the other process. The bounded channel makes a fast sender wait until the other process has printed.
    pub frames: Sender<Frame>,
}

/// A command of another process. Has no `Debug`, because the environment may hold keys.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its arguments, without the program's name.
    pub args: Vec<String>,
    /// Its current directory; relative paths start there.
    pub directory: PathBuf,
    /// The configuration file that it was started with, by flag or variable.
    pub config: Option<PathBuf>,
    /// Its environment variables, as far as they are UTF-8.
    pub environment: Vec<(String, String)>,
    /// Width of its terminal, in columns.
    pub columns: usize,
    /// Whether its terminal shows colours.
    pub colours: bool,
}

/// An instruction to the other process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// Print to standard output.
    Out(String),
    /// Print to standard error.
    Err(String),
    /// Exit with this code.
    Exit(u8),
}

tokio::task_local! {
    static REMOTE: RemoteCommand;
}

/// Runs a command on behalf of another process.
pub async fn on_behalf_of<F: Future>(remote: RemoteCommand, command: F) -> F::Output {
    REMOTE.scope(remote, command).await
}

/// Applies `look` to the other process. Returns `None` if the command runs for this process itself.
pub fn remote<T>(look: impl FnOnce(&RemoteCommand) -> T) -> Option<T> {
    REMOTE.try_with(look).ok()
}

/// Prints text for people to standard output, without colours unless a terminal shows them. Escapes control sequences and
/// invisible characters: the text of memories is untrusted.
pub fn print(words: fmt::Arguments<'_>) {
    print_text(&visible(&words.to_string()));
}

/// Prints text for programs to standard output, unchanged.
pub fn print_raw(words: fmt::Arguments<'_>) {
    print_text(&words.to_string());
}

/// Prints a line to standard error.
pub fn print_error(text: &str) {
    let sent = remote(|remote| {
        let _ = block_on(unconstrained(remote.frames.send(Frame::Err(text.to_owned()))));
    });
    if sent.is_none() {
        crate::failure::print(text);
    }
}

/// A closed pipe (`| head`) ends the command quietly.
fn print_text(text: &str) {
    let sent = remote(|remote| {
        let text = if remote.call.colours { text.to_owned() } else { anstream::adapter::strip_str(text).to_string() };
        // If the other process is gone, the output is dropped. Blocking is allowed: these commands run on blocking threads.
        let _ = block_on(unconstrained(remote.frames.send(Frame::Out(text))));
    });
    if sent.is_none() && write!(anstream::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Returns standard input as a reader.
pub fn input() -> Box<dyn Read> {
    let received = remote(|remote| remote.input.lock().unwrap_or_else(PoisonError::into_inner).take());
    match received {
        Some(pieces) => Box::new(Piped { pieces, piece: Bytes::new() }),
        None => Box::new(io::stdin()),
    }
}

/// The standard input of another process. Ends where that ends; returns an error if the process went away before.
struct Piped {
    /// None if standard input was taken before.
    pieces: Option<Receiver<io::Result<Bytes>>>,
    piece: Bytes,
}

impl Read for Piped {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            let Some(pieces) = &mut self.pieces else { return Ok(0) };
            // Tokio's cooperative budget is renewed only between polls of the command, and this read blocks within one.
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

/// Returns the environment of the process that gave the command.
pub fn environment() -> Vec<(OsString, OsString)> {
    let of_guest = remote(|remote| remote.call.environment.clone());
    let as_os = |(name, value): (String, String)| (name.into(), value.into());
    of_guest.map_or_else(|| std::env::vars_os().collect(), |pairs| pairs.into_iter().map(as_os).collect())
}

/// Returns one variable of that environment.
pub fn variable(name: &str) -> Option<String> {
    let found = environment().into_iter().find(|(known, _)| known.to_str() == Some(name));
    found.and_then(|(_, value)| value.into_string().ok())
}

/// Returns the width for output, in columns.
pub fn columns() -> usize {
    remote(|remote| remote.call.columns).unwrap_or_else(textwrap::termwidth)
}

/// Resolves a path argument relative to the directory where the command was started.
pub fn path(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    if text == "-" {
        return Ok(PathBuf::from(text));
    }
    Ok(remote(|remote| remote.call.directory.join(text)).unwrap_or_else(|| PathBuf::from(text)))
}
