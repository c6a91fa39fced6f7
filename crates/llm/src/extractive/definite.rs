//! Detects definite nouns in records that an earlier entry introduced: "Der Gipfel endet", "France recognises the council".
//!
//! An entry that begins with "the council" continues a story. Months later, a reader has only this line. English subjects are
//! read with their verb (`record`). Verbs of other languages are not known here, so their subjects are judged by the noun and
//! the word after it: a name, a number or a complement with a name says which one is meant.

use super::language::Language;
use super::tokens::{Token, is_in};

/// Maximum words of a sentence that is judged by the noun at its end. Longer sentences usually say which one is meant.
const SHORT: usize = 10;

/// Number of words after an article, or after its noun, that are searched for a name that says which one is meant: "la cour
/// d'appel de Paris".
const PHRASE: usize = 5;

/// Maximum words after an article that are read as a noun with its adjectives.
const NOUN: usize = 4;

/// Number of words before a noun that are searched for an earlier mention, which says which one is meant.
const BEFORE: usize = 60;

/// Returns whether a sentence in a language other than English begins with a definite noun that nothing in it explains.
pub(super) fn begins(tokens: &[Token], language: Language) -> bool {
    let Some(first) = tokens.first() else { return false };
    let (elided, rest) = elided(first);
    let is_article = rest.is_some() || is_in(articles(language), &first.lower);
    if !is_article || elided.is_some_and(char::is_uppercase) {
        return false;
    }
    if language == Language::German {
        return begins_german(&tokens[1..]);
    }
    let phrase = &tokens[1..tokens.len().min(1 + PHRASE)];
    let noun = rest.or(phrase.first().map(|token| token.lower.as_str())).unwrap_or_default();
    let is_dated = phrase.iter().take(2).any(is_number);
    !is_in(UNIQUE, noun) && !is_dated && !phrase.iter().any(Token::is_capital)
}

/// Returns whether a short sentence ends with a definite noun that nothing in it explains: "EU approves the aid". A
/// noun after a preposition is a place or a time, which says less about what happened.
pub(super) fn ends(tokens: &[Token], language: Language) -> bool {
    let last = tokens.len().saturating_sub(3);
    let is_article = |token: &Token| {
        let (_, rest) = elided(token);
        is_in(articles(language), &token.lower) || language == Language::French && rest.is_some()
    };
    let Some(at) = (last.max(1)..tokens.len()).find(|at| is_article(&tokens[*at])) else { return false };
    let is_free = !is_in(PREPOSITIONS, &tokens[at - 1].lower);
    let known = |token: &Token| {
        let is_name = token.is_capital() && language != Language::German || is_acronym(token.raw);
        is_name || is_number(token) || is_in(UNIQUE, elided(token).1.unwrap_or(&token.lower))
    };
    tokens.len() <= SHORT && is_free && !tokens[at..].iter().any(known) && !tokens.iter().any(is_number)
}

/// Returns whether a report in English, German, French or Spanish has a definite noun as an object that nothing in it
/// explains. A complement with a name or number, or an earlier mention, says which one is meant. After a preposition or
/// a mark the noun is a place, a time or an apposition.
pub(super) fn is_in_report(tokens: &[Token], language: Language) -> bool {
    let is_free = |at: &usize| {
        let before = &tokens[at - 1];
        !is_in(PREPOSITIONS, &before.lower) && before.lower != "that" && tokens[*at].span.start == before.span.end + 1
    };
    let mut objects = (1..tokens.len()).filter(is_free);
    match language {
        Language::English | Language::French | Language::Spanish => {
            objects.any(|at| is_in(articles(language), &tokens[at].lower) && is_unexplained(tokens, at))
        }
        Language::German => objects.any(|at| !tokens[at - 1].is_capital() && is_unexplained_german(tokens, at)),
        _ => false,
    }
}

fn is_unexplained(tokens: &[Token], at: usize) -> bool {
    let ends = |token: &Token| is_in(PREPOSITIONS, &token.lower) || is_in(ENDS, &token.lower);
    let phrase = tokens[at + 1..].iter().take(NOUN).take_while(|token| !ends(token)).count();
    let noun = &tokens[at + 1..at + 1 + phrase];
    let rest = &tokens[at + 1 + phrase..];
    let is_definite = |token: &Token| token.is_capital() || is_number(token) || is_in(UNIQUE, &token.lower);
    let is_before =
        |token: &Token| tokens[at.saturating_sub(BEFORE)..at].iter().any(|earlier| earlier.lower == token.lower);
    let is_completed =
        rest.first().is_some_and(|next| {
            is_in(
                "of in at near on from between against who which that to for de du des d' del en à au sur qui que",
                &next.lower,
            )
        }) && rest.iter().take(PHRASE).skip(1).any(|token| is_definite(token) || is_in("a an", &token.lower));
    !(noun.is_empty() || noun.iter().any(is_definite) || noun.iter().any(is_before) || is_completed)
}

/// Returns whether nothing explains the German noun after an article. Ignores nouns with adjectives: before them the
/// article may be a relative pronoun.
fn is_unexplained_german(tokens: &[Token], at: usize) -> bool {
    let Some(noun) = tokens.get(at + 1).filter(|noun| noun.is_capital()) else { return false };
    let next = tokens.get(at + 2);
    let is_completed = next.is_some_and(|next| {
        next.is_capital() || is_number(next) || is_in("in von vom der des aus bei gegen im", &next.lower)
    });
    let is_known = is_acronym(noun.raw) || is_in(UNIQUE, &noun.lower) || is_in(TIMES, &noun.lower);
    is_in("der die das den dem des", &tokens[at].lower) && !is_completed && !is_known
}

/// Returns whether nothing explains the German noun at the beginning. Examines the noun after its adjectives, and the
/// word that follows it.
fn begins_german(rest: &[Token]) -> bool {
    let Some(at) = rest.iter().take(PHRASE).position(|token| token.is_capital() || is_number(token)) else {
        return true;
    };
    let next = rest.get(at + 1);
    let is_explained = next.is_some_and(|next| {
        next.is_capital()
            || is_number(next)
            || is_in("der des den dem von vom in im aus gegen für zur zum bei am auf um", &next.lower)
    });
    let noun = &rest[at];
    !is_explained && !is_number(noun) && !is_acronym(noun.raw) && !is_in(UNIQUE, &noun.lower)
}

/// Returns the first letter and the noun after an elided article: "L'Assemblée", "l'opposition".
fn elided<'a>(token: &'a Token) -> (Option<char>, Option<&'a str>) {
    let rest = token.lower.strip_prefix("l'");
    (rest.and_then(|_| token.raw.chars().nth(2)), rest)
}

fn articles(language: Language) -> &'static str {
    match language {
        Language::English => "the",
        Language::German => "der die das den dem",
        Language::French => "le la les",
        Language::Spanish => "el la los las",
        Language::Italian => "il lo la i gli le",
        Language::Portuguese => "os as",
        Language::Dutch => "de het",
        Language::Unspaced | Language::Other => "",
    }
}

/// Returns whether a word begins with two capitals: "SPD", "EU-Kommission".
pub(super) fn is_acronym(word: &str) -> bool {
    word.chars().take(2).filter(|letter| letter.is_uppercase()).count() == 2
}

/// Returns whether the text has a pronoun for its writer, or begins with a verb of the writer. Always false for English, for
/// languages without spaces and for [`Language::Other`].
pub(super) fn is_of_writer(tokens: &[Token], language: Language) -> bool {
    let writer = match language {
        Language::German => "ich wir mich mir uns mein meine meinen meinem meiner unser unsere",
        Language::French => "je j'ai on nous me mon ma mes notre nos",
        Language::Spanish => "yo nosotros me mi mis nos nuestro nuestra",
        Language::Portuguese => "eu nós me meu minha nosso nossa",
        Language::Italian => "io noi mi mio mia nostro nostra",
        Language::Dutch => "ik wij we mij mijn ons onze",
        Language::English | Language::Unspaced | Language::Other => "",
    };
    tokens.iter().any(|token| is_in(writer, &token.lower)) || begins_with_own_verb(tokens, language)
}

/// Returns whether the first word is a French or Spanish verb of the writer: "Coulé la chape", "Limpié los cuadros".
fn begins_with_own_verb(tokens: &[Token], language: Language) -> bool {
    let endings: &[char] = match language {
        Language::French => &['é', 'i', 'u'],
        Language::Spanish => &['é', 'í'],
        _ => return false,
    };
    tokens.first().is_some_and(|first| first.lower.chars().count() > 3 && first.lower.ends_with(endings))
}

fn is_number(token: &Token) -> bool {
    token.raw.starts_with(|c: char| c.is_ascii_digit())
}

const PREPOSITIONS: &str = "of in on at to from for with by near over across under behind before after since until into through against \
    in im an am auf aus bei mit von vom zu zum zur nach vor für um über durch gegen seit bis \
    de du des à au aux dans sur en par pour avec chez vers sous contre depuis a con por para sobre desde hasta tras al del op van uit naar voor";

/// Words that end a noun with its adjectives, besides prepositions.
const ENDS: &str = "and or but who which that as than is are was were be been has have had will would said says when while if so because";

/// German nouns that are definite without an introduction.
const TIMES: &str = "nacht woche jahr jahres monat monats tag tages morgen abend mittag vormittag nachmittag wahl straße welt stelle ende anfang \
    hälfte zukunft öffentlichkeit menschen kommission";

/// Nouns for things that a country or a text has only one of, and adjectives that make a noun unique.
const UNIQUE: &str = "first last largest highest worst biggest most least only same morning afternoon evening night day week weekend month year \
    end start beginning time sun north south east west coast coastguard mainland interior foreign defence defense finance health transport \
    prime supreme constitutional united national european federal central house ministry navy press public internet country's government army police parliament president capital border country state senate cabinet king queen pope un eu world sea \
    regierung bundesregierung polizei armee bundeswehr bundestag bundesrat landtag parlament präsident präsidentin kanzler kanzlerin \
    bundeskanzler bundeskanzlerin bundespräsident hauptstadt grenze staat papst bundesverfassungsgericht \
    gouvernement police armée parlement président présidente premier première sénat assemblée conseil capitale frontière pays état pape roi \
    reine parquet gobierno policía ejército parlamento presidente presidenta congreso senado capital frontera país estado papa rey reina \
    tribunal governo polizia esercito regering politie leger koning";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn definite_subject_without_name_was_introduced_before() {
        fn check(language: Language, sentence: &str, expect: bool) {
            assert_eq!(begins(&tokens(sentence), language), expect, "{sentence}");
        }
        use Language::{French, German, Spanish};
        check(German, "Der Gipfel endet ohne Ergebnis.", true);
        check(German, "Der neue Eigentümer plant einen Ofen.", true);
        check(German, "Der Betriebsrat Murat Aydin legt ein Konzept vor.", false);
        check(German, "Die EU-Kommission leitet ein Verfahren ein.", false);
        check(German, "Die Parteien in Kiel streiten über den Haushalt.", false);
        check(German, "Der Landtag beschließt den Haushalt.", false);
        check(French, "Le promoteur est mis en examen.", true);
        check(French, "L'opposition réclame sa démission.", true);
        check(French, "L'Assemblée nationale adopte la loi.", false);
        check(French, "La cour d'appel de Paris confirme la saisie.", false);
        check(Spanish, "Los equipos logran estabilizar el frente.", true);
        check(Spanish, "La jueza Roldán envía a juicio a dos directivos.", false);
    }

    #[test]
    fn object_of_a_report_was_introduced_before() {
        fn check(language: Language, sentence: &str, expect: bool) {
            assert_eq!(is_in_report(&tokens(sentence), language), expect, "{sentence}");
        }
        use Language::{English, German};
        check(English, "Bouchard called the deal a surrender of our rights.", true);
        check(English, "The Los Angeles coroner ruled the death a homicide.", true);
        check(English, "Rebels seize the oil terminal of Ras Jdir after two days.", false);
        check(English, "Tomas Ekberg, the new minister, presented a plan.", false);
        check(English, "Foreign workers return to Tin Zareth for the first time.", false);
        check(Language::Spanish, "Un informe advierte de que el terreno es inestable.", true);
        check(Language::French, "Ferri annonce la construction d'un barrage à Nice.", false);
        check(German, "Das Gericht Hagen erklärt den Streik für rechtmäßig.", true);
        check(German, "Parteien in Kiel streiten über den Haushalt.", false);
    }

    #[test]
    fn definite_object_at_the_end_was_introduced_before() {
        fn check(language: Language, sentence: &str, expect: bool) {
            assert_eq!(ends(&tokens(sentence), language), expect, "{sentence}");
        }
        use Language::{English, French, German};
        check(Language::Spanish, "Comienzan las obras.", true);
        check(English, "Russia and China oppose the draft.", true);
        check(English, "VW restarts the late shift.", true);
        check(English, "Gunmen attack the airport in Tobra.", false);
        check(English, "Zaladin flees the capital.", false);
        check(German, "Rheinmark lehnt das Konzept ab.", true);
        check(French, "Brunel signe l'accord.", true);
        check(French, "Découvert une fuite dans la cuisine.", false);
    }
}
