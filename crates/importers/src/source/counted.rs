//! Counts the bytes that are read from a file, for a progress bar.

use std::io::{Read, Result, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A reader that adds the number of bytes read to a shared counter.
pub struct Counted<R> {
    input: R,
    read: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    pub fn new(input: R, read: Arc<AtomicU64>) -> Counted<R> {
        Counted { input, read }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.input.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.input.seek(to)
    }
}
