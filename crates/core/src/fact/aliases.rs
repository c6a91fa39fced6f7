//! Decides which stated aliases count. An alias merges two names into one entity, so not every alias that somebody states
//! counts.
//!
//! A speaker may give an alias only for their own name, and the alias must not be the name of another speaker. A speaker
//! without a name is known by their role. An alias of a role counts only while no speaker has a name and the role has at most
//! one alias.

use std::collections::{BTreeMap, BTreeSet};

use super::{ALIAS, FactOperation, MERGED_BECAUSE, Verb, entity_key, fold};
use crate::Role;

/// Returns the operations without the aliases that do not count. Manual entries always count.
pub(crate) fn without_doubtful_aliases(operations: &[FactOperation]) -> Vec<&FactOperation> {
    let speakers = Speakers::of(operations);
    let counts = |operation: &&FactOperation| {
        !is_alias(operation) || operation.speaker().is_none() || speakers.may_be_called(operation)
    };
    operations.iter().filter(counts).collect()
}

/// The speakers, by entity key.
struct Speakers {
    names: BTreeSet<String>,
    /// The aliases given to each role, without retracted ones.
    of_roles: BTreeMap<String, BTreeSet<String>>,
}

impl Speakers {
    fn of(operations: &[FactOperation]) -> Speakers {
        let names = operations.iter().filter_map(FactOperation::speaker).map(entity_key).collect();
        let keys = |alias: &FactOperation| [entity_key(&alias.subject), entity_key(&alias.object)];
        let ends = operations.iter().filter(|other| is_retraction(other));
        let retracted: BTreeSet<[String; 2]> = ends.map(keys).collect();
        let mut of_roles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for [subject, object] in operations.iter().filter(|operation| is_alias(operation)).map(keys) {
            let all = [subject.clone(), String::new()];
            let one = [subject, object];
            if is_role(&one[0]) && !retracted.contains(&all) && !retracted.contains(&one) {
                let [subject, object] = one;
                of_roles.entry(subject).or_default().insert(object);
            }
        }
        Speakers { names, of_roles }
    }

    fn may_be_called(&self, alias: &FactOperation) -> bool {
        let (subject, object) = (entity_key(&alias.subject), entity_key(&alias.object));
        let is_anothers = subject != object && self.names.contains(&object);
        !alias.is_hearsay() && !is_anothers && (!is_role(&subject) || self.is_alone(&subject))
    }

    /// Returns whether no speaker has a name, and the role has at most one alias.
    fn is_alone(&self, role: &str) -> bool {
        self.names.iter().all(|speaker| is_role(speaker)) && self.of_roles.get(role).is_none_or(|names| names.len() < 2)
    }
}

/// Returns the pairs of names that the aliases in the log join, as entity keys. Excludes retracted aliases and inferred
/// aliases.
pub fn joined_names(operations: &[FactOperation]) -> Vec<[String; 2]> {
    let facts = fold(operations).into_iter();
    let joins = facts.filter(|fact| fact.joins_names() && !fact.properties.contains_key(MERGED_BECAUSE));
    joins.map(|fact| [entity_key(&fact.subject), entity_key(&fact.object)]).collect()
}

/// Pairs of names of one entity, from the aliases that count.
#[derive(Default)]
pub(crate) struct OtherNames(BTreeSet<[String; 2]>);

impl OtherNames {
    pub(crate) fn of(operations: &[&FactOperation]) -> OtherNames {
        let aliases = operations.iter().filter(|operation| is_alias(operation));
        OtherNames(aliases.map(|alias| pair(&alias.subject, &alias.object)).collect())
    }

    /// Returns whether somebody other than the subject said it. A speaker with another name of the subject is the subject.
    pub(crate) fn is_hearsay(&self, operation: &FactOperation) -> bool {
        let is_other = |speaker: &str| !self.0.contains(&pair(speaker, &operation.subject));
        operation.is_hearsay() && operation.speaker().is_some_and(is_other)
    }
}

fn pair(one: &str, other: &str) -> [String; 2] {
    let mut pair = [one, other].map(entity_key);
    pair.sort();
    pair
}

fn is_alias(operation: &FactOperation) -> bool {
    operation.predicate == ALIAS && operation.verb != Verb::Delete
}

/// Returns whether the operation retracts an alias. A speaker cannot retract an alias of somebody else.
pub(super) fn is_retraction(operation: &FactOperation) -> bool {
    operation.predicate == ALIAS && operation.verb == Verb::Delete && !operation.is_hearsay()
}

/// Returns whether the name of a speaker is the word for a role, because the speaker has no name.
fn is_role(speaker: &str) -> bool {
    speaker.parse::<Role>().is_ok()
}

#[cfg(test)]
mod tests {
    use crate::fact::fold::tests::log;
    use crate::fact::{SPEAKER, fold};

    /// Checks the aliases that count. Each line begins with the speaker, or with `-` for a manual entry.
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
    fn alias_stated_by_another_speaker_is_ignored() {
        check(&["Ann 2026-01-01 INSERT Ann also_known_as Annie"], &["Ann = Annie"]);
        check(&["Bob 2026-01-01 INSERT Ann also_known_as Annie"], &[]);
        check(&["- 2026-01-01 INSERT Ann also_known_as Annie"], &["Ann = Annie"]);
    }

    #[test]
    fn alias_to_another_speaker_is_ignored_unless_entered_by_hand() {
        let mallory = "Mallory 2026-01-02 INSERT Mallory also_known_as Ann";
        check(&["Ann 2026-01-01 INSERT Ann likes tea", mallory], &[]);
        check(&["Bob 2026-01-01 INSERT Bob likes tea", mallory], &["Mallory = Ann"]);
        check(
            &["Ann 2026-01-01 INSERT Ann likes tea", "- 2026-01-02 INSERT Mallory also_known_as Ann"],
            &["Mallory = Ann"],
        );
    }

    #[test]
    fn role_alias_counts_only_while_no_other_name_is_known() {
        let ann = "user 2026-01-01 INSERT user also_known_as Ann";
        let bob = "user 2026-01-02 INSERT user also_known_as Bob";
        check(&[ann], &["user = Ann"]);
        check(&[ann, "user 2026-01-02 INSERT user also_known_as ann"], &["user = Ann"]);
        check(&[ann, bob], &[]);
        check(&[ann, "Bob 2026-01-02 INSERT Bob likes tea"], &[]);
        check(&[ann, "assistant 2026-01-02 INSERT Ann likes tea"], &["user = Ann"]);
        check(&[ann, bob, "- 2026-01-03 DELETE user also_known_as Bob"], &["user = Ann"]);
        check(&[ann, bob, "assistant 2026-01-03 DELETE user also_known_as Bob"], &[]);
    }

    #[test]
    fn retracted_alias_joins_no_names() {
        let ann = "Ann 2026-01-01 INSERT Ann also_known_as Annie";
        check(&[ann, "- 2026-01-02 DELETE Ann also_known_as Annie"], &[]);
    }
}
