//! Translates simple statements in German, French and Spanish to the English clauses that the rules match.
//!
//! A sentence must match one line of a table as a whole, apart from a date. A dictionary translates what it names (a place, an
//! occupation, an animal), which must be of the class that the English rule requires. Every other sentence yields nothing, so
//! conditions, reports, fiction and questions need no lists of their own.

mod dates;
mod french;
mod german;
mod spanish;

use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::{CalendarNames, folded};
use regex::{Captures, Regex};

use super::grammar::pattern;

/// Pattern of a sentence, and the English clause for it with its groups as `$o`.
type Line = (&'static str, &'static str);

/// Groups of lines and dates. A group that begins with the name of another comes before it, because they are replaced in this
/// order. A word missing from the dictionary stays as it is: it is a name, or no rule accepts it.
const GROUPS: [&str; 12] = ["former", "number", "month", "food", "name", "year", "kin", "pet", "day", "o", "n", "y"];

/// Tables of one language.
struct Language {
    lines: LazyLock<Vec<(Regex, &'static str)>>,
    /// English words for relatives, occupations, animals, foods, places.
    words: LazyLock<HashMap<String, &'static str>>,
    /// Patterns of dates, each with its English words.
    dates: LazyLock<Vec<(Regex, String)>>,
    /// Separator of two statements.
    joint: LazyLock<Regex>,
    /// Subjects that a second statement may omit: "Ich wohne in Bern und arbeite bei …".
    subjects: &'static [&'static str],
}

static LANGUAGES: [Language; 3] = [
    Language {
        lines: LazyLock::new(|| compiled(german::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/german.txt"))),
        dates: LazyLock::new(|| dates::compiled(german::DATES, names("de"), "am {weekday}", r"(?:am|im|vom|ab) ")),
        joint: LazyLock::new(|| joint("und|aber")),
        subjects: &["ich ", "wir "],
    },
    Language {
        lines: LazyLock::new(|| compiled(french::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/french.txt"))),
        dates: LazyLock::new(|| {
            let weekday = "{weekday}(?: prochain)?";
            dates::compiled(french::DATES, names("fr"), weekday, r"(?:le|en|depuis|au mois de) ")
        }),
        joint: LazyLock::new(|| joint("et|mais")),
        subjects: &["je ", "nous "],
    },
    Language {
        lines: LazyLock::new(|| compiled(spanish::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/spanish.txt"))),
        dates: LazyLock::new(|| dates::compiled(spanish::DATES, names("es"), "el {weekday}", r"(?:el|en|desde) ")),
        joint: LazyLock::new(|| joint("y|pero")),
        subjects: &[],
    },
];

fn names(language: &str) -> &'static CalendarNames {
    CalendarNames::of(language).expect("core has the names of the languages that have tables")
}

/// Returns the statements of a sentence as English clauses. Returns none if it is in none of these languages or if any part of it
/// does not match.
pub(super) fn in_english(sentence: &str) -> Vec<String> {
    let sentence = LEAD.replace(sentence.trim(), "");
    let sentence = sentence.trim_end_matches(['.', '!', ' ', ')', ':', ';']);
    LANGUAGES.iter().find_map(|language| language.statements(sentence)).unwrap_or_default()
}

impl Language {
    /// Returns the clauses of a sentence. Cuts at joints first, because the object of a line could extend across them.
    fn statements(&self, sentence: &str) -> Option<Vec<String>> {
        let pieces: Option<Vec<String>> = self
            .joint
            .split(sentence)
            .enumerate()
            .map(|(index, piece)| {
                let complete = |subject: &&str| self.clause(&format!("{subject}{piece}"));
                let completed = || self.subjects.iter().find_map(complete).filter(|_| index > 0);
                self.clause(piece).or_else(completed)
            })
            .collect();
        pieces.or_else(|| Some(vec![self.clause(sentence)?]))
    }

    /// Returns the English clause for a sentence. A date may be anywhere in it.
    fn clause(&self, sentence: &str) -> Option<String> {
        let dated = self.dates.iter().find_map(|(date, english)| {
            let found = date.captures(sentence)?;
            let range = found.get(0)?.range();
            let rest = format!("{} {}", sentence[..range.start].trim_end(), sentence[range.end..].trim_start());
            let clause = self.without_date(rest.trim_matches([' ', ',']))?;
            Some(format!("{clause} {}", self.filled(&found, english)))
        });
        dated.or_else(|| self.without_date(sentence))
    }

    fn without_date(&self, sentence: &str) -> Option<String> {
        self.lines.iter().find_map(|(line, english)| Some(self.filled(&line.captures(sentence)?, english)))
    }

    /// Inserts the text of each group into the English clause, translated if the dictionary has it.
    fn filled(&self, found: &Captures<'_>, english: &str) -> String {
        let filled = GROUPS.iter().fold(english.to_owned(), |text, group| {
            let word = found.name(group).map_or("", |word| word.as_str());
            let known = self.words.get(&folded(word)).copied();
            text.replace(&format!("${group}"), known.unwrap_or(word))
        });
        filled.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Parses `Hund = dog`, separated by commas; lines that begin with `#` are comments.
fn dictionary(text: &'static str) -> HashMap<String, &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.flat_map(|line| line.split(',')).filter_map(|entry| entry.split_once('='));
    entries.map(|(word, english)| (folded(word), english.trim())).collect()
}

fn compiled(lines: &[Line]) -> Vec<(Regex, &'static str)> {
    let whole = |line: &str| {
        let line = line
            .replace("{o}", "(?P<o>[^,;:]+?)")
            .replace("{name}", r"(?P<name>(?-i:\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?))");
        Regex::new(&format!("(?i)^(?:{line})$")).expect("a line of a language is valid")
    };
    lines.iter().map(|(line, english)| (whole(line), *english)).collect()
}

fn joint(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)\s*,?\s+(?:{words})\s+|\s*,\s+")).expect("a joint is valid")
}

pattern!(
    LEAD,
    r"(?i)^(?:(?:hallo|hi|hey|ja|nein|ach|na ja|naja|bonjour|salut|oui|non|bon|hola|sí|no)[\s]*[,!.]\s*|(?:also|übrigens|und|alors|au fait|et|bueno|pues|por cierto|y)[\s,!.]+)+"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expect: &[&str]) {
        assert_eq!(in_english(sentence), expect, "{sentence}");
    }

    #[test]
    fn simple_statements_become_english_clauses() {
        check("Ich wohne in Bern.", &["I live in Bern"]);
        check(
            "Ich wohne seit 2019 in Bern und arbeite bei Siemens.",
            &["I live in Bern since 2019", "I work at Siemens"],
        );
        check("Letzten Monat bin ich nach Köln gezogen.", &["I moved to Cologne last month"]);
        check("Je suis allergique aux noix.", &["I am allergic to nuts"]);
        check(
            "J'habite à Lyon depuis 2019 et je travaille chez Renault.",
            &["I live in Lyon since 2019", "I work at Renault"],
        );
        check("Vivo en Madrid y trabajo como profesora.", &["I live in Madrid", "I work as a teacher"]);
        check("Me mudé a Sevilla en marzo de 2021.", &["I moved to Seville in March 2021"]);
    }

    #[test]
    fn other_sentences_return_nothing() {
        for sentence in [
            "Wenn ich in Bern wohne, fahre ich Rad.",
            "Sie sagt, ich wohne in Bern.",
            "Ich wohne in Bern, sagt er",
            "Ich würde gern in Bern wohnen.",
            "Er wohnt in Bern.",
            "Si j'habite à Lyon, je prends le train.",
            "Ma mère habite à Lyon.",
            "Quiero vivir en Madrid.",
            "Mi hermano vive en Madrid.",
            "I live in Bern.",
            "",
        ] {
            check(sentence, &[]);
        }
    }
}
