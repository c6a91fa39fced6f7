//! The subject of a sentence in a record: whether it is clear which one is meant, by a name, by a number, or because only one
//! exists.

use super::{PLAIN, has_name, is_in, is_number};
use crate::extractive::tokens::Token;
use crate::extractive::{pronouns, verbs};

/// Returns whether the subject is a thing that exists only once, such as "the government". A short sentence such as "The first
/// wafers leave Busan" does not count: it does not say which wafers.
pub(super) fn is_unique(tokens: &[Token]) -> bool {
    let is_ordinal = is_in("first last second", &tokens[1].lower);
    is_in(UNIQUE, &tokens[1].lower) && !(is_ordinal && tokens.len() < PLAIN)
}

/// Returns whether the subject is people who are identified only by their role: "Investigators rule out sabotage", "Works
/// council wants guarantees". A number or a name would say where.
pub(super) fn is_of_nobody(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first().filter(|first| first.is_capital()) else { return false };
    let acts = |token: &Token| token.lower.ends_with('s') && verbs::is_finite(&token.lower) && token.lower != "was";
    let is_role = is_plural(first) && tokens.len() > 1 || tokens.iter().skip(1).take(3).any(acts);
    let is_of_writer = verbs::is_past(&first.lower) || first.lower.ends_with("ing");
    is_role
        && !is_of_writer
        && tokens.len() < PLAIN
        && !is_in("a an this there", &first.lower)
        && !has_name(&tokens[1..])
        && !is_name_of_one(tokens)
        && !tokens.iter().any(is_number)
}

/// Returns whether the first word is a name: a verb follows, and the word is not a plural.
pub(super) fn is_name_of_one(tokens: &[Token]) -> bool {
    let is_verb = tokens.get(1).is_some_and(|next| verbs::is_finite(&next.lower));
    is_verb
        && tokens.first().is_some_and(|first| {
            !is_plural(first) && pronouns::may_be_name(&first.lower) && !is_in(ROLES, &first.lower)
        })
}

/// Returns whether the subject is "the" with nouns that neither name nor number distinguishes: "The company said", but not "The
/// trial of Jens Oberlin opened".
pub(super) fn has_definite_subject(tokens: &[Token]) -> bool {
    // "The company owes 740 million": not all verbs are known.
    let is_verb = |pair: &[Token]| {
        let is_present = pair[0].lower.ends_with('s')
            && !pair[0].is_capital()
            && !is_in("of in from at to for on and", &pair[1].lower);
        verbs::is_finite(&pair[0].lower) || is_present
    };
    let Some(verb) = tokens.get(2..).and_then(|rest| rest.windows(2).position(is_verb)) else { return false };
    let subject = &tokens[1..verb + 2];
    tokens[0].lower == "the" && !has_name(subject) && !subject.iter().any(is_number)
}

/// Returns whether the subject is a part of what the sentence before names: "Two of them", "Some of the hostages", "Half the
/// crew".
pub(super) fn is_part(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let is_quantity =
        is_in("one two three four five six seven eight nine ten half some many most several dozens", word(0));
    is_quantity
        && (word(1) == "of" && is_in("them the its his her their", word(2)) || is_in("others other more the", word(1)))
}

/// Returns whether a sentence begins with its verb: "Skipped the offset", "Closes the issue". A sentence that begins with a
/// past form counts only if it names nobody.
pub(super) fn lacks_subject(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first() else { return false };
    let is_verb = |at: usize| tokens.get(at).is_some_and(|token| verbs::is_finite(&token.lower));
    let is_present = first.lower.ends_with('s') && is_verb(0) && !is_verb(1);
    is_present || verbs::is_past(&first.lower) && !has_name(&tokens[1..])
}

pub(super) fn is_plural(token: &Token) -> bool {
    let is_noun = token.lower.len() > 3 && token.lower.ends_with('s') && !token.lower.ends_with("ss");
    is_noun && !is_in("was has does says this", &token.lower)
        || is_in("people police family team men women children crew staff everyone", &token.lower)
}

/// Nouns for things that a country or a text has only one of, and adjectives that make a noun unique.
pub(super) const UNIQUE: &str = "government army police parliament president prime supreme constitutional united world european national country state senate \
    first last second end morning evening night day week month year sun sea weekend border capital house cabinet king queen pope weather interior foreign defence defense finance health";

/// Nouns that can begin a headline without an article.
const ROLES: &str = "opposition union management council committee commission court judge jury company government police army parliament mayor minister \
    toll rebuild search trial production traffic trading work";
