//! Measures the built-in model on the contents of messages: `cargo run -p annals-embedder --example measure_embedder -- FILE.jsonl`.
//! Processor time is what embedding costs; elapsed time also depends on what else runs.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures, run by hand")]

use std::time::Instant;

use annals_core::Embedder;
use annals_embedder::OnnxEmbedder;

const MOST: usize = 400;

#[tokio::main]
async fn main() {
    let file = std::fs::read_to_string(std::env::args().nth(1).expect("the file of messages")).unwrap();
    let texts: Vec<String> = file.lines().take(MOST).map(content).collect();
    let embedder = OnnxEmbedder::bundled().unwrap();
    embedder.embed(texts[..20].to_vec()).await.unwrap();
    for round in 1..=3 {
        let (began, before) = (Instant::now(), processor_seconds());
        embedder.embed(texts.clone()).await.unwrap();
        let each = |seconds: f64| seconds * 1000.0 / f64::from(u32::try_from(texts.len()).unwrap());
        let (elapsed, used) = (began.elapsed().as_secs_f64(), processor_seconds() - before);
        println!("round {round}: {:.2} ms elapsed, {:.2} ms of processor time a text", each(elapsed), each(used));
    }
}

fn content(line: &str) -> String {
    let message: serde_json::Value = serde_json::from_str(line).unwrap();
    message["content"].as_str().unwrap().to_owned()
}

/// Linux counts it in hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u32 = fields[11..13].iter().map(|field| field.parse::<u32>().unwrap()).sum();
    f64::from(ticks) / 100.0
}
