//! Targets that need the command itself: the configuration, and the state after a refused import.

use crate::command::{Annals, Answer};
use crate::fuzz::{Verdict, fuzz};

use super::{exports, messages};

/// Checks that the command ended with one of these codes, without a panic, and with a reason if it failed.
pub fn ended_well(answer: &Answer, codes: &[i32]) -> Verdict {
    let output = answer.err.trim();
    let is_well =
        codes.contains(&answer.code) && !output.contains("panicked") && (answer.code == 0 || !output.is_empty());
    if is_well { Ok(()) } else { Err(format!("code {}: {output}", answer.code)) }
}

const CONFIG: &str = r#"[server]
listen = "127.0.0.1:7411"
hosts = ["memory.example.org"]

[limits]
requests_per_minute = 600
burst = 100

[log]
level = "info"
format = "json"

[models]
base_url = "http://127.0.0.1:8080/v1"
model = "small"
timeout = "2m 30s"
daily_tokens = 200000

[backup]
target = "/var/backups/annals"
keep = 7
"#;

#[test]
fn configuration_is_accepted_or_its_file_is_named() {
    fuzz("config", &[CONFIG.as_bytes().to_vec()], |input| {
        let annals = Annals::new();
        std::fs::create_dir(annals.data()).unwrap();
        std::fs::write(annals.data().join("annals.toml"), input).unwrap();
        let answer = annals.run(&["config", "check"]);
        ended_well(&answer, &[0, 2, 6])?;
        let names_it = answer.code == 0 || answer.err.contains("annals.toml");
        if names_it { Ok(()) } else { Err(format!("it does not name the file: {}", answer.err)) }
    });
}

#[test]
fn a_refused_import_leaves_nothing() {
    fuzz("import", &[messages::good(), exports::good()], |input| {
        let annals = Annals::new();
        let file = annals.file("input.jsonl", "");
        std::fs::write(&file, input).unwrap();
        let answer = annals.run(&["import", file.to_str().unwrap()]);
        ended_well(&answer, &[0, 2])?;
        if answer.code == 0 {
            let verified = annals.run(&["verify"]);
            // A day without a roll-up makes `verify` exit with 1, but is not damage.
            let is_well = verified.code == 0 || verified.code == 1 && !verified.out.contains("damaged");
            return if is_well { Ok(()) } else { Err(format!("unsound: {} {}", verified.out, verified.err)) };
        }
        if annals.data().exists() && annals.run(&["status", "--json"]).out.contains("\"name\"") {
            return Err(format!("an agent is there after: {}", answer.err));
        }
        Ok(())
    });
}
