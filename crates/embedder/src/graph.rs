//! The interface to an ONNX network that a runtime has loaded: a function from token ids to numbers.

use std::path::PathBuf;

use annals_core::Result;

/// Where a network is loaded from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Compiled into the program.
    Bundled(&'static [u8]),
    /// A file. If the weights are in a second file, it is read from the same folder.
    File(PathBuf),
}

/// One output of a run.
pub(crate) struct Output {
    /// `[1, tokens, dimension]`, or `[1, dimension]` if the network pools.
    pub shape: Vec<usize>,
    /// The numbers, row by row.
    pub values: Vec<f32>,
}

/// A loaded network. Several texts can run at once, each in a worker of its own.
pub(crate) trait Graph: Send + Sync {
    /// Returns the names of the inputs.
    fn inputs(&self) -> Vec<String>;

    /// Returns the names of the outputs.
    fn outputs(&self) -> Vec<String>;

    /// Runs one text. Each input is a row of whole numbers, of shape `[1, tokens]`. May block while another text is in the
    /// worker.
    fn run(&self, worker: usize, inputs: Vec<(&str, Vec<i64>)>, output: &str) -> Result<Output>;
}
