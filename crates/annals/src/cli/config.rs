//! Words of `annals config`.

use clap::Subcommand;

#[derive(Subcommand)]
pub enum Config {
    /// Name everything that is wrong with file, environment and flags; or say that it is fine, and what is set where
    Check,
    /// Show every setting as it holds and who set it; secrets are not shown
    Show,
}
