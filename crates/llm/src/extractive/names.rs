//! Names of the speakers of an input. They carry no information in a sentence, because the lines show the speakers.

use std::collections::BTreeSet;

/// Every word of every speaker's name, in lower case.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn of<'a>(speakers: impl Iterator<Item = &'a str>) -> Names {
        let words = |name: &str| -> Vec<String> { annals_core::words(name).map(str::to_lowercase).collect() };
        let distinct: BTreeSet<&str> = speakers.collect();
        Names(distinct.into_iter().flat_map(words).collect())
    }

    /// Returns whether the lower-case word is part of a speaker's name, or begins one with at least two letters: "jo" of
    /// "joanna".
    pub(super) fn is_speaker(&self, word: &str) -> bool {
        let first_not_before =
            self.0.range::<str, _>((std::ops::Bound::Included(word), std::ops::Bound::Unbounded)).next();
        first_not_before.is_some_and(|name| name == word || (word.len() >= 2 && name.starts_with(word)))
    }
}
