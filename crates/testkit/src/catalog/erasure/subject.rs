//! Tests whether a text names a person: by any name of the person, as whole words, ignoring case and accents.

use std::collections::BTreeSet;

use annals_core::ports::Content;
use annals_core::{ALIAS, Fact, FactOperation, MERGED_BECAUSE, Memory, contains_name, entity_key, fold, folded};

use crate::catalog::agent_data::AgentData;

/// A person by all their names, as entity keys. The default has no names.
#[derive(Debug, Default)]
pub(super) struct Subject {
    names: BTreeSet<String>,
    /// Other names that the log states as aliases of the person and that are not followed, and longer names of speakers.
    pub(super) unfollowed: BTreeSet<String>,
}

impl Subject {
    /// Collects the name and its valid aliases, in both directions. Follows an alias only if a person entered it, or if the
    /// speakers with these names stated it.
    pub(super) fn new(name: &str, data: &AgentData) -> Subject {
        let log: Vec<FactOperation> = data.log.values().cloned().collect();
        let facts = fold(&log);
        let stated_aliases =
            facts.iter().filter(|fact| fact.joins_names() && !fact.properties.contains_key(MERGED_BECAUSE));
        let (followed, others): (Vec<&Fact>, Vec<&Fact>) = stated_aliases.partition(|fact| is_followed(data, fact));
        let mut names = BTreeSet::from([entity_key(name)]);
        let mut known = 0;
        while names.len() > known {
            known = names.len();
            for fact in &followed {
                let keys = [entity_key(&fact.subject), entity_key(&fact.object)];
                if keys.iter().all(|key| !key.is_empty()) && keys.iter().any(|key| names.contains(key)) {
                    names.extend(keys);
                }
            }
        }
        names.remove("");
        let is_its = |name: &String| names.contains(&entity_key(name));
        let joined =
            others.iter().map(|fact| [&fact.subject, &fact.object]).filter(|pair| pair.iter().any(|n| is_its(n)));
        let joined = joined.flatten().filter(|name| !is_its(name) && !entity_key(name).is_empty());
        let unfollowed = joined.cloned().collect();
        let mut subject = Subject { names, unfollowed };
        let speakers = data.memories.values().filter_map(Memory::speaker);
        let longer = speakers.filter(|speaker| !subject.is(speaker) && subject.is_named_in(speaker));
        let longer: Vec<String> = longer.map(str::to_owned).collect();
        subject.unfollowed.extend(longer);
        subject
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.names.contains(&entity_key(name))
    }

    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let text = folded(text);
        self.names.iter().any(|name| contains_name(&text, name))
    }

    /// Returns whether an identifier names the subject. Any separator counts as a space.
    pub(super) fn is_named_by(&self, identifier: &str) -> bool {
        self.is_named_in(identifier) || self.is_named_in(&identifier.replace(|c: char| !c.is_alphanumeric(), " "))
    }

    /// Returns whether a content names the subject: a text, or any string or field name of a JSON value.
    pub(super) fn is_named_by_content(&self, content: &Content) -> bool {
        match content {
            Content::Text(text) => self.is_named_in(text),
            Content::Json(value) => strings(value).iter().any(|text| self.is_named_by(text)),
        }
    }

    /// Returns whether a JSON text names the subject. Text that is not JSON is searched as plain text.
    pub(super) fn is_named_by_json(&self, json: &str) -> bool {
        let parsed = serde_json::from_str(json).map(Content::Json);
        self.is_named_by_content(&parsed.unwrap_or_else(|_| Content::Text(json.to_owned())))
    }

    /// Returns whether any field of an operation names the subject.
    pub(super) fn is_named_by_operation(&self, operation: &FactOperation) -> bool {
        let texts = [Some(&operation.subject), Some(&operation.object), operation.replaces.as_ref()];
        texts.into_iter().flatten().any(|text| self.is(text) || self.is_named_in(text))
            || self.is_named_by(&operation.predicate)
            || operation.properties.iter().any(|(name, value)| {
                self.is_named_by(name)
                    || strings(value).iter().any(|text| self.is_named_in(text) || self.is_named_by(text))
            })
    }
}

/// Returns the strings in a value and the names of its fields.
fn strings(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(values) => values.iter().flat_map(strings).collect(),
        serde_json::Value::Object(fields) => {
            fields.iter().flat_map(|(name, value)| [vec![name.clone()], strings(value)].concat()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns whether a person entered the alias, or speakers with both names stated it. A speaker with one of the names is enough
/// if nobody speaks under the other name.
fn is_followed(data: &AgentData, fact: &Fact) -> bool {
    let names = [&fact.subject, &fact.object];
    let is_of = |operation: &&FactOperation| {
        operation.predicate == ALIAS
            && fact.sources.contains(&operation.source)
            && [&operation.subject, &operation.object].map(|name| entity_key(name))
                == names.map(|name| entity_key(name))
    };
    let operations: Vec<&FactOperation> = data.log.values().filter(is_of).collect();
    let is_stated_by = names.map(|name| operations.iter().any(|operation| is_stated_by(data, operation, name)));
    let is_own = |index: usize| is_stated_by[index] || (is_stated_by[1 - index] && !is_speaker(data, names[index]));
    operations.iter().any(|operation| operation.source.as_str().starts_with("u-")) || (is_own(0) && is_own(1))
}

/// Returns whether the speaker of an operation has this name. An unknown speaker counts as having the name.
fn is_stated_by(data: &AgentData, operation: &FactOperation, name: &str) -> bool {
    let live = data.memories.get(&operation.source).and_then(Memory::speaker);
    let speaker = live.or_else(|| data.pruned.get(&operation.source)?.speaker.as_deref());
    speaker.is_none_or(|speaker| entity_key(speaker) == entity_key(name))
}

fn is_speaker(data: &AgentData, name: &str) -> bool {
    let live = data.messages.values().map(annals_core::Message::speaker);
    let pruned = data.pruned.values().filter_map(|turn| turn.speaker.as_deref());
    live.chain(pruned).any(|speaker| entity_key(speaker) == entity_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        fn check(name: &str, text: &str, expect: bool) {
            assert_eq!(Subject::new(name, &AgentData::default()).is_named_in(text), expect, "{name:?} in {text:?}");
        }
        check("Ann", "ANN's tea", true);
        check("Ann", "Anna had tea", false);
        check("Ann", "Joann", false);
        check("Ann", "Joann and Ann", true);
        check("José García", "with jose\n garcia.", true);
        check("the Museum", "a museum!", true);
        check("C++", "C++ is fun", true);
        check("R2", "R2D2", false);
        check("東京", "東京に行く", true);
        check("민수", "민수가 왔다", true);
        check("민수", "민숙이 왔다", false);
        check("カス", "ガスがない", false);
        check("", "anything", false);
        check("...", "anything ...", false);
    }
}
