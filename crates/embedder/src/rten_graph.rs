//! A network in rten. All workers share the weights; each worker has a thread pool of its own, because rten would otherwise run
//! all texts on one.

use std::path::Path;
use std::sync::Arc;

use annals_core::{Error, Result};
use rten::{LoadError, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::NdTensor;

use crate::graph::{Graph, Output, Source};

pub(crate) struct RtenGraph {
    model: Model,
    pools: Vec<Arc<ThreadPool>>,
}

impl RtenGraph {
    /// Loads the network with `workers` pools of `threads` threads, which get the priority of the calling thread.
    pub(crate) fn load(source: &Source, workers: usize, threads: usize) -> Result<RtenGraph> {
        let model = read(source).map_err(|error| Error::model("cannot load the network", error))?;
        let pools = (0..workers).map(|_| Arc::new(ThreadPool::with_num_threads(threads))).collect();
        Ok(RtenGraph { model, pools })
    }

    fn names(&self, ids: &[NodeId]) -> Vec<String> {
        let name = |id: &NodeId| self.model.node_info(*id).and_then(|node| node.name().map(str::to_owned));
        ids.iter().filter_map(name).collect()
    }

    fn node(&self, name: &str) -> Result<NodeId> {
        self.model.node_id(name).map_err(|error| Error::model("cannot run the network", error))
    }
}

impl Graph for RtenGraph {
    fn inputs(&self) -> Vec<String> {
        self.names(self.model.input_ids())
    }

    fn outputs(&self) -> Vec<String> {
        self.names(self.model.output_ids())
    }

    fn run(&self, worker: usize, inputs: Vec<(&str, Vec<i64>)>, output: &str) -> Result<Output> {
        let mut values = Vec::with_capacity(inputs.len());
        for (name, row) in inputs {
            // rten computes with whole numbers of 32 bits; tokens and positions are small.
            let row: Vec<i32> = row.into_iter().map(|number| i32::try_from(number).unwrap_or(i32::MAX)).collect();
            values.push((self.node(name)?, NdTensor::from_data([1, row.len()], row).into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(self.pools[worker].clone()));
        let ran = self.model.run_n(values, [self.node(output)?], Some(options));
        let [output] = ran.map_err(|error| Error::model("cannot run the network", error))?;
        let tensor = output.into_tensor::<f32>();
        let tensor =
            tensor.ok_or_else(|| Error::model("cannot run the network", "its output is not of 32-bit floats"))?;
        let shape = rten_tensor::Layout::shape(&tensor).to_vec();
        let mut values = tensor.into_data();
        // rten returns a buffer from its pool, sized for a whole layer: 384 numbers would hold 116 KB.
        values.shrink_to_fit();
        Ok(Output { shape, values })
    }
}

fn read(source: &Source) -> std::result::Result<Model, LoadError> {
    let mut options = ModelOptions::with_all_ops();
    // Takes 10 MB more; otherwise the weights would be laid out again for each text.
    options.prepack_weights(true);
    match source {
        Source::Bundled(bytes) => options.load_static_slice(bytes),
        Source::File(path) => options.load_file(path as &Path),
    }
}
