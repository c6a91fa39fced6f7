//! Finds the turns that a statement or an operation draws on besides the one that it cites: "She helps me a lot" after "My
//! therapist is called Doctor Quillon". If these turns were not recorded, the name would remain after its turn is forgotten.

use std::collections::BTreeSet;

use annals_core::ports::ExtractionTask;
use annals_core::{Memory, MemoryId};

use crate::endpoint::content::{Content, Word, missing_from};

/// Everything that a model was shown, with its content words.
pub(super) struct Origins {
    /// Earlier turns, then the turns to read, in order of time.
    turns: Vec<(MemoryId, Content)>,
    /// The sources of each known fact.
    facts: Vec<(Vec<MemoryId>, Content)>,
}

impl Origins {
    pub(super) fn of(task: &ExtractionTask<'_>) -> Origins {
        let turns = task.context.iter().chain(task.turns).map(|turn| (turn.id.clone(), content(turn)));
        let facts = task.known.iter().map(|fact| {
            let terms = [fact.subject.as_str(), fact.object.as_str()];
            (fact.sources.clone(), Content::of(terms))
        });
        Origins { turns: turns.collect(), facts: facts.collect() }
    }

    /// Returns, for each content word of a statement that the cited turn does not contain, the nearest turn that contains it.
    /// Returns `None` if some words occur only in known facts: the turns of these facts may no longer exist, and the sources of
    /// a statement must exist.
    pub(super) fn of_words(&self, cited: &Memory, text: &str) -> Option<Vec<MemoryId>> {
        let missing = missing_from(&content(cited), text);
        let (found, missing) = self.nearest(cited, missing);
        let is_known = self.facts.iter().any(|(_, fact)| fact.has_any(&missing));
        (!is_known).then(|| found.into_iter().collect())
    }

    /// Returns the turns, besides the cited one, that the content words of an operation's terms come from. For a word in a turn
    /// that the model was shown, this is the nearest such turn. For other words, these are the sources of the known facts that
    /// contain them, except entries that a person or an import added.
    pub(super) fn of_terms(&self, cited: &Memory, terms: &[&str]) -> Vec<MemoryId> {
        let own = content(cited);
        let missing = terms.iter().flat_map(|term| missing_from(&own, term)).collect();
        let (mut found, missing) = self.nearest(cited, missing);
        for (sources, _) in self.facts.iter().filter(|(_, fact)| fact.has_any(&missing)) {
            found.extend(sources.iter().filter(|id| !id.is_entry() && **id != cited.id).cloned());
        }
        found.into_iter().collect()
    }

    /// Returns the nearest turn that contains each word, preferring earlier turns, and the words that no turn contains.
    fn nearest(&self, cited: &Memory, words: Vec<Word>) -> (BTreeSet<MemoryId>, Vec<Word>) {
        let index = self.turns.iter().position(|(id, _)| *id == cited.id).unwrap_or(self.turns.len());
        let (before, after) = self.turns.split_at(index);
        let nearest = |word: &Word| {
            let mut turns = before.iter().rev().chain(after.iter().skip(1));
            turns.find(|(_, content)| content.has_any([word])).map(|(id, _)| id.clone())
        };
        let (mut found, mut missing) = (BTreeSet::new(), Vec::new());
        for word in words {
            match nearest(&word) {
                Some(id) => drop(found.insert(id)),
                None => missing.push(word),
            }
        }
        (found, missing)
    }
}

fn content(turn: &Memory) -> Content {
    Content::of([turn.text.as_str(), turn.speaker().unwrap_or_default()])
}
