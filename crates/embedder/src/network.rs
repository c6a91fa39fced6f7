//! Runs the network with rten, on thread pools of one thread each (`threads`).
//!
//! One text per run, so that its vector has the same bits whatever else is embedded. Measured with batches of 32: with inputs
//! quantised per batch, cosines with the vector of the same text alone fell to 0.95; with one scale per token, as in the
//! bundled model, still only 5 vectors of 128 had the same bits. Single texts on two pools are as fast as batches on two
//! threads, because there is no padding. Concurrent callers share the pools, text by text. Takes token ids, never text.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::{Error, Result};
use rten::{Dimension, LoadError, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;

/// More thread pools would only take memory (about 10 MB each) and cores that other work needs.
const MOST_THREADS: usize = 16;

/// At this niceness, another thread gets about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// A loaded network: maps token ids `[1, n]` to a vector `[1, dimension]` of unit length.
pub(crate) struct Network {
    model: Model,
    input: NodeId,
    output: NodeId,
    dimension: usize,
    threads: Vec<Arc<ThreadPool>>,
    turn: AtomicUsize,
}

impl Network {
    /// Loads an ONNX model and checks that it has one input, and one output that is a row of fixed length.
    pub(crate) fn load(bytes: Cow<'static, [u8]>) -> Result<Network> {
        let model = read(bytes).map_err(|error| Error::model("cannot load model.onnx", error))?;
        let (&[input], &[output]) = (model.input_ids(), model.output_ids()) else {
            return Err(Error::damaged("model.onnx", "it does not have one input and one output"));
        };
        let shape = model.node_info(output).and_then(|node| node.shape());
        let Some(&[_, Dimension::Fixed(dimension)]) = shape.as_deref() else {
            return Err(Error::damaged("model.onnx", "its output is not a row of fixed length"));
        };
        let threads = threads()?;
        Ok(Network { model, input, output, dimension, threads, turn: AtomicUsize::new(0) })
    }

    /// Returns the length of each vector.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns how many texts can run in parallel.
    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Returns the next thread pool in turn.
    pub(crate) fn next_thread(&self) -> Arc<ThreadPool> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.threads[turn % self.threads.len()].clone()
    }

    /// Returns the vector of one text. Blocks until the thread pool is free and the network has run.
    pub(crate) fn run(&self, thread: &Arc<ThreadPool>, ids: &[u32]) -> Result<Vec<f32>> {
        let ids: Vec<i32> = ids.iter().map(|id| id.cast_signed()).collect();
        let input = NdTensor::from_data([1, ids.len()], ids);
        let options = RunOptions::default().with_thread_pool(Some(thread.clone()));
        let outputs = self.model.run_n(vec![(self.input, input.into())], [self.output], Some(options));
        let [output] = outputs.map_err(|error| Error::model("cannot run model.onnx", error))?;
        let (_, mut vector) =
            output.into_shape_vec::<f32, 2>().map_err(|error| Error::model("cannot read the vector", error))?;
        // rten returns a buffer from its pool, sized for a whole layer: 384 numbers would hold 116 KB.
        vector.shrink_to_fit();
        Ok(vector)
    }
}

/// Creates one thread pool per core, at most [`MOST_THREADS`], at lower priority, so that durable writes come first. The pools'
/// threads inherit the priority of the thread that creates them.
fn threads() -> Result<Vec<Arc<ThreadPool>>> {
    let make = || {
        // May be refused; then everything works as before, without the priority.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores.min(MOST_THREADS)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect()
    };
    std::thread::spawn(make).join().map_err(|_| Error::model("cannot start the embedder", "its threads do not start"))
}

fn read(bytes: Cow<'static, [u8]>) -> std::result::Result<Model, LoadError> {
    let mut options = ModelOptions::with_all_ops();
    // Takes 10 MB more; otherwise the weights would be laid out again for each text.
    options.prepack_weights(true);
    match bytes {
        Cow::Borrowed(bytes) => options.load_static_slice(bytes),
        Cow::Owned(bytes) => options.load(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_model_is_an_error() {
        let error = Network::load(b"not onnx"[..].into()).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("cannot load model.onnx: "), "{error}");
    }
}
