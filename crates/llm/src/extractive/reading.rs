//! Reads the sentences of a message so that each can be understood without it: removes remarks and words that link to the
//! sentence before, replaces pronouns by names, and adds dates to times.

mod text;

use annals_core::{Date, MemoryId};

use super::budget::length;
use super::dependence::{self, Dependence};
use super::full_names::{self, FullNames};
use super::language::Language;
use super::names::Names;
use super::record::Form;
use super::story::{self, Story};
use super::tokens::tokens;
use super::{clean, dates, ellipsis, entries, labels, openers, spacing, split, status, unnamed, word_kinds, wrapped};
use text::{Context, Text};

/// Maximum sentences of one message that are read: as many as the longest stored message (256 KiB) has of 64 bytes each.
const SENTENCES: usize = 4096;

/// Maximum words of a passage, so that a line of a summary can be read at a glance.
pub(super) const PASSAGE: usize = 26;

/// Maximum words of a passage that ends with a sentence which continues the one before without a pronoun: such a sentence is
/// quoted only there, and news have long sentences.
const CONTINUED: usize = 45;

/// A sentence of a message, as it may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Text of the message without linking words at the beginning, with names and dates inserted.
    pub(super) text: String,
    pub(super) language: Language,
    /// Degree to which the sentence needs others to be understood.
    pub(super) dependence: Dependence,
    /// Index in the message of the sentence with which it begins. A summary quotes only one of the texts that begin with the
    /// same sentence.
    pub(super) position: usize,
    /// Whether the sentence begins a line of the message. Lines of a log or a list do not continue each other.
    pub(super) begins_line: bool,
    /// Whether the sentence continues the one before without a pronoun.
    pub(super) continues: bool,
    /// Whether a message can begin with the sentence: it does not refer to one before.
    pub(super) can_begin: bool,
    /// Whether a sentence of a chat is quoted only behind the one before it because it is terse.
    pub(super) is_terse: bool,
    /// The earlier turns that contain the added names.
    pub(super) from: Vec<MemoryId>,
    /// The text to quote after the sentence before it. In a record it keeps its pronouns.
    pub(super) behind: String,
}

impl Read {
    /// Marks the sentence as one of a part of the message that comes after `before` other sentences. The sender of a mail
    /// stands in front of its sentences, in place of another label.
    pub(super) fn of_part(mut self, before: usize, sender: Option<&str>) -> Read {
        self.position += before;
        if let Some(sender) = sender {
            self.text = format!("({sender}) {}", story::parts(&self.text).1);
        }
        self
    }
}

/// Returns the sentences of a message of a day, and the passages that begin with them. Splits sentences of more than `room`
/// words, and all very long ones, into clauses if possible. Leaves out notes of a record that nothing happened, and bare
/// numbers.
pub(super) fn of(message: &str, day: Date, room: usize, names: &Names, form: Form, story: &Story) -> Vec<Read> {
    let cleaned = clean::without_asides(message);
    let is_code = message.trim_start().starts_with("```") && matches!(cleaned, std::borrow::Cow::Borrowed(_));
    let cleaned = if form == Form::Record { labels::without(&cleaned) } else { std::borrow::Cow::Borrowed(&*cleaned) };
    let cleaned = spacing::joined(&cleaned);
    let cleaned = wrapped::joined(&cleaned);
    let text = Text::of(&cleaned, form, story);
    let mut own_names = FullNames::default();
    if form == Form::Record {
        own_names.read(&cleaned, text.language, None);
    }
    let mut before = String::new();
    let mut read: Vec<Read> = Vec::new();
    let pieces = |sentence| if form == Form::Record { split::notes(sentence) } else { vec![sentence] };
    for sentence in split::sentences(&cleaned, room).flat_map(pieces).take(SENTENCES) {
        if form == Form::Record && (status::is(&tokens(sentence)) || is_bare_number(sentence)) {
            continue;
        }
        let bare = without_agency(without_number(sentence));
        let known = [&own_names, story.names()];
        let resolved = text.resolved(bare, &before, names, &known);
        let (resolved, mut from) = full_names::complete(&resolved, &known);
        let begins_line = begins_line(&cleaned, sentence);
        let is_behind = !begins_line && read.last().is_some_and(|last| last.dependence != Dependence::Aside);
        let (dependence, context) = text.dependence(sentence, &resolved, is_behind);
        let dependence = if is_code || is_line_of_code(sentence) { Dependence::Aside } else { dependence };
        let resolved = if text.is_capitalized { openers::capitalized(&resolved) } else { resolved };
        let dated = dates::resolve(&resolved, day, text.language);
        let is_undated = form == Form::Record && dates::is_undated(&dated, text.language);
        let dependence = if is_undated { Dependence::Aside } else { dependence };
        let behind = match form {
            Form::Record => dates::resolve(&full_names::complete(bare, &known).0, day, text.language),
            Form::Chat => dated.clone(),
        };
        let headline = text.headline.filter(|_| context == Context::Headline);
        let (labelled, source) = story.labelled(&dated, headline);
        from.extend(source);
        read.push(Read {
            behind,
            text: labelled,
            language: text.language,
            dependence,
            position: read.len(),
            begins_line,
            continues: context == Context::Before,
            can_begin: dependence < Dependence::Leaning || text.is_bare_fragment(&resolved),
            is_terse: false,
            from,
        });
        before = resolved;
    }
    match form {
        Form::Record => entries::join(&mut read),
        Form::Chat => ellipsis::join(&mut read, names),
    }
    with_passages(read, names, &text)
}

/// Returns a short message in full, as one line, with dates and in a record with full names and its label. `None` if the
/// message only notes that there is nothing. Leaves out sentences at the beginning that need another message to be understood.
pub(super) fn whole(message: &str, day: Date, form: Form, story: &Story) -> Option<Read> {
    let cleaned = clean::without_asides(message);
    let cleaned = labels::without(&cleaned);
    let cleaned = spacing::joined(&cleaned);
    let cleaned = wrapped::joined(&cleaned);
    let language = Language::of(&tokens(&cleaned));
    let text = one_line(&cleaned, language);
    if text.is_empty() {
        return None;
    }
    let (text, mut from) =
        if form == Form::Record { full_names::complete(&text, &[story.names()]) } else { (text, Vec::new()) };
    let (text, source) = story.labelled(&dates::resolve(&text, day, language), None);
    from.extend(source);
    let dependence = Dependence::Independent;
    Some(Read {
        behind: text.clone(),
        text,
        language,
        dependence,
        position: 0,
        begins_line: true,
        continues: false,
        can_begin: true,
        is_terse: false,
        from,
    })
}

/// Returns the sentences of a short message as one line, with a semicolon where a line ends without a mark. Leaves out notes that
/// nothing happened, and at the beginning sentences that need another message.
fn one_line(message: &str, language: Language) -> String {
    let mut text = String::new();
    for line in message.lines() {
        let (is_heading, length) = (line.trim_end().ends_with(':'), text.len());
        let says = |sentence: &&str| !status::is(&tokens(sentence));
        for (place, sentence) in split::sentences(line, usize::MAX).map(without_number).filter(says).enumerate() {
            if text.is_empty() && dependence::leans(sentence, &tokens(sentence), language) {
                continue;
            }
            let is_open = text.ends_with(|c: char| c.is_alphanumeric() || ")]%\"'”’".contains(c));
            text.push_str(if place == 0 && is_open {
                "; "
            } else if text.is_empty() {
                ""
            } else {
                " "
            });
            text.push_str(sentence);
        }
        if is_heading && text.len() > length {
            text.push(':');
        }
    }
    text
}

/// Adds after each sentence that stands alone the passages that continue it: "We got a puppy. She eats shoes." A
/// sentence that depends on the one before is quoted together with it or not at all.
fn with_passages(read: Vec<Read>, names: &Names, whole: &Text) -> Vec<Read> {
    let mut found = Vec::with_capacity(read.len());
    let terse = if whole.form == Form::Chat { ellipsis::beginning(&read) } else { None };
    for (position, first) in read.iter().enumerate() {
        found.push(first.clone());
        let begins = first.dependence == Dependence::Independent
            || first.dependence == Dependence::Faint && first.begins_line
            || terse == Some(position);
        // A sentence without content has nothing that the next one could refer to, but a terse one may add it.
        let has_content = whole.form == Form::Record
            || read.get(position + 1).is_some_and(|next| next.is_terse)
            || word_kinds::is_informative(&first.text, first.language, names);
        if !begins || !has_content {
            continue;
        }
        let (mut text, mut from) = (first.text.clone(), first.from.clone());
        let leans = |next: &Read| {
            next.dependence == Dependence::Leaning || (next.dependence == Dependence::Independent && is_unnamed(next))
        };
        let goes_on = |next: &&Read| !next.begins_line && leans(next);
        for next in read[position + 1..].iter().take_while(goes_on) {
            text = format!("{text} {}", next.behind);
            from.extend(next.from.iter().cloned());
            if length(story::parts(&text).1) > if next.continues { CONTINUED } else { PASSAGE } {
                break;
            }
            if whole.lacks_person(&text) {
                break;
            }
            // "New frames in. Oak from Asturias." says enough together.
            let (text, from) = (text.clone(), from.clone());
            found.push(Read { text, from, dependence: Dependence::Independent, ..first.clone() });
        }
    }
    found
}

/// Returns whether a sentence, which is a slice of the text, is the first of its line.
fn begins_line(text: &str, sentence: &str) -> bool {
    const MARKS: [char; 8] = [' ', '\t', '-', '*', '•', '>', '–', '·'];
    let before = text.get(..start_of(text, sentence)).map(|before| before.trim_end_matches(MARKS));
    before.is_none_or(|before| before.is_empty() || before.ends_with('\n'))
}

/// Returns whether a sentence has a number and no word: "100%."
fn is_bare_number(sentence: &str) -> bool {
    !sentence.contains(char::is_alphabetic) && sentence.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether a sentence has three of the characters that people write in code alone: "select * from t where row_number = 1".
fn is_line_of_code(sentence: &str) -> bool {
    "=_{}<>*\\|".chars().filter(|mark| sentence.contains(*mark)).count() > 2
}

/// Returns where a sentence, which is a slice of the text, begins.
fn start_of(text: &str, sentence: &str) -> usize {
    (sentence.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// Returns whether a sentence such as "I sold it" needs the one before it to be understood.
fn is_unnamed(read: &Read) -> bool {
    read.language == Language::English && unnamed::is_in(&read.text)
}

/// Removes the number of a list item or the day of a diary entry: "2. Buy milk", "12th. Up early". In "29. März" and "11. bis
/// 25. Juli" the number belongs to a date.
fn without_number(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(sentence.len() - rest.len()));
    let rest = ["st", "nd", "rd", "th"].iter().find_map(|end| rest.strip_prefix(end)).unwrap_or(rest);
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if split::follows_ordinal(rest) || split::follows_day(rest) => sentence,
        Some(rest) if is_number && !rest.trim().is_empty() => rest.trim_start(),
        _ => sentence,
    }
}

/// Removes the name of a news agency and the dateline before it: "(Reuters) – Turkey agrees", "BELMAR, April 7 (Meridian) - Ilves
/// resigned".
fn without_agency(sentence: &str) -> &str {
    let split = || {
        let (place, rest) = sentence.split_once('(')?;
        let (agency, rest) = rest.split_once(") ")?;
        (place.is_empty() || is_dateline(place)).then_some((agency, rest))
    };
    let Some((agency, rest)) = split() else { return sentence };
    let is_name =
        agency.starts_with(char::is_uppercase) && agency.chars().all(|c| c.is_alphabetic() || " /.".contains(c));
    let text = rest.trim_start_matches(['–', '—', '-']);
    if is_name && text.len() < rest.len() && !text.trim().is_empty() { text.trim_start() } else { sentence }
}

/// Returns whether a text is a place in capitals with a day: "BELMAR, April 7".
fn is_dateline(text: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let Some((place, day)) = text.split_once(',') else { return false };
    let is_place = place.contains(char::is_uppercase) && !place.contains(char::is_lowercase);
    is_place && day.contains(|c: char| c.is_ascii_digit()) && text.split_whitespace().count() <= MAX_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_short_entry_are_joined_by_semicolons() {
        fn check(message: &str, expect: &str) {
            assert_eq!(one_line(message, Language::English), expect);
        }
        check("- fixed 2 of 3 tests\n- on call ends today", "fixed 2 of 3 tests; on call ends today");
        check("Sold the boat.\nRang Anna", "Sold the boat. Rang Anna");
        check("Done:\n- users table\n- docs", "Done: users table; docs");
    }

    #[test]
    fn agency_and_dateline_are_removed() {
        fn check(sentence: &str, expect: &str) {
            assert_eq!(without_agency(sentence), expect);
        }
        check("(Reuters) – Turkey agrees", "Turkey agrees");
        check("BELMAR, April 7 (Meridian) - Ilves resigned", "Ilves resigned");
        check("NASA (the agency) - a portrait", "NASA (the agency) - a portrait");
        check("The board (Ann and Bob) – resigned", "The board (Ann and Bob) – resigned");
        check("IKEA (Saturday) - bought a desk", "IKEA (Saturday) - bought a desk");
        check("今天讨论预算 (Alpha) - 决定推迟", "今天讨论预算 (Alpha) - 决定推迟");
    }

    #[test]
    fn dependent_sentence_is_read_with_the_one_before_it() {
        fn check(message: &str, expect: &[&str]) {
            let read = of(
                message,
                "2026-03-04".parse().unwrap(),
                60,
                &Names::of(["Ann"].into_iter()),
                Form::Chat,
                &Story::default(),
            );
            let dependence = read.iter().filter(|one| one.dependence == Dependence::Independent);
            assert_eq!(dependence.map(|one| one.text.as_str()).collect::<Vec<_>>(), expect, "{message}");
        }
        check("I bought a red boat. It leaks.", &["I bought a red boat.", "I bought a red boat. It leaks."]);
        check("Thanks! It leaks.", &[]);
        check("select * from boats where boat_id = 1 and owner_id = 2", &[]);
        check("I told her she can't", &[]);
        check("I bought a red boat.\nIt leaks.", &["I bought a red boat."]);
        check(
            "Mayor Tom Reilly won a third term. Turnout was 38%.",
            &["Mayor Tom Reilly won a third term.", "Mayor Tom Reilly won a third term. Turnout was 38%."],
        );
        check(
            "Tom sold the boat. Common causes:\n- the stern gland failed\n## Plans\n- Ann buys a pump",
            &["Tom sold the boat.", "The stern gland failed", "Ann buys a pump"],
        );
        check(
            "Ein Brand legt das Werk in Grünheide lahm. Der Konzern rechnet mit einem hohen Schaden.",
            &[
                "Ein Brand legt das Werk in Grünheide lahm.",
                "Ein Brand legt das Werk in Grünheide lahm. Der Konzern rechnet mit einem hohen Schaden.",
            ],
        );
        check("(Reuters) – Turkey backs the bid of Sweden.", &["Turkey backs the bid of Sweden."]);
        check(
            "Ayer firmé el contrato del piso. Eso fue un susto.",
            &[
                "Ayer [2026-03-03] firmé el contrato del piso.",
                "Ayer [2026-03-03] firmé el contrato del piso. Eso fue un susto.",
            ],
        );
    }
}
