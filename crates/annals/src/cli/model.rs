//! Arguments of `annals model` and `annals embed`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

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
        /// `built-in`, the name of a pulled model, or the path of a folder
        model: String,
    },
    /// Measure the configured model on this machine: texts per second, and the time for a question
    Measure {
        /// File with one text per line [default: sentences that are compiled in]
        file: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct Embed {
    /// Measure the model on a file in the format of the STS benchmark and print Spearman's correlation
    #[arg(long, value_name = "CSV")]
    pub eval: Option<PathBuf>,
    /// A folder with another model of the same kind [default: the built-in model]
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
}
