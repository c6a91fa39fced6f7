//! Reads the sentences of a message so that each can be understood without it: removes what was not said and words that link to
//! the sentence before, replaces pronouns by names, and adds dates to times.

use annals_core::{Date, MemoryId};

use super::budget::length;
use super::dependence::{self, Dependence};
use super::full_names::{self, FullNames};
use super::language::Language;
use super::names::Names;
use super::record::{self, Form};
use super::story::{self, Story};
use super::tokens::{Token, tokens};
use super::{
    clean, continuations, dates, entries, labels, openers, pronouns, spacing, split, status, unnamed, word_kinds,
    wrapped,
};

/// Maximum sentences of one message that are read: as many as the longest stored message (256 KiB) has of 64 bytes each.
const SENTENCES: usize = 4096;

/// Maximum words of a passage: a line of a summary is read at a glance.
const PASSAGE: usize = 26;

/// Maximum words of a passage that ends with a sentence which continues the one before without a pronoun: such a sentence is
/// quoted only there, and news have long sentences.
const CONTINUED: usize = 45;

/// A sentence of a message, as it may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Text of the message without linking words at the beginning, with names and dates inserted.
    pub(super) text: String,
    /// The language of the message.
    pub(super) language: Language,
    /// Whether it can be understood alone.
    pub(super) dependence: Dependence,
    /// Index in the message of the sentence with which it begins. A summary quotes only one of the texts that begin with the
    /// same sentence.
    pub(super) position: usize,
    /// Whether it begins a line of the message: lines of a log or a list do not continue each other.
    pub(super) begins_line: bool,
    /// Whether it continues the sentence before without a pronoun.
    pub(super) continues: bool,
    /// The earlier turns that contain the added names.
    pub(super) from: Vec<MemoryId>,
    /// The text to quote after the sentence before it. In a record it keeps its pronouns.
    behind: String,
}

impl Read {
    /// Makes this a sentence of a part of the message that comes after `before` others. The sender of a mail stands in front of its
    /// sentences, in place of another label.
    pub(super) fn of_part(mut self, before: usize, sender: Option<&str>) -> Read {
        self.position += before;
        if let Some(sender) = sender {
            self.text = format!("({sender}) {}", story::parts(&self.text).1);
        }
        self
    }
}

/// Returns the sentences of a message of a day, and the passages that begin with them. Splits sentences longer than `room`
/// words, and all very long ones, into clauses, where they have any.
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
        let dependence = if is_code { Dependence::Aside } else { dependence };
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
            from,
        });
        before = resolved;
    }
    if form == Form::Record {
        entries::join(&mut read);
    }
    with_passages(read, names, &text)
}

/// Returns a short message in full, as one line, with dates and in a record with full names and its label. `None` if the message only
/// notes that there is nothing. Leaves out sentences at the beginning that need another message to be understood.
pub(super) fn whole(message: &str, day: Date, form: Form, story: &Story) -> Option<Read> {
    let cleaned = clean::without_asides(message);
    let cleaned = labels::without(&cleaned);
    let language = Language::of(&tokens(&cleaned));
    let says = |sentence: &&str| !status::is(&tokens(sentence));
    let leans = |sentence: &&str| dependence::leans(sentence, &tokens(sentence), language);
    let said = split::sentences(&cleaned, usize::MAX).map(without_number).filter(says).skip_while(leans);
    let text = said.collect::<Vec<_>>().join(" ");
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
        from,
    })
}

/// What a sentence needs to be understood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Nothing, or something that cannot be added.
    Nothing,
    /// The sentence before.
    Before,
    /// The headline of the entry.
    Headline,
}

/// The text of a message, with properties that matter for all its sentences.
struct Text<'a> {
    text: &'a str,
    language: Language,
    form: Form,
    /// The headline of an entry.
    headline: Option<&'a str>,
    /// Whether a label in front of quoted lines says what the record is about.
    is_labelled: bool,
    /// Whether the name of the conversation says what the record is about.
    is_titled: bool,
    /// Whether the text, in a record without its quotations, has no pronoun for the writer or the person addressed. Always true
    /// in other languages than English. Where writers speak of themselves, "the dog" is often theirs, and known.
    is_report: bool,
    /// Whether sentences begin with capitals, so that a piece that does not is a clause of a longer sentence.
    is_capitalized: bool,
}

impl Text<'_> {
    fn of<'t>(text: &'t str, form: Form, story: &Story) -> Text<'t> {
        let tokens = tokens(text);
        let language = Language::of(&tokens);
        // In "“We lost everything,” said Ilse Brand" the writer is not the subject.
        let unquoted = if form == Form::Record { record::unquoted(text) } else { text.to_owned() };
        let is_report = language != Language::English || !continuations::is_of_writer(&self::tokens(&unquoted));
        let is_capitalized = language == Language::English && text.trim_start().starts_with(char::is_uppercase);
        let headline = if form == Form::Record && is_report { labels::headline(text) } else { None };
        Text {
            text,
            language,
            form,
            headline,
            is_labelled: story.is_labelled(),
            is_titled: story.is_titled(),
            is_report,
            is_capitalized,
        }
    }

    /// Removes words that link to the sentence before, and replaces a pronoun at the beginning by a name. English only. In a
    /// report, a name of one word is used only if it is a known surname: "Debt fell. She resigned."
    fn resolved(&self, sentence: &str, before: &str, names: &Names, known: &[&FullNames]) -> String {
        if self.language != Language::English {
            return sentence.to_owned();
        }
        let (rest, is_shorter) = openers::strip(sentence, names);
        let is_strict = self.form == Form::Record && self.is_report;
        let is_known = |named: &String| {
            let tokens = tokens(named);
            let is_longer = tokens[0].lower == "the" || tokens.get(1).is_some_and(Token::is_capital);
            !is_strict || is_longer || known.iter().any(|names| names.has(tokens[0].raw))
        };
        let named = pronouns::resolve(before, rest, names).filter(is_known);
        named.unwrap_or_else(|| if is_shorter { openers::capitalized(rest) } else { rest.to_owned() })
    }

    /// Returns how well a sentence stands alone, and what it needs. `resolved` is the sentence with names for pronouns.
    fn dependence(&self, sentence: &str, resolved: &str, is_behind: bool) -> (Dependence, Context) {
        let is_record = self.form == Form::Record;
        let tokens = tokens(resolved);
        if leads_a_list(self.text, sentence) {
            return (Dependence::Aside, Context::Nothing);
        }
        // "Her letter gave no reason": with a name for "her" it still says too little.
        let is_possessive = is_record && self.language == Language::English && pronouns::is_possessive(sentence);
        let continues = self.is_report && is_behind && (is_possessive || self.continues(resolved, &tokens));
        let is_loose = self.is_capitalized && is_loose_clause(sentence);
        let is_unnamed = is_record
            && (self.language == Language::English && unnamed::is_in(resolved)
                || record::refers_to_others(&tokens, self.language));
        let is_known = is_record && record::is_known(&tokens, self.language);
        let is_headline = self.headline.is_some_and(|headline| headline.contains(sentence));
        let needs_headline = !is_headline && !is_possessive && self.is_apart(sentence, &tokens, continues || is_known);
        let is_introduced = needs_headline || self.is_labelled;
        let is_resumed = is_record && !is_introduced && self.language == Language::English && record::resumes(&tokens);
        let is_lost = continues && !needs_headline || is_known && !is_introduced || is_resumed;
        let least = if is_lost || is_loose || is_unnamed {
            Dependence::Leaning
        } else if is_record && record::is_label(&tokens, self.language) {
            Dependence::Faint
        } else {
            Dependence::Independent
        };
        let own = match dependence::of(resolved, &tokens, self.language) {
            // Lines of a log begin with such fragments: "New frames in."
            Dependence::Leaning if is_record && !is_behind && dependence::is_fragment(&tokens) => Dependence::Faint,
            // What someone says about an event is not an event, and a headline says less than the sentence below it.
            Dependence::Independent if is_headline || is_record && self.is_speech(sentence, &tokens) => {
                Dependence::Faint
            }
            own => own,
        };
        let context = match () {
            () if needs_headline => Context::Headline,
            () if continues => Context::Before,
            () => Context::Nothing,
        };
        (own.max(least), context)
    }

    /// Returns whether a sentence below a headline needs it: it continues the one before, or shares no word with the headline,
    /// and is not the first.
    fn is_apart(&self, sentence: &str, tokens: &[Token], continues: bool) -> bool {
        let Some(headline) = self.headline else { return false };
        let below = self.text.split_once(headline).map_or("", |(_, below)| below.trim_start());
        let words: Vec<String> = self::tokens(headline).into_iter().map(|token| token.lower).collect();
        let shares = || tokens.iter().any(|token| token.lower.len() > 3 && words.contains(&token.lower));
        continues || !below.starts_with(sentence) && !shares()
    }

    /// Returns whether a sentence of a report is a quotation, or says without a number what someone says: "“We lost everything,”
    /// said Ilse Brand".
    fn is_speech(&self, sentence: &str, tokens: &[Token]) -> bool {
        let is_quote = sentence.starts_with(['"', '“', '„', '«', '»']);
        let has_number = tokens.iter().any(|token| token.raw.starts_with(|c: char| c.is_ascii_digit()));
        self.is_report && (is_quote || self.language == Language::English && !has_number && record::reacts(tokens))
    }

    /// Returns whether a passage has a pronoun for someone whom it does not name: "Relatives welcome the verdict. His lawyers
    /// appeal."
    fn lacks_person(&self, passage: &str) -> bool {
        let is_of_others = self.form == Form::Record && self.is_report && !self.is_titled;
        let (_, passage) = story::parts(passage);
        let tokens = tokens(passage);
        let has_person = || {
            full_names::runs(passage, &tokens).any(|run| run.len() > 1)
                || tokens.iter().any(|token| pronouns::is_person(&token.lower))
        };
        let is_of_one = |token: &Token| ["he", "she", "his", "her", "him"].contains(&token.lower.as_str());
        is_of_others
            && (record::refers_to_others(&tokens, self.language)
                || self.is_labelled && tokens.iter().any(is_of_one) && !has_person())
    }

    /// Returns whether a sentence needs the one before it. In languages other than English, very short sentences need
    /// it too: "Trop bruyant."
    fn continues(&self, text: &str, tokens: &[Token]) -> bool {
        let is_of_record = self.form == Form::Record && record::continues(tokens, self.language);
        match self.language {
            Language::Unspaced => false,
            _ if is_of_record => true,
            Language::English => continuations::is(tokens) || continuations::is_quote_of_someone(text),
            _ => tokens.len() <= 4 || continuations::is_definite(tokens, self.language),
        }
    }
}

/// Adds after each sentence that stands alone the passages that continue it: "We got a puppy. She eats shoes." A
/// sentence that depends on the one before is quoted together with it or not at all.
fn with_passages(read: Vec<Read>, names: &Names, whole: &Text) -> Vec<Read> {
    let mut found = Vec::with_capacity(read.len());
    for (position, first) in read.iter().enumerate() {
        found.push(first.clone());
        // A sentence without content has nothing that the next one could refer to.
        let begins =
            first.dependence == Dependence::Independent || first.dependence == Dependence::Faint && first.begins_line;
        let has_content = whole.form == Form::Record || word_kinds::is_informative(&first.text, first.language, names);
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

/// Returns whether only a colon follows in the line: "Common causes:".
fn leads_a_list(text: &str, sentence: &str) -> bool {
    let rest = text.get(start_of(text, sentence) + sentence.len()..).unwrap_or_default();
    let rest = rest.strip_prefix([':', '：']);
    rest.is_some_and(|rest| rest.lines().next().is_none_or(|line| line.trim().is_empty()))
}

/// Returns where a sentence, which is a slice of the text, begins.
fn start_of(text: &str, sentence: &str) -> usize {
    (sentence.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

/// Returns whether a sentence such as "I sold it" needs the one before it to be understood.
fn is_unnamed(read: &Read) -> bool {
    read.language == Language::English && unnamed::is_in(&read.text)
}

/// Returns whether a piece of a sentence lacks its subject: "did give us wine".
fn is_loose_clause(sentence: &str) -> bool {
    const SUBJECTS: [&str; 9] = ["i", "we", "my", "our", "the", "a", "an", "this", "there"];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    first.starts_with(char::is_lowercase) && !SUBJECTS.contains(&first)
}

/// Removes the number of a list item or the day of a diary entry: "2. Buy milk", "12th. Up early".
fn without_number(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=2).contains(&(sentence.len() - rest.len()));
    let rest = ["st", "nd", "rd", "th"].iter().find_map(|end| rest.strip_prefix(end)).unwrap_or(rest);
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if is_number && !rest.trim().is_empty() => rest.trim_start(),
        _ => sentence,
    }
}

/// Removes the name of a news agency: "(Reuters) – Turkey agrees".
fn without_agency(sentence: &str) -> &str {
    let split = || sentence.strip_prefix('(')?.split_once(") ");
    let Some((agency, rest)) = split() else { return sentence };
    let is_name =
        agency.starts_with(char::is_uppercase) && agency.chars().all(|c| c.is_alphabetic() || " /.".contains(c));
    let text = rest.trim_start_matches(['–', '—', '-']);
    if is_name && text.len() < rest.len() && !text.trim().is_empty() { text.trim_start() } else { sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

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
