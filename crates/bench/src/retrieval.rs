//! `annals-bench retrieval`: imports messages into a fresh folder through the real writer, asks questions through the real
//! search with default settings, each only of its agent, and counts how far up the messages stand that answer them.
//!
//! The same files give the same figures, times and memory aside: no clock is read for what is asked, and nothing is tuned.

pub mod ask;
mod measures;
pub mod report;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Error, Result, Timestamp};
use annals_embedder::{Cached, OnnxEmbedder};
use annals_search::Weights;
use clap::Args;
use tempfile::TempDir;

use crate::input::{self, Messages, Question};
use crate::world::{Import, Scoring, World};
use report::Report;

/// Vectors kept, as in the command: questions that are asked again, for ablation, are embedded once.
const CACHED: NonZeroUsize = NonZeroUsize::new(4096).expect("4096 is not zero");

/// Which files to measure with.
#[derive(Args)]
pub struct Retrieval {
    /// One message a line: agent, conversation, id, role, name, content, at
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// One question a line: agent, id, query, at, type, evidence (ids of the messages that answer it)
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Ask again without each part of the ranking
    #[arg(long)]
    ablate: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub async fn run(args: &Retrieval) -> Result<()> {
    let messages = input::messages(&args.messages)?;
    let (questions, unanswerable) = input::questions(&args.queries, &messages)?;
    let folder = TempDir::new().map_err(|error| Error::storage("making a temporary folder", error))?;
    let world = open(folder.path(), Scoring::AsSet).await?;
    let import = fill(&world, &messages, &questions).await?;
    let asked = ask::ask(&world, &questions, Weights::default()).await?;
    let mut report = Report::new(&asked, unanswerable, &world.footprint().await?, import);
    if args.ablate {
        for (part, weights) in Weights::ablations() {
            report.ablated(part, &ask::ask(&world, &questions, weights).await?);
        }
    }
    if args.json {
        println!("{}", report.in_json());
    } else {
        print!("{}", report.table());
    }
    Ok(())
}

/// The stores below a folder with the embedder of the command.
pub async fn open(folder: &Path, scoring: Scoring) -> Result<World> {
    World::open(folder, Arc::new(Cached::new(OnnxEmbedder::bundled()?, CACHED)), scoring).await
}

/// Stores and embeds all messages. Now is when the last message was said or the last question is asked.
pub async fn fill(world: &World, messages: &Messages, questions: &[Question]) -> Result<Import> {
    let said = messages.values().flatten().map(|message| message.at);
    let now = said.chain(questions.iter().map(|question| question.at)).max().unwrap_or(Timestamp::UNIX_EPOCH);
    let mut import = Import::default();
    for (agent, messages) in messages {
        let one = world.fill(agent, messages.iter().cloned(), now, &|_, _| ()).await?;
        import.catalog += one.catalog;
        import.embedding += one.embedding;
        import.tables += one.tables;
    }
    Ok(import)
}
