//! The side of the command: sends a call to the process that owns the data folder, and reads its frames.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_core::{Error, Result, Timestamp};
use annals_service::calls::Call;
use annals_service::{ProgressSink, Stage};
use axum::body::Bytes;
use futures::stream::{BoxStream, Stream, StreamExt, once};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::UnixStream;

use super::frame::{Frame, Head};
use super::socket::post;
use super::{PATH, VERSION};

const CALLING: &str = "calling the running service";

/// The items that come with a request, in order.
pub type Items = BoxStream<'static, Result<Value>>;

/// What a call has besides its request.
pub struct Options<'a> {
    /// Time that the operation uses as the current time; `None` for the clock of the service.
    pub now: Option<Timestamp>,
    /// Shows the progress of the operation to the user.
    pub progress: &'a dyn ProgressSink,
    /// Items of input, sent after the request.
    pub input: Items,
    /// Receives the items of output in order, while the call runs.
    pub output: &'a mut (dyn FnMut(Value) -> Result<()> + Send),
}

/// Makes a call over a connection to the owner of the data folder, and returns its answer. Returns the same error that the
/// operation returns there.
pub async fn call<C: Call>(owner: UnixStream, request: &C, options: Options<'_>) -> Result<C::Answer> {
    let Options { now, progress, input, output } = options;
    let head = Head {
        version: VERSION.to_owned(),
        call: C::NAME.to_owned(),
        now,
        shows_progress: progress.is_shown(),
        request: serde_json::to_value(request).map_err(failed)?,
    };
    let head = serde_json::to_value(head).map_err(failed)?;
    let own_error = Arc::new(Mutex::new(None));
    let answered = receive::<C>(owner, body(head, input, own_error.clone()), progress, output).await;
    // If the input could not be read, the service only reports that the input ends early.
    let own_error = own_error.lock().take();
    own_error.map_or(answered, Err)
}

async fn receive<C: Call>(
    owner: UnixStream,
    body: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
    progress: &dyn ProgressSink,
    output: &mut (dyn FnMut(Value) -> Result<()> + Send),
) -> Result<C::Answer> {
    let mut lines = post(owner, PATH, body).await.map_err(failed)?;
    let mut stages: BTreeMap<u64, Box<dyn Stage>> = BTreeMap::new();
    while let Some(line) = lines.next().await.map_err(stopped)? {
        let unreadable = |error| other_version("another", &format!("its answer cannot be read: {error}"));
        match serde_json::from_str::<Frame<C::Answer>>(&line).map_err(unreadable)? {
            Frame::Begin { stage, name, items } => drop(stages.insert(stage, progress.begin(&name, items))),
            Frame::Advance { stage, items } => stages.get(&stage).into_iter().for_each(|stage| stage.advance(items)),
            Frame::Note { stage, text } => stages.get(&stage).into_iter().for_each(|stage| stage.note(&text)),
            Frame::End { stage } => drop(stages.remove(&stage)),
            Frame::Item(item) => output(item)?,
            Frame::Answer(answer) => return Ok(answer),
            Frame::Failed(error) => return Err(error.into()),
            Frame::NotUnderstood { version, reason } => return Err(other_version(&version, &reason)),
        }
    }
    Err(stopped("its answer ends before its last line"))
}

/// Returns the lines of a call. Keeps the first error of the input in `own_error`, and ends there.
fn body(
    head: Value,
    input: Items,
    own_error: Arc<Mutex<Option<Error>>>,
) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    once(async { Ok(head) }).chain(input).map(move |item| match item {
        Ok(item) => Ok(Bytes::from(format!("{item}\n"))),
        Err(error) => {
            *own_error.lock() = Some(error);
            Err(std::io::Error::other("the input cannot be read"))
        }
    })
}

fn failed(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::storage(CALLING, cause)
}

/// Returns the error for an answer that ends before its last line. The outcome of the operation is then unknown. The error asks
/// the user to run the command again.
fn stopped(cause: impl std::fmt::Display) -> Error {
    failed(format!("the service stopped before the command was finished: {cause}; run the command again"))
}

fn other_version(theirs: &str, reason: &str) -> Error {
    failed(format!(
        "the running service is version {theirs}, this command is version {VERSION}, and {reason}; restart the service"
    ))
}
