//! Test helpers: a temporary folder for a catalog, and turns to store in it.

use std::path::PathBuf;

use annals_core::ports::Turn;
use annals_core::{Agent, Message};
use annals_testkit::{message, turn_of};

use crate::SqliteCatalog;

/// A temporary folder for one catalog.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("catalog.sqlite")
    }

    pub(crate) fn open(&self) -> SqliteCatalog {
        SqliteCatalog::open(&self.path()).unwrap()
    }
}

/// Returns a turn with a client's id, at an instant in March 2026.
pub(crate) fn user_turn(agent: &Agent, id: &str, text: &str) -> Turn {
    turn_of(agent, Message { client_id: Some(id.into()), ..message("2026-03-04T10:00:00Z", text) })
}
