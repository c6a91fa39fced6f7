//! Answers of a model in a folder, one file for each request, named by the digest of the request. An answer is recorded once
//! and can then be replayed. A changed prompt is another request.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::{Refusals, Replies, TokenRequest};
use annals_core::{Agent, Digest, Error, Price, Reply, Result, Timestamp, Usage};
use async_trait::async_trait;

pub(super) struct RecordedReplies {
    folder: Option<PathBuf>,
    tokens: Arc<AtomicU64>,
}

impl RecordedReplies {
    /// Creates the folder if necessary. Without a folder nothing is recorded.
    pub(super) fn new(folder: Option<PathBuf>, tokens: Arc<AtomicU64>) -> Result<RecordedReplies> {
        if let Some(folder) = &folder {
            let wrong = |cause| Error::storage(format!("cannot create {}", folder.display()), cause);
            std::fs::create_dir_all(folder).map_err(wrong)?;
        }
        Ok(RecordedReplies { folder, tokens })
    }

    fn path(&self, key: &Digest) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}.json")))
    }
}

#[async_trait]
impl Replies for RecordedReplies {
    async fn reply(&self, _: &Agent, key: &Digest) -> Result<Option<String>> {
        Ok(self.path(key).and_then(|path| std::fs::read_to_string(path).ok()))
    }

    async fn reserve(&self, _: &Agent, _: &TokenRequest, _: Timestamp) -> Result<u64> {
        Ok(0)
    }

    async fn release(&self, _: &Agent, _: u64) -> Result<()> {
        Ok(())
    }

    async fn save_reply(&self, agent: &Agent, reply: Reply, now: Timestamp) -> Result<()> {
        if let Some(path) = self.path(&reply.key) {
            let wrong = |cause| Error::storage(format!("cannot write {}", path.display()), cause);
            std::fs::write(&path, &reply.text).map_err(wrong)?;
        }
        self.charge(agent, reply, now).await
    }

    async fn charge(&self, _: &Agent, reply: Reply, _: Timestamp) -> Result<()> {
        self.tokens.fetch_add(reply.tokens_in + reply.tokens_out, Ordering::Relaxed);
        Ok(())
    }

    async fn drop_replies(&self, _: &Agent, _: Timestamp) -> Result<u64> {
        Ok(0)
    }

    async fn usage(&self, _: &Agent, _: Timestamp) -> Result<Vec<Usage>> {
        Ok(Vec::new())
    }

    async fn prices(&self) -> Result<Vec<Price>> {
        Ok(Vec::new())
    }

    async fn save_prices(&self, _: Vec<Price>) -> Result<()> {
        Ok(())
    }

    async fn refusals(&self, _: &Digest) -> Result<Option<Refusals>> {
        Ok(None)
    }

    async fn save_refusals(&self, _: Digest, _: Refusals) -> Result<()> {
        Ok(())
    }
}
