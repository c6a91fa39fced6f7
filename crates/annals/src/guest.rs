//! Commands on behalf of other processes. One process owns the data folder; every other one hands its command line to it over a
//! socket in the folder, which only the folder's user may open, and prints what comes back.

use std::io::{IsTerminal, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use annals_core::{Error, Result};
use annals_server::jobs::AlarmClock;
use annals_server::socket::post;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::routing::post as on_post;
use clap::Parser;
use futures::StreamExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::unbounded_channel;

use crate::cli::Cli;
use crate::folder::Folder;
use crate::terminal::{Call, Frame, Guest, on_behalf_of};
use crate::{commands, failure};

const NAME: &str = "annals.sock";

/// Where the owner of a folder listens.
pub fn place(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Listens for other processes of the same user.
pub fn listen(data: &Path) -> Result<UnixListener> {
    let place = place(data);
    let bind = || {
        // Left by an owner that was killed; the folder's lock says that there is no other.
        match std::fs::remove_file(&place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&place)?;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind().map_err(|cause| Error::storage(format!("cannot listen at {}", place.display()), cause))
}

/// A connection to the folder's owner, if there is one.
pub async fn owner(data: &Path) -> Option<UnixStream> {
    UnixStream::connect(place(data)).await.ok()
}

/// Has the owner run this process's command line, and prints what comes back.
pub async fn hand_over(owner: UnixStream) -> Result<ExitCode> {
    let failed = |cause| Error::storage("asking the process that owns the data folder", cause);
    let mut body = serde_json::to_vec(&call()?).map_err(|cause| failed(cause.into()))?;
    body.push(b'\n');
    if std::env::args().any(|word| word == "-") {
        std::io::stdin().read_to_end(&mut body).map_err(|cause| failed(cause.into()))?;
    }
    let mut lines = post(owner, "/command", body).await.map_err(failed)?;
    while let Some(line) = lines.next().await.map_err(failed)? {
        match serde_json::from_str(&line).map_err(|cause| failed(cause.into()))? {
            Frame::Out(text) => {
                if write!(std::io::stdout(), "{text}").is_err() {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            Frame::Err(text) => failure::print(&text),
            Frame::Exit(code) => return Ok(ExitCode::from(code)),
        }
    }
    Err(Error::storage("asking the process that owns the data folder", "it stopped before the command was done"))
}

fn call() -> Result<Call> {
    let directory = std::env::current_dir().map_err(|cause| Error::storage("finding the current directory", cause))?;
    Ok(Call {
        args: std::env::args().skip(1).collect(),
        directory,
        columns: textwrap::termwidth(),
        colours: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    })
}

/// The route by which other processes hand over their commands.
pub fn route(folder: Folder, alarm_clock: Arc<AlarmClock>) -> Router {
    Router::new().route("/command", on_post(run)).with_state((folder, alarm_clock))
}

async fn run(State((folder, alarm_clock)): State<(Folder, Arc<AlarmClock>)>, body: Bytes) -> Body {
    let (frames, received) = unbounded_channel();
    let end = body.iter().position(|byte| *byte == b'\n').unwrap_or(body.len());
    match serde_json::from_slice(&body[..end]) {
        Ok(call) => {
            let input = body[(end + 1).min(body.len())..].to_vec();
            let now = folder.service.now();
            let folder = folder.at(now);
            let guest = Guest { folder, alarm_clock, call, input, frames };
            // Commands hold what belongs to their thread.
            let here = tokio::runtime::Handle::current();
            tokio::task::spawn_blocking(move || here.block_on(on_behalf_of(guest.clone(), answer(guest))));
        }
        Err(error) => {
            let _ = frames.send(Frame::Err(format!("annals: the other process speaks differently: {error}")));
            let _ = frames.send(Frame::Exit(6));
        }
    }
    let frames = futures::stream::unfold(received, |mut received| async {
        let frame = received.recv().await?;
        let line = serde_json::to_string(&frame).expect("frames are strings and numbers") + "\n";
        Some((Ok::<_, std::convert::Infallible>(line), received))
    });
    Body::from_stream(frames.boxed())
}

async fn answer(guest: Guest) {
    let _busy = guest.folder.activity().begin();
    let words = std::iter::once("annals").chain(guest.call.args.iter().map(String::as_str));
    let code = match Cli::try_parse_from(words) {
        Ok(cli) => {
            let json = cli.global.json;
            match commands::dispatch(cli.global, cli.command).await {
                Ok(code) => u8::from(code != ExitCode::SUCCESS),
                Err(error) => {
                    let (text, code) = failure::tell(&error, json);
                    let _ = guest.frames.send(Frame::Err(text));
                    code
                }
            }
        }
        Err(error) => {
            let _ = guest.frames.send(Frame::Err(error.to_string()));
            2
        }
    };
    let _ = guest.frames.send(Frame::Exit(code));
}
