//! What tests open catalogs in: a temporary folder or a schema of a server; and turns to store in them.

use std::path::PathBuf;

use annals_core::ports::Turn;
use annals_core::{Agent, Message};
use annals_testkit::postgres_server::Schema;
use annals_testkit::{message, turn_of};

use crate::{PostgresCatalog, SqliteCatalog};

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

/// Opens the catalog in a schema.
pub(crate) fn open_schema(schema: &Schema) -> PostgresCatalog {
    PostgresCatalog::open(&schema.url).unwrap()
}

/// Returns a turn with a client's id, at an instant in March 2026.
pub(crate) fn user_turn(agent: &Agent, id: &str, text: &str) -> Turn {
    turn_of(agent, Message { client_id: Some(id.into()), ..message("2026-03-04T10:00:00Z", text) })
}
