//! When to kill: at a share of the time between the first write of a piece of work and its end, which is learnt on the way.
//!
//! The machine is shared, so that a duration measured once says little. Each round therefore waits for the first write itself,
//! and how long the rest takes follows from how the rounds before went.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use crate::command::Annals;

/// How often the folder is looked at until the first write.
const LOOK: Duration = Duration::from_millis(2);
/// Every so many rounds the kill comes before the first write.
const EARLY: u32 = 10;

/// When a kill came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    BeforeFirstWrite,
    UnderWay,
    AfterEnd,
}

/// How long a piece of work takes.
pub struct Pace {
    /// Until the first write.
    start: Duration,
    /// From there to the end.
    work: Duration,
}

type Files = BTreeMap<PathBuf, (u64, SystemTime)>;

impl Pace {
    /// Runs the command undisturbed.
    pub fn measure(mut command: Command, annals: &Annals) -> Pace {
        let before = written(annals);
        let begun = Instant::now();
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for_write(&mut child, annals, &before, Duration::MAX);
        let start = begun.elapsed();
        let status = child.wait().unwrap();
        assert!(status.success(), "{command:?}: {status}");
        Pace { start, work: begun.elapsed() - start }
    }

    /// Kills the process; when that was.
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
        // Slowly, or else most kills of a machine that has become faster would come too late.
        self.work = self.work.mul_f64(1.01);
        Landing::UnderWay
    }
}

/// Between 0 and 1, evenly spread and never the same: multiples of the golden ratio, modulo one.
fn share(round: u32) -> f64 {
    (f64::from(round) * 0.618_033_988_75).fract()
}

/// Waits until something is written, the process ends, or the time is over. Whether something was written.
fn wait_for_write(child: &mut Child, annals: &Annals, before: &Files, at_most: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < at_most && child.try_wait().unwrap().is_none() {
        if written(annals) != *before {
            return true;
        }
        std::thread::sleep(LOOK);
    }
    false
}

/// Every file below a folder in which another process makes and removes some.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().map_while(Result::ok) {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// All files that hold something, but what a process opens before its work begins.
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
