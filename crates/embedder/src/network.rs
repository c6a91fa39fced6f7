//! Runs texts through a network, each alone, several in parallel.
//!
//! One text per run, so that its vector has the same bits whatever else is embedded. Measured with batches of 32: with inputs
//! quantised per batch, cosines with the vector of the same text alone fell to 0.95; with one scale per token, as in the
//! bundled model, still only 5 vectors of 128 had the same bits. Single texts in two workers are as fast as batches on two
//! threads, because there is no padding. Concurrent callers share the workers, text by text. Takes token ids, never text.

use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::{Error, Result};

use crate::graph::{Graph, Output, Source};
use crate::pooling::{Pooling, unit};
use crate::runtime::Runtime;

/// Maximum number of workers. More would only take memory (23 MB each with the built-in model) and cores that other work needs.
const MAX_WORKERS: usize = 16;

/// Bytes of weights that all workers together may take, unless one alone takes more. A large model gets fewer workers, with
/// more threads each.
const MAX_WEIGHTS: u64 = 512 << 20;

/// The niceness of the embedder's threads. A thread of normal priority gets about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// The inputs that a network may have.
const INPUTS: [&str; 4] = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];

/// The outputs that are understood, best first. An output of another name is used only if the network has no second one.
const OUTPUTS: [&str; 4] = ["sentence_embedding", "sentence_embeddings", "last_hidden_state", "token_embeddings"];

/// A loaded network: maps token ids to a vector of unit length.
pub(crate) struct Network {
    graph: Box<dyn Graph>,
    inputs: Vec<&'static str>,
    output: String,
    pooling: Option<Pooling>,
    dimension: usize,
    workers: usize,
    turn: AtomicUsize,
}

impl Network {
    /// Loads an ONNX model and runs `ids` through it, to check that it returns vectors. `pooling` may be missing if the network
    /// pools.
    pub(crate) fn load(runtime: Runtime, source: Source, pooling: Option<Pooling>, ids: &[u32]) -> Result<Network> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (workers, threads) = share(cores, source.size());
        let graph = at_low_priority(move || runtime.load(&source, workers, threads))?;
        let inputs = inputs(&graph.inputs())?;
        let output = output(&graph.outputs())?;
        let mut network = Network { graph, inputs, output, pooling, dimension: 0, workers, turn: AtomicUsize::new(0) };
        network.dimension = network.run(0, ids)?.len();
        Ok(network)
    }

    /// Returns the length of each vector.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns how many texts can run in parallel.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Returns the next worker in turn.
    pub(crate) fn next_worker(&self) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % self.workers
    }

    /// Returns the vector of one text. Blocks until the worker is free and the network has run.
    pub(crate) fn run(&self, worker: usize, ids: &[u32]) -> Result<Vec<f32>> {
        let inputs = self.inputs.iter().map(|name| (*name, row(name, ids))).collect();
        self.vector(self.graph.run(worker, inputs, &self.output)?)
    }

    fn vector(&self, Output { shape, values }: Output) -> Result<Vec<f32>> {
        let vector = match (&*shape, self.pooling) {
            (&[1, dimension], _) if dimension > 0 => values,
            (&[1, tokens, dimension], Some(pooling)) if tokens * dimension > 0 => pooling.pool(&values, dimension),
            (&[1, _, _], None) => {
                let reason =
                    "gives a vector for each token, and the folder has no 1_Pooling/config.json; set embedder.pooling";
                return Err(Error::invalid(&self.output, reason));
            }
            _ => return Err(Error::damaged("the network", format!("its output has the shape {shape:?}"))),
        };
        unit(vector).ok_or_else(|| Error::damaged("the network", "its vector has no length"))
    }
}

fn row(input: &str, ids: &[u32]) -> Vec<i64> {
    match input {
        "attention_mask" => vec![1; ids.len()],
        "token_type_ids" => vec![0; ids.len()],
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

fn output(found: &[String]) -> Result<String> {
    let best = OUTPUTS.into_iter().find(|name| found.iter().any(|output| output == name));
    match (best, found) {
        (Some(name), _) => Ok(name.to_owned()),
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            let reason = format!("has none of the outputs {}; it has {}", OUTPUTS.join(", "), found.join(", "));
            Err(Error::invalid("the network", reason))
        }
    }
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
    let stopped = |_| Err(Error::model("cannot start the embedder", "its threads do not start"));
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
    fn unknown_inputs_and_outputs_are_named() {
        fn check<T: std::fmt::Debug>(found: Result<T>, expect: &str) {
            assert_eq!(found.map_err(|error| error.to_string()).unwrap_err(), expect);
        }
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        check(inputs(&names(&["input_ids", "pixels"])), "the network has an input pixels, which is not known");
        check(inputs(&names(&["attention_mask"])), "the network has no input input_ids");
        let found = output(&names(&["a", "b"])).map_err(|error| error.to_string()).unwrap_err();
        assert!(found.ends_with("it has a, b"), "{found}");
        assert_eq!(output(&names(&["pooler_output", "last_hidden_state"])).unwrap(), "last_hidden_state");
        assert_eq!(output(&names(&["output_0"])).unwrap(), "output_0");
    }

    #[test]
    fn invalid_model_is_an_error() {
        let error = Network::load(Runtime::Rten, Source::Bundled(b"not onnx"), None, &[1]).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("cannot load the network: "), "{error}");
    }
}
