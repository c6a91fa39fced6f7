//! Texts that people write: prompts, retention plans, jobs.

use annals_llm::{Prompt, check_prompt};
use annals_retention::Plans;
use annals_service::jobs::Jobs;

use crate::fuzz::fuzz;

use super::{lines, names_its_fault};

const PROMPTS: [(&str, &str); 4] = [
    ("daily", include_str!("../../../prompts/daily.md")),
    ("extraction", include_str!("../../../prompts/extraction.md")),
    ("merge", include_str!("../../../prompts/merge.md")),
    ("amend", include_str!("../../../prompts/amend.md")),
];

#[test]
fn prompts_are_accepted_or_refused_with_a_reason() {
    let good: Vec<Vec<u8>> = PROMPTS.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    fuzz("prompts", &good, |input| {
        let text = String::from_utf8_lossy(input);
        for name in Prompt::ALL.map(Prompt::as_str) {
            if let Err(error) = check_prompt(name, &text) {
                names_its_fault(&error, lines(input))?;
            }
        }
        Ok(())
    });
}

#[test]
fn plans_are_accepted_or_refused_with_their_key() {
    let good = include_bytes!("../../../retention/pro.toml").to_vec();
    fuzz("plans", &[good], |input| {
        let text = String::from_utf8_lossy(input);
        Plans::built_in().add("own", &text).or_else(|error| names_its_fault(&error, lines(input)))
    });
}

#[test]
fn jobs_are_accepted_or_refused_with_their_key() {
    let good = include_bytes!("../../../jobs/rollup.toml").to_vec();
    fuzz("jobs", &[good], |input| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("rollup.toml"), input).unwrap();
        Jobs::in_folder(folder.path()).map(drop).or_else(|error| names_its_fault(&error, lines(input)))
    });
}
