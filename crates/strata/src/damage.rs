//! Classifies LanceDB's failures: a damaged table, which is rebuilt, or a store that cannot be used now.

use std::error::Error as _;
use std::future::Future;
use std::io::ErrorKind;

use annals_core::ports::Table;
use annals_core::{Error, Result};
use annals_objects::LOCAL_STORE;

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

/// Converts a failure: a storage error if one of its causes is one, otherwise damage.
pub fn explain(table: &Table, error: lancedb::Error) -> Error {
    if is_of_the_store(&error) {
        Error::storage(name(table), error)
    } else {
        Error::damaged(name(table), chain(&error))
    }
}

/// Returns whether the operating system or the store refused, as opposed to wrong bytes. A missing or short file counts
/// as damage.
fn is_of_the_store(error: &lancedb::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        let refused = io.is_some_and(|io| io.raw_os_error().is_some() && io.kind() != ErrorKind::NotFound);
        if refused || error.downcast_ref().is_some_and(did_not_answer) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The names under which Lance itself reports a range outside of a file, and a failure that several readers share.
const OF_LANCE: [&str; 2] = ["memory", "N/A"];

/// Returns whether a store on another machine failed. Local files fail with an error of the operating system.
fn did_not_answer(error: &object_store::Error) -> bool {
    use object_store::Error::{Generic, PermissionDenied, Unauthenticated};
    match error {
        Generic { store, .. } => *store != LOCAL_STORE && !OF_LANCE.contains(store),
        error => matches!(error, PermissionDenied { .. } | Unauthenticated { .. }),
    }
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
