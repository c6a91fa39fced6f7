//! Forgetting for good.

use clap::Args;

use super::Range;

#[derive(Args)]
#[command(group(clap::ArgGroup::new("target").required(true).args(["ids", "conversation", "subject", "from", "to"]).multiple(true)))]
pub struct Forget {
    /// Whose memory
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Memories by id
    #[arg(value_name = "ID", conflicts_with_all = ["conversation", "subject", "from", "to"])]
    pub ids: Vec<String>,
    /// A whole conversation
    #[arg(long, value_name = "C", conflicts_with_all = ["subject", "from", "to"])]
    pub conversation: Option<String>,
    /// Whatever was said by this person, or names it
    #[arg(long, value_name = "E", conflicts_with_all = ["from", "to"])]
    pub subject: Option<String>,
    #[command(flatten)]
    pub range: Range,
    /// Do it; without this, only say what would go
    #[arg(long)]
    pub yes: bool,
}
