//! One memory: shown, corrected, pinned.

use clap::Args;

#[derive(Args)]
pub struct Show {
    /// The memory's id
    pub id: String,
    /// Also show what it was made from
    #[arg(long)]
    pub sources: bool,
    /// Also show its former words, with when each was replaced
    #[arg(long)]
    pub history: bool,
}

#[derive(Args)]
pub struct Correct {
    /// The memory's id
    pub id: String,
    /// The right words
    pub text: String,
}

#[derive(Args)]
pub struct Pin {
    /// The memory's id
    pub id: String,
    /// Lift the pin
    #[arg(long)]
    pub lift: bool,
}
