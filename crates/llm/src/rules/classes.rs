//! Closed classes of words, from the lists in `words/`. A rule accepts an object only if it is in the class, so that idioms,
//! jokes and names of programs do not become homes, jobs and pets.

use std::collections::HashSet;
use std::sync::LazyLock;

use annals_core::folded;

/// A set of words and phrases. Comparison ignores case and accents.
pub(super) struct Class(LazyLock<HashSet<String>>);

impl Class {
    pub(super) fn has(&self, text: &str) -> bool {
        self.0.contains(&folded(text))
    }

    /// Returns whether the class contains the text or, for a plural, its singular.
    pub(super) fn has_any_number(&self, text: &str) -> bool {
        self.has(text)
            || ["s", "es"].iter().any(|ending| text.strip_suffix(ending).is_some_and(|one| self.has(one)))
            || text.strip_suffix("ies").is_some_and(|stem| self.has(&format!("{stem}y")))
    }
}

/// Parses a list: entries separated by commas; lines that begin with `#` are comments.
fn entries(list: &str) -> HashSet<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(',')).map(folded).filter(|entry| !entry.is_empty()).collect()
}

macro_rules! classes {
    ($($name:ident $file:literal)*) => {
        $(pub(super) static $name: Class = Class(LazyLock::new(|| entries(include_str!(concat!("words/", $file, ".txt")))));)*
    };
}

classes! {
    PLACES "places"
    AMBIGUOUS_PLACES "ambiguous_places"
    OCCUPATIONS "occupations"
    OCCUPATION_MODIFIERS "occupation_modifiers"
    WORKPLACES "workplaces"
    COMPANIES "companies"
    PETS "pets"
    PET_MODIFIERS "pet_modifiers"
    TASTES "tastes"
    TASTE_KINDS "taste_kinds"
    TASTE_MODIFIERS "taste_modifiers"
    ALLERGENS "allergens"
    CONDITIONS "conditions"
    MEDICINES "medicines"
    FIELDS "fields"
    LANGUAGES "languages"
    INSTRUMENTS "instruments"
    GAMES "games"
    HOBBIES "hobbies"
    BELONGINGS "belongings"
    BELONGING_MODIFIERS "belonging_modifiers"
    NOT_NAMES "not_names"
    EMPHASISED "emphasised"
    FIRST_NAMES "first_names"
    TITLES "titles"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_plurals_are_ignored() {
        assert!(PLACES.has("São Paulo") && PLACES.has("oslo") && !PLACES.has("Narnia"));
        assert!(PETS.has_any_number("puppies") && PETS.has_any_number("cats") && !PETS.has_any_number("mice"));
        assert!(!NOT_NAMES.has("# words that are written like names and name nobody."));
    }
}
