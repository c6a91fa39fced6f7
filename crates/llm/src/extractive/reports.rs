//! Detects sentences of reports about people or an occasion that an earlier entry introduced: "Sundby resigned", "Hundreds
//! attended the funeral", "Under the deal, nobody is dismissed".
//!
//! A reader who sees only this line does not know which funeral. A further name or a number usually identifies it.

use annals_core::number_words;

use super::language::Language;
use super::tokens::{Token, is_in};
use super::{dates, definite, pronouns, verbs};
use crate::rules::is_place;

/// Maximum words of an English sentence that is judged by its subject. Longer ones describe what they are about.
const LONG: usize = 25;

/// Number of words at the beginning of a sentence that are searched for the subject and its verb.
const START: usize = 6;

/// Returns whether the sentence is about people or an occasion that an earlier entry must have introduced. In German, French
/// and Spanish, only crowds are recognised ("Tausende demonstrieren"), in other languages nothing.
pub(super) fn lacks_introduction(tokens: &[Token], language: Language) -> bool {
    match language {
        Language::English => tokens.len() <= LONG && english(tokens),
        Language::German => is_german_crowd(tokens),
        Language::French => begins(tokens, "des", FRENCH_CROWDS) && !has_name(&tokens[2..]),
        Language::Spanish => is_in(SPANISH_CROWDS, word(tokens, 0)) && !has_name(&tokens[1..]),
        _ => false,
    }
}

fn english(tokens: &[Token]) -> bool {
    let is_reaction = is_in("reaction reactions", word(tokens, 0)) && word(tokens, 1) == "to";
    let is_of_age = word(tokens, 0) == "the" && word(tokens, 1).ends_with("year-old");
    if is_occasion(tokens) || is_reaction || is_of_age || is_bare(tokens) || succeeds(tokens) {
        return true;
    }
    let is_unnamed = !has_name(tokens.get(1..).unwrap_or_default()) && !is_place(word(tokens, 0));
    is_unnamed && (is_crowd(tokens) || is_sequel(tokens) || !has_number(tokens) && is_by_unknown(tokens))
}

/// Returns whether the subject is identified only by its role, or only says or decides something: "The government said it had
/// no plans", "Safety inspectors sealed off the berth", "Okafor returns".
fn is_by_unknown(tokens: &[Token]) -> bool {
    let first = word(tokens, 0);
    let is_of_writer = verbs::is_past(first) || first.ends_with("ing");
    let is_role = tokens.iter().take(3).any(|token| is_in(ROLES, &token.lower));
    !is_of_writer && (is_role || speaks(tokens))
}

/// Returns whether a sentence of at most three words says neither who exactly nor where: "Okafor returns", "Lag is zero", "Renn
/// suspended Falk".
fn is_bare(tokens: &[Token]) -> bool {
    let first = word(tokens, 0);
    let is_subject = pronouns::may_be_name(first) && !is_place(first) && !tokens.first().is_some_and(is_acronym);
    let is_specific = |token: &Token| is_number(token) || is_acronym(token) || is_place(&token.lower);
    tokens.len() <= 3 && is_subject && verbs::is_finite(word(tokens, 1)) && !tokens.iter().any(is_specific)
}

/// Returns whether someone takes over an office that the sentence does not name: "Ingrid Moe takes over until June".
fn succeeds(tokens: &[Token]) -> bool {
    let takes_over = |at: usize| {
        is_in("takes took", word(tokens, at))
            && is_in("over charge", word(tokens, at + 1))
            && !tokens.get(at + 2).is_some_and(|next| {
                let is_joined = next.span.start == tokens[at + 1].span.end + 1;
                is_joined && (is_in("of as from at the a an", &next.lower) || next.is_capital())
            })
    };
    (1..START).any(takes_over)
}

fn is_acronym(token: &Token) -> bool {
    definite::is_acronym(token.raw)
}

/// Returns whether a verb near the beginning reports what someone says or decides.
fn speaks(tokens: &[Token]) -> bool {
    tokens.iter().take(START).skip(1).any(|token| is_in(SPEAKING, &token.lower))
}

/// Returns whether the sentence begins with a number of people: "Thousands of fans left", "At least nine people were dead".
fn is_crowd(tokens: &[Token]) -> bool {
    let at = match (word(tokens, 0), word(tokens, 1)) {
        ("more" | "fewer" | "less", "than") | ("at", "least") | ("up", "to") => 2,
        ("about" | "around" | "nearly" | "almost" | "some" | "over", _) => 1,
        _ => 0,
    };
    let is_many = is_in("hundreds thousands dozens tens", word(tokens, at));
    let is_counted = tokens.get(at).is_some_and(is_number) || is_count(word(tokens, at));
    is_many || is_counted && tokens.iter().skip(at + 1).take(3).any(|token| is_in(PEOPLE, &token.lower))
}

/// Returns whether the sentence continues a series: "Third defeat in a row", "Another 15".
fn is_sequel(tokens: &[Token]) -> bool {
    let is_next = word(tokens, 0) == "another" || is_in(ORDINALS, word(tokens, 0)) || is_count(word(tokens, 0));
    let is_of_series = word(tokens, 0) == "another"
        || tokens.iter().any(|token| is_in("row from straight consecutive running", &token.lower));
    // "Five wins": a noun, although it can be a verb.
    is_next && is_of_series && !tokens.iter().skip(2).any(|token| verbs::is_finite(&token.lower))
}

/// Returns whether the sentence begins with an occasion that neither a name nor a number describes: "Under the deal, …", "On
/// the anniversary, …".
fn is_occasion(tokens: &[Token]) -> bool {
    let is_open = is_in("in on under at after during following despite since", word(tokens, 0));
    let gap = |at: usize| tokens.get(at + 1).map_or(0, |next| next.span.start - tokens[at].span.end);
    // A comma is one column wider than a space.
    let end = (2..START.min(tokens.len())).find(|at| gap(*at) > 1);
    let is_specific = |token: &Token| token.is_capital() || is_number(token) || is_in(KNOWN, &token.lower);
    is_open && word(tokens, 1) == "the" && end.is_some_and(|end| end <= 4 && !tokens[2..=end].iter().any(is_specific))
}

/// Returns whether a German sentence begins with a crowd and has no place: "Tausende demonstrieren". A capitalised word
/// after a preposition says where.
fn is_german_crowd(tokens: &[Token]) -> bool {
    let is_specific = |pair: &[Token]| {
        is_in("in bei aus nach von vor am im", &pair[0].lower) && pair[1].is_capital()
            || definite::is_acronym(pair[1].raw)
    };
    is_in(GERMAN_CROWDS, word(tokens, 0)) && !tokens.windows(2).any(is_specific)
}

fn begins(tokens: &[Token], first: &str, second: &str) -> bool {
    word(tokens, 0) == first && is_in(second, word(tokens, 1))
}

fn word<'a>(tokens: &'a [Token], at: usize) -> &'a str {
    tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default()
}

fn has_name(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is_capital() && token.raw.len() > 1 && !dates::is_calendar_word(&token.lower))
}

fn has_number(tokens: &[Token]) -> bool {
    tokens.iter().any(is_number)
}

/// Returns whether a word is a number from two to twelve.
fn is_count(word: &str) -> bool {
    number_words::english(word).is_some_and(|number| (2..=12).contains(&number))
}

fn is_number(token: &Token) -> bool {
    token.raw.starts_with(|c: char| c.is_ascii_digit())
}

const SPEAKING: &str = "said says told tells warned warns urged urges denied denies insisted insists admitted admits vowed vows welcomed dismissed \
    confirmed confirms declined declines conceded concedes apologised apologized resigned resigns testified testifies accused accuses blamed blames \
    criticised criticized demanded demands promised promises expect expects estimate estimates fear fears feared agreed agrees returned returns \
    called calls accepted accepts rejected rejects";

/// Words that name people only by their role.
const ROLES: &str = "inspectors investigators prosecutors rescuers officials scientists experts engineers doctors divers firefighters farmers insurers \
    organisers organizers residents relatives lawyers teachers analysts observers protesters strikers rebels lawmakers critics commentators authorities \
    spokesman spokeswoman spokesperson";

const PEOPLE: &str = "people protesters demonstrators fans supporters workers residents rescuers soldiers troops mourners passengers students farmers \
    officers police families civilians men women children dead killed injured wounded others bodies homes employees";

const ORDINALS: &str = "second third fourth fifth sixth seventh eighth ninth tenth";
const GERMAN_CROWDS: &str = "hunderte tausende dutzende zehntausende";
const FRENCH_CROWDS: &str = "centaines milliers dizaines";
const SPANISH_CROWDS: &str = "cientos miles decenas centenares";

/// Occasions that everyone knows, and times and places of the writer.
const KNOWN: &str = "morning afternoon evening night day week weekend month year end meantime past future summer winter spring autumn world sun rain dark \
    garden kitchen house cellar attic office lab yard field shed garage greenhouse workshop north south east west";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn report_about_unknown_people_or_occasions_lacks_its_introduction() {
        #[track_caller]
        fn check(sentence: &str, expect: bool) {
            assert_eq!(lacks_introduction(&tokens(sentence), Language::English), expect, "{sentence}");
        }
        check("Lindgren resigned.", true);
        check("Lindgren, now retired, testified that he had warned his boss.", true);
        check("Erik Lindgren resigned as head of Volta.", false);
        check("Italy confirmed a second case.", false);
        check("The government said it would wait.", true);
        check("The government closed its border.", false);
        check("Safety inspectors sealed off the hall.", true);
        check("Inspectors in Turin sealed off the hall.", false);
        check("Hundreds attended the service.", true);
        check("At least nine people were killed on Tuesday.", true);
        check("Thousands of fans gathered in Naples.", false);
        check("About 40 plants died.", false);
        check("Fourth victory in a row.", true);
        check("Another 12 boards.", true);
        check("Five wins from six.", true);
        check("Lag is zero.", true);
        check("Lindgren suspended Holt.", true);
        check("France sues Italy.", false);
        check("Rosa Holt takes charge, the first woman in the job.", true);
        check("Rosa Holt takes over as head coach of Lazio.", false);
        check("Reactions to Lindgren's speech were mixed.", true);
        check("First frost.", false);
        check("Under the deal, nobody is dismissed.", true);
        check("In the garden, the pump failed.", false);
        check("On the anniversary, bells rang in the town.", true);
        check("The 26-year-old scored 19 goals.", true);
        check("Fixed the pump and called the plumber.", false);
    }

    #[test]
    fn crowd_without_a_place_lacks_its_introduction_in_other_languages() {
        #[track_caller]
        fn check(language: Language, sentence: &str, expect: bool) {
            assert_eq!(lacks_introduction(&tokens(sentence), language), expect, "{sentence}");
        }
        check(Language::German, "Tausende demonstrieren gegen die Reform.", true);
        check(Language::German, "Tausende demonstrieren in Leipzig.", false);
        check(Language::French, "Des milliers de manifestants défilent.", true);
        check(Language::French, "Des milliers de manifestants défilent à Nantes.", false);
        check(Language::Spanish, "Miles de personas protestan contra el cierre.", true);
        check(Language::Spanish, "Miles de personas protestan en Vigo.", false);
    }
}
