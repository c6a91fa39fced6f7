//! `annals context`: prints the context for a prompt, by the same operation as REST and MCP.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::FindContext;
use annals_service::wire::ContextRequest;

use crate::cli::Context;
use crate::run_or_hand_over::Client;
use crate::view::{DIM, WARN, plural, print_json, say};

pub(crate) async fn run(client: &Client, args: &Context, json: bool) -> Result<ExitCode> {
    let request = ContextRequest {
        prompt: args.prompt.clone(),
        budget_tokens: args.budget,
        speaker: args.speaker.clone(),
        conversation: args.conversation.clone(),
        from: args.days.range.from,
        to: args.days.range.to,
        min_days_ago: args.days.min_days_ago,
        max_days_ago: args.days.max_days_ago,
        period: args.days.period.map(|period| period.to_string()),
        documents: Vec::new(),
    };
    let answer = client.call(FindContext { agent: args.agent.clone(), request }).await?;
    if json {
        print_json(&answer);
    } else {
        if !answer.text.is_empty() {
            say!("{}", answer.text);
        }
        let hint = answer.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
        say!("{DIM}{}.{hint}{DIM:#}", plural(answer.tokens, "token"));
        if let Some(why) = &answer.incomplete_because {
            say!("{WARN}The newest messages were not searched: {why}.{WARN:#}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
