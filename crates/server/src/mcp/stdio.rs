//! Client side of a byte stream: copies between standard input and output and the socket of the process that owns the data
//! folder. Does not interpret what it copies.

use std::io;

use annals_core::ports::Scope;
use axum::body::Bytes;
use http_body_util::Empty;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use url::Url;

use super::stream::{PATH, PROTOCOL, SCOPES};

/// Copies until either side ends. When the input ends, the answers that are still to come are written first.
///
/// A read from standard input blocks a thread and cannot be interrupted. The caller must therefore end the process afterwards
/// instead of waiting for its runtime.
pub async fn relay(socket: UnixStream, agent: Option<&str>, scopes: &[Scope]) -> io::Result<()> {
    let stream = open(socket, agent, scopes).await?;
    pump(stream, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Opens a stream to the memory of one agent, or of any agent, with these scopes.
pub(super) async fn open(
    socket: UnixStream,
    agent: Option<&str>,
    scopes: &[Scope],
) -> io::Result<impl AsyncRead + AsyncWrite + Unpin + Send + 'static> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(socket)).await.map_err(io::Error::other)?;
    // This task ends with the answer. The stream continues without it.
    tokio::spawn(connection.with_upgrades());
    let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
    let request = Request::get(format!("{}?{SCOPES}{}", path(agent)?, scopes.join(",")))
        .header(header::HOST, "localhost")
        .header(header::CONNECTION, "upgrade")
        .header(header::UPGRADE, PROTOCOL)
        .body(Empty::<Bytes>::new())
        .map_err(io::Error::other)?;
    let answer = sender.send_request(request).await.map_err(io::Error::other)?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(io::Error::other(format!(
            "the running service answered {}; if annals was updated, restart the service",
            answer.status()
        )));
    }
    Ok(TokioIo::new(hyper::upgrade::on(answer).await.map_err(io::Error::other)?))
}

fn path(agent: Option<&str>) -> io::Result<String> {
    let Some(agent) = agent else { return Ok(PATH.to_owned()) };
    // `.` and `..` would be removed from the URL. Nobody names an agent like this on purpose.
    if matches!(agent, "." | ".." | "") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{agent:?} is not a valid agent name")));
    }
    let mut url = Url::parse("http://localhost").map_err(io::Error::other)?;
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(PATH.trim_start_matches('/')).push(agent);
    }
    Ok(url.path().to_owned())
}

/// Copies in both directions.
pub(super) async fn pump(
    stream: impl AsyncRead + AsyncWrite,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (mut from, mut to) = tokio::io::split(stream);
    let up = async {
        tokio::io::copy(&mut input, &mut to).await?;
        to.shutdown().await
    };
    let down = async {
        tokio::io::copy(&mut from, &mut output).await?;
        output.flush().await
    };
    tokio::pin!(up, down);
    tokio::select! {
        ended = &mut up => {
            ended?;
            down.await
        }
        ended = &mut down => ended,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_name_is_percent_encoded_in_the_path() {
        fn check(agent: Option<&str>, expect: &str) {
            assert_eq!(path(agent).unwrap(), expect);
        }
        check(None, "/stream");
        check(Some("ann"), "/stream/ann");
        check(Some("a/b ?%é"), "/stream/a%2Fb%20%3F%25%C3%A9");
        assert!(path(Some("..")).is_err());
    }

    #[tokio::test]
    async fn pending_answer_is_written_after_the_input_ends() {
        let (ours, theirs) = tokio::io::duplex(64);
        let answer = tokio::spawn(async move {
            let (mut from, mut to) = tokio::io::split(theirs);
            let mut input = Vec::new();
            tokio::io::copy(&mut from, &mut input).await.unwrap();
            to.write_all(b"answer to ").await.unwrap();
            to.write_all(&input).await.unwrap();
        });
        let mut output = Vec::new();
        pump(ours, &b"question"[..], &mut output).await.unwrap();
        answer.await.unwrap();
        assert_eq!(output, b"answer to question");
    }

    #[tokio::test]
    async fn copying_ends_with_the_stream_while_input_is_open() {
        let (ours, theirs) = tokio::io::duplex(64);
        let (_held_open, input) = tokio::io::duplex(64);
        drop(theirs);
        pump(ours, input, tokio::io::sink()).await.unwrap();
    }
}
