//! Client side of a byte stream: transfers messages between standard input and output and the process that owns the data
//! folder. If that process ends, the conversation continues with the next one: requests without an answer are sent again.

use std::io;
use std::time::Duration;

use annals_core::ports::Scope;
use axum::body::Bytes;
use http_body_util::Empty;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use url::Url;

use super::session::{Session, refusal};
use super::stream::{CONVERSATION, PATH, PROTOCOL, SCOPES};

/// Maximum number of attempts to open a stream, and the time between two attempts. An owner that is ending may accept a
/// connection and close it.
const ATTEMPTS: u32 = 50;
const STEP: Duration = Duration::from_millis(100);

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Transfers messages until the input ends, then the remaining answers. `connect` connects to the owner of the data folder;
/// it is called again when an owner ends.
///
/// A read from standard input blocks a thread and cannot be interrupted. The caller must therefore end the process afterwards
/// instead of waiting for its runtime.
pub async fn relay(
    connect: impl AsyncFn() -> annals_core::Result<UnixStream>,
    agent: Option<&str>,
    scopes: &[Scope],
) -> annals_core::Result<()> {
    let failed = |cause| annals_core::Error::storage("the MCP connection to the running service", cause);
    let target = Target { agent, scopes, conversation: &random_name()? };
    let mut session = Session::default();
    let mut input = BufReader::new(tokio::io::stdin()).lines();
    let mut output = tokio::io::stdout();
    loop {
        let stream = open_next(&connect, &target).await?;
        let ended = transfer(&mut session, stream, &mut input, &mut output).await.map_err(failed)?;
        if ended == Ended::Input || !next_request(&mut session, &mut input, &mut output).await.map_err(failed)? {
            return Ok(());
        }
    }
}

/// The agent, the scopes and the conversation of a stream.
pub(super) struct Target<'a> {
    /// The agent that the tools use; `None` for all agents of the workspace.
    pub(super) agent: Option<&'a str>,
    /// The scopes that the tools have.
    pub(super) scopes: &'a [Scope],
    /// Random name of the conversation. The service recognises by it calls that are sent again over another stream.
    pub(super) conversation: &'a str,
}

fn random_name() -> annals_core::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| annals_core::Error::storage("choosing a random name", error))?;
    Ok(annals_core::Digest::of([&bytes]).to_string())
}

/// Opens a stream to the present owner. Tries again, up to [`ATTEMPTS`] times, if the owner ends meanwhile.
async fn open_next<C: AsyncFn() -> annals_core::Result<UnixStream>>(
    connect: &C,
    target: &Target<'_>,
) -> annals_core::Result<impl AsyncRead + AsyncWrite + Unpin + Send + use<C>> {
    let failed = |cause| annals_core::Error::storage("the MCP connection to the running service", cause);
    for _ in 1..ATTEMPTS {
        match open(connect().await?, target).await {
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => tokio::time::sleep(STEP).await,
            opened => return opened.map_err(failed),
        }
    }
    open(connect().await?, target).await.map_err(failed)
}

/// Opens a stream. Returns an error of kind [`io::ErrorKind::ConnectionAborted`] if the owner ended meanwhile.
pub(super) async fn open(
    socket: UnixStream,
    target: &Target<'_>,
) -> io::Result<impl AsyncRead + AsyncWrite + Unpin + Send + use<>> {
    let gone = |cause| io::Error::new(io::ErrorKind::ConnectionAborted, cause);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(socket)).await.map_err(gone)?;
    // This task ends with the answer. The stream continues without it.
    tokio::spawn(connection.with_upgrades());
    let scopes: Vec<&str> = target.scopes.iter().map(|scope| scope.as_str()).collect();
    let request = Request::get(format!("{}?{SCOPES}{}", path(target.agent)?, scopes.join(",")))
        .header(header::HOST, "localhost")
        .header(header::CONNECTION, "upgrade")
        .header(header::UPGRADE, PROTOCOL)
        .header(CONVERSATION, target.conversation)
        .body(Empty::<Bytes>::new())
        .map_err(io::Error::other)?;
    let answer = sender.send_request(request).await.map_err(gone)?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Err(io::Error::other(format!(
            "the running service answered {}; if annals was updated, restart the service",
            answer.status()
        )));
    }
    Ok(TokioIo::new(hyper::upgrade::on(answer).await.map_err(gone)?))
}

fn path(agent: Option<&str>) -> io::Result<String> {
    let Some(agent) = agent else { return Ok(PATH.to_owned()) };
    // A URL cannot hold the path segments `.` and `..`. Nobody names an agent like this on purpose.
    if matches!(agent, "." | ".." | "") {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{agent:?} is not a valid agent name")));
    }
    let mut url = Url::parse("http://localhost").map_err(io::Error::other)?;
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(PATH.trim_start_matches('/')).push(agent);
    }
    Ok(url.path().to_owned())
}

/// Why a transfer ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    /// The input ended, and every request is answered.
    Input,
    /// The stream ended, or left a request without an answer.
    Stream,
}

/// Records that an owner ended, and waits until there is a request to send: one without an answer, or the next one of the
/// input. Connecting without a request could start an owner that nobody needs. Returns false at the end of the input.
async fn next_request(
    session: &mut Session,
    input: &mut Lines<impl AsyncBufRead + Unpin>,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<bool> {
    session.owner_ended();
    while !session.is_waiting() {
        let Some(line) = input.next_line().await? else { return Ok(false) };
        match refusal(&line) {
            Some(error) => send(output, &error).await?,
            None => session.record_request(&line),
        }
    }
    Ok(true)
}

/// Continues the conversation over one stream, until the stream or the input ends.
async fn transfer(
    session: &mut Session,
    stream: impl AsyncRead + AsyncWrite,
    input: &mut Lines<impl AsyncBufRead + Unpin>,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<Ended> {
    let (from, mut to) = tokio::io::split(stream);
    let mut answers = BufReader::new(from).lines();
    if !resume(session, &mut answers, &mut to, output).await? {
        return Ok(Ended::Stream);
    }
    let (shared, output) = (Mutex::new(session), tokio::sync::Mutex::new(output));
    let up = async {
        while let Some(line) = input.next_line().await? {
            if let Some(error) = refusal(&line) {
                send(*output.lock().await, &error).await?;
                continue;
            }
            lock(&shared).record_request(&line);
            // The line was not sent, but it is recorded, so the next owner gets it.
            if send(&mut to, &line).await.is_err() {
                return Ok(Ended::Stream);
            }
        }
        let _ = to.shutdown().await;
        io::Result::Ok(Ended::Input)
    };
    let down = async {
        // An error of the stream is treated like its end.
        while let Ok(Some(line)) = answers.next_line().await {
            send(*output.lock().await, &line).await?;
            lock(&shared).answered(&line);
        }
        io::Result::Ok(())
    };
    tokio::pin!(up, down);
    let ended = tokio::select! {
        ended = &mut up => {
            let ended = ended?;
            down.await?;
            ended
        }
        ended = &mut down => {
            ended?;
            Ended::Stream
        }
    };
    Ok(if lock(&shared).is_waiting() { Ended::Stream } else { ended })
}

/// Sends the messages that continue the conversation with a new owner. Returns false if the stream ended meanwhile.
async fn resume(
    session: &mut Session,
    answers: &mut Lines<impl AsyncBufRead + Unpin>,
    to: &mut (impl AsyncWrite + Unpin),
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<bool> {
    let resumption = session.resume();
    for error in &resumption.errors {
        send(output, error).await?;
    }
    let sending = async {
        if let Some(hello) = &resumption.hello {
            send(to, hello).await?;
            answers.next_line().await?.ok_or(io::ErrorKind::UnexpectedEof)?;
            send(to, INITIALIZED).await?;
        }
        for request in &resumption.requests {
            send(to, request).await?;
        }
        io::Result::Ok(())
    };
    Ok(sending.await.is_ok())
}

async fn send(to: &mut (impl AsyncWrite + Unpin), line: &str) -> io::Result<()> {
    to.write_all(format!("{line}\n").as_bytes()).await?;
    to.flush().await
}

fn lock<'a, T>(shared: &'a Mutex<T>) -> MutexGuard<'a, T> {
    shared.lock()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

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

    const QUESTION: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

    /// Acts as an owner: reads lines until one contains `until` or the stream ends, writes `answer`, and closes. Returns the
    /// lines.
    async fn owner(stream: tokio::io::DuplexStream, until: &str, answer: &str) -> Vec<String> {
        let (from, mut to) = tokio::io::split(stream);
        let (mut lines, mut read) = (BufReader::new(from).lines(), Vec::new());
        while let Some(line) = lines.next_line().await.unwrap() {
            read.push(line);
            if read.last().unwrap().contains(until) {
                break;
            }
        }
        to.write_all(answer.as_bytes()).await.unwrap();
        read
    }

    #[tokio::test]
    async fn pending_answer_is_written_after_the_input_ends() {
        let (ours, theirs) = tokio::io::duplex(256);
        let answering = tokio::spawn(owner(theirs, "never", ANSWER));
        let (mut session, mut output) = (Session::default(), Vec::new());
        let ended = transfer(&mut session, ours, &mut QUESTION.as_bytes().lines(), &mut output).await.unwrap();
        assert_eq!((answering.await.unwrap(), ended), (vec![QUESTION.to_owned()], Ended::Input));
        assert_eq!(String::from_utf8(output).unwrap(), format!("{ANSWER}\n"));
    }

    #[tokio::test]
    async fn unreadable_line_is_answered_and_not_sent() {
        let (ours, theirs) = tokio::io::duplex(256);
        let answering = tokio::spawn(owner(theirs, "tools/call", ANSWER));
        let (mut session, mut output) = (Session::default(), Vec::new());
        let input = format!("garbage\n{QUESTION}\n");
        transfer(&mut session, ours, &mut input.as_bytes().lines(), &mut output).await.unwrap();
        assert_eq!(answering.await.unwrap(), [QUESTION]);
        let answers = String::from_utf8(output).unwrap();
        assert!(answers.contains("-32700") && answers.ends_with(&format!("{ANSWER}\n")), "{answers}");
    }

    #[tokio::test]
    async fn request_of_an_owner_that_ends_is_sent_to_the_next() {
        let (_open, input) = tokio::io::duplex(64);
        let question = format!("{QUESTION}\n");
        let mut input = BufReader::new(question.as_bytes().chain(input)).lines();
        let (mut session, mut output) = (Session::default(), Vec::new());
        for answer in ["", ANSWER] {
            let (ours, theirs) = tokio::io::duplex(256);
            let answering = tokio::spawn(owner(theirs, "tools/call", answer));
            assert_eq!(transfer(&mut session, ours, &mut input, &mut output).await.unwrap(), Ended::Stream);
            assert_eq!(answering.await.unwrap(), [QUESTION]);
        }
        assert_eq!(String::from_utf8(output).unwrap(), format!("{ANSWER}\n"));
        assert!(!session.is_waiting());
    }

    #[tokio::test]
    async fn request_between_two_owners_is_sent_to_three_owners() {
        let (_open, input) = tokio::io::duplex(64);
        let question = format!("{QUESTION}\n");
        let mut input = BufReader::new(question.as_bytes().chain(input)).lines();
        let (mut session, mut output) = (Session::default(), Vec::new());
        for _ in 0..3 {
            assert!(next_request(&mut session, &mut input, &mut output).await.unwrap());
            let (ours, theirs) = tokio::io::duplex(256);
            let answering = tokio::spawn(owner(theirs, "tools/call", ""));
            assert_eq!(transfer(&mut session, ours, &mut input, &mut output).await.unwrap(), Ended::Stream);
            assert_eq!(answering.await.unwrap(), [QUESTION]);
        }
        assert!(next_request(&mut session, &mut input, &mut output).await.unwrap());
        let (ours, _) = tokio::io::duplex(256);
        assert_eq!(transfer(&mut session, ours, &mut input, &mut output).await.unwrap(), Ended::Stream);
        assert!(String::from_utf8(output).unwrap().contains("stopped 3 times"));
    }
}
