//! Words for numbers in the languages in which times and amounts are read.
//!
//! Words are in lower case, spelled as in their language. Ordinals, amounts without a number ("a few", "a dozen") and
//! articles that are not the number itself ("a", "einen") are not listed: each parser that accepts them has its own list.
//! Chinese numerals are in `chinese_numerals`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The languages by their two-letter codes, each with its words for the numbers from one on, and for the multiples of ten from
/// twenty on. A space separates numbers, a slash the words of one number.
const LANGUAGES: [(&str, &str, &str); 7] = [
    (
        "en",
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety",
    ),
    (
        "de",
        "ein/eine/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "zwanzig dreißig/dreissig",
    ),
    (
        "fr",
        "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
        "vingt trente quarante cinquante soixante soixante-dix/septante quatre-vingt/quatre-vingts quatre-vingt-dix/nonante",
    ),
    (
        "es",
        "un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    ),
    (
        "pt",
        "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
        "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    ),
    (
        "it",
        "un/uno/una due tre quattro cinque sei sette otto nove dieci undici dodici",
        "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    ),
    (
        "nl",
        "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    ),
];

// Maps, because every word of a message is looked up.
static ENGLISH: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| entries("en").collect());
static FOREIGN: LazyLock<HashMap<&str, u32>> =
    LazyLock::new(|| LANGUAGES[1..].iter().flat_map(|(language, ..)| entries(language)).collect());

/// Returns the number of an English word in lower case: one to nineteen, or a multiple of ten below a hundred.
pub fn english(word: &str) -> Option<u32> {
    ENGLISH.get(word).copied()
}

/// Returns the number of a word in lower case of any language other than English: `quatre`, `vier`. `None` for other words.
pub fn foreign(word: &str) -> Option<u32> {
    FOREIGN.get(word).copied()
}

/// Returns the words of a language with their numbers, in ascending order. Empty for an unknown language.
pub fn entries(language: &str) -> impl Iterator<Item = (&'static str, u32)> + use<> {
    let known = LANGUAGES.into_iter().find(|(code, ..)| *code == language);
    let numbers = known
        .into_iter()
        .flat_map(|(_, small, tens)| small.split(' ').zip(1..).chain(tens.split(' ').zip((20..).step_by(10))));
    numbers.flat_map(|(words, number)| words.split('/').map(move |word| (word, number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_return_their_numbers() {
        fn check(language: &str, word: &str, expect: Option<u32>) {
            let number = entries(language).find(|(known, _)| *known == word).map(|(_, number)| number);
            assert_eq!(number, expect, "{word}");
        }
        check("en", "one", Some(1));
        check("en", "nineteen", Some(19));
        check("en", "ninety", Some(90));
        check("en", "first", None);
        check("de", "einer", Some(1));
        check("de", "zwölf", Some(12));
        check("fr", "nonante", Some(90));
        check("pt", "duas", Some(2));
        check("zh", "one", None);
    }

    #[test]
    fn word_of_two_languages_has_one_number() {
        for (language, ..) in &LANGUAGES[1..] {
            for (word, number) in entries(language) {
                assert_eq!(foreign(word), Some(number), "{language} {word}");
            }
        }
        assert_eq!((english("three"), foreign("three")), (Some(3), None));
    }
}
