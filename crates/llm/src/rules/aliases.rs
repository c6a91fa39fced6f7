//! Which other names a speaker may have on their own word. A wrong one takes two people for one, so a name has to be a form of
//! the name under which they speak, or theirs is not known at all.

use std::collections::BTreeSet;

use annals_core::ports::ExtractionTask;
use annals_core::{Role, entity_key, folded};
use regex::Captures;

/// Shorter parts of names are in too many others.
const LEAST_LETTERS: usize = 3;

/// Who speaks in the turns of a task, by entity key.
pub(super) struct Speakers(BTreeSet<String>);

impl Speakers {
    pub(super) fn of(task: &ExtractionTask<'_>) -> Speakers {
        let turns = task.turns.iter().chain(task.context).filter(|turn| turn.role == Some(Role::User));
        Speakers(turns.filter_map(|turn| turn.speaker.as_deref()).map(entity_key).collect())
    }

    /// Whether a speaker may be called by a name that a clause gives them.
    pub(super) fn may_be_called(&self, speaker: &str, name: &str, found: &Captures<'_>) -> bool {
        if self.0.contains(&entity_key(name)) {
            return false;
        }
        if speaker == Role::User.as_str() {
            // Only a plain introduction, and only where nobody else may be meant by "user".
            let is_introduction = found.get_match().as_str().to_lowercase().starts_with("my ");
            return is_introduction && self.0.len() == 1;
        }
        is_form_of(speaker, name)
    }

    /// Whether a name is that of somebody who takes part, so that it may be a call: "my sister, Bob, …".
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&entity_key(name))
    }
}

/// Whether a word of one name begins one of the other: Annie and Ann, Ann Smith and ann_s.
pub(crate) fn is_form_of(speaker: &str, name: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = folded(text);
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    };
    let (speaker, name) = (words(speaker), words(name));
    let begins = |one: &str, other: &str| one.chars().count() >= LEAST_LETTERS && other.starts_with(one);
    speaker.iter().any(|one| name.iter().any(|other| begins(one, other) || begins(other, one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_are_forms_of_the_name() {
        for (speaker, name) in [("Ann", "Annie"), ("Annie", "Ann"), ("ann_s", "Ann Smith"), ("Bob Smith", "Bob")] {
            assert!(is_form_of(speaker, name), "{speaker} {name}");
        }
        for (speaker, name) in [("Mallory", "Ann"), ("Bob", "Robert"), ("Jo", "Joan"), ("Joan", "Jo"), ("", "Ann")] {
            assert!(!is_form_of(speaker, name), "{speaker} {name}");
        }
    }
}
