//! An agent's turn in Rust: ask memory before the model is called, and store what was said afterwards.
//!
//! Needs a running service (`annals serve`) at `ANNALS_URL`: `cargo run -p annals --example agent`.

#![allow(clippy::print_stdout, reason = "an example prints what it shows")]

use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

struct Memory {
    client: reqwest::Client,
    url: String,
}

impl Memory {
    async fn ask(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let answer = self.client.post(format!("{}/{path}", self.url)).json(body).send().await?;
        Ok(serde_json::from_str(&answer.error_for_status()?.text().await?)?)
    }

    /// Stores messages. An `id` for each makes it safe to send them again after a failure.
    async fn remember(&self, messages: Value) -> Result<(), Failure> {
        let body = json!({ "conversation": "chat-1", "messages": messages });
        self.ask("messages?wait=searchable", &body).await.map(|_| ())
    }

    /// Returns the text of memory that belongs in front of the prompt.
    async fn recall(&self, prompt: &str, speaker: &str) -> Result<String, Failure> {
        let body = json!({ "prompt": prompt, "speaker": speaker, "budget_tokens": 500 });
        let answer = self.ask("context", &body).await?;
        Ok(answer["text"].as_str().unwrap_or_default().to_owned())
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    rustls::crypto::ring::default_provider().install_default().ok();
    let service = std::env::var("ANNALS_URL").unwrap_or_else(|_| "http://127.0.0.1:7411".to_owned());
    let memory = Memory { client: reqwest::Client::new(), url: format!("{service}/v1/agents/example-rs") };
    let message = "I moved from Oslo to Bern last week.";
    memory.remember(json!([{ "role": "user", "name": "Ann", "id": "1", "content": message }])).await?;
    let prompt = "What is the weather like at home?";
    println!("{}", memory.recall(prompt, "Ann").await?);
    // Here the model is called with this text and the prompt. Then the turn is stored:
    let answer = "In Bern it is sunny today.";
    memory
        .remember(json!([
            { "role": "user", "name": "Ann", "id": "2", "content": prompt },
            { "role": "assistant", "id": "3", "content": answer },
        ]))
        .await
}
