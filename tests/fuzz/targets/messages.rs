//! Files of messages, as `annals import` reads them.

use std::io::Write;

use annals::jsonl::MessageFile;
use annals::lines::Lines;
use annals_service::MessageSource;

use crate::command::NOW;
use crate::fuzz::fuzz;
use crate::story::{days, line};

use super::{lines, names_its_fault};

pub fn good() -> Vec<u8> {
    let more = line("bob", "Café \"x\"", "1", "Zoë", "I live in Bern.\nAnd you? 東京", "2026-02-29T10:00:00+01:00")
        .replace("02-29", "02-28");
    let plain = r#"{"agent":"cid","conversation":"c","role":"assistant","content":"Hello.","at":"2026-01-01T00:00:00.123456789Z","more":[1,{"a":null}]}"#;
    format!("{}{more}\n{plain}\n", days("ann", 2, 2)).into_bytes()
}

#[test]
fn messages_are_accepted_or_refused_with_their_line() {
    let now = NOW.parse().unwrap();
    let check = |input: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(input).unwrap();
        MessageFile::check(Lines::of(file).unwrap(), None, false, now, &mut |_, _| ())
    };
    fuzz("messages", &[good()], |input| match check(input) {
        Ok(mut file) => {
            for line in file.messages().unwrap() {
                let message = line.map_err(|error| format!("a line was valid once only: {error}"))?.message;
                if let Some(fault) = annals_writer::check(&message, now).pop() {
                    return Err(format!("an unfit message was let through: {fault:?}"));
                }
            }
            Ok(())
        }
        Err(error) => names_its_fault(&error, lines(input)),
    });
}
