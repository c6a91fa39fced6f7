//! Measures the built-in model on the contents of the first 400 messages of a file of JSON lines, in rten and then in ONNX
//! Runtime if its library is found: `cargo run -p annals-embedder --example measure_embedder -- FILE.jsonl`. Processor time is
//! what embedding costs; elapsed time also depends on what else runs. At the end it compares the vectors of the first and the
//! last run.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures, run by hand")]

use std::time::Instant;

use annals_core::Embedder;
use annals_embedder::{OnnxEmbedder, Runtime};

const MAX_TEXTS: usize = 400;

#[tokio::main]
async fn main() {
    let file = std::fs::read_to_string(std::env::args().nth(1).expect("the file of messages")).unwrap();
    let texts: Vec<String> = file.lines().take(MAX_TEXTS).map(content).collect();
    let found = Runtime::find(None);
    println!("{}", found.describe());
    let mut vectors = Vec::new();
    for runtime in [Runtime::Rten, found] {
        let embedder = OnnxEmbedder::bundled_in(move || runtime).unwrap();
        embedder.embed(texts[..20].to_vec()).await.unwrap();
        for round in 1..=3 {
            let (began, before) = (Instant::now(), processor_seconds());
            vectors.push(embedder.embed(texts.clone()).await.unwrap());
            let each = |seconds: f64| seconds * 1000.0 / f64::from(u32::try_from(texts.len()).unwrap());
            let (elapsed, used) = (each(began.elapsed().as_secs_f64()), each(processor_seconds() - before));
            println!("{runtime:?} round {round}: {elapsed:.2} ms elapsed, {used:.2} ms of processor time a text");
        }
        one_by_one(&embedder, &texts).await;
    }
    compare(&vectors[0], &vectors[vectors.len() - 1]);
}

/// Prints the median and the 95th percentile of the time to embed one of the first 100 texts as a question, in milliseconds.
async fn one_by_one(embedder: &OnnxEmbedder, texts: &[String]) {
    let mut times = Vec::new();
    for text in texts.iter().take(100) {
        let began = Instant::now();
        embedder.embed_query(text.clone()).await.unwrap();
        times.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    let (median, slow) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    println!("one by one: median {median:.1} ms, 95th percentile {slow:.1} ms");
}

fn compare(one: &[Vec<f32>], other: &[Vec<f32>]) {
    let dot = |(a, b): (&Vec<f32>, &Vec<f32>)| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let mut cosines: Vec<f64> = one.iter().zip(other).map(dot).collect();
    cosines.sort_by(f64::total_cmp);
    let mean = cosines.iter().sum::<f64>() / f64::from(u32::try_from(cosines.len()).unwrap());
    println!("cosines between the runtimes' vectors: least {:.6}, mean {mean:.6}", cosines[0]);
}

fn content(line: &str) -> String {
    let message: serde_json::Value = serde_json::from_str(line).unwrap();
    message["content"].as_str().unwrap().to_owned()
}

/// Returns the processor time of this process in seconds, which Linux counts in hundredths.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u32 = fields[11..13].iter().map(|field| field.parse::<u32>().unwrap()).sum();
    f64::from(ticks) / 100.0
}
