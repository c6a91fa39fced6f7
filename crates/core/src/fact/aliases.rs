//! Which aliases count. An alias makes one entity of two names, so it takes more than anybody's word.
//!
//! Somebody may only name themselves, and not by a name under which another speaks. Those who speak without a name are all called
//! by their role: what one of them is called is a name of that role only while nobody speaks for another.

use std::collections::BTreeSet;

use super::{ALIAS, FactOperation, MERGED_BECAUSE, Verb, entity_key, fold};
use crate::Role;

/// The operations without the aliases that do not count. Entries by hand always do.
pub fn without_doubtful_aliases(operations: &[FactOperation]) -> Vec<&FactOperation> {
    let speakers: BTreeSet<String> = operations.iter().filter_map(FactOperation::speaker).map(entity_key).collect();
    let counts = |operation: &FactOperation| {
        !is_alias(operation) || operation.speaker().is_none() || is_own_name(operation, &speakers, operations)
    };
    operations.iter().filter(|operation| counts(operation)).collect()
}

/// The names that the log joins, as entity keys: neither those that were taken back nor those that are only concluded.
pub fn joined_names(operations: &[FactOperation]) -> Vec<[String; 2]> {
    let facts = fold(operations).into_iter();
    let joins = facts.filter(|fact| fact.joins_names() && !fact.properties.contains_key(MERGED_BECAUSE));
    joins.map(|fact| [entity_key(&fact.subject), entity_key(&fact.object)]).collect()
}

fn is_alias(operation: &FactOperation) -> bool {
    operation.predicate == ALIAS && operation.verb != Verb::Delete
}

fn is_own_name(alias: &FactOperation, speakers: &BTreeSet<String>, operations: &[FactOperation]) -> bool {
    let (subject, object) = (entity_key(&alias.subject), entity_key(&alias.object));
    if alias.is_hearsay() || (subject != object && speakers.contains(&object)) {
        return false;
    }
    let is_alone = || {
        let has_other_name = |other: &FactOperation| {
            is_alias(other) && entity_key(&other.subject) == subject && !is_retracted(other, operations)
        };
        let is_same = |other: &FactOperation| entity_key(&other.object) == object;
        speakers.iter().all(|speaker| is_role(speaker))
            && operations.iter().filter(|other| has_other_name(other)).all(is_same)
    };
    !is_role(&subject) || is_alone()
}

fn is_retracted(alias: &FactOperation, operations: &[FactOperation]) -> bool {
    let ends = |other: &FactOperation| {
        other.verb == Verb::Delete
            && other.predicate == ALIAS
            && entity_key(&other.subject) == entity_key(&alias.subject)
            && (other.object.is_empty() || entity_key(&other.object) == entity_key(&alias.object))
    };
    operations.iter().any(ends)
}

/// Whether a speaker goes by a role instead of a name.
fn is_role(speaker: &str) -> bool {
    speaker.parse::<Role>().is_ok()
}

#[cfg(test)]
mod tests {
    use crate::fact::fold::tests::log;
    use crate::fact::{SPEAKER, fold};

    /// The aliases that count, of a log in which each line begins with the speaker, or with `-` for an entry by hand.
    #[track_caller]
    fn check(lines: &[&str], expect: &[&str]) {
        let (speakers, rest): (Vec<&str>, Vec<&str>) =
            lines.iter().map(|line| line.split_once(' ').expect("a speaker and an operation")).unzip();
        let mut log = log(&rest.join("\n"));
        for (operation, speaker) in log.iter_mut().zip(speakers).filter(|(_, speaker)| *speaker != "-") {
            operation.properties.insert(SPEAKER.to_owned(), speaker.into());
        }
        let facts = fold(&log);
        let joined = facts.iter().filter(|fact| fact.joins_names());
        let joined: Vec<String> = joined.map(|fact| format!("{} = {}", fact.subject, fact.object)).collect();
        assert_eq!(joined, expect, "{lines:?}");
    }

    #[test]
    fn only_the_person_names_themselves() {
        check(&["Ann 2026-01-01 INSERT Ann also_known_as Annie"], &["Ann = Annie"]);
        check(&["Bob 2026-01-01 INSERT Ann also_known_as Annie"], &[]);
        check(&["- 2026-01-01 INSERT Ann also_known_as Annie"], &["Ann = Annie"]);
    }

    #[test]
    fn two_who_speak_are_never_joined() {
        let mallory = "Mallory 2026-01-02 INSERT Mallory also_known_as Ann";
        check(&["Ann 2026-01-01 INSERT Ann likes tea", mallory], &[]);
        check(&["Bob 2026-01-01 INSERT Bob likes tea", mallory], &["Mallory = Ann"]);
        check(
            &["Ann 2026-01-01 INSERT Ann likes tea", "- 2026-01-02 INSERT Mallory also_known_as Ann"],
            &["Mallory = Ann"],
        );
    }

    #[test]
    fn unnamed_speakers_are_one_user_only_while_no_other_is_known() {
        let ann = "user 2026-01-01 INSERT user also_known_as Ann";
        let bob = "user 2026-01-02 INSERT user also_known_as Bob";
        check(&[ann], &["user = Ann"]);
        check(&[ann, "user 2026-01-02 INSERT user also_known_as ann"], &["user = Ann"]);
        check(&[ann, bob], &[]);
        check(&[ann, "Bob 2026-01-02 INSERT Bob likes tea"], &[]);
        check(&[ann, "assistant 2026-01-02 INSERT Ann likes tea"], &["user = Ann"]);
        check(&[ann, bob, "- 2026-01-03 DELETE user also_known_as Bob"], &["user = Ann"]);
    }

    #[test]
    fn retraction_undoes() {
        let ann = "Ann 2026-01-01 INSERT Ann also_known_as Annie";
        check(&[ann, "- 2026-01-02 DELETE Ann also_known_as Annie"], &[]);
    }
}
