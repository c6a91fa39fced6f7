//! Files of messages, as `annals import` reads them.

use crate::command::NOW;
use crate::fuzz::fuzz;
use crate::story::{days, line};

use super::{lines, names_its_fault};

#[path = "../../../crates/annals/src/jsonl.rs"]
mod jsonl;

pub fn good() -> Vec<u8> {
    let more = line("bob", "Café \"x\"", "1", "Zoë", "I live in Bern.\nAnd you? 東京", "2026-02-29T10:00:00+01:00")
        .replace("02-29", "02-28");
    let plain = r#"{"agent":"cid","conversation":"c","role":"assistant","content":"Hello.","at":"2026-01-01T00:00:00.123456789Z","more":[1,{"a":null}]}"#;
    format!("{}{more}\n{plain}\n", days("ann", 2, 2)).into_bytes()
}

#[test]
fn messages_are_accepted_or_refused_with_their_line() {
    let now = NOW.parse().unwrap();
    fuzz("messages", &[good()], |input| match jsonl::parse(input, None, false, now) {
        Ok(parsed) => {
            let all = parsed.agents.iter().flat_map(|agent| &agent.messages);
            let unfit = all.flat_map(|(_, message)| annals_writer::check(message, now)).next();
            unfit.map_or(Ok(()), |fault| Err(format!("an unfit message was let through: {fault:?}")))
        }
        Err(error) => names_its_fault(&error, lines(input)),
    });
}
