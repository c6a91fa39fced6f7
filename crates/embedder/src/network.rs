//! A network of vectors: maps the tokens of a text to one vector of unit length.

use annals_core::{Error, Result};

use crate::graph::{Output, Source};
use crate::loaded_graph::LoadedGraph;
use crate::pooling::{Pooling, unit};
use crate::runtime::Runtime;
use crate::tokens::TokenIds;

/// The outputs that are understood, best first. An output of another name is used only if the network has no second one.
const OUTPUTS: [&str; 4] = ["sentence_embedding", "sentence_embeddings", "last_hidden_state", "token_embeddings"];

pub(crate) struct Network {
    graph: LoadedGraph,
    output: String,
    pooling: Option<Pooling>,
    dimension: usize,
}

impl Network {
    /// Loads an ONNX model and runs `tokens` through it, to check that it returns vectors. `pooling` may be missing if the
    /// network pools.
    pub(crate) fn load(
        runtime: Runtime,
        source: Source,
        pooling: Option<Pooling>,
        tokens: &TokenIds,
    ) -> Result<Network> {
        let graph = LoadedGraph::load(runtime, source)?;
        let output = output(&graph.outputs())?;
        let mut network = Network { graph, output, pooling, dimension: 0 };
        network.dimension = network.run(0, tokens)?.len();
        Ok(network)
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns how many texts can run in parallel.
    pub(crate) fn workers(&self) -> usize {
        self.graph.workers()
    }

    pub(crate) fn next_worker(&self) -> usize {
        self.graph.next_worker()
    }

    /// Returns the vector of one text. Blocks until the worker is free and the network has run.
    pub(crate) fn run(&self, worker: usize, tokens: &TokenIds) -> Result<Vec<f32>> {
        self.vector(self.graph.run(worker, tokens, &self.output)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_chosen_by_its_name_or_because_there_is_no_other() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let found = output(&names(&["a", "b"])).map_err(|error| error.to_string()).unwrap_err();
        assert!(found.ends_with("it has a, b"), "{found}");
        assert_eq!(output(&names(&["pooler_output", "last_hidden_state"])).unwrap(), "last_hidden_state");
        assert_eq!(output(&names(&["output_0"])).unwrap(), "output_0");
    }
}
