//! What calls need from the process that runs them: access to the machine, and the caller's input and output.

use std::path::Path;

use annals_core::{Error, ObjectKind, Result};
use async_trait::async_trait;
use serde_json::Value;

use crate::Service;
use crate::jobs::Scheduler;
use crate::wire::{BackupsView, Finding};

/// The process that owns the data folder.
#[async_trait]
pub trait Host: Send + Sync {
    fn service(&self) -> &Service;

    /// Returns the scheduled jobs; `None` in a process that runs a single command.
    fn jobs(&self) -> Option<&Scheduler>;

    /// Returns whether the system reports its clock as synchronised; `None` if it does not report it.
    fn clock_is_synchronised(&self) -> Option<bool>;

    /// Fills the buffer with random bytes that are safe for keys.
    fn fill_random(&self, bytes: &mut [u8]) -> std::result::Result<(), getrandom::Error>;

    /// Copies a consistent snapshot of the catalog to a new file. Returns the sequence number of the last change in it.
    async fn copy_catalog(&self, to: &Path) -> Result<i64>;

    /// Lists the backups at the configured target. By default there is no target.
    async fn backups(&self) -> Result<BackupsView> {
        Ok(BackupsView::default())
    }

    /// Runs the checks of `annals doctor`, except those that call models. By default fails with [`Error::NotFound`].
    async fn examine(&self) -> Result<Vec<Finding>> {
        Err(Error::NotFound { what: ObjectKind::ServiceToExamine, name: String::new() })
    }
}

/// The items that come with a request.
#[async_trait]
pub trait Input: Send {
    /// Returns the next item; `None` after the last. Fails if the sender disconnects before the last item.
    async fn next(&mut self) -> Result<Option<Value>>;
}

/// A receiver of the items that come before an answer.
#[async_trait]
pub trait Output: Send {
    /// Sends an item. Waits while the receiver is slow.
    async fn send(&mut self, item: Value) -> Result<()>;
}

/// The input of a request without items.
pub struct NoInput;

#[async_trait]
impl Input for NoInput {
    async fn next(&mut self) -> Result<Option<Value>> {
        Ok(None)
    }
}

/// An output that drops all items.
pub struct NoOutput;

#[async_trait]
impl Output for NoOutput {
    async fn send(&mut self, _: Value) -> Result<()> {
        Ok(())
    }
}

/// An output that keeps all items, for tests.
#[async_trait]
impl Output for Vec<Value> {
    async fn send(&mut self, item: Value) -> Result<()> {
        self.push(item);
        Ok(())
    }
}
