//! Vectors of lines of text.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub struct Embed {
    /// Measure on a file in the format of the STS benchmark and print Spearman's correlation
    #[arg(long, value_name = "CSV")]
    pub eval: Option<PathBuf>,
    /// A folder with another model of this kind [default: the built-in model]
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
}
