//! Checks that a store does what Annals relies on. Commits of tables rely on conditional writes: of several requests
//! that create the same object, exactly one succeeds. A store that ignores the condition loses commits without an
//! error, and no later check finds that.

use std::fmt;

use futures::future::join_all;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt, PutMode, PutPayload, PutResult, Result};

use crate::{Objects, is_missing};

/// Number of requests that race to create one object.
const RACERS: usize = 8;

/// Why a store cannot be used.
#[derive(Debug)]
pub enum Unfit {
    /// A request failed.
    Failed {
        /// What was tried, such as "writing".
        trying: &'static str,
        error: Error,
    },
    /// The store answered, but does not do what Annals relies on.
    Wrong(&'static str),
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Failed { trying, error } => write!(f, "{trying} a test object failed: {error}"),
            Unfit::Wrong(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Unfit {}

impl Objects {
    /// Tries all operations on test objects below a name, which nothing else may use, and removes the objects. Sends
    /// about twenty requests.
    pub async fn check(&self, below: &Path) -> Result<(), Unfit> {
        let result = self.try_all(below).await;
        let removed = self.remove(below).await.map_err(failed("removing"));
        result.and(removed.map(|_| ()))
    }

    async fn try_all(&self, below: &Path) -> Result<(), Unfit> {
        let [first, raced, copied] = ["first", "raced", "copied"].map(|name| below.clone().join(name));
        self.create_twice(&first).await?;
        self.race(&raced).await?;
        self.replace_and_copy(&first, &copied).await?;
        self.expect_listed(below, &[&copied, &first, &raced]).await?;
        self.delete(&first).await.map_err(failed("deleting"))?;
        match self.get(&first).await {
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(failed("reading")(error)),
            Ok(_) => return Err(Unfit::Wrong("it returns an object that was deleted")),
        }
        self.expect_listed(below, &[&copied, &raced]).await
    }

    async fn create_twice(&self, name: &Path) -> Result<(), Unfit> {
        self.create(name, "1").await.map_err(failed("writing"))?;
        match self.create(name, "2").await {
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => self.expect(name, "1").await,
            Err(error) => Err(failed("conditionally writing")(error)),
            Ok(_) => Err(Unfit::Wrong("it replaces an object when asked to create one that must not exist")),
        }
    }

    /// Creates one object by several requests at once.
    async fn race(&self, name: &Path) -> Result<(), Unfit> {
        let contents: Vec<String> = (0..RACERS).map(|racer| racer.to_string()).collect();
        let answers = join_all(contents.iter().map(|content| self.create(name, content))).await;
        let mut winners = answers.iter().zip(&contents).filter(|(answer, _)| answer.is_ok());
        match (winners.next(), winners.next()) {
            (Some((_, content)), None) => self.expect(name, content).await,
            (Some(_), Some(_)) => Err(Unfit::Wrong("it lets several requests create the same object at once")),
            (None, _) => Err(Unfit::Wrong("it lets none of several requests create an object")),
        }
    }

    async fn replace_and_copy(&self, name: &Path, copy: &Path) -> Result<(), Unfit> {
        self.put(name, b"new".to_vec()).await.map_err(failed("replacing"))?;
        self.expect(name, "new").await?;
        let copying = self.store.copy(&self.full_name(name), &self.full_name(copy)).await;
        copying.map_err(failed("copying"))?;
        self.expect(copy, "new").await
    }

    async fn expect(&self, name: &Path, content: &str) -> Result<(), Unfit> {
        match self.get(name).await.map_err(failed("reading"))? == content.as_bytes() {
            true => Ok(()),
            false => Err(Unfit::Wrong("it returns other content than was written")),
        }
    }

    async fn expect_listed(&self, below: &Path, names: &[&Path]) -> Result<(), Unfit> {
        let listed = self.sorted(below).await.map_err(failed("listing"))?;
        match listed.iter().eq(names.iter().copied()) {
            true => Ok(()),
            false => Err(Unfit::Wrong("its lists do not show at once what was written and deleted")),
        }
    }

    async fn create(&self, name: &Path, content: &str) -> Result<PutResult> {
        let payload = PutPayload::from(content.as_bytes().to_vec());
        self.store.put_opts(&self.full_name(name), payload, PutMode::Create.into()).await
    }
}

fn failed(trying: &'static str) -> impl Fn(Error) -> Unfit {
    move |error| Unfit::Failed { trying, error }
}
