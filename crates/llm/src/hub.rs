//! Fetches models from a server with the layout of the Hugging Face hub: `/api/models/REPO/…` lists files, `/REPO/resolve/…`
//! returns their content.
//!
//! Only files that a model needs are fetched, into a folder of the caller. Every file is checked against the listing's checksum
//! before it gets its name; a partial download is continued. The listing is not trusted: paths that lead out of the folder and
//! sizes beyond [`MAX_FILE_BYTES`] are refused. Redirects to other hosts are followed only over TLS, and only to public
//! addresses unless the local network is allowed. Sends no key.

mod fetch;
mod listing;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{StatusCode, Url};
use serde_json::Value;
use tokio::time::timeout;

use annals_core::{Error, Result};

use crate::endpoint::failure::{EndpointError, failure};
use crate::endpoint::http::{client, read, unreachable};

pub use listing::{Checksum, HubFile, Listing, fetched_files};

/// Maximum bytes of one file. A listing with a larger one is refused.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 30;

const MAX_REDIRECTS: usize = 5;

/// Maximum time without a byte, after which the connection counts as broken.
const SILENCE: Duration = Duration::from_secs(60);

/// A server from which models are fetched.
pub struct Hub {
    base: Url,
    local_network: bool,
    http: reqwest::Client,
    silence: Duration,
}

impl Hub {
    /// Creates a client of the hub at a base URL. Connects to nothing yet. If `local_network` is true, host names may resolve
    /// to this machine or the local network.
    pub fn new(base_url: &str, local_network: bool) -> Result<Hub> {
        let base = Url::parse(base_url).map_err(|_| Error::invalid("embedder.hub", "is not a URL"))?;
        Ok(Hub { http: client(base_url, local_network)?, base, local_network, silence: SILENCE })
    }

    /// Returns the files of a model, at the commit that `revision` names: a branch, a tag or a commit.
    pub async fn list(&self, repo: &str, revision: &str) -> Result<Listing> {
        listing::check_name(repo, revision)?;
        let about = self.json(&format!("api/models/{repo}/revision/{revision}")).await?;
        let commit = listing::commit(&about).ok_or_else(|| self.unusable("names no commit"))?.to_owned();
        let tree = self.json(&format!("api/models/{repo}/tree/{commit}?recursive=true")).await?;
        let files = listing::files(&tree).map_err(|why| self.unusable(why))?;
        Ok(Listing { repo: repo.to_owned(), revision: commit, files })
    }

    async fn json(&self, path: &str) -> Result<Value> {
        let response = self.get(path, 0).await?;
        // A listing is small, so one time limit for the whole body is enough.
        let body = match timeout(self.silence, read(response)).await {
            Ok(body) => body.map_err(|failure| self.failed(path, failure))?,
            Err(_) => return Err(self.failed(path, EndpointError::Late(self.silence))),
        };
        serde_json::from_slice(&body).map_err(|_| self.unusable("is not JSON"))
    }

    /// Requests a path from byte `from` on, and follows at most [`MAX_REDIRECTS`] redirects. Returns an error for every status
    /// but 200 and 206.
    async fn get(&self, path: &str, from: u64) -> Result<reqwest::Response> {
        let mut url = self.base.join(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        for _ in 0..=MAX_REDIRECTS {
            let at = url.map_err(|_| self.unusable("redirects to no URL"))?;
            let mut request = self.client_for(&at)?.get(at.clone());
            if from > 0 {
                request = request.header("range", format!("bytes={from}-"));
            }
            let response = self.awaited(path, request.send()).await?;
            let status = response.status();
            if !status.is_redirection() {
                return self.accepted(path, status, response);
            }
            let location = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or_default();
            url = at.join(location);
        }
        Err(self.unusable("redirects too often"))
    }

    /// Awaits the next data from the server. Fails after the maximum time without a byte.
    async fn awaited<T>(&self, path: &str, next: impl Future<Output = reqwest::Result<T>>) -> Result<T> {
        match timeout(self.silence, next).await {
            Ok(sent) => sent.map_err(|error| self.failed(path, unreachable(error))),
            Err(_) => Err(self.failed(path, EndpointError::Late(self.silence))),
        }
    }

    fn accepted(&self, path: &str, status: StatusCode, response: reqwest::Response) -> Result<reqwest::Response> {
        match status {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => Ok(response),
            StatusCode::NOT_FOUND => {
                let reason = format!("is not at {}; check name and revision", self.base);
                Err(Error::invalid(path.trim_start_matches("api/models/"), reason))
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let reason = format!("is not given out by {} without a key", self.base);
                Err(Error::invalid(path.trim_start_matches("api/models/"), reason))
            }
            _ => Err(self.failed(path, failure(status.as_u16(), response.headers(), &Value::Null))),
        }
    }

    /// Returns the client for a URL: the hub's own, or one for another host or port. The latter must use TLS in any case, and
    /// must have a public address unless the local network is allowed.
    fn client_for(&self, url: &Url) -> Result<reqwest::Client> {
        if url.origin() == self.base.origin() {
            return Ok(self.http.clone());
        }
        let is_name = url.domain().is_some_and(|name| name != "localhost");
        if url.scheme() != "https" || !(is_name || self.local_network) {
            return Err(self.unusable("redirects to an address that is not public or not encrypted"));
        }
        client(url.as_str(), self.local_network)
    }

    fn failed(&self, path: &str, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::unavailable(format!("fetching {path} from {}", self.base), source)
    }

    fn unusable(&self, why: &str) -> Error {
        Error::model(format!("fetching from {}", self.base), format!("its answer {why}"))
    }
}
