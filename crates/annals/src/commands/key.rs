//! `annals key`: manages the keys for access to the service from outside.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::calls::{self, ListKeys, RevokeKey};
use annals_service::wire::{KeyView, NewKey};

use crate::cli::{AddKey, Global, Key};
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, print_json, say};

pub(crate) async fn run(global: &Global, args: &Key) -> Result<ExitCode> {
    match args {
        Key::Add(args) => add(&Client::open_or_create(global).await?, args, global.json).await?,
        Key::List => list(&Client::open(global).await?, global.json).await?,
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
            "{BOLD}{}{BOLD:#}  {}  {}  {DIM}{} · {agents}{DIM:#}{state}",
            key.id,
            key.name,
            scopes(key),
            key.workspace
        );
    }
    if keys.is_empty() {
        say!("No keys: the service answers this machine only. `annals key add NAME` creates one.");
    }
    Ok(())
}

fn scopes(key: &KeyView) -> String {
    key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
}
