//! `annals embed`: prints vectors for lines of text, or measures the quality of the model.

use std::fs::File;
use std::io::BufRead;
use std::process::ExitCode;

use annals_core::{Embedder, Error, Result};
use annals_embedder::{OnnxEmbedder, Options, evaluate};
use serde_json::json;

use crate::cli::Embed;
use crate::failure::unreadable;
use crate::view::{count, print_json, say};

pub(crate) async fn run(args: &Embed, json: bool) -> Result<ExitCode> {
    let embedder = match &args.model {
        Some(folder) => OnnxEmbedder::from_folder(folder, &Options::default())?,
        None => OnnxEmbedder::bundled()?,
    };
    let Some(path) = &args.eval else { return vectors(&embedder).await };
    let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
    let fidelity = evaluate(&embedder, file).await?;
    if json {
        print_json(&json!({ "model": embedder.model(), "pairs": fidelity.pairs, "spearman": fidelity.spearman }));
    } else {
        say!(
            "{}: Spearman {:.2} on {} pairs",
            embedder.model(),
            fidelity.spearman * 100.0,
            count(fidelity.pairs as u64)
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints one JSON vector for each line of standard input, in the same order.
async fn vectors(embedder: &OnnxEmbedder) -> Result<ExitCode> {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|cause| Error::storage("reading standard input", cause))?;
        let vector = embedder.embed(vec![line]).await?;
        print_json(&vector.first());
    }
    Ok(ExitCode::SUCCESS)
}
