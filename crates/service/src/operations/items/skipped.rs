//! Counts the items that are not stored, by kind, with the first example.

use std::collections::BTreeMap;

use crate::wire::SkippedView;

/// The counts of items that are not stored, by kind. Kinds are fixed texts in the code of the import, so they are few.
#[derive(Default)]
pub(super) struct Skips(BTreeMap<String, SkippedView>);

impl Skips {
    /// Counts an item. `example` says why it cannot be stored, and contains no text that a person wrote.
    pub(super) fn add(&mut self, kind: &str, example: &str, location: &str) {
        let first = || SkippedView {
            kind: kind.to_owned(),
            count: 0,
            example: example.to_owned(),
            location: location.to_owned(),
        };
        self.0.entry(kind.to_owned()).or_insert_with(first).count += 1;
    }

    /// Counts an item if the condition holds.
    pub(super) fn add_if(&mut self, condition: bool, kind: &str, example: &str, location: &str) {
        if condition {
            self.add(kind, example, location);
        }
    }

    pub(super) fn into_views(self) -> Vec<SkippedView> {
        self.0.into_values().collect()
    }
}
