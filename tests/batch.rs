//! `annals rollup --batch` against a provider that fails at every step, with the process killed while it waits: every period is
//! written, and nothing is paid twice.
//!
//! `ANNALS_BATCH_MESSAGES` names a file of messages of one agent to use instead of the few of the test, such as a diary of years.

#![expect(clippy::print_stderr, reason = "the bill is part of the result")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use annals_testkit::{BatchFault, ModelServer, ResultFault};
use serde_json::Value;

use crate::command::Annals;
use crate::story::days;

/// Number of days of the test's own messages.
const DAYS: u32 = 30;

/// A folder with a model that gets its requests in batches.
struct Batched {
    annals: Annals,
    server: ModelServer,
    agent: String,
}

impl Batched {
    fn new(faults: Vec<BatchFault>) -> Batched {
        let (annals, server) = (Annals::new(), ModelServer::start([]));
        server.plan_batches(2, faults);
        std::fs::create_dir_all(annals.data()).unwrap();
        let url = server.base_url();
        let config = format!(
            "[models]\nbase_url = \"{url}\"\nmodel = \"scripted\"\nwindow = 16384\n[models.extraction]\noff = true\n"
        );
        std::fs::write(annals.data().join("annals.toml"), config).unwrap();
        let messages = match std::env::var("ANNALS_BATCH_MESSAGES") {
            Ok(file) => std::fs::read_to_string(file).unwrap(),
            Err(_) => days("ann", DAYS, 2),
        };
        let first: Value = serde_json::from_str(messages.lines().next().unwrap()).unwrap();
        annals.import(&messages);
        Batched { annals, server, agent: first["agent"].as_str().unwrap().to_owned() }
    }

    fn roll_up(&self) -> Command {
        let mut command = self.annals.command(&["rollup", "--batch", "--budget", "100000000"]);
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        command
    }

    /// Starts a roll-up by batches and kills it after a line with this word. Returns whether the line came.
    fn kill_after(&self, word: &str) -> bool {
        let mut child: Child = self.roll_up().spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let came = lines.any(|line| line.unwrap().contains(word));
        child.kill().unwrap();
        child.wait().unwrap();
        came
    }

    /// Returns the calls and the tokens that were booked for batches, and the calls that were booked outside of batches.
    fn booked(&self) -> (u64, u64, u64) {
        let status = self.annals.json(&["status", "--agent", &self.agent]);
        let usage = status["agents"][0]["usage"].as_array().unwrap().clone();
        let sum = |name: &str, batch: bool| -> u64 {
            usage.iter().filter(|one| one["batch"] == batch).map(|one| one[name].as_u64().unwrap()).sum()
        };
        (sum("calls", true), sum("tokens_in", true) + sum("tokens_out", true), sum("calls", false))
    }

    fn estimate(&self) -> (u64, u64) {
        let answer = self.annals.json(&["rollup", "--dry-run", "--agent", &self.agent]);
        let estimates = answer[0]["estimates"].as_array().unwrap().clone();
        let sum = |name: &str| estimates.iter().map(|one| one[name].as_u64().unwrap()).sum();
        (sum("calls"), sum("tokens_in"))
    }
}

#[test]
fn killed_roll_up_by_batches_writes_everything_and_pays_nothing_twice() {
    use ResultFault::{Bad, Errors, Expires, Reversed, Twice, Unknown};
    let batched = Batched::new(vec![
        BatchFault::Upload(500),
        BatchFault::CreateUnanswered,
        BatchFault::Status(429),
        BatchFault::Truncated,
        BatchFault::Results(vec![Errors(11), Expires(13), Bad(17), Reversed, Twice(5), Unknown]),
    ]);
    let due = batched.annals.json(&["rollup", "--dry-run", "--agent", &batched.agent])[0]["periods"].clone();
    let due = due.as_array().unwrap().len();
    let (calls, tokens_in) = batched.estimate();
    assert_eq!(calls, due as u64, "one call for each period");
    assert!(batched.kill_after("sent"), "it sent nothing");
    assert!(batched.kill_after("wrote"), "it wrote nothing");
    let ended = batched.roll_up().output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    assert_eq!(batched.server.batch_faults_left(), 0);

    let bill = batched.server.batch_bill();
    let (booked_calls, booked_tokens, direct) = batched.booked();
    assert_eq!((booked_calls, booked_tokens), (bill.answered, bill.tokens_in + bill.tokens_out), "{bill:?}");
    assert_eq!((bill.twice, direct), (0, 0), "{bill:?}");
    let memories = batched.annals.json(&["status", "--agent", &batched.agent])["agents"][0]["memories"].clone();
    let summaries =
        ["daily", "weekly", "monthly", "quarterly", "yearly"].map(|grain| memories[grain].as_u64().unwrap());
    assert_eq!(summaries.iter().sum::<u64>(), due as u64, "{memories}");
    assert_eq!(batched.annals.json(&["verify"])["sound"], Value::Bool(true));
    eprintln!("{due} periods, {bill:?}; {tokens_in} tokens of requests were estimated");
    let again = batched.roll_up().output().unwrap();
    assert!(again.status.success());
    assert_eq!(batched.server.batch_bill(), bill, "a second roll-up asks nothing");
}

#[test]
fn roll_up_without_waiting_leaves_its_answers_to_the_next() {
    let batched = Batched::new(vec![]);
    let sent = batched.annals.run(&["rollup", "--batch", "--no-wait"]);
    assert!(sent.out.contains("sent"), "{}{}", sent.out, sent.err);
    let status = batched.annals.json(&["status", "--agent", &batched.agent])["agents"][0].clone();
    assert!(!status["in_batch"].as_array().unwrap().is_empty(), "{status}");
    for _ in 0..3 {
        batched.annals.json(&["rollup"]);
    }
    let status = batched.annals.json(&["status", "--agent", &batched.agent])["agents"][0].clone();
    assert_eq!(status["in_batch"].as_array().unwrap().len(), 0);
    assert_eq!(status["memories"]["daily"].as_u64().unwrap(), u64::from(DAYS), "{status}");
    assert_eq!(batched.server.batch_bill().answered, u64::from(DAYS), "days came by the batch, the rest at once");
}

#[test]
fn abandoned_batch_is_asked_again() {
    let batched = Batched::new(vec![]);
    batched.server.plan_batches(u64::MAX, []);
    batched.annals.json(&["rollup", "--batch", "--no-wait"]);
    let open = batched.annals.json(&["status"])["batches"].clone();
    assert_eq!((open.as_array().unwrap().len(), &open[0]["state"]), (1, &Value::from("sent")), "{open}");
    let ended = batched.annals.run(&["rollup", "--abandon-batches"]);
    assert!(ended.out.contains("`annals rollup` asks again"), "{}{}", ended.out, ended.err);
    assert_eq!(batched.server.cancelled_batches().len(), 1);
    batched.annals.json(&["rollup"]);
    let status = batched.annals.json(&["status"]);
    assert_eq!(status["agents"][0]["in_batch"].as_array().unwrap().len(), 0);
    assert_eq!(status["agents"][0]["memories"]["daily"], u64::from(DAYS), "{status}");
    assert_eq!(status["batches"][0]["state"], "ended", "{status}");
    assert!(batched.annals.run(&["rollup", "--abandon-batches"]).out.contains("No batch is open"));
}

#[test]
fn refused_batch_and_its_cause_are_shown_by_status_and_doctor() {
    let batched = Batched::new(vec![BatchFault::Create(403)]);
    let sent = batched.annals.run(&["rollup", "--batch", "--no-wait"]);
    assert!(sent.out.contains("it was not taken") && sent.out.contains("status 403"), "{}", sent.out);
    for command in [&["status"][..], &["doctor", "--without-models"]] {
        let shown = batched.annals.run(command).out;
        assert!(shown.contains("it was not taken") && shown.contains("status 403"), "{command:?}: {shown}");
    }
}
