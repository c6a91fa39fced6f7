//! Arguments of `annals doctor`.

use clap::Args;

#[derive(Args)]
pub(crate) struct Doctor {
    /// Do not call the configured models; a call costs a few hundred tokens for each model
    #[arg(long)]
    pub without_models: bool,
}
