//! `annals key`: manages the keys for access to the service from outside.

use std::collections::BTreeSet;
use std::process::ExitCode;

use annals_core::ports::{Key as Kept, Scope};
use annals_core::{Agent, Error, Result, Timestamp};
use annals_service::issue;
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
            folder.store.revoke_key(id, folder.now).await?;
            if !global.json {
                say!("{id} revoked.");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn add(folder: &Folder, args: &AddKey, json: bool) -> Result<()> {
    // Names are checked now; otherwise only the holder of the key would notice that it opens nothing.
    Agent::in_workspace(&args.workspace, "a")?;
    for agent in &args.agents {
        Agent::in_workspace(&args.workspace, agent)?;
    }
    if args.expires.is_some_and(|expires| expires <= folder.now) {
        return Err(Error::invalid("--expires", "is in the past"));
    }
    let issued = issue(getrandom::fill)?;
    let key = Kept {
        id: issued.id.clone(),
        name: args.name.clone(),
        workspace: args.workspace.clone(),
        scopes: args.scopes.iter().copied().collect::<BTreeSet<Scope>>(),
        agents: args.agents.clone(),
        created_at: folder.now,
        expires_at: args.expires,
        revoked_at: None,
    };
    folder.store.add_key(&key, &issued.hash).await?;
    if json {
        let mut view = view(&key, folder.now);
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
    let keys = folder.store.keys().await?;
    if json {
        print_json(&keys.iter().map(|key| view(key, folder.now)).collect::<Vec<_>>());
        return Ok(());
    }
    for key in &keys {
        let agents = if key.agents.is_empty() { "all agents".to_owned() } else { key.agents.join(", ") };
        let state = if key.is_good(folder.now) { String::new() } else { "  (expired or revoked)".to_owned() };
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

fn scopes(key: &Kept) -> String {
    key.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
}

fn view(key: &Kept, now: Timestamp) -> Value {
    json!({
        "id": key.id, "name": key.name, "workspace": key.workspace, "scopes": key.scopes, "agents": key.agents,
        "created_at": key.created_at.to_string(), "expires_at": key.expires_at.map(|at| at.to_string()),
        "revoked_at": key.revoked_at.map(|at| at.to_string()), "good": key.is_good(now),
    })
}
