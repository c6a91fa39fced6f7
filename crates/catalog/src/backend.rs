//! The operations that each database implements in its own way: checks of its structure, overwriting deleted data, and what
//! copies of whole tables need.

use std::ops::ControlFlow;

use async_trait::async_trait;

use crate::db::{Result, Row, Transactions};
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

    /// Passes all rows of a table to `read`, in any order, until `read` returns `Break`. Never holds all of them in memory.
    fn for_each_row(
        db: &Self::Connection,
        table: &str,
        read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()>;

    /// Lets the numbers that the database gives to new rows begin above those of rows that were inserted with a number.
    fn continue_numbers(db: &Self::Connection) -> Result<()>;
}
