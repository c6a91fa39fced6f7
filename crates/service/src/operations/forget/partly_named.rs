//! Finds the memories that name only a part of a subject: "Brandt missed payroll" after "Kyle Brandt" was forgotten. They are
//! not erased, because they may be about somebody else; the answer lists them. Changes nothing.

use std::collections::{BTreeSet, HashSet};

use annals_core::ports::{ErasureReport, Target};
use annals_core::{Agent, MemoryId, Result, folded, words};

use crate::Service;
use crate::wire::PartlyNamed;

/// Maximum number of ids listed for each part of a name.
const LISTED: usize = 5;
/// Maximum number of parts that are looked for. Each costs a search through the agent's turns, and a longer subject is a
/// description rather than a name: "everything about my former landlord".
const MAX_PARTS: usize = 4;
/// Words in names that do not identify a person by themselves: particles and titles.
const PARTICLES: [&str; 38] = [
    "a", "al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "des", "di", "do", "dos", "dr", "du",
    "el", "et", "frau", "herr", "ibn", "la", "le", "les", "mr", "mrs", "ms", "of", "prof", "st", "the", "und", "van",
    "von", "y", "zu", "zum",
];

impl Service {
    /// Returns the parts of the subject's name that occur as a whole word in memories that are not selected, each with the
    /// number of these memories and the first ids. Empty if the target is not a subject or the name is a single word.
    /// Also empty if it has more than [`MAX_PARTS`] parts. A failure is logged and not returned, because the subject itself is
    /// forgotten already.
    pub(super) async fn partly_named(
        &self,
        agent: &Agent,
        target: &Target,
        selected: &ErasureReport,
    ) -> Vec<PartlyNamed> {
        let found = self.find_partly_named(agent, target, selected).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "memories that name a part of the subject could not be looked for");
            Vec::new()
        })
    }

    async fn find_partly_named(
        &self,
        agent: &Agent,
        target: &Target,
        selected: &ErasureReport,
    ) -> Result<Vec<PartlyNamed>> {
        let Target::Subject(subject) = target else { return Ok(Vec::new()) };
        let selected: HashSet<&MemoryId> = selected.turns.iter().chain(&selected.statements).collect();
        let mut found = Vec::new();
        for name in parts(subject) {
            let report = self.parts.eraser.preview(agent, &Target::Subject(name.clone())).await?;
            let ids: BTreeSet<&MemoryId> = report.turns.iter().chain(&report.statements).collect();
            let others: Vec<&MemoryId> = ids.into_iter().filter(|id| !selected.contains(id)).collect();
            if !others.is_empty() {
                let ids = others.iter().take(LISTED).map(ToString::to_string).collect();
                found.push(PartlyNamed { name, memories: others.len(), ids });
            }
        }
        Ok(found)
    }
}

/// Returns the words of a name, without particles, titles and initials, each once. Empty if the name is a single word, or has
/// more than [`MAX_PARTS`] parts.
fn parts(subject: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let words: Vec<&str> = words(subject).collect();
    let names = words.iter().filter(|word| word.chars().count() > 1 && !PARTICLES.contains(&folded(word).as_str()));
    let names: Vec<String> = names.filter(|word| seen.insert(folded(word))).map(|word| (*word).to_owned()).collect();
    if words.len() > 1 && names.len() <= MAX_PARTS { names } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_name_are_its_words_without_particles_and_titles() {
        fn check(subject: &str, expect: &[&str]) {
            assert_eq!(parts(subject), expect, "{subject:?}");
        }
        check("Kyle Brandt", &["Kyle", "Brandt"]);
        check("Dr. Ludwig van der Berg", &["Ludwig", "Berg"]);
        check("Anna-Lena M. Ott", &["Anna", "Lena", "Ott"]);
        check("Mr Brandt", &["Brandt"]);
        check("Duran Duran", &["Duran"]);
        check("Brandt", &[]);
        check("everything about my former landlord", &[]);
        check("", &[]);
    }
}
