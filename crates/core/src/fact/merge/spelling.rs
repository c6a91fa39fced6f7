//! Spelling of names: splits a name into words without titles and punctuation, and recognises slips of spelling.

/// Titles before a name, each with the gender it implies, if any.
const TITLES: [(&str, Option<Gender>); 14] = [
    ("dr", None),
    ("doctor", None),
    ("prof", None),
    ("professor", None),
    ("mr", Some(Gender::Male)),
    ("mister", Some(Gender::Male)),
    ("sir", Some(Gender::Male)),
    ("herr", Some(Gender::Male)),
    ("mrs", Some(Gender::Female)),
    ("ms", Some(Gender::Female)),
    ("miss", Some(Gender::Female)),
    ("mme", Some(Gender::Female)),
    ("lady", Some(Gender::Female)),
    ("frau", Some(Gender::Female)),
];
/// Words within a name that are written in lower case.
const SMALL: [&str; 13] = ["of", "the", "and", "de", "da", "di", "del", "la", "van", "von", "der", "den", "bin"];
/// Texts with more words are not names but sentences.
const MAX_WORDS: usize = 5;
/// Minimum number of characters of a word in which a slip is recognised. In shorter words, another letter makes another name.
const LONG: usize = 6;

/// The gender that a title implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gender {
    Male,
    Female,
}

/// A name that is written with capitals.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// The words, folded, without titles, punctuation and possessive s. Initials are joined into one word.
    pub words: Vec<String>,
    pub is_titled: bool,
    pub gender: Option<Gender>,
}

impl Spelling {
    /// Returns whether it may be a first and last name.
    pub(crate) fn is_full_name(&self) -> bool {
        (2..=3).contains(&self.words.len())
    }

    /// Returns whether it may be a first name.
    pub(crate) fn is_first_name(&self) -> bool {
        !self.is_titled && self.words.len() == 1 && self.words[0].chars().count() > 2
    }
}

/// Parses a name from its written form and its entity key. Returns `None` for texts that are not names: sentences,
/// lower-case words, and texts with digits, where one character makes another date, version or number.
pub(crate) fn spelling(written: &str, key: &str) -> Option<Spelling> {
    if written.chars().any(char::is_numeric) || !written.chars().any(char::is_uppercase) {
        return None;
    }
    let is_name = |word: &str| word.chars().next().is_some_and(char::is_uppercase) || SMALL.contains(&word);
    let parts: Vec<&str> = written.split(is_gap).filter(|part| !part.is_empty()).collect();
    if parts.len() > MAX_WORDS || !parts.iter().all(|part| is_name(part)) {
        return None;
    }
    let mut words: Vec<String> = key.split(is_gap).map(word).filter(|word| !word.is_empty()).collect();
    if let [_, .., last] = &mut words[..] {
        *last = last.strip_suffix("'s").unwrap_or(last).to_owned();
    }
    let mut spelling = Spelling { words: Vec::new(), is_titled: false, gender: None };
    while let [first, _, ..] = &words[..]
        && let Some((_, gender)) = TITLES.iter().find(|(title, _)| title == first)
    {
        spelling.is_titled = true;
        spelling.gender = spelling.gender.or(*gender);
        words.remove(0);
    }
    spelling.words = together(words.into_iter().map(|word| word.replace('\'', "")));
    (!spelling.words.is_empty()).then_some(spelling)
}

/// Returns whether a character separates the words of a name.
fn is_gap(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | ',' | '-' | '‐' | '‑' | '_' | '"' | '(' | ')' | '!' | '?' | ';' | ':')
}

fn word(part: &str) -> String {
    part.replace('’', "'").trim_matches('\'').to_owned()
}

/// Joins consecutive initials into one word: J. R. R. Tolkien becomes JRR Tolkien.
fn together(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in words {
        let is_initial = word.chars().count() == 1;
        match joined.last_mut() {
            Some(last) if is_open && is_initial => last.push_str(&word),
            _ => joined.push(word),
        }
        is_open = is_initial;
    }
    joined
}

/// Returns whether two names differ in one long word by one inner letter that one of them lacks, or by two swapped
/// inner neighbours. Another letter, or one at the end, makes another name: Maria and Mario, Paul and Paula.
pub(crate) fn is_slip(ours: &[String], theirs: &[String]) -> bool {
    if ours.len() != theirs.len() {
        return false;
    }
    let mut different = ours.iter().zip(theirs).filter(|(one, other)| one != other);
    let (Some((one, other)), None) = (different.next(), different.next()) else { return false };
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let is_long = one.len().min(other.len()) >= LONG;
    is_long && (lacks(&one, &other) || lacks(&other, &one) || is_swapped(&one, &other))
}

fn lacks(longer: &[char], shorter: &[char]) -> bool {
    longer.len() == shorter.len() + 1
        && (1..longer.len() - 1).any(|letter| without(longer, letter).chars().eq(shorter.iter().copied()))
}

fn is_swapped(one: &[char], other: &[char]) -> bool {
    let mut different = (0..one.len()).filter(|letter| one.get(*letter) != other.get(*letter));
    let differences = (different.next(), different.next(), different.next());
    let (Some(first), Some(second), None) = differences else { return false };
    let is_inner = first > 0 && second + 1 < one.len();
    one.len() == other.len()
        && second == first + 1
        && is_inner
        && one[first] == other[second]
        && one[second] == other[first]
}

fn without(letters: &[char], letter: usize) -> String {
    [&letters[..letter], &letters[letter + 1..]].concat().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity_key;

    #[test]
    fn spelling_gives_folded_words_without_titles() {
        fn check(written: &str, expect: &str) {
            let words = spelling(written, &entity_key(written)).map(|spelling| spelling.words.join(" "));
            assert_eq!(words.unwrap_or_default(), expect, "{written:?}");
        }
        check("Bob Smith", "bob smith");
        check("Dr. Bob Smith", "bob smith");
        check("Prof. Dr. Zoë O’Brien", "zoe obrien");
        check("Bob Smith's", "bob smith");
        check("Bob", "bob");
        check("Wendy's", "wendys");
        check("J. R. R. Tolkien", "jrr tolkien");
        check("J.R.R. Tolkien", "jrr tolkien");
        check("Anna-Lena Ruiz", "anna lena ruiz");
        check("Ludwig van Beethoven", "ludwig van beethoven");
        check("Mr. Smith", "smith");
        check("Doctor", "doctor");
        check("bob smith", "");
        check("the red boat", "");
        check("iPhone", "");
        check("Route 66", "");
        check("One Two Three Four Five", "one two three four five");
        check("One Two Three Four Five Six", "");
        check("東京", "");
        check("", "");
    }

    #[test]
    fn slip_is_one_inner_letter_of_a_long_word() {
        fn check(one: &str, other: &str, expect: bool) {
            let [one, other] = [one, other].map(|name| spelling(name, &entity_key(name)).unwrap().words);
            assert_eq!((is_slip(&one, &other), is_slip(&other, &one)), (expect, expect), "{one:?} {other:?}");
        }
        check("Jonathan Reed", "Johnathan Reed", true);
        check("Phillip Kerr", "Philip Kerr", true);
        check("Ann Schmidt", "Ann Shcmidt", true);
        check("Ann Schmidt", "Ann Schmidt", false);
        check("Maria Lopez", "Mario Lopez", false);
        check("Martin Lopez", "Martina Lopez", false);
        check("Christian Bell", "Christina Bell", false);
        check("Catherine Bell", "Katherine Bell", false);
        check("Jon Smith", "John Smith", false);
        // The shorter word must be long enough, and the first letter must be equal.
        check("Bryan Smith", "Bryaan Smith", false);
        check("Ekaterina Bell", "Katerina Bell", false);
        check("Aleksandr Bell", "Laeksandr Bell", false);
        check("Jonathan Reed", "Johnathan Reid", false);
        check("Jonathan Reed", "Jonathan", false);
    }
}
