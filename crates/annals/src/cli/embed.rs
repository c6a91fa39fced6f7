//! Arguments of `annals embed`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Embed {
    /// Measure the model on a file in the format of the STS benchmark and print Spearman's correlation
    #[arg(long, value_name = "CSV")]
    pub eval: Option<PathBuf>,
    /// A folder with another model of the same kind [default: the built-in model]
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
}
