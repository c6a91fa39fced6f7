//! The embedders that were configured in a data folder, with their settings, by the name that is stored with their vectors.
//!
//! After a change of `[embedder]`, stored vectors are embedded again in the background. Until then the former model embeds the
//! questions, so its settings must be known although the configuration no longer has them. The file never contains a key: a key
//! that stood in the configuration itself is gone with it, one in an environment variable is still found.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use annals_core::{Embedder, Error, Result};
use annals_llm::{EmbedderConfig, EmbedderSettings};

/// File in a data folder with the settings of all embedders that were configured there.
pub(crate) const FORMER: &str = "embedders.json";

/// The tables `[embedder]`, each with the number of components of its vectors, by the name of the model.
type Tables = BTreeMap<String, EmbedderConfig>;

pub(super) struct FormerEmbedders {
    path: PathBuf,
}

impl FormerEmbedders {
    pub(super) fn of(data: &Path) -> FormerEmbedders {
        FormerEmbedders { path: data.join(FORMER) }
    }

    /// Records how the configured embedder was opened, unless that is recorded already. The built-in model needs no record.
    pub(super) fn record(&self, embedder: &dyn Embedder, table: &EmbedderConfig) -> Result<()> {
        if table.model.is_none() {
            return Ok(());
        }
        let mut table = table.clone();
        if table.base_url.is_some() {
            // With it, the model has its name without a connection.
            table.dimension = u64::try_from(embedder.dimension()).ok();
        }
        let mut tables = self.tables()?;
        let name = embedder.model().to_owned();
        if tables.get(&name).is_some_and(|known| as_json(known) == as_json(&table)) {
            return Ok(());
        }
        tables.insert(name, table);
        self.write(&tables).map_err(|cause| self.failed("cannot write", cause))
    }

    /// Returns the recorded settings of a model. Returns `None`, and logs why, if they cannot be read or are no longer valid: the
    /// environment variable with the key may be gone.
    pub(super) fn settings(&self, model: &str) -> Option<EmbedderSettings> {
        let mut tables =
            self.tables().map_err(|error| tracing::warn!(%error, "the former embedders are not known")).ok()?;
        let checked = tables.remove(model)?.check(|name| std::env::var(name).ok());
        checked.map_err(|faults| tracing::warn!(model, ?faults, "the former embedder cannot be used")).ok()
    }

    /// Reads the file. A file that cannot be parsed counts as empty: it holds only what makes searches better for a while.
    fn tables(&self) -> Result<Tables> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(path = %self.path.display(), %error, "the former embedders cannot be read");
                Tables::new()
            })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Tables::new()),
            Err(cause) => Err(self.failed("cannot read", cause)),
        }
    }

    /// Replaces the file as a whole, so that a crash leaves the old one or the new one.
    fn write(&self, tables: &Tables) -> std::io::Result<()> {
        let new = self.path.with_extension("json.new");
        let mut file = std::fs::File::create(&new)?;
        serde_json::to_writer_pretty(&mut file, tables)?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        std::fs::rename(new, &self.path)
    }

    fn failed(&self, what: &str, cause: std::io::Error) -> Error {
        Error::storage(format!("{what} {}", self.path.display()), cause)
    }
}

fn as_json(table: &EmbedderConfig) -> serde_json::Value {
    serde_json::to_value(table).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use annals_testkit::WordEmbedder;

    use super::*;

    /// A search must answer by words alone rather than fail because of a record that only makes it better.
    #[test]
    fn record_that_is_damaged_counts_as_empty_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let former = FormerEmbedders::of(folder.path());
        let embedder = WordEmbedder::default();
        let table: EmbedderConfig = serde_json::from_value(serde_json::json!({ "model": "models/small" })).unwrap();
        for damaged in ["", "{", "[1]", "\u{0}\u{0}"] {
            std::fs::write(folder.path().join(FORMER), damaged).unwrap();
            assert!(former.settings(embedder.model()).is_none(), "{damaged:?}");
            former.record(&embedder, &table).unwrap();
            assert!(former.settings(embedder.model()).is_some(), "{damaged:?}");
        }
    }
}
