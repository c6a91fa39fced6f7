//! Tests of the store check: correct stores pass, and each kind of faulty store is reported.

use std::fmt;

use async_trait::async_trait;
use futures::stream::{self, BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, PutMode, PutMultipartOptions, PutOptions,
    PutResult,
};

use super::*;
use crate::Unfit;

/// A store in memory with a fault.
#[derive(Clone, Debug)]
struct Wrong {
    fault: Fault,
    below: Arc<InMemory>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Ignores that an object must not exist.
    Replaces,
    /// Checks whether the object exists and writes it in two steps, so two requests can both succeed.
    LooksThenWrites,
    /// Confirms the creation of an object before lists contain it.
    ListsLate,
    /// Confirms deletions, but deletes nothing.
    KeepsDeleted,
    /// Refuses conditional writes.
    RefusesConditions,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.fault)
    }
}

#[async_trait]
impl ObjectStore for Wrong {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        match (self.fault, &options.mode) {
            (Fault::Replaces, PutMode::Create) => return self.below.put(path, payload).await,
            (Fault::RefusesConditions, PutMode::Create) => {
                return Err(Error::NotImplemented { operation: "put".into(), implementer: "Wrong".into() });
            }
            (Fault::LooksThenWrites, PutMode::Create) if self.below.head(path).await.is_err() => {
                tokio::task::yield_now().await;
                return self.below.put(path, payload).await;
            }
            _ => {}
        }
        self.below.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.below.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.below.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        if self.fault == Fault::KeepsDeleted { paths } else { self.below.delete_stream(paths) }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.fault == Fault::ListsLate { stream::empty().boxed() } else { self.below.list(prefix) }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.below.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.below.copy_opts(from, to, options).await
    }
}

async fn checked(fault: Fault) -> Result<(), Unfit> {
    let store = Wrong { fault, below: Arc::new(InMemory::new()) };
    Objects::over(Arc::new(store), name("v1")).check(&name("check")).await
}

#[tokio::test]
async fn right_stores_pass_and_keep_nothing_of_the_check() {
    on_each_store(async |objects| {
        put(&objects, &["a/x"]).await;
        objects.check(&name("check/1")).await.unwrap();
        assert_eq!(names(&objects).await, ["a/x"]);
    })
    .await;
    checked(Fault::None).await.unwrap();
}

#[tokio::test]
async fn each_wrong_store_has_its_own_fault() {
    async fn check(fault: Fault, expect: &str) {
        let unfit = checked(fault).await.unwrap_err().to_string();
        assert!(unfit.contains(expect), "{fault:?}: {unfit}");
    }
    check(Fault::Replaces, "replaces an object when asked to create one").await;
    check(Fault::LooksThenWrites, "several requests create the same object").await;
    check(Fault::ListsLate, "lists do not show at once").await;
    check(Fault::KeepsDeleted, "returns an object that was deleted").await;
    check(Fault::RefusesConditions, "writing a test object failed").await;
}
