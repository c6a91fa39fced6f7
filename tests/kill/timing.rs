//! Chooses the time of a kill: a fraction of the time between the first write of the work and its end. The duration is
//! estimated.
//!
//! The machine is shared, so a single measurement says little. Each round waits for the first write itself, and the estimate of
//! the remaining duration is adjusted after every round.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::command::Annals;

/// Interval between two checks for the first write.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// In one of this many rounds, the kill comes before the first write.
const EARLY: u32 = 10;

/// The phase of the work in which a kill came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    BeforeFirstWrite,
    UnderWay,
    AfterEnd,
}

/// Estimated durations of a piece of work.
pub struct KillTiming {
    /// From the start of the process to the first write.
    start: Duration,
    /// From the first write to the end.
    work: Duration,
}

type Files = BTreeMap<PathBuf, (u64, SystemTime)>;

impl KillTiming {
    /// Measures an undisturbed run of the command.
    pub fn measure(mut command: Command, annals: &Annals) -> KillTiming {
        let before = written(annals);
        let begun = Instant::now();
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_write(&mut child, annals, &before, Duration::MAX);
        let start = begun.elapsed();
        let status = child.wait().unwrap();
        assert!(status.success(), "{command:?}: {status}");
        KillTiming { start, work: begun.elapsed() - start }
    }

    /// Kills the process. Returns the phase in which the kill came.
    pub fn kill(&mut self, child: &mut Child, annals: &Annals, round: u32) -> Landing {
        let before = written(annals);
        let share = share(round);
        if round % EARLY == EARLY - 1 {
            wait_for_write(child, annals, &before, self.start.mul_f64(share));
        } else if wait_for_write(child, annals, &before, Duration::MAX) {
            std::thread::sleep(self.work.mul_f64(share));
        }
        let has_ended = child.try_wait().unwrap().is_some();
        let _ = child.kill();
        child.wait().unwrap();
        if has_ended {
            self.work = self.work.mul_f64(0.9);
            return Landing::AfterEnd;
        }
        if written(annals) == before {
            return Landing::BeforeFirstWrite;
        }
        // Grow slowly, or most kills would come too late once the machine is faster.
        self.work = self.work.mul_f64(1.01);
        Landing::UnderWay
    }
}

/// Returns a fraction between 0 and 1. All rounds have different, evenly spread fractions: multiples of the golden ratio,
/// modulo one.
fn share(round: u32) -> f64 {
    (f64::from(round) * 0.618_033_988_75).fract()
}

/// Waits until something is written, the process ends, or `at_most` has passed. Returns whether something was written.
fn wait_for_write(child: &mut Child, annals: &Annals, before: &Files, at_most: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < at_most && child.try_wait().unwrap().is_none() {
        if written(annals) != *before {
            return true;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    false
}

/// Returns every file below a folder, while another process creates and removes files there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map_while(Result::ok) {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Returns all non-empty files with size and time of change, except those that a process opens before its work begins.
fn written(annals: &Annals) -> Files {
    let is_work = |file: &Path| {
        let name = file.file_name().unwrap().to_string_lossy();
        name != "annals.lock" && !name.ends_with("-shm") && !name.ends_with(".sock")
    };
    let all = files(annals.data().parent().unwrap()).into_iter().filter(|file| is_work(file));
    let state = |file: PathBuf| {
        let metadata = file.metadata().ok().filter(|metadata| metadata.len() > 0)?;
        Some((file, (metadata.len(), metadata.modified().unwrap())))
    };
    all.filter_map(state).collect()
}
