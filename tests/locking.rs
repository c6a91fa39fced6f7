//! Commands and requests that lock the same agent, all at once against one service: none waits for ever.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::command::Annals;
use crate::service::Served;
use crate::story::{days, line};

/// Time limit, far longer than any command or request takes. A longer wait counts as a deadlock.
const FOR_EVER: Duration = Duration::from_secs(180);

/// Returns every command that takes an agent's locks, and some that read at the same time. `id` is the id of a turn; the last
/// argument of some commands changes from round to round.
fn commands(annals: &Annals, id: &str, round: u32) -> Vec<Vec<String>> {
    let message =
        line("ann", "y", &format!("y{round}"), "Ann", &format!("Tea number {round}."), "2026-01-02T10:00:00Z");
    let file = annals.file("more.jsonl", &message);
    let backups = annals.file("x", "").with_file_name(format!("backups {round}"));
    let of_ann: [&[&str]; 17] = [
        &["dead", "replay"],
        &["verify"],
        &["rebuild"],
        &["rollup"],
        &["retain", "--trust-clock"],
        &["dump"],
        &["export"],
        &["facts", "add", "Ann", "likes", "tea"],
        &["facts", "retract", "Ann", "likes", "tea"],
        &["facts", "--about", "Ann"],
        &["forget", "--conversation", "none"],
        &["forget", "--conversation", "x", "--yes"],
        &["search", "Kyoto"],
        &["context", "Who was in Kyoto?"],
        &["timeline"],
        &["import", file.to_str().unwrap()],
        &["prompt", "list"],
    ];
    let of_all: [&[&str]; 6] = [
        &["correct", id, if round.is_multiple_of(2) { "It rained." } else { "It snowed." }],
        &["pin", id],
        &["agent", "set", "ann", "--plan", if round.is_multiple_of(2) { "keep" } else { "pro" }],
        &["backup", backups.to_str().unwrap()],
        &["doctor"],
        &["status"],
    ];
    let of_ann = of_ann.map(|args| [args, &["--agent", "ann"]].concat());
    let all = of_ann.into_iter().chain(of_all.map(<[&str]>::to_vec));
    all.map(|args| args.into_iter().map(str::to_owned).collect()).collect()
}

/// Returns the number of rounds, which `ANNALS_LOCK_ROUNDS` sets.
fn rounds() -> u32 {
    std::env::var("ANNALS_LOCK_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap())
}

fn start(annals: &Annals, args: &[String]) -> Child {
    let mut command: Command = annals.command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for all children. The first that does not end fails the test.
fn wait(round: u32, children: &mut [(Vec<String>, Child)]) {
    let deadline = Instant::now() + FOR_EVER;
    for index in 0..children.len() {
        while children[index].1.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                children.iter_mut().for_each(|(_, child)| drop(child.kill()));
                panic!("round {round}: {:?} does not end", children[index].0);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let (args, child) = &mut children[index];
        let code = child.wait().unwrap().code();
        assert!(code.is_some_and(|code| code != 2), "round {round}: {args:?} ended with {code:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_commands_and_requests_of_one_agent_all_end() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    let served = Served::over_unlimited(annals);
    let turns = served.annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    let id = turns["memories"][0]["id"].as_str().unwrap().to_owned();
    let memory = format!("/v1/agents/ann/memories/{id}");
    for round in 0..rounds() {
        let of_round = commands(&served.annals, &id, round).into_iter();
        let mut children: Vec<_> = of_round
            .map(|args| {
                let child = start(&served.annals, &args);
                (args, child)
            })
            .collect();
        let block = json!({ "blocks": [{ "name": "n", "text": "t" }] });
        let question = json!({ "query": "Kyoto" });
        let prompt = json!({ "prompt": "What was in Kyoto?", "budget_tokens": 500 });
        let message =
            json!({ "messages": [{ "role": "user", "content": format!("Round {round}.") }], "conversation": "x" });
        let language = json!({ "language": if round % 2 == 0 { "de" } else { "en" } });
        let words = json!({ "text": format!("It was warm, {round} degrees.") });
        let fact = json!({ "subject": "Ann", "predicate": "likes", "object": format!("tea {round}") });
        let forget = json!({ "conversation": "x", "dry_run": round % 2 == 0 });
        let nothing = json!({});
        let requests = async {
            tokio::join!(
                served.ask(Method::PUT, "/v1/agents/ann/blocks", None, Some(&block)),
                served.ask(Method::PUT, "/v1/agents/ann/settings", None, Some(&language)),
                served.ask(Method::PATCH, &memory, None, Some(&words)),
                served.ask(Method::DELETE, "/v1/agents/ann/conversations/x", None, None),
                served.post("/v1/agents/ann/rollup", &nothing),
                served.post("/v1/agents/ann/facts", &fact),
                served.post("/v1/agents/ann/forget", &forget),
                served.post("/v1/agents/ann/search", &question),
                served.post("/v1/agents/ann/context", &prompt),
                served.post("/v1/agents/ann/messages?wait=searchable", &message),
                served.get("/v1/agents/ann/facts?about=ann"),
                served.get("/v1/agents/ann/export"),
            )
        };
        tokio::time::timeout(FOR_EVER, requests).await.unwrap_or_else(|_| panic!("round {round}: a request hangs"));
        tokio::task::block_in_place(|| wait(round, &mut children));
    }
    served.annals.expect_sound_tables();
}
