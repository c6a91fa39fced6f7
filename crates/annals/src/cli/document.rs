//! Arguments of `annals document`.

use annals_core::ports::DocumentKey;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Document {
    /// List documents, by collection and key
    List(ListDocuments),
    /// Print a document in full
    Show(OneDocument),
    /// Delete a document; `annals forget` also proves that nothing of it is left
    Delete(OneDocument),
}

#[derive(Args)]
pub(crate) struct ListDocuments {
    /// List the documents of this agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// Only this collection and those below it
    #[arg(long, value_name = "C")]
    pub collection: Option<String>,
    /// Only keys that start with this text
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,
    /// Show at most N [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Args)]
pub(crate) struct OneDocument {
    /// Collection and key of the document, as lists and searches print them: notes.work/plan.md
    #[arg(value_name = "COLLECTION/KEY", value_parser = document)]
    pub document: DocumentKey,
    /// Name of the agent that has the document
    #[arg(long, value_name = "A")]
    pub agent: String,
}

fn document(text: &str) -> Result<DocumentKey, String> {
    match text.split_once('/') {
        Some((collection, key)) if !collection.is_empty() && !key.is_empty() => {
            Ok(DocumentKey { collection: collection.to_owned(), key: key.to_owned() })
        }
        _ => Err("expected COLLECTION/KEY, as in notes.work/plan.md; `annals document list` prints them".to_owned()),
    }
}
