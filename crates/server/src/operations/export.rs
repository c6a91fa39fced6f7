//! Everything of an agent, one JSON record a line, as `annals import` takes it back.
//!
//! The lines are written to a file first, page by page: while the agent is locked nothing waits for the one who reads them, and no
//! more than a page is in memory. The file has no name and goes when it is closed, or the process ends.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::ports::Record;
use annals_core::{Agent, Error, Result};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncSeekExt, AsyncWriteExt, BufWriter};

use crate::Service;
use crate::locks::{Facts, History};

/// Records that are read from the catalog at once: the longest are turns of 256 KiB.
const PAGE: usize = 100;
/// Bytes that are written to the file at once.
const PIECE: usize = 64 * 1024;

/// An export that is ready to be read from its beginning.
pub struct Export {
    /// The lines.
    pub file: File,
    /// How many there are.
    pub records: u64,
}

impl Service {
    /// All records of an agent, as they are at one moment but for messages that come in meanwhile.
    pub async fn export(&self, agent: &Agent) -> Result<Export> {
        // What moves or goes between two pages would be there twice, or not at all.
        let mut history = self.locks.lock::<History>(agent).await;
        let _facts = history.then::<Facts>().await;
        let mut writer = BufWriter::with_capacity(PIECE, self.nameless_file().map_err(failed)?);
        let (mut records, mut last) = (0, None);
        loop {
            let mut page = self.archive.records(agent, last.as_ref(), PAGE).await?;
            for record in &page {
                let text = line(agent, record) + "\n";
                writer.write_all(text.as_bytes()).await.map_err(failed)?;
            }
            records += page.len() as u64;
            last = page.pop();
            if last.is_none() {
                break;
            }
        }
        writer.flush().await.map_err(failed)?;
        let mut file = writer.into_inner();
        file.rewind().await.map_err(failed)?;
        Ok(Export { file, records })
    }

    /// An empty file on the disk of the data folder, under no name.
    fn nameless_file(&self) -> io::Result<File> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("annals-scratch-export-{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(File::from_std(file))
    }
}

fn failed(cause: io::Error) -> Error {
    Error::storage("writing an export", cause)
}

/// One line of an export.
fn line(agent: &Agent, record: &Record) -> String {
    let mut value = serde_json::to_value(record).expect("records are strings, numbers and lists of them");
    value["agent"] = Value::from(agent.name());
    value.to_string()
}
