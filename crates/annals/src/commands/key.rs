//! `annals key`: manages the keys for access to the service from outside.

use std::process::ExitCode;

use annals_core::Result;
use annals_service::wire::{KeyView, NewKey};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::{open, open_or_make};
use crate::cli::{AddKey, Global, Key};
use crate::folder::Folder;
use crate::view::{BOLD, DIM, print_json, say};

pub async fn run(global: &Global, args: &Key) -> Result<ExitCode> {
    match args {
        Key::Add(args) => add(&open_or_make(global).await?, args, global.json).await?,
        Key::List => list(&open(global).await?, global.json).await?,
        Key::Revoke { id } => {
            let folder = open(global).await?;
            folder.service().revoke_key(id, folder.now()).await?;
            if !global.json {
                say!("{id} revoked.");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn add(folder: &Folder, args: &AddKey, json: bool) -> Result<()> {
    let request = NewKey {
        name: args.name.clone(),
        workspace: args.workspace.clone(),
        scopes: args.scopes.iter().copied().collect(),
        agents: args.agents.clone(),
        expires_at: args.expires,
    };
    let (issued, view) = folder.service().add_key(request, folder.now(), getrandom::fill).await?;
    if json {
        let mut view = json!(view);
        view["key"] = Value::from(issued.text.expose_secret());
        print_json(&view);
    } else {
        say!("{BOLD}{}{BOLD:#}", issued.text.expose_secret());
        say!(
            "{DIM}Shown only once. Send it as Authorization: Bearer …  From now on every request over the network needs a key.{DIM:#}"
        );
    }
    Ok(())
}

async fn list(folder: &Folder, json: bool) -> Result<()> {
    let keys = folder.service().keys(folder.now()).await?;
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
