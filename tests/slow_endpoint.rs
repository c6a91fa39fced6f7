//! A slow model server and `annals rollup`: incoming tokens keep a request alive, every summary is saved when it is written,
//! Ctrl-C ends a long run and the next run continues, and periods that still wait are listed with the reason.

use std::process::Stdio;
use std::time::{Duration, Instant};

use annals_testkit::{Dialect, ModelRequest, ModelServer, Script};
use serde_json::{Value, json};

use crate::command::Annals;
use crate::story::days;

const PAUSE: Duration = Duration::from_millis(40);

fn configure(annals: &Annals, server: &ModelServer, more: &str) {
    std::fs::create_dir_all(annals.data()).unwrap();
    let config = format!("[models]\nbase_url = \"{}\"\nmodel = \"test\"\n{more}", server.base_url());
    std::fs::write(annals.data().join("annals.toml"), config).unwrap();
}

fn is_summary(request: &ModelRequest) -> bool {
    !request.content_of("system").contains("\"operations\"")
}

/// Returns the number of daily summaries in the catalog. No other process may use the folder.
fn summaries(annals: &Annals) -> usize {
    annals.json(&["timeline", "--agent", "ann", "--grain", "daily"])["memories"].as_array().unwrap().len()
}

#[test]
fn tokens_that_come_keep_a_request_alive() {
    let server = ModelServer::choosing(|_| Script::Paced(PAUSE, PAUSE));
    let annals = Annals::new();
    configure(&annals, &server, "timeout = 1\n");
    annals.import(&days("ann", 2, 3));
    let begun = Instant::now();
    let answer = annals.json(&["rollup", "--agent", "ann"]);
    assert_eq!((&answer[0]["written"]["daily"], &answer[0]["outage"]), (&json!(2), &Value::Null), "{answer}");
    assert!(begun.elapsed() > Duration::from_secs(1), "no answer took longer than the time without a token");
}

#[test]
fn interrupted_roll_up_keeps_what_is_written_and_the_next_goes_on() {
    // The fourth request for a summary takes two seconds, so that Ctrl-C comes while a summary is being written.
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let slow = std::sync::atomic::AtomicBool::new(true);
    let server = ModelServer::choosing(move |request| {
        let number = if is_summary(request) { asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) } else { 0 };
        match number {
            3 if slow.swap(false, std::sync::atomic::Ordering::SeqCst) => {
                Script::Paced(Duration::from_secs(2), Duration::ZERO)
            }
            _ => Script::Good,
        }
    });
    let annals = Annals::new();
    configure(&annals, &server, "");
    annals.import(&days("ann", 30, 2));
    let mut command = annals.command(&["rollup", "--agent", "ann"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while server.requests().iter().filter(|request| is_summary(request)).count() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{out}{err}");
    assert!(out.contains("wrote") && out.contains("left: run `annals rollup` again to continue"), "{out}{err}");
    let before = summaries(&annals);
    assert!((3..30).contains(&before), "{before} of 30 days are written: {out}");
    let requests = server.requests().len();
    let rest = annals.json(&["rollup", "--agent", "ann"]);
    assert_eq!(rest[0]["written"]["daily"], json!(30 - before), "{rest}");
    assert!(server.requests().len() > requests);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
}

#[test]
fn killed_roll_up_has_saved_every_finished_summary() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = ModelServer::choosing(move |request| {
        let is_late = is_summary(request) && asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= 10;
        if is_late { Script::Hangs } else { Script::Good }
    });
    let annals = Annals::new();
    configure(&annals, &server, "");
    annals.import(&days("ann", 30, 2));
    let mut command = annals.command(&["rollup", "--agent", "ann"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Ten requests are answered and the others hang. Up to four requests run at once, so up to three answers may wait for a
    // request that hangs before they are saved.
    let asked = || server.requests().iter().filter(|request| is_summary(request)).count();
    let mut before = 0;
    while before < 11 || before < asked() {
        assert_eq!(child.try_wait().unwrap(), None, "the roll-up ended after {before} requests");
        before = asked();
        std::thread::sleep(Duration::from_secs(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(summaries(&annals) >= 7, "{}", summaries(&annals));
}

#[test]
fn what_waits_is_named_with_its_reason() {
    let server = ModelServer::always(Script::Refuses(503, Some(3_600)));
    let annals = Annals::new();
    configure(&annals, &server, "timeout = 1\n");
    annals.import(&days("ann", 3, 2));
    let first = annals.run(&["rollup", "--agent", "ann"]);
    assert!(first.out.contains("wrote nothing") && first.out.contains("3 periods waiting: "), "{}", first.out);
    let second = annals.run(&["rollup", "--agent", "ann"]);
    assert!(!second.out.contains("nothing was due"), "{}", second.out);
    assert!(second.out.contains("3 periods not tried again until 2026-"), "{}", second.out);
    assert!(second.out.contains("status 503"), "{}", second.out);
}

#[test]
fn progress_names_speed_and_what_is_left() {
    let window = 4_096;
    let server = ModelServer::speaking(
        Dialect::LlamaCpp { window, slots: 1 },
        std::iter::repeat_n(Script::Paced(Duration::from_millis(1_200), Duration::ZERO), 40),
    );
    let annals = Annals::new();
    configure(&annals, &server, "");
    annals.import(&days("ann", 3, 2));
    let answer = annals.run(&["rollup", "--agent", "ann"]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.err.contains("summarizing: ") && answer.err.contains(" tokens/s · "), "{}", answer.err);
    assert!(answer.err.contains(" requests, ") && answer.err.contains(" left"), "{}", answer.err);
}
