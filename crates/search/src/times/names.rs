//! Finds words that look like times but belong to a name, a title or a number: "Friday Night Lights", "1984 by Orwell", "2001
//! steps". Pure.

use annals_core::{Date, folded};

use super::tokens::bare;
use super::{Token, Word};

/// Things that are counted or measured. A number before one of these words is not a year.
const COUNTED: &str = "
    € $ £ ¥ eur euro euros dollar dollars dolar dolares dollari usd pounds gbp franken francs franchi francos chf kronen yen yuan
    step steps schritte schritten pas pasos passos passi stappen km kilometer kilometers kilometres kilometern kilometros
    chilometri miles meilen millas m meter meters metres metros metri kg gram grams gramm g kcal calories kalorien calorias
    calorie watt watts kwh mb gb hours stunden heures horas ore uren minutes minuten minuti minutos seconds sekunden words worter
    mots palabras palavras parole woorden points punkte puntos pontos punti punten points characters tokens";
/// Things that have a number. A number after one of these words is not a year.
const NUMBERED: &str = "
    room zimmer chambre habitacion quarto camera kamer number nummer nr numero flight flug vol vuelo voo volo vlucht bus line
    linie ligne linea linha lijn highway route code pin version page seite pagina issue ticket port";
/// Words between a title and its author.
const BY: [&str; 6] = ["by", "de", "du", "d", "di", "van"];

/// Turns words that look like times but are part of a name, a title or a number into [`Token::Other`]. Years are judged in all
/// languages, weekdays and months only in English.
pub(super) fn set_apart(words: &mut [Word<'_>], language: &str, today: Date) {
    for index in 0..words.len() {
        let around = Around { words, index };
        let is_apart = match words[index].token {
            Token::Year(year) => around.is_number() || (around.is_bare() && around.is_title(year, language, today)),
            Token::Weekday(_) | Token::Month(_) | Token::PerhapsMonth(_) if language == "en" => {
                (around.is_bare() && around.begins_name()) || around.is_verb()
            }
            Token::Season(_) => around.is_accident(),
            _ => false,
        };
        if is_apart {
            words[index].token = Token::Other;
        }
    }
}

/// A word with those around it.
struct Around<'a, 'w> {
    words: &'w [Word<'a>],
    index: usize,
}

impl<'a> Around<'a, '_> {
    fn text(&self) -> &'a str {
        self.words[self.index].text
    }

    fn before(&self) -> Option<&Word<'a>> {
        self.words.get(self.index.checked_sub(1)?)
    }

    /// Returns the word `distance` places after this one, if no punctuation separates it from this one.
    fn after(&self, distance: usize) -> Option<&Word<'a>> {
        let between = &self.words[self.index..(self.index + distance).min(self.words.len())];
        self.words.get(self.index + distance).filter(|_| !between.iter().any(|word| ends_phrase(word.text)))
    }

    /// Returns whether no preposition and no part of a date precedes the word.
    fn is_bare(&self) -> bool {
        self.before().is_none_or(|word| matches!(word.token, Token::Other | Token::Filler | Token::Count(_)))
    }

    /// Returns whether the year is a number of something: "2001 steps", "$1984", "room 2019".
    fn is_number(&self) -> bool {
        let is_in = |list: &str, word: &Word<'_>| list.split_whitespace().any(|entry| entry == key(word.text));
        self.text().contains(['#', '$', '€', '£', '¥'])
            || self.after(1).is_some_and(|word| is_in(COUNTED, word))
            || self.before().is_some_and(|word| is_in(NUMBERED, word))
    }

    /// Returns whether the year belongs to a title. It does if it has not come yet. It also does if an author follows, except
    /// in German, or if a name precedes it in English.
    fn is_title(&self, year: i16, language: &str, today: Date) -> bool {
        let has_author = self.after(1).is_some_and(|word| BY.contains(&key(word.text).as_str()))
            && self.after(2).is_some_and(|word| is_name(word));
        year > today.year() || (has_author && language != "de") || (language == "en" && self.ends_name())
    }

    /// Returns whether a word with a capital letter follows: "Friday Night", "April Smith". False for "Friday I".
    fn begins_name(&self) -> bool {
        self.after(1).is_some_and(is_name)
    }

    /// Returns whether a word with a capital letter precedes that does not begin a sentence: "Blade Runner 2049".
    fn ends_name(&self) -> bool {
        let earlier = self.index.checked_sub(2).map(|index| self.words[index].text);
        let is_first = earlier.is_none_or(|text| text.ends_with(['.', '?', '!', ':']));
        self.before().is_some_and(|word| !is_first && !ends_phrase(word.text) && is_name(word))
    }

    /// Returns whether "fall" is an accident rather than the season: "after the fall".
    fn is_accident(&self) -> bool {
        let mut before = self.words[..self.index].iter().rev().filter(|word| word.token != Token::Filler);
        key(self.text()) == "fall" && before.next().is_some_and(|word| key(word.text) == "after")
    }

    /// Returns whether "may" or "march" is a verb after "this": "this may be".
    fn is_verb(&self) -> bool {
        let follows_this = self.before().is_some_and(|word| word.token == Token::This);
        let is_lower = self.text().starts_with(char::is_lowercase);
        follows_this && is_lower && self.after(1).is_some_and(|word| word.token == Token::Other)
    }
}

fn key(text: &str) -> String {
    let bare = bare(text);
    folded(if bare.is_empty() { text.trim_end_matches(['.', ',', ';', ':', '?', '!']) } else { bare })
}

/// Returns whether a word is written like a name. False for a possessive such as "Ann's", because what follows is not
/// part of the name.
fn is_name(word: &Word<'_>) -> bool {
    let bare = bare(word.text);
    let is_possessive = word.text.ends_with("'s") || word.text.ends_with("’s");
    let is_i = bare == "I" || bare.starts_with("I'") || bare.starts_with("I’");
    word.token == Token::Other && bare.starts_with(char::is_uppercase) && !is_i && !is_possessive
}

/// Returns whether punctuation ends a phrase after the word.
pub(super) fn ends_phrase(text: &str) -> bool {
    text.ends_with([',', ';', ':', '.', '?', '!', ')', '"', '”'])
}
