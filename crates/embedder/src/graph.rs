//! The interface to an ONNX network that a runtime has loaded: a function from token ids to numbers.

use std::path::{Path, PathBuf};

use annals_core::Result;

/// Where a network is loaded from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Compiled into the program.
    Bundled(&'static [u8]),
    /// A file. If the weights are in a second file, it is read from the same folder.
    File(PathBuf),
}

impl Source {
    /// Returns the size of the network in bytes, including the weights in files beside it. A file that cannot be read counts as
    /// empty.
    pub(crate) fn size(&self) -> u64 {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        match self {
            Source::Bundled(bytes) => bytes.len() as u64,
            Source::File(path) => length(path) + weights(path).map(|beside| length(&beside)).sum::<u64>(),
        }
    }
}

/// Returns the files beside a network that hold its weights, if there are any. Large networks keep their weights there. Such a
/// file has the name of the network with `_data` or `.data` at the end.
pub(crate) fn weights(network: &Path) -> impl Iterator<Item = PathBuf> {
    let beside = |end: &str| PathBuf::from(format!("{}{end}", network.display()));
    [beside("_data"), beside(".data")].into_iter().filter(|path| path.is_file())
}

pub(crate) struct Output {
    /// `[1, tokens, dimension]`, or `[1, dimension]` if the network pools.
    pub shape: Vec<usize>,
    /// The numbers, row by row.
    pub values: Vec<f32>,
}

/// A loaded network. Runs several texts at once, each in a worker of its own.
pub(crate) trait Graph: Send + Sync {
    fn inputs(&self) -> Vec<String>;

    fn outputs(&self) -> Vec<String>;

    /// Runs one text and returns the named output. Each input is a row of whole numbers, of shape `[1, tokens]`. May block
    /// while another text is in the worker.
    fn run(&self, worker: usize, inputs: Vec<(&str, Vec<i64>)>, output: &str) -> Result<Output>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_beside_the_network_count_as_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let network = folder.path().join("model.onnx");
        std::fs::write(&network, [0; 10]).unwrap();
        std::fs::write(folder.path().join("model.onnx_data"), [0; 1_000]).unwrap();
        std::fs::write(folder.path().join("other.onnx_data"), [0; 7]).unwrap();
        assert_eq!(Source::File(network).size(), 1_010);
        assert_eq!(Source::Bundled(b"onnx").size(), 4);
    }
}
