//! Words of `annals doctor`.

use clap::Args;

#[derive(Args)]
pub struct Doctor {
    /// Do not call the configured models, which costs a few hundred tokens each
    #[arg(long)]
    pub without_models: bool,
}
