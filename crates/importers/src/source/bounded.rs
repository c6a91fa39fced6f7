//! Limits how far a compressed file may expand while it is read.

use std::io::{Error, ErrorKind, Read, Result};

use super::Limits;

/// A reader that returns an error when a compressed file expands beyond [`Limits`].
pub struct Bounded<R> {
    input: R,
    compressed: u64,
    read: u64,
    limits: Limits,
}

impl<R> Bounded<R> {
    /// Creates a reader for a file of `compressed` bytes.
    pub fn new(input: R, compressed: u64, limits: Limits) -> Bounded<R> {
        Bounded { input, compressed, read: 0, limits }
    }

    fn is_exceeded(&self) -> bool {
        let by_ratio = self.compressed.max(1).saturating_mul(self.limits.ratio).max(self.limits.free);
        self.read > by_ratio.min(self.limits.expanded)
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.input.read(buffer)?;
        self.read += count as u64;
        if self.is_exceeded() {
            let what = format!("expands to more than {} MiB; it is refused as a zip bomb", (self.read - 1) >> 20);
            return Err(Error::new(ErrorKind::InvalidData, what));
        }
        Ok(count)
    }
}
