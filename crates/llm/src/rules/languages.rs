//! Translates simple statements in German, French and Spanish to the English clauses that the rules match.
//!
//! The statements at the beginning of a sentence must each match one line of a table as a whole, apart from a date and from
//! words that a preposition adds to the object. The rest of the sentence is left out. If it may change the statements (a
//! report, a condition), the sentence yields nothing. A dictionary translates what they name (a place, an occupation, an
//! animal), which must be of the class that the English rule requires. Every other sentence yields nothing.

mod dates;
mod french;
mod german;
mod spanish;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use annals_core::{CalendarNames, folded};
use regex::{Captures, Regex};

use super::grammar::pattern;

/// Pattern of a sentence, and the English clause for it with its groups as `$o`.
type Line = (&'static str, &'static str);

/// Groups of lines and dates. A group that begins with the name of another comes before it, because they are replaced in this
/// order. A word missing from the dictionary stays as it is: it is a name, or no rule accepts it.
const GROUPS: [&str; 15] =
    ["former", "number", "month", "food", "names", "name", "year", "list", "kin", "pet", "day", "e", "o", "n", "y"];

/// The tables by which the statements of one language are translated.
struct Language {
    lines: LazyLock<Vec<(Regex, &'static str)>>,
    /// English words by foreign ones: for relatives, occupations, animals, foods, places.
    words: LazyLock<HashMap<String, &'static str>>,
    /// Patterns of dates, each with its English words.
    dates: LazyLock<Vec<(Regex, String)>>,
    /// Separator of two statements.
    joint: LazyLock<Regex>,
    /// Pattern of the words that a preposition adds to an object: "Klarinette im Posaunenchor".
    addition: LazyLock<Regex>,
    /// Subjects that a second statement may omit: "Ich wohne in Bern und arbeite bei …".
    subjects: &'static [&'static str],
}

/// Maximum number of members of an enumeration, not counting the first.
const MOST_MEMBERS: usize = 8;

static LANGUAGES: [Language; 3] = [
    Language {
        lines: LazyLock::new(|| compiled(german::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/german.txt"))),
        dates: LazyLock::new(|| dates::compiled(german::DATES, names("de"), "am {weekday}", r"(?:am|im|vom|ab) ")),
        joint: LazyLock::new(|| joint("and|but|und|aber|doch|deshalb|also|weil")),
        addition: LazyLock::new(|| {
            addition(
                "im|in (?:der|dem|den|einem|einer|meinem|unserem)|mit|am|auf|neben|nahe|zusammen|bei|beim|jeden|trotz|seit",
            )
        }),
        subjects: &["ich ", "wir "],
    },
    Language {
        lines: LazyLock::new(|| compiled(french::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/french.txt"))),
        dates: LazyLock::new(|| {
            let weekday = "{weekday}(?: prochain)?";
            dates::compiled(french::DATES, names("fr"), weekday, r"(?:le|en|depuis|au mois de) ")
        }),
        joint: LazyLock::new(|| joint("and|but|et|mais|donc|car|alors|parce que")),
        addition: LazyLock::new(|| addition("avec|chez|dans|au|pour|sur|près|tous|toutes|chaque|en|à|qui|où")),
        subjects: &["je ", "nous "],
    },
    Language {
        lines: LazyLock::new(|| compiled(spanish::LINES)),
        words: LazyLock::new(|| dictionary(include_str!("languages/spanish.txt"))),
        dates: LazyLock::new(|| dates::compiled(spanish::DATES, names("es"), "el {weekday}", r"(?:el|en|desde) ")),
        joint: LazyLock::new(|| joint("and|but|y|e|pero|así que|porque|aunque")),
        addition: LazyLock::new(|| addition("con|en|para|cerca|todos|todas|cada|junto|por|donde|que")),
        subjects: &[],
    },
];

fn names(language: &str) -> &'static CalendarNames {
    CalendarNames::of(language).expect("core has the names of the languages that have tables")
}

/// Returns the statements at the beginning of a sentence as English clauses. Returns an empty list if it is in none of these
/// languages, if it does not begin with a statement, or if something in it may change what it states.
pub(super) fn in_english(sentence: &str) -> Vec<String> {
    let sentence = EVERY_DAY.replace_all(sentence, "täglich");
    let sentence = LEAD.replace(sentence.trim(), "");
    let question = QUESTION.find(&sentence).map_or(sentence.len(), |question| question.start());
    let sentence = sentence[..question].trim_end_matches(['.', '!', ' ', ')', ':', ';']);
    if sentence.ends_with('?') {
        return Vec::new();
    }
    LANGUAGES.iter().find_map(|language| language.statements(sentence)).unwrap_or_default()
}

impl Language {
    /// Returns the clauses of a sentence. `None` if it does not begin with a statement of this language, or if the rest may
    /// change what it states. Cuts at joints first, because the object of a line could extend across them.
    fn statements(&self, sentence: &str) -> Option<Vec<String>> {
        let pieces = self.pieces(sentence).into_iter().enumerate().map(|(index, piece)| {
            let complete = |subject: &&str| self.clause(&format!("{subject}{piece}"));
            let completed = || self.subjects.iter().find_map(complete).filter(|_| index > 0);
            self.enumeration(piece).or_else(|| self.clause(piece)).or_else(completed)
        });
        let pieces: Vec<Option<String>> = pieces.collect();
        let clauses: Vec<String> = pieces.iter().map_while(Clone::clone).collect();
        if clauses.len() == pieces.len() {
            return Some(clauses);
        }
        let is_relative = RELATIVE.is_match(sentence);
        let beginning = || (!clauses.is_empty() && !SPOILS.is_match(sentence)).then(|| clauses.clone());
        let whole = || self.clause(sentence).map(|clause| vec![clause]);
        if is_relative { whole() } else { beginning().or_else(whole) }
    }

    /// Cuts a sentence at its joints, except within an enumeration ("zwei Hunde, Rex und Max") and between a couple ("meine
    /// Frau Clara und ich").
    fn pieces<'a>(&self, sentence: &'a str) -> Vec<&'a str> {
        let joints = || self.joint.find_iter(sentence);
        let starts = std::iter::once(0).chain(joints().map(|joint| joint.end()));
        let ends = joints().map(|joint| joint.start()).chain([sentence.len()]);
        let mut rest: Vec<(usize, usize)> = starts.zip(ends).collect();
        let mut pieces = Vec::new();
        while let Some((start, end)) = rest.first().copied() {
            let members =
                rest[1..].iter().take_while(|(start, end)| self.is_member(&sentence[*start..*end])).take(MOST_MEMBERS);
            let is_whole = |count: &usize| self.enumeration(&sentence[start..rest[*count].1]).is_some();
            let is_couple = rest
                .get(1)
                .is_some_and(|next| COUPLE.is_match(&sentence[start..end]) && AND_I.is_match(&sentence[next.0..]));
            let count = (1..=members.count()).rev().find(is_whole).unwrap_or(usize::from(is_couple));
            pieces.push(&sentence[start..rest[count].1]);
            rest.drain(..=count);
        }
        pieces
    }

    /// Returns whether a piece may be part of an enumeration: a name or a word of the dictionary.
    fn is_member(&self, piece: &str) -> bool {
        NAME.is_match(piece) || self.words.contains_key(&folded(&A_LITTLE.replace(piece, "")))
    }

    /// Returns the English clause for an enumeration of names or words.
    fn enumeration(&self, text: &str) -> Option<String> {
        let lines = self.lines.iter().filter(|(_, english)| english.contains("$names") || english.contains("$list"));
        lines.into_iter().find_map(|(line, english)| Some(self.filled(&line.captures(text)?, english)))
    }

    /// Returns the English clause for a sentence. A date may be anywhere in it.
    fn clause(&self, sentence: &str) -> Option<String> {
        let inverted = || INVERTED.is_match(sentence).then(|| INVERTED.replace(sentence, "$subject $verb $rest"));
        let of_adverb = || self.dated_clause(&inverted()?);
        self.dated_clause(sentence).or_else(of_adverb)
    }

    fn dated_clause(&self, sentence: &str) -> Option<String> {
        let dated = self.dates.iter().find_map(|(date, english)| {
            let found = date.captures(sentence)?;
            let range = found.get(0)?.range();
            let rest = format!("{} {}", sentence[..range.start].trim_end(), sentence[range.end..].trim_start());
            let rest = rest.trim_matches([' ', ',']);
            let turned = || AFTER_DATE.is_match(rest).then(|| AFTER_DATE.replace(rest, "$subject $verb $rest"));
            let of_turned = || self.without_date(&turned().filter(|_| range.start == 0)?);
            let clause = self.without_date(rest).or_else(of_turned)?;
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
            text.replace(&format!("${group}"), &self.of_group(group, word))
        });
        filled.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Language {
    /// Returns the English text of a group. Joins names with "and", and the members of a list with commas.
    fn of_group<'a>(&self, group: &str, text: &'a str) -> Cow<'a, str> {
        let translated = |word: &str| match A_LITTLE.find(word) {
            Some(little) => format!("some {}", self.translated(&word[little.end()..])),
            None => self.translated(word).to_owned(),
        };
        match group {
            "names" => self.joint.split(text).collect::<Vec<_>>().join(" and ").into(),
            "list" => self.joint.split(text).map(translated).collect::<Vec<_>>().join(", ").into(),
            _ => self.translated(text).into(),
        }
    }

    /// Returns the English word from the dictionary, otherwise the word itself. If the dictionary lacks the word, what a
    /// preposition adds to it is removed first, unless that says that the statement is not real: "im Spiel".
    fn translated<'a>(&self, word: &'a str) -> &'a str {
        let known =
            |word: &str| self.words.get(&word.to_lowercase()).or_else(|| self.words.get(&folded(word))).copied();
        let bare =
            || self.addition.find(word).filter(|_| !UNREAL.is_match(word)).map(|addition| &word[..addition.start()]);
        known(word).or_else(|| bare().map(|bare| known(bare).unwrap_or(bare))).unwrap_or(word)
    }
}

/// Parses `Hund = dog`, separated by commas; lines that begin with `#` are comments. A word is also found without its accents,
/// unless that is another word: "Brüder", "Bruder".
fn dictionary(text: &'static str) -> HashMap<String, &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.flat_map(|line| line.split(',')).filter_map(|entry| entry.split_once('='));
    let mut words = HashMap::new();
    let mut without_accents = Vec::new();
    for (word, english) in entries {
        words.insert(word.trim().to_lowercase(), english.trim());
        without_accents.push((folded(word), english.trim()));
    }
    without_accents.into_iter().for_each(|(word, english)| {
        words.entry(word).or_insert(english);
    });
    words
}

fn compiled(lines: &[Line]) -> Vec<(Regex, &'static str)> {
    let whole = |line: &str| {
        let line = line
            .replace("{names}", r"(?P<names>{a_name}(?:(?:, | (?:und|et|y|e) ){a_name})*)")
            .replace("{list}", "(?P<list>[^;:]+?)")
            .replace("{a_name}", r"(?-i:\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?)")
            .replace("{o}", "(?P<o>[^,;:]+?)")
            .replace("{name}", r"(?P<name>(?-i:\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?))");
        Regex::new(&format!("(?i)^(?:{line})$")).expect("a line of a language is valid")
    };
    lines.iter().map(|(line, english)| (whole(line), *english)).collect()
}

fn addition(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)\s(?:{words})\s")).expect("a list of prepositions is valid")
}

fn joint(words: &str) -> Regex {
    Regex::new(&format!(r"(?i)\s*,?\s+(?:{words})\s+|\s*,\s+")).expect("a joint is valid")
}

pattern!(
    LEAD,
    r"(?ix)^(?:(?:hallo|hi|hey|moin|servus|guten\ (?:morgen|tag|abend)|ja|nein|ach|na\ ja|naja|bonjour|bonsoir|salut|coucou|oui|non|bon|hola|buenas(?:\ (?:tardes|noches))?|buenos\ días|oye|sí|no|je\ me\ présente|me\ presento|ich\ stelle\ mich\ (?:kurz\ )?vor)
        (?:\ (?:zusammen|alle|allerseits|ihr\ lieben|à\ (?:tous|toutes)|tout\ le\ monde|a\ todos|a\ todas|chicos|chicas))?\s*[,!.:]\s*
      |(?:also|übrigens|und|alors|au\ fait|et|bueno|pues|por\ cierto|y)[\s,!.]+)+"
);
// "Jeden Morgen" is not "morgen", tomorrow.
pattern!(EVERY_DAY, r"(?i)\bjeden (?:Morgen|Abend|Tag)\b");
pattern!(NAME, r"^\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?$");
pattern!(A_LITTLE, r"(?i)^(?:ein (?:bisschen|wenig)|etwas|un peu (?:de |d')?|un poco (?:de )?|algo de)\s*");
pattern!(COUPLE, r"^(?:(?i:meine?|unsere?|mon|ma|notre|mi|nuestr[oa]) \p{L}+(?: \p{Lu}\p{Ll}+)?|\p{Lu}\p{Ll}+)$");
pattern!(AND_I, r"(?i)^(?:ich|moi|yo)\b");
// German puts the verb before the subject after a date or an adverb: "Seit 2019 wohne ich in Bern".
pattern!(AFTER_DATE, r"(?i)^(?P<verb>\p{L}+) (?P<subject>ich|wir) (?P<rest>.+)$");
pattern!(
    INVERTED,
    r"(?i)^(?:jetzt|inzwischen|mittlerweile|zurzeit|zur zeit|momentan|aktuell|endlich|leider|außerdem|seitdem|nun) (?P<verb>\p{L}+) (?P<subject>ich|wir) (?P<rest>.+)$"
);
// A question after statements.
pattern!(
    QUESTION,
    r"(?ix)\s*,?\s*¿|\s*,\s*(?:et\s|und\s|y\s|donc\s|also\s|alors\s)?(?:(?:quoi|que|qu'|comment|où|quel\w*|combien|pourquoi|est-ce|quelqu'un|vous|tu|je\s\w+\s\w+\s\w+|une?|
        wie|was|wo|wer|wen|wem|warum|welche\w*|kann|könnt\w*|kannst|hat|gibt|soll|darf|weiß|cómo|qué|dónde|cuál\w*|alguien)\b[^,?]*)\?\W*$"
);
// "Ich habe einen Hund, der Rex heißt"
pattern!(RELATIVE, r", (?:der|die|das) \p{Lu}\p{L}+ heißt");
// Reports, conditions and wishes. A sentence with one of these words yields nothing.
pattern!(
    SPOILS,
    r"(?ix)\b(?:sagt\w*|meint\w*|behauptet\w*|schrieb|fragt\w*|heißt\ es|glaub\w*|denk\w*|dachte|wenn|falls|sofern|würde\w*|wäre\w*|hätte\w*|könnte\w*|möchte\w*|oder|nicht\ wirklich|nicht\ wahr|angeblich|laut|
        fast|beinahe|vielleicht|wahrscheinlich|traum|geträumt|spaß|scherz|witz|abgelehnt|abgesagt|ausgeschlagen|nein\ gesagt|gekündigt|doch\ nicht|in\ einem|in\ einer\ person|früher|damals|
        dit|disait|disent|prétend\w*|selon|paraît|crois|pense\w*|si|s'il|serai\w*|aurai\w*|voudrai\w*|peut-être|presque|ou|rêv\w*|plaisante|blague|pas\ vraiment|enfin|à\ la\ fois|refusé\w*|décliné\w*|dit\ non|avant|
        dice\w*|decía|dijo|dicen|según|parece|creo|piens\w*|cree\w*|sería\w*|fuera|tuviera|habría|quizás?|tal\ vez|casi|o|quiero\ decir|digo|sueñ\w*|soñ\w*|broma|rechac\w*|antes)\b"
);
pattern!(
    UNREAL,
    r"(?i)\b(?:traum|träumen|spiel|film|roman|theater\w*|stück|herzen|kopf|rêves?|jeu|film|roman|pièce|théâtre|cœur|tête|famille|sueños?|juego|película|novela|teatro|corazón|cabeza|familia|minecraft|sims)\b"
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
        check("Mein Bruder Karl wohnt in Bern.", &["my brother Karl lives in Bern"]);
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
            "Quiero vivir en Madrid.",
            "I live in Bern.",
            "",
        ] {
            check(sentence, &[]);
        }
    }
}
