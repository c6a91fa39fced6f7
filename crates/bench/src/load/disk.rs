//! Measures how long the disk takes to make 4 KiB durable, as the catalog's log does.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

use super::{Failure, micros};

const PAGE: usize = 4096;

/// Appends a page and syncs it, repeatedly. Returns the times in microseconds.
pub(crate) fn fsync(folder: &Path, how_long: Duration) -> Result<Histogram<u64>, Failure> {
    repeat(folder, how_long, Duration::ZERO)
}

/// Appends a page and syncs it ten times a second, while other work runs.
pub(crate) fn fsync_now_and_then(folder: &Path, how_long: Duration) -> Result<Histogram<u64>, Failure> {
    repeat(folder, how_long, Duration::from_millis(100))
}

fn repeat(folder: &Path, how_long: Duration, pause: Duration) -> Result<Histogram<u64>, Failure> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = Histogram::new(3)?;
    let until = Instant::now() + how_long;
    while Instant::now() < until {
        let started = Instant::now();
        append(&mut file)?;
        times.record(micros(started))?;
        std::thread::sleep(pause);
    }
    Ok(times)
}

fn append(file: &mut File) -> std::io::Result<()> {
    file.seek(SeekFrom::End(0))?;
    file.write_all(&[7; PAGE])?;
    file.sync_data()
}
