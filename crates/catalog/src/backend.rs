//! The operations that each database implements in its own way: checks of its structure, and overwriting deleted data.

use async_trait::async_trait;

use crate::db::Transactions;
use crate::thread::Thread;

/// A database that a catalog can be kept in.
#[async_trait]
pub trait Backend: Send + Sync + Sized + 'static {
    type Connection: Transactions + Send + 'static;

    /// Returns one description for each fault of the structure or of the data; empty if both are sound.
    async fn check(&self, thread: &Thread<Self::Connection>) -> annals_core::Result<Vec<String>>;

    /// Removes what is left of rows that were deleted before this call, as far as the database can.
    async fn scrub(&self, thread: &Thread<Self::Connection>) -> annals_core::Result<()>;

    /// Returns whether unused space of the database's files holds one of the words, as far as the database can tell.
    async fn unused_space_contains(
        &self,
        thread: &Thread<Self::Connection>,
        words: &[String],
    ) -> annals_core::Result<bool>;
}
