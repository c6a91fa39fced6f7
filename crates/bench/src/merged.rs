//! `annals-bench merged`: asks the questions of `retrieval` with all agents merged into one, among up to 100,000 turns that
//! answer none of them. Asks twice: as the command searches, and with every row scored. The difference is the cost of choosing
//! candidates.

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::{Agent, Error, Message, Result};
use annals_embedder::OnnxEmbedder;
use annals_search::Weights;
use clap::Args;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::input::{self, Messages, Question};
use crate::retrieval::ask::ask;
use crate::retrieval::report::Report;
use crate::retrieval::{fill, open};
use crate::vectors::Kept;
use crate::world::{Scoring, World};

/// Input files and options.
#[derive(Args)]
pub(crate) struct Merged {
    /// Messages, one per line, as for `retrieval`
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Questions, one per line, as for `retrieval`
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Messages that answer none of the questions
    #[arg(long, value_name = "FILE")]
    distractors: PathBuf,
    /// Maximum number of distractors, taken from the beginning of the file
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
    /// File in which vectors are kept between runs
    #[arg(long, value_name = "FILE")]
    vectors: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Merged) -> Result<()> {
    let messages = input::messages(&args.messages)?;
    let (questions, unanswerable) = input::questions(&args.queries, &messages)?;
    let one = Agent::new("merged")?;
    let distractors = as_one(input::messages(&args.distractors)?, "distractors ").take(args.most);
    let merged: Vec<Message> = as_one(messages, "").chain(distractors).collect();
    let messages = Messages::from([(one.clone(), merged)]);
    let questions: Vec<Question> = questions.into_iter().map(|question| to(&one, question)).collect();

    let folder = TempDir::new().map_err(|error| Error::storage("making a temporary folder", error))?;
    let import = fill(&filling(args, &folder).await?, &messages, &questions).await?;
    drop(messages);
    let world = open(folder.path(), Scoring::AsSet).await?;
    let results = ask(&world, &questions, Weights::default()).await?;
    let as_set = Report::new(&results, unanswerable, &world.footprint().await?, import);
    drop(world);
    let world = open(folder.path(), Scoring::Exact).await?;
    let exactly = ask(&world, &questions, Weights::default()).await?;
    let exact = Report::new(&exactly, unanswerable, &world.footprint().await?, import);
    print(args.json, &as_set, &exact);
    Ok(())
}

/// Opens the stores to fill. Uses the vector file if the options name one.
async fn filling(args: &Merged, folder: &TempDir) -> Result<World> {
    match &args.vectors {
        Some(path) => {
            World::open(folder.path(), Arc::new(Kept::open(path, OnnxEmbedder::bundled()?)?), Scoring::AsSet).await
        }
        None => open(folder.path(), Scoring::AsSet).await,
    }
}

/// Returns the messages of all agents as those of one. Prefixes conversations and ids with `before` and the agent's name, to
/// keep them distinct.
fn as_one(messages: Messages, before: &str) -> impl Iterator<Item = Message> {
    messages.into_iter().flat_map(move |(agent, messages)| {
        let prefix = format!("{before}{}", agent.name());
        messages.into_iter().map(move |message| Message {
            conversation: named(&prefix, &message.conversation),
            client_id: message.client_id.as_deref().map(|id| named(&prefix, id)),
            ..message
        })
    })
}

/// Redirects a question to the merged agent.
fn to(one: &Agent, question: Question) -> Question {
    let prefix = question.agent.name();
    let all = |names: &std::collections::HashSet<String>| names.iter().map(|name| named(prefix, name)).collect();
    Question {
        evidence: all(&question.evidence),
        conversations: all(&question.conversations),
        agent: one.clone(),
        ..question
    }
}

fn named(prefix: &str, name: &str) -> String {
    format!("{prefix}/{name}")
}

fn print(as_json: bool, as_set: &Report, exact: &Report) {
    let lost = lost(&as_set.overall, &exact.overall);
    if as_json {
        println!("{}", json!({ "as_set": as_set.in_json(), "exact": exact.in_json(), "lost": lost }));
        return;
    }
    println!("As the command searches\n\n{}\nWith every row scored\n\n{}\nPoints lost", as_set.table(), exact.table());
    for (unit, measures) in lost.as_object().into_iter().flatten() {
        println!("{unit:<14} {measures}");
    }
}

/// Returns by how many points the first figures are below the second, for turns and conversations.
fn lost(as_set: &Value, exact: &Value) -> Value {
    let difference = |unit: &str| {
        let measures = exact[unit].as_object().into_iter().flatten();
        let points = |(name, value): (&String, &Value)| {
            let less = value.as_f64().unwrap_or_default() - as_set[unit][name].as_f64().unwrap_or_default();
            (name.clone(), json!(crate::figures::round(less)))
        };
        Value::Object(measures.map(points).collect::<Map<String, Value>>())
    };
    json!({ "turn": difference("turn"), "conversation": difference("conversation") })
}
