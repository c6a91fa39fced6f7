//! Runs commands for other processes. One process owns the data folder. Every other process sends its command line to the owner
//! over a socket in the folder, which only the folder's user may open, and prints the output that comes back.

use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use annals_core::{Error, Result};
use annals_server::socket::post;
use annals_service::jobs::AlarmClock;
use axum::Router;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::State;
use axum::routing::post as on_post;
use clap::Parser;
use futures::stream::{Stream, StreamExt, once};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::io::ReaderStream;

use crate::cli::{Cli, Global};
use crate::console::{Call, Frame, RemoteCommand, on_behalf_of};
use crate::folder::Folder;
use crate::{commands, failure};

const NAME: &str = "annals.sock";
/// Capacity of the channels for pieces of input and lines of output; a full channel makes the sender wait.
const WAITING: usize = 16;
/// Maximum size of a command line with its environment, in bytes: larger than an operating system allows.
const LONGEST_CALL: usize = 8 << 20;
/// Bytes of input read at once.
const PIECE: usize = 64 * 1024;

/// Returns the path of the owner's socket.
pub fn place(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Listens for other processes of the same user.
pub fn listen(data: &Path) -> Result<UnixListener> {
    let place = place(data);
    let bind = || {
        // A killed owner leaves its socket behind. This process holds the folder's lock, so there is no other owner.
        match std::fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&place)?;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind().map_err(|cause| Error::storage(format!("cannot listen at {}", place.display()), cause))
}

/// Connects to the owner of the folder, if there is one.
pub async fn owner(data: &Path) -> Option<UnixStream> {
    UnixStream::connect(place(data)).await.ok()
}

/// Sends this process's command line to the owner, and prints the output. Standard input is streamed after the command.
pub async fn hand_over(owner: UnixStream, global: &Global) -> Result<ExitCode> {
    let failed = |cause| Error::storage("sending the command to the running service", cause);
    let mut call = serde_json::to_vec(&call(global)?).map_err(|cause| failed(cause.into()))?;
    call.push(b'\n');
    let reads_input = std::env::args().any(|word| word == "-");
    let input = reads_input.then(|| ReaderStream::with_capacity(tokio::io::stdin(), PIECE));
    let pieces = once(async { Ok(Bytes::from(call)) }).chain(futures::stream::iter(input).flatten());
    let mut lines = post(owner, "/command", pieces).await.map_err(failed)?;
    while let Some(line) = lines.next().await.map_err(failed)? {
        match serde_json::from_str(&line).map_err(|cause| failed(cause.into()))? {
            Frame::Out(text) => {
                if write!(io::stdout(), "{text}").is_err() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Frame::Err(text) => failure::print(&text),
            // A pending read of standard input would keep the process alive.
            Frame::Exit(code) if reads_input => std::process::exit(code.into()),
            Frame::Exit(code) => return Ok(ExitCode::from(code)),
        }
    }
    Err(Error::storage(
        "sending the command to the running service",
        "the service stopped before the command was finished",
    ))
}

fn call(global: &Global) -> Result<Call> {
    let directory = std::env::current_dir().map_err(|cause| Error::storage("finding the current directory", cause))?;
    let as_text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Ok(Call {
        args: std::env::args().skip(1).collect(),
        config: global.config.as_ref().map(|config| directory.join(config)),
        environment: std::env::vars_os().filter_map(as_text).collect(),
        directory,
        columns: textwrap::termwidth(),
        colours: io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    })
}

/// Returns the route on which other processes send their commands.
pub fn route(folder: Folder, alarm_clock: Arc<AlarmClock>) -> Router {
    Router::new().route("/command", on_post(run)).with_state((folder, alarm_clock))
}

async fn run(State((folder, alarm_clock)): State<(Folder, Arc<AlarmClock>)>, body: Body) -> Body {
    let (frames, received) = channel(WAITING);
    tokio::spawn(async move {
        let mut body = body.into_data_stream();
        match call_of(&mut body).await {
            Ok((call, first)) => {
                let (pieces, input) = channel(WAITING);
                let now = folder.service.now();
                let (folder, input) = (folder.at(now), Arc::new(Mutex::new(Some(input))));
                let remote = RemoteCommand { folder, alarm_clock, call, input, frames };
                // Command futures are not `Send`, and they block on input and output.
                let here = tokio::runtime::Handle::current();
                tokio::task::spawn_blocking(move || here.block_on(on_behalf_of(remote.clone(), answer(remote))));
                hand_on(first, body, &pieces).await;
            }
            Err(reason) => {
                let text = format!(
                    "annals: the running service cannot read this command: {reason}; if annals was updated, restart the service"
                );
                let _ = frames.send(Frame::Err(text)).await;
                let _ = frames.send(Frame::Exit(6)).await;
            }
        }
    });
    Body::from_stream(lines(received).boxed())
}

/// Reads the command at the beginning of a body. Also returns the input that arrived in the same piece.
async fn call_of(body: &mut BodyDataStream) -> std::result::Result<(Call, Bytes), String> {
    let mut head = Vec::new();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|error| error.to_string())?;
        if let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            head.extend_from_slice(&piece[..end]);
            let call = serde_json::from_slice(&head).map_err(|error| error.to_string())?;
            return Ok((call, piece.slice(end + 1..)));
        }
        head.extend_from_slice(&piece);
        if head.len() > LONGEST_CALL {
            return Err("it is longer than 8 MiB".into());
        }
    }
    Err("it is incomplete".into())
}

/// Forwards the input until it ends or the command stops reading it.
async fn hand_on(first: Bytes, body: BodyDataStream, pieces: &Sender<io::Result<Bytes>>) {
    let mut all = once(async { Ok(first) }).chain(body).boxed();
    while let Some(piece) = all.next().await {
        if pieces.send(piece.map_err(io::Error::other)).await.is_err() {
            return;
        }
    }
}

fn lines(received: Receiver<Frame>) -> impl Stream<Item = std::result::Result<String, std::convert::Infallible>> {
    futures::stream::unfold(received, |mut received| async {
        let frame = received.recv().await?;
        let line = serde_json::to_string(&frame).expect("frames are strings and numbers") + "\n";
        Some((Ok(line), received))
    })
}

async fn answer(remote: RemoteCommand) {
    let _busy = remote.folder.activity().begin();
    let words = std::iter::once("annals").chain(remote.call.args.iter().map(String::as_str));
    let code = match Cli::try_parse_from(words) {
        Ok(cli) => {
            let json = cli.global.json;
            // Parsing the arguments alone would use the environment variables and the current directory of this process.
            let (data, config) = (Some(remote.folder.path.clone()), remote.call.config.clone());
            match commands::dispatch(Global { data, config, ..cli.global }, cli.command).await {
                Ok(code) => u8::from(code != ExitCode::SUCCESS),
                Err(error) => {
                    let (text, code) = failure::tell(&error, json);
                    let _ = remote.frames.send(Frame::Err(text)).await;
                    code
                }
            }
        }
        Err(error) => {
            let _ = remote.frames.send(Frame::Err(error.to_string())).await;
            2
        }
    };
    let _ = remote.frames.send(Frame::Exit(code)).await;
}
