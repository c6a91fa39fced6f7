//! HTTP client for a process on a Unix socket. Reads the answer line by line as it arrives.

use std::collections::VecDeque;

use axum::body::{Body, Bytes};
use futures::Stream;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The lines of an answer, read as they arrive.
pub(crate) struct Lines {
    body: Incoming,
    rest: Vec<u8>,
    lines: VecDeque<String>,
}

/// Posts a body to a path, piece by piece. Returns the lines of the answer, which may begin before the body ends.
pub(crate) async fn post(
    owner: UnixStream,
    path: &str,
    pieces: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
) -> Result<Lines, Failure> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(owner)).await?;
    // The connection ends with the answer. A failure of the connection appears as an error of the body.
    tokio::spawn(connection);
    let request = Request::post(path).header(header::HOST, "localhost").body(Body::from_stream(pieces))?;
    let response = sender.send_request(request).await?;
    if response.status() == StatusCode::NOT_FOUND {
        return Err("the running service is another version of annals; restart the service".into());
    }
    let status = response.status();
    if !status.is_success() {
        let problem = response.into_body().collect().await?.to_bytes();
        let problem: serde_json::Value = serde_json::from_slice(&problem).unwrap_or_default();
        return Err(problem["detail"].as_str().map_or_else(|| format!("it answers {status}"), str::to_owned).into());
    }
    Ok(Lines { body: response.into_body(), rest: Vec::new(), lines: VecDeque::new() })
}

impl Lines {
    /// Returns the rest of the answer as one text.
    pub(crate) async fn text(self) -> Result<String, Failure> {
        Ok(String::from_utf8(self.body.collect().await?.to_bytes().to_vec())?)
    }

    /// Returns the next line without its line break. None after the last; text after the last line break is dropped.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(Some(line));
            }
            let Some(frame) = self.body.frame().await else { return Ok(None) };
            if let Ok(data) = frame?.into_data() {
                self.take(&data)?;
            }
        }
    }

    fn take(&mut self, data: &[u8]) -> Result<(), Failure> {
        self.rest.extend_from_slice(data);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.lines.push_back(String::from_utf8(line[..end].to_vec())?);
        }
        Ok(())
    }
}
