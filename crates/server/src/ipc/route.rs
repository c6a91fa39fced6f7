//! The side of the service: reads a call, runs it, and sends frames while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::{Error, Result};
use annals_service::calls::{Context, Host, Input, Output, Refusal, answer};
use annals_service::{NoProgress, ProgressSink, Stage};
use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, BodyDataStream};
use axum::extract::State;
use axum::routing::post;
use futures::stream::{Stream, StreamExt};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::frame::{Frame, Head};
use super::{PATH, VERSION};

/// Capacity of the channel of frames to the caller. While it is full, the operation waits with items of output, and delays or
/// drops frames of progress.
const WAITING: usize = 64;
/// Maximum size of a line in bytes: 8 MiB, larger than any request or record.
const MAX_LINE_LENGTH: usize = 8 << 20;

/// Returns the route on which other processes make calls.
pub fn route(host: Arc<dyn Host>) -> Router {
    Router::new().route(PATH, post(receive)).with_state(host)
}

async fn receive(State(host): State<Arc<dyn Host>>, body: Body) -> Body {
    let (frames, received) = channel(WAITING);
    // Runs in a task of its own, so that an operation that has begun is completed even if the caller disconnects.
    tokio::spawn(async move {
        let _busy = host.service().activity().begin();
        let mut body = BodyLines::new(body);
        let last = run(&*host, &mut body, &frames).await;
        let _ = frames.send(last).await;
        // Reads the rest of the input before the answer is closed. If the service closed the connection earlier, a caller that
        // still sends input could lose the answer.
        body.drain().await;
    });
    Body::from_stream(lines(received))
}

/// Reads the first line of a call and runs the call. Returns the last frame of the answer.
async fn run(host: &dyn Host, body: &mut BodyLines, frames: &Sender<Frame>) -> Frame {
    let head: Head = match body.line().await {
        Ok(Some(line)) => match serde_json::from_slice(&line) {
            Ok(head) => head,
            Err(error) => return not_understood(format!("the service cannot read the call: {error}")),
        },
        Ok(None) => return not_understood("the call is incomplete".into()),
        Err(reason) => return not_understood(format!("the service cannot read the call: {reason}")),
    };
    let progress: Box<dyn ProgressSink + Send> = match head.shows_progress {
        true => Box::new(FrameProgress { frames: frames.clone(), stages: AtomicU64::new(0) }),
        false => Box::new(NoProgress),
    };
    let context = Context {
        host,
        now: head.now.unwrap_or_else(|| host.service().now()),
        progress: &*progress,
        input: body,
        output: &mut FrameOutput(frames.clone()),
    };
    match answer(&head.call, head.request, context).await {
        Ok(answer) => Frame::Answer(answer),
        Err(Refusal::Failed(error)) => Frame::Failed(error.into()),
        Err(Refusal::Unknown) => not_understood(format!("the service does not know the call {:?}", head.call)),
        Err(Refusal::Unreadable(error)) => {
            not_understood(format!("the service cannot read the request of {:?}: {error}", head.call))
        }
    }
}

fn not_understood(reason: String) -> Frame {
    Frame::NotUnderstood { version: VERSION.to_owned(), reason }
}

fn lines(received: Receiver<Frame>) -> impl Stream<Item = std::result::Result<String, std::convert::Infallible>> {
    futures::stream::unfold(received, |mut received| async {
        let frame = received.recv().await?;
        let line = serde_json::to_string(&frame).expect("frames are plain data") + "\n";
        Some((Ok(line), received))
    })
}

/// The lines of a body, as they arrive. The lines after the first are the input of the call.
struct BodyLines {
    body: BodyDataStream,
    rest: Vec<u8>,
    /// Number of bytes at the start of `rest` that contain no line break.
    searched: usize,
}

impl BodyLines {
    fn new(body: Body) -> BodyLines {
        BodyLines { body: body.into_data_stream(), rest: Vec::new(), searched: 0 }
    }

    /// Reads until the caller has sent everything or has disconnected.
    async fn drain(&mut self) {
        while let Some(Ok(_)) = self.body.next().await {}
    }

    /// Returns the next line without its line break. `None` after the last line. A last line without a line break is an
    /// error, because the sender disconnected within it.
    async fn line(&mut self) -> std::result::Result<Option<Vec<u8>>, String> {
        loop {
            if let Some(end) = self.rest[self.searched..].iter().position(|byte| *byte == b'\n') {
                let after = self.rest.split_off(self.searched + end + 1);
                let mut line = std::mem::replace(&mut self.rest, after);
                line.pop();
                self.searched = 0;
                return Ok(Some(line));
            }
            self.searched = self.rest.len();
            if self.rest.len() > MAX_LINE_LENGTH {
                return Err(format!("a line is longer than {} MiB", MAX_LINE_LENGTH >> 20));
            }
            match self.body.next().await {
                Some(Ok(piece)) => self.rest.extend_from_slice(&piece),
                Some(Err(error)) => return Err(error.to_string()),
                None if self.rest.is_empty() => return Ok(None),
                None => return Err("it ends within a line".into()),
            }
        }
    }
}

#[async_trait]
impl Input for BodyLines {
    async fn next(&mut self) -> Result<Option<Value>> {
        let failed = |reason: String| Error::storage("reading the input of the command", reason);
        let line = self.line().await.map_err(failed)?;
        line.map(|line| serde_json::from_slice(&line).map_err(|error| failed(error.to_string()))).transpose()
    }
}

/// An output that sends items to the caller. Waits while the caller is slow, and drops items if it has disconnected.
struct FrameOutput(Sender<Frame>);

#[async_trait]
impl Output for FrameOutput {
    async fn send(&mut self, item: Value) -> Result<()> {
        let _ = self.0.send(Frame::Item(item)).await;
        Ok(())
    }
}

/// Sends progress to the caller, and never waits for room in the channel. The frame that begins a stage is kept until there is
/// room, and counts are added to the next count. Other frames are dropped if there is no room.
struct FrameProgress {
    frames: Sender<Frame>,
    stages: AtomicU64,
}

struct FrameStage {
    frames: Sender<Frame>,
    stage: u64,
    /// The frame that begins the stage; `None` once it is sent.
    begin: Mutex<Option<Frame>>,
    unsent: AtomicU64,
}

impl ProgressSink for FrameProgress {
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage> {
        let number = self.stages.fetch_add(1, Ordering::Relaxed);
        let begin = Mutex::new(Some(Frame::Begin { stage: number, name: stage.to_owned(), items }));
        let stage = FrameStage { frames: self.frames.clone(), stage: number, begin, unsent: AtomicU64::new(0) };
        stage.begin();
        Box::new(stage)
    }

    fn is_shown(&self) -> bool {
        true
    }
}

impl FrameStage {
    /// Sends the frame that begins the stage, unless it was sent before. Returns whether it is sent by now.
    fn begin(&self) -> bool {
        let mut begin = self.begin.lock();
        if begin.is_some()
            && let Ok(permit) = self.frames.try_reserve()
            && let Some(frame) = begin.take()
        {
            permit.send(frame);
        }
        begin.is_none()
    }

    fn send(&self, frame: Frame) {
        if self.begin() {
            let _ = self.frames.try_send(frame);
        }
    }
}

impl Stage for FrameStage {
    fn advance(&self, items: u64) {
        self.unsent.fetch_add(items, Ordering::Relaxed);
        if self.begin()
            && let Ok(permit) = self.frames.try_reserve()
        {
            permit.send(Frame::Advance { stage: self.stage, items: self.unsent.swap(0, Ordering::Relaxed) });
        }
    }

    fn note(&self, text: &str) {
        self.send(Frame::Note { stage: self.stage, text: text.to_owned() });
    }
}

impl Drop for FrameStage {
    fn drop(&mut self) {
        self.send(Frame::End { stage: self.stage });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stage_that_begins_while_the_channel_is_full_is_sent_with_its_counts() {
        let (frames, mut received) = channel(2);
        let progress = FrameProgress { frames: frames.clone(), stages: AtomicU64::new(0) };
        frames.try_send(Frame::Item(Value::Null)).unwrap();
        frames.try_send(Frame::Item(Value::Null)).unwrap();
        let stage = progress.begin("embedding", 9);
        stage.advance(4);
        while received.try_recv().is_ok() {}
        stage.advance(5);
        assert!(matches!(received.try_recv(), Ok(Frame::Begin { stage: 0, items: 9, .. })));
        assert!(matches!(received.try_recv(), Ok(Frame::Advance { stage: 0, items: 9 })));
    }
}
