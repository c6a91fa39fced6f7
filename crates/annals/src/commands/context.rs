//! `annals context`: prints the context for a prompt, by the same operation as REST and MCP.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::wire::ContextRequest;

use crate::cli::Context;
use crate::console::remote;
use crate::folder::Folder;
use crate::view::{DIM, plural, print_json, say};

pub async fn run(folder: &Folder, args: &Context, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    folder.make_searchable(&agent, &|_| ()).await?;
    let request = ContextRequest {
        prompt: args.prompt.clone(),
        budget_tokens: args.budget,
        speaker: args.speaker.clone(),
        conversation: args.conversation.clone(),
        from: args.range.from,
        to: args.range.to,
        documents: Vec::new(),
    };
    let answer = folder.service.context(&agent, request, folder.now).await?;
    if json {
        print_json(&answer);
    } else {
        if !answer.text.is_empty() {
            say!("{}", answer.text);
        }
        let hint = answer.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
        say!("{DIM}{}.{hint}{DIM:#}", plural(answer.tokens, "token"));
    }
    if remote(|_| ()).is_none() {
        folder.flush_access_counts().await?;
    }
    Ok(ExitCode::SUCCESS)
}
