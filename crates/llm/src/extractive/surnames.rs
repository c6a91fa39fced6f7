//! Writes the full name where a sentence begins with a surname that an earlier sentence of the entry gave in full: "Whitlock
//! refused" after "Union leader Sandra Whitlock" becomes "Sandra Whitlock refused".
//!
//! For records: their readers see the sentence without the earlier one.

use std::collections::BTreeSet;

use super::tokens::{Token, tokens};
use super::{dates, definite, pronouns};

/// Returns the sentence with the full name, if the text before has exactly one for its first word.
pub(super) fn expanded(before: &str, sentence: &str) -> Option<String> {
    let words = tokens(sentence);
    let first = words.first().filter(|first| is_name(first) && !definite::is_acronym(first.raw))?;
    let is_longer = words.get(1).is_some_and(|next| next.is_capital() && next.place.start == first.place.end + 1);
    let surname = bare(first.raw);
    let earlier = tokens(before);
    // "Strike" in a headline is a common noun if the text also writes "strike".
    let is_common =
        earlier.iter().chain(&words).any(|token| !token.is_capital() && token.lower == surname.to_lowercase());
    if first.place.start > 0 || is_longer || is_common {
        return None;
    }
    let full_names: BTreeSet<&str> = earlier.windows(2).filter_map(|pair| full_name(before, pair, surname)).collect();
    let [full_name] = full_names.into_iter().collect::<Vec<_>>()[..] else { return None };
    Some(format!("{full_name}{}", &sentence[surname.len()..]))
}

fn full_name<'a>(text: &'a str, pair: &[Token], surname: &str) -> Option<&'a str> {
    let start = pair[0].place.start;
    let is_joined = pair[1].place.start == pair[0].place.end + 1 && text[pair[0].place.end..].starts_with(' ');
    let is_full = is_joined && is_name(&pair[0]) && bare(pair[1].raw) == surname;
    is_full.then(|| &text[start..pair[1].place.start + surname.len()])
}

fn is_name(token: &Token) -> bool {
    token.is_capital() && pronouns::may_be_name(bare(&token.lower)) && !dates::is_calendar_word(&token.lower)
}

/// Removes the genitive.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surname_is_completed_from_an_earlier_sentence() {
        #[track_caller]
        fn check(before: &str, sentence: &str, expect: Option<&str>) {
            assert_eq!(expanded(before, sentence).as_deref(), expect, "{before} {sentence}");
        }
        check("Union leader Sandra Whitlock refused.", "Whitlock left.", Some("Sandra Whitlock left."));
        check("Sandra Whitlock's firm closed.", "Whitlock’s staff left.", Some("Sandra Whitlock’s staff left."));
        check("Sandra and Tom Whitlock met Ida Whitlock.", "Whitlock left.", None);
        check("Sandra Whitlock refused.", "Whitlock Brothers left.", None);
        check("On Whitlock they agreed.", "Whitlock left.", None);
        check("Harbour Strike Begins\nThe strike began.", "Strike leaders met.", None);
        check("The talks failed.", "Whitlock left.", None);
    }
}
