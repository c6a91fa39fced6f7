//! Prints what masking finds in files of messages, with the text around each hit, so that a person can check that it masks
//! nothing else: `cargo run -p annals-writer --example masked -- FILE…`.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for a person at a terminal")]

use std::time::Instant;

fn main() {
    for file in std::env::args().skip(1) {
        let (mut messages, mut hits) = (0, 0);
        let texts: Vec<String> = std::fs::read_to_string(&file).unwrap().lines().map(content).collect();
        let started = Instant::now();
        annals_writer::mask("");
        println!("ready in {:.2?}", started.elapsed());
        for text in &texts {
            let (masked, count) = annals_writer::mask(text);
            messages += 1;
            hits += count;
            if count > 0 {
                println!("{text}\n  -> {masked}");
            }
        }
        println!("{file}: {messages} messages, {hits} masked, {:.2?}", started.elapsed());
    }
}

fn content(line: &str) -> String {
    let message: serde_json::Value = serde_json::from_str(line).unwrap();
    message["content"].as_str().unwrap().to_owned()
}
