//! Hands a data folder over: a process that is to own the folder asks the present owner to finish its requests and end.
//!
//! Only an owner that another program has started gives the folder up. A service that a user started stays.

use annals_core::{Error, Result};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use futures::stream::empty;
use serde::{Deserialize, Serialize};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::socket::{self, Failure};

const PATH: &str = "/release";

/// The answer of the owner of a data folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Process id of the owner.
    pub pid: u32,
    /// Whether the owner ends and releases the folder.
    pub releases: bool,
}

/// Returns the route on which another process asks for the folder. A request cancels `stop`; without `stop`, the owner stays.
pub fn release_route(stop: Option<CancellationToken>) -> Router {
    Router::new().route(PATH, post(answer)).with_state(stop)
}

async fn answer(State(stop): State<Option<CancellationToken>>) -> Json<Release> {
    if let Some(stop) = &stop {
        tracing::info!("another process takes the data folder over");
        stop.cancel();
    }
    Json(Release { pid: std::process::id(), releases: stop.is_some() })
}

/// Asks the owner of a data folder to release it. Returns `None` if the owner ended before its answer. Returns an error if the
/// version of the owner does not have this route.
pub async fn release(owner: UnixStream) -> Result<Option<Release>> {
    match answer_of(owner).await {
        Ok(answer) => Ok(Some(answer)),
        Err(cause) if cause.is::<hyper::Error>() => Ok(None),
        Err(cause) => Err(Error::storage("asking the running service for the data folder", cause)),
    }
}

async fn answer_of(owner: UnixStream) -> std::result::Result<Release, Failure> {
    let answer = socket::post(owner, PATH, empty()).await?.text().await?;
    Ok(serde_json::from_str(&answer)?)
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    async fn ask(routes: Router) -> Result<Option<Release>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let served = tokio::spawn(async move { axum::serve(listener, routes).await });
        let answer = release(UnixStream::connect(&path).await.unwrap()).await;
        served.abort();
        answer
    }

    #[tokio::test]
    async fn owner_stops_only_if_it_may_be_replaced() {
        let stop = CancellationToken::new();
        let pid = std::process::id();
        assert_eq!(ask(release_route(None)).await.unwrap(), Some(Release { pid, releases: false }));
        assert!(!stop.is_cancelled());
        assert_eq!(ask(release_route(Some(stop.clone()))).await.unwrap(), Some(Release { pid, releases: true }));
        assert!(stop.is_cancelled());
        assert!(ask(Router::new()).await.is_err(), "an older version does not know the request");
    }

    #[tokio::test]
    async fn owner_that_ends_before_its_answer_gives_none() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let asked = tokio::spawn(release(ours));
        // The request arrived and stays without an answer.
        theirs.readable().await.unwrap();
        drop(theirs);
        assert_eq!(asked.await.unwrap().unwrap(), None);
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        assert_eq!(release(ours).await.unwrap(), None);
    }
}
