//! A network in a runtime, with the inputs that it takes and its workers. Runs texts each alone, several in parallel.
//!
//! One text per run, so that its output has the same bits whatever else is computed. Measured with batches of 32 vectors: with
//! inputs quantised per batch, cosines with the vector of the same text alone fell to 0.95; with one scale per token, as in the
//! bundled model, still only 5 vectors of 128 had the same bits. Single texts in two workers are as fast as batches on two
//! threads, because there is no padding. Concurrent callers share the workers, text by text. Takes token ids, never text.

use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::{Error, Result};

use crate::graph::{Graph, Output, Source};
use crate::runtime::Runtime;
use crate::tokens::TokenIds;

/// Maximum number of workers. More would only take memory (23 MB each with the built-in model) and cores that other work needs.
const MAX_WORKERS: usize = 16;

/// Bytes of weights that all workers together may take, unless one alone takes more. A large model gets fewer workers, with
/// more threads each.
const MAX_WEIGHTS: u64 = 512 << 20;

/// The niceness of the threads. A thread of normal priority gets about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// The inputs that are supplied to a network. A network with any other input is refused.
const INPUTS: [&str; 4] = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];

pub(crate) struct LoadedGraph {
    graph: Box<dyn Graph>,
    inputs: Vec<&'static str>,
    workers: usize,
    next_worker: AtomicUsize,
}

impl LoadedGraph {
    /// Loads an ONNX network. Fails if it has an input that is not in [`INPUTS`], or lacks `input_ids`.
    pub(crate) fn load(runtime: Runtime, source: Source) -> Result<LoadedGraph> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (workers, threads) = share(cores, source.size());
        let graph = at_low_priority(move || runtime.load(&source, workers, threads))?;
        let inputs = inputs(&graph.inputs())?;
        Ok(LoadedGraph { graph, inputs, workers, next_worker: AtomicUsize::new(0) })
    }

    pub(crate) fn outputs(&self) -> Vec<String> {
        self.graph.outputs()
    }

    /// Returns how many texts can run in parallel.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Returns the worker for the next text. Workers take turns.
    pub(crate) fn next_worker(&self) -> usize {
        self.next_worker.fetch_add(1, Ordering::Relaxed) % self.workers
    }

    /// Returns one output for one text. Blocks until the worker is free and the network has run.
    pub(crate) fn run(&self, worker: usize, tokens: &TokenIds, output: &str) -> Result<Output> {
        let inputs = self.inputs.iter().map(|name| (*name, row(name, tokens))).collect();
        self.graph.run(worker, inputs, output)
    }
}

fn row(input: &str, TokenIds { ids, types }: &TokenIds) -> Vec<i64> {
    match input {
        "attention_mask" => vec![1; ids.len()],
        "token_type_ids" => types.iter().map(|kind| i64::from(*kind)).collect(),
        "position_ids" => (0..).take(ids.len()).collect(),
        _ => ids.iter().map(|id| i64::from(*id)).collect(),
    }
}

fn inputs(found: &[String]) -> Result<Vec<&'static str>> {
    let known = |name: &String| INPUTS.into_iter().find(|input| input == name);
    if let Some(other) = found.iter().find(|name| known(name).is_none()) {
        return Err(Error::invalid("the network", format!("has an input {other}, which is not known")));
    }
    if !found.iter().any(|name| name == INPUTS[0]) {
        return Err(Error::invalid("the network", format!("has no input {}", INPUTS[0])));
    }
    Ok(found.iter().filter_map(known).collect())
}

/// Returns the number of workers, and of threads in each, for a network of `size` bytes.
fn share(cores: usize, size: u64) -> (usize, usize) {
    let fitting = usize::try_from(MAX_WEIGHTS / size.max(1)).unwrap_or(MAX_WORKERS);
    let workers = cores.min(MAX_WORKERS).min(fitting).max(1);
    (workers, (cores.min(MAX_WORKERS) / workers).max(1))
}

/// Runs `start` on a thread of lower priority, so that durable writes come first. Threads that `start` creates inherit the
/// priority.
fn at_low_priority<T: Send>(start: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let work = || {
        // The system may refuse this. Then everything works as before, at normal priority.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        start()
    };
    let stopped = |_| Err(Error::model("cannot start the runtime of models", "its threads do not start"));
    std::thread::scope(|scope| scope.spawn(work).join().unwrap_or_else(stopped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_model_gets_fewer_workers_with_more_threads() {
        assert_eq!(share(4, 23 << 20), (4, 1));
        assert_eq!(share(8, 118 << 20), (4, 2));
        assert_eq!(share(4, 2 << 30), (1, 4));
        assert_eq!(share(64, 0), (16, 1));
    }

    #[test]
    fn unknown_inputs_are_named() {
        fn check(found: &[&str], expect: &str) {
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(inputs(&found).unwrap_err().to_string(), expect);
        }
        check(&["input_ids", "pixels"], "the network has an input pixels, which is not known");
        check(&["attention_mask"], "the network has no input input_ids");
    }

    #[test]
    fn invalid_model_is_an_error() {
        let error = LoadedGraph::load(Runtime::Rten, Source::Bundled(b"not onnx")).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("cannot load the network: "), "{error}");
    }
}
