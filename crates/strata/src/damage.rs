//! Classifies LanceDB's failures: a damaged table, which is rebuilt, or a disk that cannot be used now.

use std::error::Error as _;
use std::future::Future;
use std::io::ErrorKind;

use annals_core::ports::Table;
use annals_core::{Error, Result};

use crate::background;

/// Returns the name of a table for error messages.
pub fn name(table: &Table) -> String {
    format!("table {}-g{} of agent {} (folder {})", table.grain, table.generation, table.agent, table.agent.folder())
}

/// Runs the work in its own task. LanceDB and its decoders panic on some damaged files; a panic counts as damage.
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

/// Converts a failure: a disk error if one of its causes is one, otherwise damage.
pub fn explain(table: &Table, error: lancedb::Error) -> Error {
    if is_of_the_disk(&error) { Error::storage(name(table), error) } else { Error::damaged(name(table), chain(&error)) }
}

/// Returns whether the operating system refused, as opposed to wrong bytes. A missing or short file counts as damage.
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
