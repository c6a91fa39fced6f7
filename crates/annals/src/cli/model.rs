//! Arguments of `annals model`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Model {
    /// List the models on this machine, and which one is configured
    List,
    /// Fetch a model from the hub into the data folder: intfloat/multilingual-e5-small
    Pull {
        /// Owner and name of the model on the hub
        model: String,
        /// A branch, a tag or a commit
        #[arg(long, default_value = "main", value_name = "R")]
        revision: String,
        /// The ONNX file to use, such as `onnx/model_quantized.onnx` [default: the first of the usual names]
        #[arg(long, value_name = "PATH")]
        file: Option<String>,
    },
    /// Configure a model: `built-in`, a pulled model, or a folder
    Use {
        /// The model
        model: String,
    },
    /// Measure the configured model on this machine: texts per second, and the time for a question
    Measure {
        /// Texts, one a line [default: sentences that are compiled in]
        file: Option<PathBuf>,
    },
}
