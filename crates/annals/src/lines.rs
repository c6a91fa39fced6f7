//! The lines of a file that is read several times.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Result, Seek, SeekFrom};

/// Bytes read at once.
const BUFFER: usize = 64 * 1024;

/// The lines of a file up to its length at this moment. Text that is added later is left out.
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

    /// Returns a reader that starts at the first line. Only one reader can be used at a time, because they share the position
    /// in the file.
    pub fn read(&self) -> Result<impl BufRead + Send + use<>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(self.start))?;
        Ok(BufReader::with_capacity(BUFFER, file.take(self.end - self.start)))
    }
}
