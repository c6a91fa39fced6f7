//! The network itself, run by rten on lanes of one thread each.
//!
//! One text per run, so that its vector is the same to the bit in any company. Measured with batches of 32: cosines down to
//! 0.95 with the same text alone when inputs are quantised per batch, and with one scale per token, as the bundled model has
//! it, still only 5 vectors of 128 with the same bits. Alone on two lanes is as fast as batches on two threads: there is no
//! padding. Callers at the same time queue for the lanes, text by text. Knows nothing of words.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_core::{Error, Result};
use rten::{Dimension, LoadError, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;

/// More lanes than these would only add memory (about 10 MB each) where other work wants its cores, too.
const MOST_LANES: usize = 16;

/// Ten steps of niceness give another thread about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// A loaded network: token ids `[1, n]` to one vector `[1, dimension]` of unit length.
pub struct Network {
    model: Model,
    input: NodeId,
    output: NodeId,
    dimension: usize,
    lanes: Vec<Arc<ThreadPool>>,
    turn: AtomicUsize,
}

impl Network {
    /// Reads the ONNX bytes and checks the shape of input and output.
    pub fn load(bytes: Cow<'static, [u8]>) -> Result<Network> {
        let model = read(bytes).map_err(|error| Error::model("cannot load model.onnx", error))?;
        let (&[input], &[output]) = (model.input_ids(), model.output_ids()) else {
            return Err(Error::damaged("model.onnx", "it does not have one input and one output"));
        };
        let shape = model.node_info(output).and_then(|node| node.shape());
        let Some(&[_, Dimension::Fixed(dimension)]) = shape.as_deref() else {
            return Err(Error::damaged("model.onnx", "its output is not a row of fixed length"));
        };
        let lanes = lanes()?;
        Ok(Network { model, input, output, dimension, lanes, turn: AtomicUsize::new(0) })
    }

    /// Length of each vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many texts can be under way at once.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// The lane that is next in turn.
    pub fn next_lane(&self) -> Arc<ThreadPool> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.lanes[turn % self.lanes.len()].clone()
    }

    /// The vector of one text. Blocks until the lane is free and the network has run.
    pub fn run(&self, lane: &Arc<ThreadPool>, ids: &[u32]) -> Result<Vec<f32>> {
        let ids: Vec<i32> = ids.iter().map(|id| id.cast_signed()).collect();
        let input = NdTensor::from_data([1, ids.len()], ids);
        let options = RunOptions::default().with_thread_pool(Some(lane.clone()));
        let outputs = self.model.run_n(vec![(self.input, input.into())], [self.output], Some(options));
        let [output] = outputs.map_err(|error| Error::model("cannot run model.onnx", error))?;
        let (_, mut vector) =
            output.into_shape_vec::<f32, 2>().map_err(|error| Error::model("cannot read the vector", error))?;
        // It comes in a buffer of rten's pool, made for a whole layer: 384 numbers would hold on to 116 KB.
        vector.shrink_to_fit();
        Ok(vector)
    }
}

/// One for each core, on threads of lower priority: what only has to be made durable comes first. They inherit it from the
/// thread that makes them.
fn lanes() -> Result<Vec<Arc<ThreadPool>>> {
    let make = || {
        // Without the right to it everything is as quick as before, only not in the best order.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores.min(MOST_LANES)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect()
    };
    std::thread::spawn(make).join().map_err(|_| Error::model("cannot start the embedder", "its threads do not start"))
}

fn read(bytes: Cow<'static, [u8]>) -> std::result::Result<Model, LoadError> {
    let mut options = ModelOptions::with_all_ops();
    // 10 MB more, and the weights are not laid out anew for each text.
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
    fn what_is_no_model_is_an_error() {
        let error = Network::load(b"not onnx"[..].into()).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("cannot load model.onnx: "), "{error}");
    }
}
