//! Reads pets: "a dog and two black cats".

use annals_core::number_words;
use regex::Regex;

use super::{AND, are_all, without_new};
use crate::rules::classes::{LANGUAGES, PET_MODIFIERS, PETS, PLACES};
use crate::rules::grammar::pattern;

/// Returns the pets in a text: "a dog", "a dog and two cats", "two black cats". Returns an empty list if any part is
/// not a known animal.
pub(super) fn pets(text: &str) -> Vec<String> {
    let animal = |text: &str| -> Option<String> {
        let found = COUNTED.captures(text)?;
        let (count, rest) = (found.name("count")?.as_str(), without_new(found.name("rest")?.as_str()));
        let fits = has_head_in_any_number(rest);
        let is_one = matches!(count.to_lowercase().as_str(), "a" | "an" | "another");
        fits.then(|| if is_one { rest.to_owned() } else { format!("{count} {rest}") })
    };
    AND.split(text).map(animal).collect::<Option<_>>().unwrap_or_default()
}

fn has_head_in_any_number(text: &str) -> bool {
    PETS.has_any_number(text)
        || text
            .match_indices(' ')
            .any(|(at, _)| PETS.has_any_number(&text[at + 1..]) && are_all(&text[..at], &PET_MODIFIERS))
}

/// Returns the kind of one pet: "two dogs" and "dogs" are "dog".
pub(in crate::rules) fn kind_of_pet(text: &str) -> String {
    let kind = COUNTED.captures(text).map_or(text, |found| found.name("rest").map_or(text, |rest| rest.as_str()));
    let kind = without_new(kind);
    let endings = [("ies", "y"), ("es", ""), ("s", "")];
    let singular = endings.iter().filter_map(|(plural, one)| Some(format!("{}{one}", kind.strip_suffix(plural)?)));
    let known = |kind: &String| PETS.has(kind.rsplit(' ').next().unwrap_or_default()) || PETS.has(kind);
    if known(&kind.to_owned()) {
        kind.to_owned()
    } else {
        singular.into_iter().find(known).unwrap_or_else(|| kind.to_owned())
    }
}

/// Returns the number that a word from "two" to "six" or digits name; `None` for any other word.
pub(in crate::rules) fn count(word: &str) -> Option<usize> {
    let named = number_words::english(&word.to_lowercase()).filter(|number| (2..=6).contains(number));
    named.and_then(|number| usize::try_from(number).ok()).or_else(|| word.parse().ok())
}

/// Returns whether a word says what sort of animal a pet is: "We got a dog, Labrador."
pub(super) fn is_of_breed(name: &str) -> bool {
    [&PETS, &PET_MODIFIERS, &LANGUAGES, &PLACES].iter().any(|class| class.has(name))
}

pattern!(COUNTED, r"(?i)^(?P<count>an?|another|one|two|three|four|five|six|seven|eight|\d{1,2}) (?P<rest>.+)$");
