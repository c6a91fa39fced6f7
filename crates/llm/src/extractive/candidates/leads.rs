//! The lead of an entry: its first statement. The rules for records leave out sentences about "the agency" or "two people", and an
//! aside that names somebody would then stand for the whole entry.

use annals_core::Grain;

use super::Candidate;
use crate::extractive::budget::length;
use crate::extractive::dependence::{self, Dependence};
use crate::extractive::events::Event;
use crate::extractive::language::Language;
use crate::extractive::story;
use crate::extractive::tokens::tokens;

/// Minimum words of a lead.
const MIN_WORDS: usize = 5;

/// Makes the leads of entries quotable: one that reports a notable event, and one of an entry that would otherwise not be quoted.
/// Coarser grains than days quote only the first kind, if a day has nothing else. If `adds_whole` is set, an entry without a
/// quotation is not touched.
pub(super) fn promote(grain: Grain, adds_whole: bool, all: &mut [Candidate]) {
    for entry in all.chunk_by_mut(|one, next| one.child == next.child) {
        let is_quoted = entry.iter().any(|one| one.dependence == Dependence::Independent && one.worth.full() > 0.0);
        let Some(lead) = lead(entry) else { continue };
        let is_notable = entry[lead].worth.event <= Event::Public;
        let is_wanted = match grain > Grain::Daily {
            true => !is_quoted && is_notable && entry[lead].worth.is_definite(),
            false if is_quoted => is_notable,
            false => !adds_whole && (is_notable || entry[lead].worth.event <= Event::State),
        };
        if is_wanted && entry[lead].worth.fills() {
            entry[lead].dependence = Dependence::Independent;
            entry[lead].is_filling = false;
        }
    }
}

/// Returns the position of the first statement of an entry. A headline is one only if nothing below it is.
fn lead(entry: &[Candidate]) -> Option<usize> {
    let labels: Vec<&str> = entry.iter().filter_map(|one| story::parts(&one.sentence.text).0).collect();
    let states = |position: &usize| is_statement(&entry[*position]);
    let is_headline = |position: &usize| labels.contains(&entry[*position].sentence.text.as_str());
    let mut statements = (0..entry.len()).filter(states);
    statements.clone().find(|position| !is_headline(position)).or_else(|| statements.next())
}

/// Returns whether the sentence says something without a pronoun for what another sentence names.
fn is_statement(one: &Candidate) -> bool {
    let (_, text) = story::parts(&one.sentence.text);
    let tokens = tokens(text);
    let stands = || dependence::of(text, &tokens, Language::of(&tokens)) == Dependence::Independent;
    one.dependence != Dependence::Aside && one.worth.full() > 0.0 && length(text) >= MIN_WORDS && stands()
}

#[cfg(test)]
mod tests {
    use annals_core::{Grain, Role};

    use crate::extractive::tests::{turn, write};

    /// Summarises an entry of a record of one author.
    #[track_caller]
    fn check(entry: &str, expect: &str) {
        let draft = write(Grain::Daily, &[turn(1, 0, Role::User, "Wire", entry)]);
        assert_eq!(draft.text, expect, "{entry}");
    }

    #[test]
    fn first_statement_of_an_entry_is_quoted() {
        let aside = "There were traffic jams but no accidents. The evacuation is expected to last a week.";
        let moved =
            "About 5,000 people were moved out of the valley as a precaution after the rain had slowed the repairs.";
        check(&format!("{moved} {aside}"), &format!("Wire: {moved}"));
        // An aside that names somebody does not stand for the entry.
        check(
            "The agency declared the outbreak over. Hanne Lund thanked 340 volunteers.",
            "Wire: The agency declared the outbreak over.\nWire: Hanne Lund thanked 340 volunteers.",
        );
    }

    #[test]
    fn entry_without_a_statement_is_not_quoted() {
        let nothing = "He was calm. She was too. They said it again and again, and it went on and on like that for hours, \
            as it did before, and as it will again whenever they are there.";
        check(nothing, "Brief notes only: 1 message by Wire.");
    }
}
