//! Replaces pronouns at the beginning of sentences: "She eats shoes" after "We got a puppy named Luna" becomes "Luna eats
//! shoes".
//!
//! English only, and only if the preceding sentence names exactly one candidate: a wrong name would make the summary false.
//! Other pronouns stay, and the sentence counts as one that does not stand alone.

use annals_core::CalendarNames;

use super::dates;
use super::names::Names;
use super::tokens::{Token, is_in, tokens};
use super::verbs;

/// Gender and number of a pronoun or a noun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gender {
    Female,
    Male,
    Any,
    Plural,
}

/// A person or animal mentioned in a sentence.
#[derive(Clone, Debug)]
struct Mention {
    words: String,
    gender: Gender,
}

/// Returns the sentence with a name for the pronoun at its beginning, if the preceding sentence has exactly one candidate.
pub(super) fn resolve(before: &str, sentence: &str, names: &Names) -> Option<String> {
    let first = tokens(sentence.get(..sentence.len().min(24)).unwrap_or(sentence)).into_iter().next()?;
    let (pronoun, ending) = first.lower.split_once('\'').unwrap_or((&first.lower, ""));
    let gender = match pronoun {
        "she" | "her" => Gender::Female,
        "he" | "his" => Gender::Male,
        "they" | "their" => Gender::Plural,
        _ => return None,
    };
    let fits = |mention: &Mention| match mention.gender {
        Gender::Any => gender != Gender::Plural,
        other => other == gender,
    };
    let mentions: Vec<Mention> = mentions(before, names).into_iter().filter(fits).collect();
    let [one] = mentions.as_slice() else { return None };
    let is_genitive = ["her", "his", "their"].contains(&pronoun);
    let ending = match ending {
        _ if is_genitive && one.gender == Gender::Plural => "'",
        _ if is_genitive => "'s",
        "" => "",
        "s" => "'s",
        "re" => " are",
        "ve" => " have",
        "ll" => " will",
        _ => return None,
    };
    Some(format!("{}{ending}{}", one.words, &sentence[first.span.end..]))
}

/// Returns whether the sentence begins with "his", "her" or "their".
pub(super) fn is_possessive(sentence: &str) -> bool {
    ["his ", "her ", "their "]
        .iter()
        .any(|pronoun| sentence.get(..pronoun.len()).is_some_and(|start| start.eq_ignore_ascii_case(pronoun)))
}

/// Returns the people and animals in a sentence, each once: relatives and animals with or without a name, and names in places
/// where the name of a person can be.
fn mentions(sentence: &str, names: &Names) -> Vec<Mention> {
    let tokens = tokens(sentence);
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (mention, length) = relative(sentence, &tokens, at)
            .or_else(|| named(sentence, &tokens, at, names))
            // "The Bold Ansgar" is a ship, and Ansgar nobody.
            .map_or_else(
                || (None, end_of_name(sentence, &tokens, at).max(at + 1) - at),
                |(mention, length)| (Some(mention), length),
            );
        found.extend(mention);
        at += length;
    }
    let mut distinct: Vec<Mention> = Vec::new();
    for mention in found {
        if !distinct.iter().any(|one| one.words == mention.words) {
            distinct.push(mention);
        }
    }
    distinct
}

const FEMALE: &str = "mom mum mother sister wife girlfriend grandma grandmother granny aunt niece daughter fiancée girl woman queen actress stepmom";
const MALE: &str =
    "dad father brother husband boyfriend grandpa grandfather uncle nephew son fiancé boy man king actor stepdad";
const ANY: &str = "friend boss partner cousin colleague neighbor neighbour teacher doctor manager roommate coach mentor therapist baby child dog cat \
    puppy kitten pup landlord dentist lawyer president minister mayor ceo student client customer officer spokesman spokeswoman \
    officer engineer driver electrician worker secretary judge prosecutor suspect victim widow survivor singer gunman pilot captain miner farmer \
    fisherman builder witness deputy senator governor chancellor leader commander general nurse patient resident mechanic chairman defendant \
    soldier firefighter policeman banker builder referee coroner commissioner priest bishop";
const PLURAL: &str = "parents kids children friends sisters brothers dogs cats grandparents daughters sons cousins colleagues neighbors neighbours \
    teammates students puppies pups pets turtles twins coworkers roommates officials police rebels workers";

fn gender(word: &str) -> Option<Gender> {
    let lists = [(FEMALE, Gender::Female), (MALE, Gender::Male), (ANY, Gender::Any), (PLURAL, Gender::Plural)];
    lists.into_iter().find(|(list, _)| is_in(list, word)).map(|(_, gender)| gender)
}

/// Returns whether the lower-case word denotes a person or an animal.
pub(super) fn is_person(word: &str) -> bool {
    gender(word.strip_suffix("'s").unwrap_or(word)).is_some()
}

/// Returns whether the lower-case word can be a name at the beginning of a sentence.
pub(super) fn may_be_name(word: &str) -> bool {
    word.len() > 2 && !verbs::is_finite(word) && !is_in(COMMON, word)
}

/// Parses "my sister Anna" as Anna, "my older sister" as my sister, "a puppy" as the puppy. Returns the mention and its number
/// of words.
fn relative(sentence: &str, tokens: &[Token], at: usize) -> Option<(Mention, usize)> {
    let owner = tokens[at].lower.as_str();
    // "Sick as a dog", "cried like a baby".
    if at > 0 && owner != "my" && ["as", "like"].contains(&tokens[at - 1].lower.as_str()) {
        return None;
    }
    if !["my", "our", "a", "an", "the", "this", "his", "her", "new"].contains(&owner) {
        return None;
    }
    let noun = (at + 1..tokens.len().min(at + 4)).find(|position| gender(&tokens[*position].lower).is_some())?;
    let gender = gender(&tokens[noun].lower)?;
    let mut end = noun + 1;
    if tokens.get(end).is_some_and(|token| ["named", "called"].contains(&token.lower.as_str())) {
        end += 1;
    }
    let last = end_of_name(sentence, tokens, end);
    let is_joined = last > end && (end > noun + 1 || &sentence[tokens[noun].span.end..tokens[end].span.start] == " ");
    let words = match owner {
        _ if is_joined => sentence[tokens[end].span.start..tokens[last - 1].span.end].to_owned(),
        "my" | "our" => format!("{} {}", if owner == "my" { "My" } else { "Our" }, tokens[noun].raw),
        // Relatives of others cannot be named clearly.
        "his" | "her" => return None,
        _ => format!("The {}", tokens[noun].raw),
    };
    let end = if is_joined { last } else { noun + 1 };
    Some((Mention { words: without_genitive(words), gender }, end - at))
}

/// Parses a name of one or more capitalised words that is not in the position of a place name.
fn named(sentence: &str, tokens: &[Token], at: usize, names: &Names) -> Option<(Mention, usize)> {
    const OF_PLACES: [&str; 12] = ["in", "at", "on", "near", "the", "to", "from", "into", "of", "a", "an", "via"];
    let last = end_of_name(sentence, tokens, at);
    let is_vocative = |token: &Token| names.is_speaker(&token.lower);
    if last == at || tokens[at..last].iter().any(is_vocative) || dates::is_weekday(&tokens[at].lower) {
        return None;
    }
    let before = at.checked_sub(1).map(|position| tokens[position].lower.as_str());
    let is_subject = tokens.get(last).is_some_and(|next| verbs::is_finite(&next.lower));
    let is_before_comma = last - at > 1 && sentence[tokens[last - 1].span.end..].starts_with(',');
    let is_person = match before {
        // "Tim Ford, an engineer, leads it."
        None => (is_subject || is_before_comma) && may_be_name(&tokens[0].lower),
        Some(before) => !OF_PLACES.contains(&before),
    };
    let words = without_genitive(sentence[tokens[at].span.start..tokens[last - 1].span.end].to_owned());
    is_person.then_some((Mention { words, gender: Gender::Any }, last - at))
}

/// Words that often precede a verb at the beginning of a sentence and are not names.
const COMMON: &str = "the this that there what who which everyone everybody someone nobody everything something nothing all some most many life work \
    home family people music art my our your for and but so when after before since while with in on at from by because if as not no still \
    just then also even every each both another many few more most than how why where let last next yesterday today yesterday tomorrow everything here it he she they we you i one";

fn without_genitive(words: String) -> String {
    words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).map(str::to_owned).unwrap_or(words)
}

/// Returns the end of the name that begins at a word; `at` if there is none.
fn end_of_name(sentence: &str, tokens: &[Token], at: usize) -> usize {
    let mut end = at;
    while tokens.get(end).is_some_and(is_name)
        && (end == at || &sentence[tokens[end - 1].span.end..tokens[end].span.start] == " ")
    {
        end += 1;
    }
    end
}

fn is_name(token: &Token) -> bool {
    const OTHERS: [&str; 7] = ["i", "i'm", "i've", "i'll", "i'd", "christmas", "easter"];
    const ENGLISH: CalendarNames = CalendarNames::ENGLISH;
    let word = token.lower.as_str();
    let is_of_calendar = || ENGLISH.month(word).is_some() || ENGLISH.weekday(word).is_some();
    token.is_capital() && token.raw.len() > 1 && !OTHERS.contains(&word) && !is_of_calendar()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_candidate_replaces_the_pronoun() {
        #[track_caller]
        fn check(before: &str, sentence: &str, expect: Option<&str>) {
            let names = Names::of(["Ann", "Melanie"].into_iter());
            assert_eq!(resolve(before, sentence, &names).as_deref(), expect, "{before} {sentence}");
        }
        check("We got a puppy.", "She eats shoes.", Some("The puppy eats shoes."));
        check("We got a puppy.", "Her name is Luna.", Some("The puppy's name is Luna."));
        check("My sister Anna moved.", "She's a nurse.", Some("Anna's a nurse."));
        check("My older sister moved.", "She'll be back.", Some("My sister will be back."));
        check("My parents came.", "They're tired.", Some("My parents are tired."));
        check("I met Clara at work.", "She sings.", Some("Clara sings."));
        check("I met Clara and Tom.", "He sings.", None);
        check("My wife met my brother.", "He sings.", Some("My brother sings."));
        check("I live in Berlin.", "She sings.", None);
        check("Thanks, Melanie!", "She sings.", None);
        check("I bought a car.", "It broke.", None);
        check("My mom came.", "She'd left.", None);
        check("A deckhand on the Bold Ansgar was hurt.", "He is in hospital.", None);
    }
}
