//! Decides whether the first word of a sentence is a name. Every sentence begins with a capital letter, so its use decides.

use std::collections::HashSet;

/// Words that often begin sentences and are not names.
const COMMON: &[&str] = &[
    "The",
    "This",
    "That",
    "These",
    "Those",
    "There",
    "Their",
    "They",
    "She",
    "He",
    "It",
    "We",
    "You",
    "Her",
    "His",
    "Its",
    "Our",
    "My",
    "Your",
    "One",
    "Two",
    "Both",
    "Some",
    "Many",
    "Most",
    "All",
    "Each",
    "Every",
    "Another",
    "Other",
    "Others",
    "Nobody",
    "Nothing",
    "Somebody",
    "Someone",
    "Everyone",
    "Everybody",
    "Who",
    "What",
    "When",
    "Where",
    "Which",
    "While",
    "After",
    "Before",
    "During",
    "Since",
    "Until",
    "Later",
    "Then",
    "Now",
    "Today",
    "Yesterday",
    "Tomorrow",
    "Also",
    "And",
    "But",
    "Or",
    "So",
    "As",
    "At",
    "By",
    "For",
    "From",
    "In",
    "Into",
    "Of",
    "On",
    "Over",
    "Through",
    "To",
    "Under",
    "With",
    "Without",
    "Not",
    "No",
    "Yes",
    "Still",
    "Soon",
    "Next",
    "Last",
    "First",
    "Second",
    "Finally",
    "Instead",
    "However",
    "Meanwhile",
    "Together",
    "Afterwards",
    "Once",
    "Only",
    "Even",
    "If",
    "Because",
    "Although",
    "Though",
    "Despite",
    "Work",
    "Plans",
    "Life",
    "People",
    "Friends",
];

/// Words that often follow a name at the beginning of a sentence.
const AFTER: &[&str] = &[
    "and", "is", "was", "has", "had", "will", "would", "can", "could", "may", "might", "does", "did", "went", "told",
    "said", "got", "took", "made", "came", "met", "gave", "began", "bought", "felt", "found", "heard", "kept", "knew",
    "left", "lost", "read", "ran", "saw", "sold", "sent", "spent", "spoke", "taught", "thought", "won", "wrote", "now",
    "also", "still", "again", "then",
];

/// Returns whether the first word of a sentence is used as a name: it is not a common first word, the sources do not
/// also write it in lower case, and it is a genitive or is followed by a verb.
pub(super) fn is_name(word: &str, next: &str, written: &HashSet<String>) -> bool {
    if is_genitive(word) {
        return !COMMON.contains(&&word[..word.len() - 2]) && !written.contains(&word.to_lowercase());
    }
    let is_common = COMMON.contains(&word) || has_ending(word, &["ing", "ly", "tion", "ment", "ness"]);
    let is_verb = AFTER.contains(&next) || (next.len() > 3 && has_ending(next, &["ed", "s"]));
    let has_lower_form = written.iter().any(|other| {
        let lower = word.to_lowercase();
        other.starts_with(&lower) || (other.chars().count() > 3 && lower.starts_with(other.as_str()))
    });
    !is_common && is_verb && next.starts_with(char::is_lowercase) && !has_lower_form
}

fn is_genitive(word: &str) -> bool {
    word.ends_with("'s")
}

fn has_ending(word: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_of_the_first_word_decides() {
        fn check(word: &str, next: &str, source: &str, expect: bool) {
            let written = annals_core::words(source).map(str::to_owned).collect();
            assert_eq!(is_name(word, next, &written), expect, "{word} {next}");
        }
        check("Bob", "came", "somebody came", true);
        check("Bob", "painted", "", true);
        check("Bob's", "dog", "", true);
        check("It's", "late", "", false);
        check("Painting", "helps", "", false);
        check("Rain", "came", "it was raining", false);
        check("After", "lunch", "", false);
        check("Bob", "Dylan", "", false);
    }
}
