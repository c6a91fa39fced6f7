//! The export of an agent: one JSON record per line, in the format that `annals import` reads.
//!
//! The lines are first written to a file, page by page: the agent's locks are not held while a client reads, and no more than
//! a page is in memory. The file has no name; it is deleted when it is closed or the process ends.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::{Agent, Error, Result};
use serde::Serialize;
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncSeekExt, AsyncWriteExt, BufWriter};

use crate::Service;
use crate::locks::{Facts, History};
use crate::wire::{EXPORT_FORMAT, ExportEnd};

/// Number of records that one query reads. The longest records are documents of up to 1 MiB.
const PAGE: usize = 100;
/// Number of bytes that are written to the file at once.
const PIECE: usize = 64 * 1024;

/// An export, ready to be read from the start of its file.
pub struct Export {
    /// The file with the lines. It has no name.
    pub file: File,
    /// Number of lines before the last, which is not a record.
    pub records: u64,
}

impl Service {
    /// Writes all records of an agent to a file. They are of one state of the agent, except for messages that arrive meanwhile.
    pub async fn export(&self, agent: &Agent) -> Result<Export> {
        // Without these locks, a record that moves or is removed between two pages could be exported twice, or not at all.
        let mut history = self.locks.lock::<History>(agent).await;
        let _facts = history.then::<Facts>().await;
        let mut writer = BufWriter::with_capacity(PIECE, self.nameless_file().map_err(failed)?);
        let (mut records, mut last) = (0, None);
        loop {
            let mut page = self.parts.store.records(agent, last.as_ref(), PAGE).await?;
            for record in &page {
                let text = line(agent, record);
                writer.write_all(text.as_bytes()).await.map_err(failed)?;
            }
            records += page.len() as u64;
            last = page.pop();
            if last.is_none() {
                break;
            }
        }
        writer.write_all(line(agent, &ExportEnd { records }).as_bytes()).await.map_err(failed)?;
        writer.flush().await.map_err(failed)?;
        let mut file = writer.into_inner();
        file.rewind().await.map_err(failed)?;
        Ok(Export { file, records })
    }

    /// Creates an empty file without a name on the disk of the data folder, or in the temporary folder if there is none.
    pub(crate) fn nameless_file(&self) -> io::Result<File> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = self.parts.folder.clone().unwrap_or_else(std::env::temp_dir);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("annals-scratch-file-{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(File::from_std(file))
    }
}

fn failed(cause: io::Error) -> Error {
    Error::storage("writing an export", cause)
}

/// Returns a record as one line of an export, with the names of its agent. The record of the settings comes first and also gets
/// the format.
fn line(agent: &Agent, record: &impl Serialize) -> String {
    let mut value = serde_json::to_value(record).expect("records are strings, numbers and lists of them");
    value["agent"] = Value::from(agent.name());
    if agent.shown_name().is_some() {
        // The ids in the records derive from the key.
        value["created_as"] = Value::from(agent.key());
    }
    if value["record"] == "settings" {
        value["format"] = Value::from(EXPORT_FORMAT);
    }
    format!("{value}\n")
}
