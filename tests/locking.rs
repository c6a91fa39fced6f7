//! Commands and requests that lock the same agent, all at once, against one service: none waits for ever.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::command::Annals;
use crate::service::Served;
use crate::story::days;

/// Far longer than any of them takes. Whoever waits so long waits for ever.
const FOR_EVER: Duration = Duration::from_secs(180);

const COMMANDS: [&[&str]; 10] = [
    &["dead", "replay", "--agent", "ann"],
    &["verify", "--agent", "ann"],
    &["rebuild", "--agent", "ann"],
    &["rollup", "--agent", "ann"],
    &["retain", "--agent", "ann"],
    &["dump", "--agent", "ann"],
    &["facts", "add", "Ann", "likes", "tea", "--agent", "ann"],
    &["facts", "--about", "Ann", "--agent", "ann"],
    &["forget", "--agent", "ann", "--conversation", "none"],
    &["search", "Kyoto", "--agent", "ann"],
];

/// `ANNALS_LOCK_ROUNDS` asks for more rounds.
fn rounds() -> u32 {
    std::env::var("ANNALS_LOCK_ROUNDS").map_or(2, |rounds| rounds.parse().unwrap())
}

fn start(annals: &Annals, args: &[&str]) -> Child {
    let mut command: Command = annals.command(args);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for all of them; the first that does not end fails the test.
fn wait(round: u32, children: &mut [(&[&str], Child)]) {
    let deadline = Instant::now() + FOR_EVER;
    for index in 0..children.len() {
        while children[index].1.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                children.iter_mut().for_each(|(_, child)| drop(child.kill()));
                panic!("round {round}: {:?} does not end", children[index].0);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_and_requests_of_one_agent_never_wait_for_each_other_for_ever() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    let served = Served::over(annals);
    for round in 0..rounds() {
        let mut children: Vec<(&[&str], Child)> =
            COMMANDS.iter().map(|args| (*args, start(&served.annals, args))).collect();
        let block = json!({ "blocks": [{ "name": "n", "text": "t" }] });
        let question = json!({ "query": "Kyoto" });
        let message =
            json!({ "messages": [{ "role": "user", "content": format!("Round {round}.") }], "conversation": "x" });
        let language = json!({ "language": if round % 2 == 0 { "de" } else { "en" } });
        let requests = async {
            tokio::join!(
                served.ask(Method::PUT, "/v1/agents/ann/blocks", None, Some(&block)),
                served.ask(Method::PUT, "/v1/agents/ann/settings", None, Some(&language)),
                served.post("/v1/agents/ann/search", &question),
                served.post("/v1/agents/ann/messages?wait=searchable", &message),
            )
        };
        tokio::time::timeout(FOR_EVER, requests).await.unwrap_or_else(|_| panic!("round {round}: a request hangs"));
        tokio::task::block_in_place(|| wait(round, &mut children));
    }
    served.annals.expect_sound_tables();
}
