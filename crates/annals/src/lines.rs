//! The lines of a file that is read several times.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom};

/// Bytes read at once.
const BUFFER: usize = 64 * 1024;

/// The lines of a file, without what is added to it later.
pub struct Lines {
    file: File,
    start: u64,
    end: u64,
}

impl Lines {
    /// Creates the lines of a whole file.
    pub fn of(file: File) -> Result<Lines> {
        Lines::from(file, 0)
    }

    /// Creates the lines from this byte on.
    pub fn from(file: File, start: u64) -> Result<Lines> {
        let end = file.metadata()?.len().max(start);
        Ok(Lines { file, start, end })
    }

    /// Reads from the first line on.
    pub fn read(&mut self) -> Result<impl BufRead + Send + '_> {
        self.file.seek(SeekFrom::Start(self.start))?;
        Ok(BufReader::with_capacity(BUFFER, (&self.file).take(self.end - self.start)))
    }
}
