//! Detects the language of a text from its most common words.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::dates;
use super::tokens::Token;

/// Languages with rules or word lists in the engine. All others are [`Language::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    /// Chinese and Japanese: no spaces between words.
    Unspaced,
    Other,
}

use Language::{Dutch, English, French, German, Italian, Portuguese, Spanish};

/// Number of words at the beginning of a text that are examined.
const READ: usize = 200;
/// Bytes of text that contain about [`READ`] words.
const MAX_BYTES: usize = 4_000;

impl Language {
    /// Returns the language with the most function words and times ("gestern") in the text. Without function words, a text in
    /// Latin script has the language that its special letters indicate, otherwise English: notes and headlines have none, and
    /// English rules do little harm there. A text in another script is then [`Language::Other`]. A text is
    /// [`Language::Unspaced`] if most of its words are Chinese or Japanese.
    pub(super) fn of(tokens: &[Token]) -> Language {
        let read = &tokens[..READ.min(tokens.len())];
        if read.iter().filter(|token| is_unspaced(token.raw)).count() * 2 > read.len() {
            return Language::Unspaced;
        }
        let count = |language: Language| {
            let words = &FUNCTION_WORDS[language as usize];
            let is_known = |word: &str| words.contains(word) || dates::is_time(word, language);
            read.iter().filter(|token| is_known(&token.lower)).count()
        };
        let mut best = (English, count(English));
        for language in [German, French, Spanish, Portuguese, Italian, Dutch] {
            let found = count(language);
            if found > best.1 {
                best = (language, found);
            }
        }
        let is_latin = |token: &&Token| token.raw.chars().all(|c| c.is_ascii() || ('\u{C0}'..'\u{250}').contains(&c));
        match best.1 {
            0 if read.iter().filter(is_latin).count() * 2 <= read.len() && !read.is_empty() => Language::Other,
            0 => by_letters(read),
            _ => best.0,
        }
    }

    /// Returns the two-letter code of a language; `None` for [`Language::Unspaced`] and [`Language::Other`].
    pub(super) fn code(self) -> Option<&'static str> {
        const CODES: [&str; 7] = ["en", "de", "fr", "es", "pt", "it", "nl"];
        CODES.get(self as usize).copied()
    }

    /// Returns the language of the texts, by the words at their beginning.
    pub(crate) fn of_texts<'t>(texts: impl Iterator<Item = &'t str>) -> Language {
        let mut read = String::new();
        for text in texts {
            if read.len() > MAX_BYTES {
                break;
            }
            read.push_str(text);
            read.push(' ');
        }
        Language::of(&super::tokens::tokens(&read))
    }

    /// Returns whether a lower-case word is a function word of this language. Always false for English, which has its own list
    /// in `word_kinds`, and for [`Language::Unspaced`] and [`Language::Other`], which have none.
    pub(super) fn is_grammar(self, word: &str) -> bool {
        self != English && FUNCTION_WORDS.get(self as usize).is_some_and(|words| words.contains(word))
    }
}

/// Returns the language that the special letters of a text without function words indicate, such as a note: "Gestürzt im Bad,
/// kein Arzt". English if it has none of these letters.
fn by_letters(tokens: &[Token]) -> Language {
    let has = |letters: &str| tokens.iter().any(|token| token.lower.contains(|c| letters.contains(c)));
    match () {
        () if has("ßäöü") => German,
        () if has("ñ") => Spanish,
        () if has("èêàçœ") => French,
        () => English,
    }
}

/// Returns whether a word begins with a Chinese or Japanese character. False for other scripts without spaces: Thai, Lao, Khmer
/// and Burmese.
pub(super) fn is_unspaced(word: &str) -> bool {
    word.starts_with(|c| ('\u{2E80}'..'\u{A000}').contains(&c) || ('\u{F900}'..'\u{FB00}').contains(&c))
}

/// Function words of each language, in the order of [`Language`].
static FUNCTION_WORDS: LazyLock<Vec<BTreeSet<&str>>> = LazyLock::new(|| LISTS.map(words).into_iter().collect());

fn words(list: &'static str) -> BTreeSet<&'static str> {
    list.split_whitespace().collect()
}

const LISTS: [&str; 7] = [
    "the a an and or but of to in on at for with by from as is are was were be been have has had i you he she it we they my your \
     his her our their this that not do did will would can could i'm i've it's don't met over door so also as me us him who what when about all just if more very some up out \
     then get got go went ago year years day days week time new first after into no there than one two",
    "der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich mir mein meine meinen \
     meinem meiner unser unsere sein seine ist sind war waren bin habe hat haben hatte hatten wird werden wurde nicht kein keine \
     mit von zu zum zur im am an ab ohne seit zwischen auf für bei nach aus um über wie als auch noch schon nur sich dass wenn weil dann so in bis \
     vor doch mal jetzt hier da was uns euch ja nein hallo danke bitte gut",
    "le la les un une des du de et ou mais je tu il elle nous vous ils elles on me te se mon ma mes ton ta tes son sa ses notre \
     nos votre vos leur est sont était suis ai as a avons avez ont avait été ne pas plus que qui dans sur avec pour par au aux en \
     ce cette ces c'est j'ai d'un d'une qu'il très aussi y si bonjour merci salut oui non bien",
    "el la los las un una unos unas y o pero yo tú él ella nosotros ellos me te se mi mis tu tus su sus nuestro nuestra es son era \
     fue soy estoy está están he ha han había no que de del en con por para al lo le les como más muy también ya si cuando porque \
     este esta esto eso hola gracias sí bien a",
    "o a os as um uma uns umas e ou mas eu tu ele ela nós eles elas me te se meu minha meus minhas seu sua nosso nossa é são era \
     foi sou estou está estão tenho tem não que de do da dos das em no na nos nas com por para ao à como mais muito também já se \
     quando porque este esta isto isso olá obrigado obrigada sim bem",
    "il lo la i gli le un uno una e o ma io tu lui lei noi voi loro mi ti si mio mia miei mie suo sua nostro nostra è sono era ho \
     ha hanno abbiamo aveva stato non che di del della dei delle da dal in nel nella con su per al alla come più molto anche già se \
     quando perché questo questa ciao grazie sì bene",
    "de het een en of maar ik jij je hij zij ze wij we jullie mij mijn jouw zijn haar ons onze is was waren ben heb heeft hebben had \
     wordt worden werd niet geen met van te tot in op aan voor bij naar uit over om door als ook nog al er dat die dit deze dan zo \
     wat hallo dank bedankt ja nee goed",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn common_words_determine_the_language() {
        fn check(text: &str, expect: Language) {
            assert_eq!(Language::of(&tokens(text)), expect, "{text}");
        }
        check("I moved to Berlin in May.", English);
        check("Fixed login bug", English);
        check("Ich bin gestern nach Berlin gezogen.", German);
        check("J'ai déménagé hier à Lyon avec ma sœur.", French);
        check("Anteayer llovió", Spanish);
        check("Heute in acht Tagen Zahnarzt", German);
        check("Ayer me mudé a Madrid con mi hermana.", Spanish);
        check("Ontem mudei-me para o Porto com a minha irmã.", Portuguese);
        check("Ieri mi sono trasferito a Roma con mia sorella.", Italian);
        check("Ik ben gisteren naar Utrecht verhuisd.", Dutch);
        check("我上个月搬到了柏林。", Language::Unspaced);
        check("Я переехал в Берлин", Language::Other);
    }
}
