//! Checks what a model wrote against what it read: names, numbers and dates that the cited lines do not contain, and clauses
//! that say the opposite.
//!
//! A sentence is compared with the lines that it cites and with their neighbours, because pronouns and questions refer to
//! those. Dates, months, weekdays and small number words are recognised in eight languages. Names are capitalised words; in
//! German, where every noun is capitalised, they are common given names. A sentence with a name, number or date that the
//! background contains, but not these lines, is removed. In every language, a sentence with other telling words that the
//! background contains, but none of the lines, is removed too (`content`). Otherwise it would remain after the text that it
//! comes from is forgotten.

mod dates;
mod entailment;
mod negation;
mod numbers;
mod openers;
#[cfg(test)]
mod planted;
mod relative;
mod sources;

use std::collections::HashSet;
use std::sync::LazyLock;

use annals_core::{MemoryId, entity_key};
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

pub use entailment::EntailmentCheck;

use dates::{Dates, Written, take_dates};
use numbers::{foreign_words, numbers};
use sources::Sources;

use super::content::{Content, is_taken_from};
use super::lines::Line;
use super::sentences::CitedSentence;
use crate::rules::is_first_name;

/// Number of lines before and after a cited line that count as its context.
const NEIGHBOURS: usize = 1;

/// The texts and settings that a summary is checked against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence<'a> {
    /// Everything that the model was asked to summarise.
    pub(super) lines: &'a [Line],
    /// The texts of the background that the model was shown in addition.
    pub(super) background: &'a [String],
    /// Pairs of names of one entity. A summary may use either.
    pub(super) aliases: &'a [[String; 2]],
    /// Whether capitalised words are names. If not, only common given names count.
    pub(super) has_names: bool,
}

/// Marks the sentences that their sources do not support, and removes those with content of the background alone. Returns the
/// number of distinct faults in the kept sentences: unsupported names, numbers and dates, and sentences that contradict the
/// sources.
pub(super) fn mark(drafted: &mut Vec<CitedSentence>, evidence: Evidence<'_>) -> u32 {
    let mut known = Sources::default();
    evidence.background.iter().for_each(|text| known.add(text));
    let background = Content::telling(evidence.background.iter().map(String::as_str));
    let sources = Content::of(evidence.lines.iter().flat_map(|line| [line.head.as_str(), line.text.as_str()]));
    let mut found: HashSet<String> = HashSet::new();
    drafted.retain_mut(|sentence| {
        let faults = faults(sentence, evidence);
        let is_leak = |fault: &Fault| fault.claim.as_ref().is_some_and(|claim| known.support(claim));
        if faults.iter().any(is_leak) || is_taken_from(&background, &sources, &sentence.text) {
            return false;
        }
        sentence.ungrounded = !faults.is_empty();
        found.extend(faults.into_iter().map(|fault| fault.name));
        true
    });
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// What a model was shown when it extracted statements: the evidence for them.
pub(super) struct Shown {
    sources: Sources,
    has_names: bool,
}

impl Shown {
    /// Collects the names, numbers and dates of the lines and the background.
    pub(super) fn new(evidence: Evidence<'_>) -> Shown {
        let mut sources = Sources::of(&evidence.lines.iter().collect::<Vec<_>>());
        evidence.background.iter().for_each(|text| sources.add(text));
        Shown { sources, has_names: evidence.has_names }
    }

    /// Returns whether a statement has a name, number or date that is not in what was shown and cannot follow from it. Words
    /// with a number at their end ("b12") are neither names nor numbers.
    pub(super) fn lacks(&self, statement: &str) -> bool {
        let text = WITH_NUMBER.replace_all(statement, " ");
        let claims = claims(&text, &self.sources, self.has_names);
        claims.iter().any(|claim| !self.sources.support(claim) && !self.sources.may_imply(claim))
    }
}

static WITH_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\p{Ll}+\d+\b").expect("the pattern is a constant, and a test uses it"));

/// Something in a sentence that its sources do not support.
struct Fault {
    name: String,
    /// `None` for a contradiction.
    claim: Option<Claim>,
}

/// A date, number or name in a sentence, which can be looked up in its sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Claim {
    Date(Written),
    /// A month without a day.
    Month(i8),
    Number(String),
    Name(String),
}

fn faults(sentence: &CitedSentence, evidence: Evidence<'_>) -> Vec<Fault> {
    let lines = cited(sentence, evidence.lines);
    let mut sources = Sources::of(&lines);
    sources.add_aliases(evidence.aliases);
    let claims = claims(&sentence.text, &sources, evidence.has_names);
    let unsupported = claims.into_iter().filter(|claim| !sources.support(claim));
    let fault = |claim: Claim| Fault { name: format!("{claim:?}"), claim: Some(claim) };
    let mut faults: Vec<Fault> = unsupported.map(fault).collect();
    if negation::contradictions(&sentence.text, lines.iter().map(|line| line.text.as_str())) > 0 {
        faults.push(Fault { name: format!("contradiction {}", sentence.text), claim: None });
    }
    faults
}

/// Returns the lines that a sentence comes from, and their neighbours in the same group. A line without turns counts as one
/// that it comes from.
fn cited<'l>(sentence: &CitedSentence, lines: &'l [Line]) -> Vec<&'l Line> {
    let from: HashSet<&MemoryId> = sentence.from.iter().collect();
    let is_cited: Vec<bool> =
        lines.iter().map(|line| line.from.iter().any(|id| from.contains(id)) || from.is_empty()).collect();
    let is_near = |at: usize| {
        let near = at.saturating_sub(NEIGHBOURS)..lines.len().min(at + NEIGHBOURS + 1);
        near.into_iter().any(|other| is_cited[other] && lines[other].group == lines[at].group)
    };
    (0..lines.len()).filter(|at| is_near(*at)).map(|at| &lines[at]).collect()
}

fn claims(text: &str, sources: &Sources, has_names: bool) -> Vec<Claim> {
    let Dates { rest, days, months } = take_dates(text);
    let mut claims: Vec<Claim> = days.into_iter().map(Claim::Date).collect();
    claims.extend(months.into_iter().map(Claim::Month));
    claims.extend(numbers(&rest).into_iter().map(Claim::Number));
    claims.extend(spelled(&rest).map(Claim::Number));
    claims.extend(foreign_words(&rest).into_iter().map(|number| Claim::Number(number.to_string())));
    let names = if has_names { names(&rest, sources) } else { given_names(&rest) };
    claims.extend(names.into_iter().map(Claim::Name));
    claims
}

/// Returns the numbers above two that are written as English words.
fn spelled(text: &str) -> impl Iterator<Item = String> + '_ {
    let numbers = text.unicode_words().filter_map(|word| numbers::cardinal(&plain(word)));
    numbers.filter(|number| *number > 2).map(|number| number.to_string())
}

/// Returns a word in comparable form: without case, accents and genitive.
fn plain(word: &str) -> String {
    let key = entity_key(&word.replace('’', "'"));
    key.strip_suffix("'s").map(str::to_owned).unwrap_or(key)
}

/// Returns capitalised words, in comparable form. The first word of a sentence counts only if it is used as a name.
fn names(text: &str, sources: &Sources) -> Vec<String> {
    let mut names = Vec::new();
    let mut begins = true;
    let pieces: Vec<&str> = text.split_word_bounds().collect();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.starts_with(['.', '!', '?', ':', '“', '"', '…', '\n', '«']) {
            begins = true;
        } else if piece.starts_with(char::is_alphanumeric) {
            let is_name = piece.starts_with(char::is_uppercase) && piece.chars().count() > 1;
            let is_used = !begins || openers::is_name(piece, next(&pieces[at + 1..]), &sources.written_words);
            if is_name && is_used && !piece.starts_with("I'") && !piece.starts_with("I’") {
                names.push(plain(piece));
            }
            begins = false;
        }
    }
    names
}

/// Returns the common given names among the words, in comparable form. Leaves out those that are also other German words.
fn given_names(text: &str) -> Vec<String> {
    /// Given names that are also other German words.
    const NOUNS: [&str; 20] = [
        "Anders", "Flora", "Art", "Mark", "Rose", "Rosa", "Heide", "Kai", "Linde", "Wolf", "Ernst", "Bart", "Will",
        "Stern", "Falk", "Iris", "Viola", "Gast", "August", "Mai",
    ];
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) && is_first_name(word) && !NOUNS.contains(word);
    text.unicode_words().filter(is_name).map(plain).collect()
}

/// Returns the first word among the pieces; empty if there is none.
fn next<'t>(pieces: &[&'t str]) -> &'t str {
    pieces.iter().find(|piece| piece.starts_with(char::is_alphanumeric)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use annals_core::Date;

    use super::*;

    /// Counts the faults of a summary of a message from 4 March 2026, a Wednesday.
    fn count(summary: &str, source: &str) -> u32 {
        let day = jiff::civil::date(2026, 3, 4);
        let line = |text: &str| Line {
            head: "09:30 Ann: ".into(),
            text: text.into(),
            days: (day, day),
            from: Vec::new(),
            group: String::new(),
        };
        let lines = [line(source)];
        mark(
            &mut vec![drafted(summary, day)],
            Evidence { lines: &lines, background: &[], aliases: &[], has_names: true },
        )
    }

    fn drafted(text: &str, day: Date) -> CitedSentence {
        CitedSentence { text: text.into(), day, is_of_one_day: true, from: Vec::new(), ungrounded: false }
    }

    #[test]
    fn content_of_the_sources_is_grounded() {
        fn check(summary: &str, source: &str) {
            assert_eq!(count(summary, source), 0, "{summary} / {source}");
        }
        check("Yesterday Ann met José in São Paulo.", "met jose in Sao Paulo");
        check("It was Ann's flat.", "my flat");
        check("Ann came 2nd.", "I came second!");
        check("She has 2 cats and 25 fish.", "two cats, twenty-five fish");
        check("It cost 1000 euros, then 2.5 more.", "€1,000 and 2,50 more");
        check("They met at 14:00.", "see you at 2 pm");
        check("They met at 9:30.", "now!");
        check("Ann moved on 4 March.", "I moved");
        check("Ann moved on March 4th, 2026.", "I moved today");
        check("On 2026-03-05 Ann moves.", "tomorrow I move");
        check("She will move on 2026-03-13.", "I move next Friday");
        check("The party was on 12 May 2019.", "it was on 2019-05-12");
        check("The party was on May 12.", "it was on the 12th of May");
        check("In March the Germans came.", "the german guests");
        check("On Wednesday it rained.", "rain");
        check("They saw German films on a Friday.", "we watch films from Germany, on friday");
        check("She said: The Moon is far. Nobody minds.", "moon is far");
        check("", "");
    }

    #[test]
    fn content_missing_from_the_sources_is_counted() {
        fn check(summary: &str, source: &str, expect: u32) {
            assert_eq!(count(summary, source), expect, "{summary} / {source}");
        }
        check("Then Ann met Bob.", "met somebody", 1);
        check("Then Bob met Bob.", "met somebody", 1);
        check("Ann flew to New York.", "flew away", 2);
        check("It cost 300 euros.", "it cost 30 euros", 1);
        check("On 2026-05-17 Ann moved.", "I moved", 1);
        check("Ann moved on 17 May 2026.", "I move on 17 May 2025", 1);
        check("Ann moved on 17 May 2026 with 3 cats and Tom.", "I moved", 3);
        check("It was in July.", "it was in june", 1);
        check("On Sunday it rained.", "rain", 1);
        check("She came 3rd.", "I came second", 1);
        // The first word of a sentence may or may not be a name.
        check("Bob came.", "somebody came", 1);
        check("Rain came.", "it was raining", 0);
    }

    #[test]
    fn german_nouns_are_not_counted_as_names() {
        let day = jiff::civil::date(2026, 3, 4);
        let mut all = vec![drafted("Sie kauft ein Haus für 300 Euro.", day)];
        assert_eq!(mark(&mut all, Evidence { lines: &[], background: &[], aliases: &[], has_names: false }), 1);
    }

    #[test]
    fn faults_mark_their_sentence_and_background_never_gets_in() {
        let day = jiff::civil::date(2026, 3, 4);
        let line = |id: &str, text: &str| Line {
            head: "09:30 Ann: ".into(),
            text: text.into(),
            days: (day, day),
            from: vec![MemoryId::from_text(id)],
            group: id.into(),
        };
        let lines = [line("a", "I met Bob"), line("b", "I paid 30 euros")];
        let of = |text: &str, id: &str| CitedSentence { from: vec![MemoryId::from_text(id)], ..drafted(text, day) };
        let mut all = vec![
            of("Ann met Bob.", "a"),
            of("Then Ann met Bob.", "b"),
            of("Ann paid 40 euros.", "b"),
            of("Ann still lives in Oslo.", "b"),
        ];
        let background = ["Ann, lives_in, Oslo".to_owned()];
        assert_eq!(
            mark(&mut all, Evidence { lines: &lines, background: &background, aliases: &[], has_names: true }),
            2
        );
        let marks: Vec<(&str, bool)> =
            all.iter().map(|sentence| (sentence.text.as_str(), sentence.ungrounded)).collect();
        assert_eq!(marks, [("Ann met Bob.", false), ("Then Ann met Bob.", true), ("Ann paid 40 euros.", true)]);
    }
}
