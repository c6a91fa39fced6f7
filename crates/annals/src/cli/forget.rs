//! Arguments of `annals forget`.

use clap::Args;

use super::Range;

#[derive(Args)]
#[command(group(clap::ArgGroup::new("target").required(true).args(["ids", "conversation", "subject", "from", "to"]).multiple(true)))]
pub(crate) struct Forget {
    /// Forget memories of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Forget the memories with these ids, as searches and timelines print them
    #[arg(value_name = "ID", conflicts_with_all = ["conversation", "subject", "from", "to"])]
    pub ids: Vec<String>,
    /// Forget this whole conversation
    #[arg(long, value_name = "C", conflicts_with_all = ["subject", "from", "to"])]
    pub conversation: Option<String>,
    /// Forget everything that this person said, or that names this person or thing
    #[arg(long, value_name = "E", conflicts_with_all = ["from", "to"])]
    pub subject: Option<String>,
    #[command(flatten)]
    pub range: Range,
    /// Forget; without this, only show what would be removed
    #[arg(long)]
    pub yes: bool,
}
