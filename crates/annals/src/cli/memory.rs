//! Arguments of the commands for a single memory: `annals show`, `correct` and `pin`.

use clap::Args;

#[derive(Args)]
pub(crate) struct Show {
    /// The memory's id
    pub id: String,
    /// Also show the memories it was made from
    #[arg(long)]
    pub sources: bool,
    /// Also show its former versions, with the time when each was replaced
    #[arg(long)]
    pub history: bool,
}

#[derive(Args)]
pub(crate) struct Correct {
    /// The memory's id
    pub id: String,
    /// The correct text
    pub text: String,
}

#[derive(Args)]
pub(crate) struct Pin {
    /// The memory's id
    pub id: String,
    /// Remove the pin
    #[arg(long)]
    pub lift: bool,
}
