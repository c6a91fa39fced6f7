//! Classifies LanceDB's failures: a damaged table, which is rebuilt, or a store that cannot be used now.

use std::error::Error as _;
use std::future::Future;
use std::io::ErrorKind;

use annals_core::ports::Table;
use annals_core::{Error, Result};

use crate::background;

/// Describes a table in error messages: grain, generation, agent and folder.
pub(crate) fn name(table: &Table) -> String {
    format!("table {}-g{} of agent {} (folder {})", table.grain, table.generation, table.agent, table.agent.folder())
}

/// Runs the work in a task of its own. LanceDB and its decoders panic on some damaged files, so a panic returns
/// [`Error::Damaged`].
pub(crate) async fn contain<T: Send + 'static>(
    table: &Table,
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    match background::spawn(work).await {
        Ok(result) => result,
        Err(failure) if failure.is_panic() => Err(Error::damaged(name(table), "reading it made LanceDB panic")),
        Err(failure) => Err(Error::storage(name(table), failure)),
    }
}

/// Converts a failure of LanceDB: to a storage error if the operating system or the store refused, otherwise to damage.
pub(crate) fn explain(table: &Table, error: lancedb::Error) -> Error {
    match refusal(&error) {
        Some(why) => Error::storage(name(table), why),
        None => Error::damaged(name(table), chain(&error)),
    }
}

/// Returns why the operating system or the store refused; `None` if the bytes are wrong. A missing or short file counts as
/// damage.
fn refusal(error: &lancedb::Error) -> Option<String> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<std::io::Error>();
        let refused = io.is_some_and(|io| io.raw_os_error().is_some() && io.kind() != ErrorKind::NotFound);
        if refused || error.downcast_ref().is_some_and(did_not_answer) {
            return Some(error.to_string());
        }
        cause = error.source();
    }
    None
}

/// Names of remote stores in `object_store::Error::Generic`. Such an error with any other name counts as damage, because Lance
/// reports a range outside of a file under names of its own. If the operating system refused, [`refusal`] finds the system's
/// error among the causes whatever the name.
const REMOTE: [&str; 4] = ["S3", "GCS", "MicrosoftAzure", "HTTP"];

/// Returns whether a store on another machine failed, or refused access.
fn did_not_answer(error: &object_store::Error) -> bool {
    use object_store::Error::{Generic, PermissionDenied, Unauthenticated};
    match error {
        Generic { store, .. } => REMOTE.contains(store),
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
    without_places(&text)
}

/// Removes the source code locations that LanceDB adds to its messages: `, /…/object_writer.rs:689:9`.
fn without_places(text: &str) -> String {
    let is_place = |part: &&str| part.starts_with('/') && part.contains(".rs:");
    text.split(", ").filter(|part| !is_place(part)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn only_known_remote_stores_count_as_out_of_reach() {
        let failure = |store| object_store::Error::Generic { store, source: "no answer".into() };
        for store in REMOTE {
            assert!(did_not_answer(&failure(store)), "{store}");
        }
        for store in ["LocalFileSystem", "memory", "N/A", "A name that Lance may use tomorrow"] {
            assert!(!did_not_answer(&failure(store)), "{store}");
        }
    }

    #[test]
    fn refusal_of_the_operating_system_is_no_damage() {
        fn check(cause: io::Error, expect: Option<&str>) {
            let error = lancedb::Error::Other { message: "it failed".to_owned(), source: Some(Box::new(cause)) };
            assert_eq!(refusal(&error).as_deref(), expect, "{error:?}");
        }
        check(io::Error::from_raw_os_error(28), Some("No space left on device (os error 28)"));
        check(io::Error::from_raw_os_error(2), None);
        check(io::Error::new(ErrorKind::UnexpectedEof, "too short"), None);
    }

    #[test]
    fn places_in_a_library_are_not_shown() {
        fn check(text: &str, expect: &str) {
            assert_eq!(without_places(text), expect);
        }
        check("not found: a/b.lance, /root/lance/src/io.rs:689:9", "not found: a/b.lance");
        check("not found: /a/b.lance, c, /d.lance", "not found: /a/b.lance, c, /d.lance");
    }
}
