//! Arguments of the commands for a single memory: `annals show`, `correct` and `pin`.

use clap::Args;

#[derive(Args)]
pub(crate) struct Show {
    /// Id of the memory, as searches and timelines print it
    pub id: String,
    /// Also show the memories it was made from
    #[arg(long)]
    pub sources: bool,
    /// Also show former versions, with the time when each was replaced
    #[arg(long)]
    pub history: bool,
}

#[derive(Args)]
pub(crate) struct Correct {
    /// Id of the memory, as searches and timelines print it
    pub id: String,
    /// Text that replaces the present one
    pub text: String,
}

#[derive(Args)]
pub(crate) struct Pin {
    /// Id of the memory, as searches and timelines print it
    pub id: String,
    /// Remove the pin, so that retention may prune the memory
    #[arg(long)]
    pub lift: bool,
}
