//! `annals key`: adds, lists, limits and revokes the keys for access to the service over the network.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::{self, LimitKey, ListKeys, RevokeKey};
use annals_service::wire::{KeyView, NewKey};

use crate::cli::{AddKey, Global, Key, SetKey};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, print_json, say};

pub(crate) async fn run(global: &Global, args: &Key) -> Result<ExitCode> {
    match args {
        Key::Add(args) => add(&Client::open_or_create(global).await?, args, global.json).await?,
        Key::List => list(&Client::open(global).await?, global.json).await?,
        Key::Set(args) => set(&Client::open(global).await?, args, global.json).await?,
        Key::Revoke { id } => {
            Client::open(global).await?.call(RevokeKey { id: id.clone() }).await?;
            if !global.json {
                say!("{id} revoked.");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn add(client: &Client, args: &AddKey, json: bool) -> Result<()> {
    let key = NewKey {
        name: args.name.clone(),
        workspace: args.workspace.clone(),
        scopes: args.scopes.iter().copied().collect(),
        agents: args.agents.clone(),
        expires_at: args.expires,
        daily_tokens: args.daily_tokens,
    };
    let answer = client.call(calls::AddKey { key }).await?;
    if json {
        print_json(&answer);
    } else {
        say!("{BOLD}{}{BOLD:#}", answer.key);
        say!(
            "{DIM}Shown only once. Send it as Authorization: Bearer …  From now on every request over the network needs a key.{DIM:#}"
        );
    }
    Ok(())
}

async fn set(client: &Client, args: &SetKey, json: bool) -> Result<()> {
    let (id, daily_tokens) = (args.id.clone(), args.daily_tokens.0);
    client.call(LimitKey { id, daily_tokens }).await?;
    if !json {
        match daily_tokens {
            Some(tokens) => say!("{} may use {tokens} tokens of models per day.", args.id),
            None => say!("{} has no limit of its own.", args.id),
        }
    }
    Ok(())
}

async fn list(client: &Client, json: bool) -> Result<()> {
    let keys = client.call(ListKeys {}).await?;
    if json {
        print_json(&keys);
        return Ok(());
    }
    for key in &keys {
        let agents = if key.agents.is_empty() { "all agents".to_owned() } else { key.agents.join(", ") };
        let state = if key.good { String::new() } else { "  (expired or revoked)".to_owned() };
        say!(
            "{BOLD}{}{BOLD:#}  {}  {}  {DIM}{} · {agents}{}{DIM:#}{state}",
            key.id,
            key.name,
            scopes(key),
            key.workspace,
            tokens(key)
        );
    }
    if keys.is_empty() {
        say!("No keys: the service answers this machine only. `annals key add NAME` creates one.");
    }
    Ok(())
}

/// Returns what models have used for the key today, and its limit. Empty if it has no limit and nothing was used.
fn tokens(key: &KeyView) -> String {
    match (key.tokens_today, key.daily_tokens) {
        (used, Some(limit)) => format!(" · {used} of {limit} tokens today"),
        (0, None) => String::new(),
        (used, None) => format!(" · {used} tokens today"),
    }
}

fn scopes(key: &KeyView) -> String {
    key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
}
