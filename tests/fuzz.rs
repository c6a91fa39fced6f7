//! Damaged input for every parser: messages, exports, backups, stored files, model answers, configuration, prompts, requests.
//!
//! Mutates good inputs at random (`mutation.rs`) and passes them to the parsers (`targets/`). No parser may panic, hang or
//! leave partial state, and an error must say what is wrong. Each target prints the time of its slowest input and the peak
//! memory so far. `ANNALS_FUZZ_SECONDS` is the time per target (1 second if unset), `ANNALS_FUZZ_SEED` the seed. A failing
//! input is minimised and stored in `tests/fuzz/corpus`, which every run checks first.

mod mutation;
mod targets;

use std::cell::Cell;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use sha2::{Digest, Sha256};

use mutation::{Mutation, apply, mutations};

/// Time limit of one input, far longer than any input takes. An input that takes longer counts as a hang.
const FOR_EVER: Duration = Duration::from_secs(120);
/// Number of inputs between two checks of the time.
const BATCH: u32 = 16;
const MAX_SHRINKING: u32 = 300;

/// The result of a check. An error describes what the parser did wrong.
type Verdict = Result<(), String>;

/// Passes mutations of the good inputs to `check` until the time is over.
#[expect(clippy::print_stderr, reason = "the number of inputs is part of the result")]
fn fuzz(target: &'static str, good: &[Vec<u8>], check: impl Fn(&[u8]) -> Verdict) {
    let watch = Watch::start(target);
    let slowest = Cell::new(Duration::ZERO);
    let check = |input: &[u8]| {
        let begun = Instant::now();
        let verdict = watch.over(input, || check(input));
        slowest.set(slowest.get().max(begun.elapsed()));
        verdict
    };
    let corpus = corpus(target);
    for input in good.iter().chain(&corpus) {
        check(input).unwrap_or_else(|why| panic!("{target}: {why}: {}", String::from_utf8_lossy(input)));
    }
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(number("ANNALS_FUZZ_SECONDS", 1));
    let (seed, mut batches) = (number("ANNALS_FUZZ_SEED", 1), 0);
    let choice = (0..good.len(), mutations());
    while batches == 0 || Instant::now() < end {
        let mut runner = TestRunner::new_with_rng(
            Config { cases: BATCH, max_shrink_iters: MAX_SHRINKING, failure_persistence: None, ..Config::default() },
            random(seed, batches),
        );
        let done = runner.run(&choice, |(index, mutations): (usize, Vec<Mutation>)| {
            check(&apply(&good[index], &mutations)).map_err(TestCaseError::fail)
        });
        if let Err(TestError::Fail(why, (index, mutations))) = done {
            let place = keep(target, &apply(&good[index], &mutations));
            panic!("{target}: {why}; ANNALS_FUZZ_SEED={seed}, input stored in {}", place.display());
        }
        batches += 1;
    }
    eprintln!(
        "fuzz {target}: {} inputs from {} good ones and a corpus of {}; the slowest {:.1} s; {}",
        batches * u64::from(BATCH),
        good.len(),
        corpus.len(),
        slowest.get().as_secs_f64(),
        most_memory()
    );
}

/// Returns the highest resident memory of this process, as the system states it.
fn most_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("memory unknown");
    peak.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn random(seed: u64, batch: u64) -> TestRng {
    let seed: [u8; 32] = Sha256::digest([seed.to_le_bytes(), batch.to_le_bytes()].concat()).into();
    TestRng::from_seed(RngAlgorithm::ChaCha, &seed)
}

fn folder(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus").join(target)
}

/// Returns the inputs that failed before.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder(target)).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| std::fs::read(file).unwrap()).collect()
}

fn keep(target: &str, input: &[u8]) -> PathBuf {
    let name = Sha256::digest(input).iter().take(6).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    });
    std::fs::create_dir_all(folder(target)).unwrap();
    let place = folder(target).join(name);
    std::fs::write(&place, input).unwrap();
    place
}

/// Aborts the process when an input hangs, and stores that input.
struct Watch {
    /// The input that is being checked.
    input: Mutex<Vec<u8>>,
    progress_sender: std::sync::mpsc::Sender<bool>,
}

impl Watch {
    fn start(target: &'static str) -> std::sync::Arc<Watch> {
        let (progress_sender, progress) = channel();
        let watch = std::sync::Arc::new(Watch { input: Mutex::default(), progress_sender });
        let watched = std::sync::Arc::downgrade(&watch);
        std::thread::spawn(move || {
            wait(&progress, || {
                if let Some(watch) = watched.upgrade() {
                    let place = keep(target, &watch.input.lock());
                    panic_everywhere(&format!("{target}: an input takes for ever: {}", place.display()));
                }
            });
        });
        watch
    }

    fn over(&self, input: &[u8], check: impl FnOnce() -> Verdict) -> Verdict {
        *self.input.lock() = input.to_vec();
        let _ = self.progress_sender.send(true);
        let verdict = check();
        let _ = self.progress_sender.send(false);
        verdict
    }
}

/// Calls `hangs` if an input is not finished in time.
fn wait(progress: &Receiver<bool>, hangs: impl Fn()) {
    let mut is_under_way = false;
    loop {
        match progress.recv_timeout(FOR_EVER) {
            Ok(begins) => is_under_way = begins,
            Err(RecvTimeoutError::Timeout) if is_under_way => hangs(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[expect(clippy::print_stderr, reason = "the last words of the process")]
fn panic_everywhere(why: &str) {
    eprintln!("{why}");
    std::process::abort();
}
