//! Encrypted connections to a server that refuses unencrypted ones over TCP.

use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use super::configure;
use crate::command::{Annals, Answer};
use crate::story::days;
use annals_testkit::postgres_server::{Schema, launch, skipped};

#[test]
fn server_is_reached_encrypted_only_with_a_certificate_that_is_trusted() {
    // If there is no server, prints the reason and skips the test.
    let Some(_) = Schema::new() else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let makes_certificates = Command::new("openssl").arg("version").output().is_ok();
    let Some((folder, _server)) = makes_certificates.then(|| launch(&port)).flatten() else {
        return skipped("no openssl, or no programs of PostgreSQL");
    };
    let authority = folder.join("ca.pem");
    let begun = Instant::now();
    while !std::fs::read_to_string(folder.join("log")).is_ok_and(|log| log.contains("ready to accept")) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    let run = |host: &str, mode: &str, is_trusted: bool| {
        let annals = Annals::new();
        let url = format!("postgres://postgres@{host}:{port}/postgres?sslmode={mode}");
        configure(&annals, &format!("[catalog]\nurl = \"{url}\"\n"));
        let messages = annals.file("messages.jsonl", &days("ann", 1, 1));
        let mut command = annals.command(&["import", messages.to_str().unwrap()]);
        if is_trusted {
            command.env("SSL_CERT_FILE", &authority);
        }
        Answer::from(command.output().unwrap())
    };
    let is_refused = |answer: Answer, expect: &str| {
        assert!(answer.code != 0 && answer.err.contains(expect), "{expect}: {} {}", answer.code, answer.err);
    };
    is_refused(run("localhost", "require", false), "certificate");
    is_refused(run("127.0.0.1", "require", true), "certificate");
    is_refused(run("localhost", "disable", true), "no encryption");
    let answer = run("localhost", "require", true);
    assert_eq!(answer.code, 0, "{}", answer.err);
}
