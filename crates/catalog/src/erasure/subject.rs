//! Decides whether a text names an entity: by any of its names, as whole words, ignoring case and accents.

use std::collections::BTreeSet;

use annals_core::ports::Content;
use annals_core::{ALIAS, Fact, FactOperation, MERGED_BECAUSE, contains_name, entity_key, fold, folded};
use serde_json::Value;

use crate::db::{Failure, Result};

/// An entity with all its names, as entity keys. The default has no names and matches nothing.
#[derive(Debug, Default)]
pub(super) struct Subject {
    names: BTreeSet<String>,
    /// Names that an alias in the log joins with `names`, but that forgetting does not follow, and longer names of speakers. Spelled
    /// as in the log and in the turns.
    pub(super) unfollowed: BTreeSet<String>,
}

/// Queries about speakers. Their results decide whether forgetting follows an alias.
pub(super) trait Witness {
    /// Returns whether the speaker of an operation has this name. True if the speaker is unknown.
    fn states(&self, operation: &FactOperation, name: &str) -> Result<bool>;

    /// Returns whether somebody speaks under this name.
    fn speaks(&self, name: &str) -> Result<bool>;
}

/// One alias in the log.
struct Alias<'l> {
    names: [&'l str; 2],
    /// Whether forgetting one of the names also forgets the other one.
    is_followed: bool,
}

impl Subject {
    /// Collects the name and its aliases, in both directions. Retracted aliases do not count. Any other counts if a person or
    /// an import entered it, or if a speaker with one of the two names stated it. If there are speakers with both names, both
    /// must have stated it.
    pub(super) fn new(name: &str, log: &[FactOperation], witness: &impl Witness) -> Result<Subject> {
        let facts = fold(log);
        let stated = facts.iter().filter(|fact| is_stated(fact));
        let aliases: Vec<Alias> = stated.map(|fact| alias(fact, log, witness)).collect::<Result<_>>()?;
        let mut names = BTreeSet::from([entity_key(name)]);
        loop {
            let known = names.len();
            for alias in &aliases {
                let keys = alias.names.map(entity_key);
                let joins = alias.is_followed && keys.iter().all(|key| !key.is_empty());
                if joins && keys.iter().any(|key| names.contains(key)) {
                    names.extend(keys);
                }
            }
            if names.len() == known {
                break;
            }
        }
        names.remove("");
        let is_its = |name: &str| names.contains(&entity_key(name));
        let joined = aliases.iter().filter(|alias| alias.names.into_iter().any(is_its));
        let unfollowed =
            joined.flat_map(|alias| alias.names).filter(|name| !is_its(name) && !entity_key(name).is_empty());
        let unfollowed = unfollowed.map(str::to_owned).collect();
        Ok(Subject { names, unfollowed })
    }

    /// Notes the speakers whose names contain a name of the entity: "Dr. Maria Lopez" may be Maria Lopez, or somebody else.
    pub(super) fn note_longer(&mut self, speakers: Vec<String>) {
        let longer = speakers.into_iter().filter(|speaker| !self.is(speaker) && self.is_named_in(speaker));
        let longer: Vec<String> = longer.collect();
        self.unfollowed.extend(longer);
    }

    /// Returns whether both entities have the same names.
    pub(super) fn has_names_of(&self, other: &Subject) -> bool {
        self.names == other.names
    }

    /// Returns the entity's names, as entity keys.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns whether this is one of the entity's names.
    pub(super) fn is(&self, name: &str) -> bool {
        !self.names.is_empty() && self.names.contains(&entity_key(name))
    }

    /// Returns whether the text names the entity.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        if self.names.is_empty() {
            return false;
        }
        let text = folded(text);
        self.names.iter().any(|name| contains_name(&text, name))
    }

    /// Returns whether an identifier names the entity, such as `chat-with-zelda_quist`.
    pub(super) fn is_named_by(&self, identifier: &str) -> bool {
        let spaced = || identifier.replace(|c: char| !c.is_alphanumeric(), " ");
        self.is_named_in(identifier) || self.is_named_in(&spaced())
    }

    /// Returns whether any field of an operation names the entity.
    pub(super) fn is_named_by_operation(&self, operation: &FactOperation) -> bool {
        let FactOperation { subject, predicate, object, replaces, properties, .. } = operation;
        let texts = [Some(subject), Some(object), replaces.as_ref()];
        texts.into_iter().flatten().any(|text| self.is(text) || self.is_named_in(text))
            || self.is_named_by(predicate)
            || properties.iter().any(|(name, value)| self.is_named_by(name) || self.is_named_by_value(value))
    }

    /// Returns whether a content names the entity: a text, or any string or field name of a JSON value.
    pub(super) fn is_named_by_content(&self, content: &Content) -> bool {
        match content {
            Content::Text(text) => self.is_named_in(text),
            Content::Json(value) => self.is_named_by_value(value),
        }
    }

    /// Returns whether a JSON text names the entity. Also searches the decoded strings: in the encoded text, the `n` of an
    /// escaped line break touches the name behind it.
    pub(super) fn is_named_by_json(&self, json: &str) -> bool {
        let value = serde_json::from_str(json);
        self.is_named_in(json) || value.is_ok_and(|value| self.is_named_by_value(&value))
    }

    fn is_named_by_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_named_by(text),
            Value::Array(values) => values.iter().any(|value| self.is_named_by_value(value)),
            Value::Object(fields) => {
                fields.iter().any(|(name, value)| self.is_named_by(name) || self.is_named_by_value(value))
            }
            _ => false,
        }
    }
}

/// Returns whether a fact is an alias that was stated, not inferred by merging, and not retracted.
fn is_stated(fact: &Fact) -> bool {
    fact.joins_names() && !fact.properties.contains_key(MERGED_BECAUSE)
}

fn alias<'l>(fact: &'l Fact, log: &[FactOperation], witness: &impl Witness) -> Result<Alias<'l>> {
    let names = [fact.subject.as_str(), fact.object.as_str()];
    let keys = names.map(entity_key);
    let is_of = |operation: &&FactOperation| {
        operation.predicate == ALIAS
            && fact.sources.contains(&operation.source)
            && keys == [entity_key(&operation.subject), entity_key(&operation.object)]
    };
    let stated: Vec<&FactOperation> = log.iter().filter(is_of).collect();
    let by_hand = stated.iter().any(|operation| operation.source.as_str().starts_with("u-"));
    let mut stated_by = [false; 2];
    for (is_stated, name) in stated_by.iter_mut().zip(names) {
        for operation in &stated {
            *is_stated |= witness.states(operation, name)?;
        }
    }
    // A speaker under one name cannot claim a name that somebody else speaks under.
    let is_own =
        |index: usize| Ok::<_, Failure>(stated_by[index] || (stated_by[1 - index] && !witness.speaks(names[index])?));
    Ok(Alias { names, is_followed: by_hand || (is_own(0)? && is_own(1)?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A witness without speakers, who stated nothing.
    struct Nobody;

    impl Witness for Nobody {
        fn states(&self, _: &FactOperation, _: &str) -> Result<bool> {
            Ok(false)
        }

        fn speaks(&self, _: &str) -> Result<bool> {
            Ok(false)
        }
    }

    #[test]
    fn names_are_whole_words() {
        fn check(name: &str, text: &str, expect: bool) {
            assert_eq!(
                Subject::new(name, &[], &Nobody).ok().unwrap().is_named_in(text),
                expect,
                "{name:?} in {text:?}"
            );
        }
        check("Ann", "ANN's tea", true);
        check("Ann", "Anna had tea", false);
        check("Ann", "Joann and Ann", true);
        check("An", "An went home", true);
        check("José García", "with jose\n garcia.", true);
        check("the Museum", "a museum!", true);
        check("C++", "C++ is fun", true);
        check("R2", "R2D2", false);
        check("東京", "東京に行く", true);
        check("민수", "민수가 왔다", true);
        check("सीता", "सीता आई", true);
        check("सीता", "सतआई", false);
        check("", "anything", false);
        check("...", "anything ...", false);
    }

    #[test]
    fn identifiers_are_split_into_words() {
        fn check(name: &str, identifier: &str, expect: bool) {
            let subject = Subject::new(name, &[], &Nobody).ok().unwrap();
            assert_eq!(subject.is_named_by(identifier), expect, "{name:?} by {identifier:?}");
        }
        check("Zelda Quist", "chat-with-Zelda_Quist/2", true);
        check("Zelda Quist", "Zelda Quist", true);
        check("Zelda", "zeldas-piano", false);
        check("Zelda", "knows_zelda", true);
        check("", "", false);
    }
}
