//! What LanceDB's failures mean to a caller: a damaged table, which is rebuilt, or a disk that will not do now.

use std::error::Error as _;
use std::future::Future;
use std::io::ErrorKind;

use annals_core::ports::Table;
use annals_core::{Error, Result};

use crate::background;

/// A table as people are told of it.
pub fn name(table: &Table) -> String {
    format!("table {}-g{} of agent {} (folder {})", table.grain, table.generation, table.agent, table.agent.folder())
}

/// Runs the work in a task of its own. LanceDB and its decoders panic on some damaged files; that is damage too.
pub async fn contain<T: Send + 'static>(
    table: &Table,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match background::spawn(work).await {
        Ok(result) => result,
        Err(failure) if failure.is_panic() => Err(Error::damaged(name(table), "reading it made LanceDB panic")),
        Err(failure) => Err(Error::storage(name(table), failure)),
    }
}

/// The meaning of a failure: the disk's if a cause says so, else the table's.
pub fn explain(table: &Table, error: lancedb::Error) -> Error {
    if is_of_the_disk(&error) { Error::storage(name(table), error) } else { Error::damaged(name(table), chain(&error)) }
}

/// Whether the operating system refused, rather than the bytes being wrong. A missing or short file is the table's fault.
fn is_of_the_disk(error: &lancedb::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.raw_os_error().is_some() && io.kind() != ErrorKind::NotFound) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn chain(error: &lancedb::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
