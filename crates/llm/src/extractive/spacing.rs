//! Removes the spaces before marks in texts that a program split into words, as corpora of news are: "They agree , he says ."

use std::borrow::Cow;

/// Marks with spaces around them as in such texts, each with its normal form.
const MARKS: [(&str, &str); 9] = [
    (" . ", ". "),
    (" , ", ", "),
    (" ; ", "; "),
    (" 's ", "'s "),
    (" ' ", "' "),
    (" n't ", "n't "),
    ("`` ", "“"),
    (" ''", "”"),
    (" .\n", ".\n"),
];

/// Returns the text with marks joined to their words; unchanged if no comma or full stop stands apart from its word.
pub(super) fn joined(text: &str) -> Cow<'_, str> {
    if !(text.contains(" , ") || text.contains(" . ") || text.trim_end().ends_with(" .")) {
        return Cow::Borrowed(text);
    }
    let joined = MARKS.iter().fold(text.to_owned(), |text, (split, mark)| text.replace(split, mark));
    Cow::Owned(match joined.trim_end().strip_suffix(" .") {
        Some(rest) => format!("{rest}."),
        None => joined,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_their_words() {
        fn check(text: &str, expect: &str) {
            assert_eq!(joined(text), expect, "{text}");
        }
        check(
            "Police , he says , open fire . Zaladin 's forces flee .",
            "Police, he says, open fire. Zaladin's forces flee.",
        );
        check("It blames `` armed gangs '' for it .", "It blames “armed gangs” for it.");
        check("Read . it\nends .", "Read. it\nends.");
        check("Rien à faire : il pleut !", "Rien à faire : il pleut !");
    }
}
