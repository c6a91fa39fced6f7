//! The text of a message as a whole, and what it says about each of its sentences: whether a sentence can be understood alone,
//! or needs the one before it or the headline.

use super::start_of;
use crate::extractive::dependence::{self, Dependence};
use crate::extractive::full_names::{self, FullNames};
use crate::extractive::language::Language;
use crate::extractive::names::Names;
use crate::extractive::record::{self, Form};
use crate::extractive::story::{self, Story};
use crate::extractive::tokens::{Token, tokens};
use crate::extractive::{continuations, corrections, ellipsis, labels, openers, pronouns, questions, unnamed, verbs};

/// What a sentence needs to be understood.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// The sentence needs nothing, or something that cannot be added.
    Nothing,
    /// The sentence before must be quoted too.
    Before,
    /// The headline of the entry must be quoted too.
    Headline,
}

/// The text of a message, with properties that matter for all its sentences.
pub(super) struct Text<'a> {
    text: &'a str,
    pub(super) language: Language,
    pub(super) form: Form,
    /// The headline of an entry, if it has one; `None` in chats and in texts about the writer.
    pub(super) headline: Option<&'a str>,
    /// Whether a label in front of quoted lines says what the record is about.
    is_labelled: bool,
    /// Whether the name of the conversation says what the record is about.
    is_titled: bool,
    /// Whether the text has no pronoun for the writer or the reader. In a record, quotations are not searched. Always true in
    /// other languages than English. Where writers speak of themselves, "the dog" is often theirs, and known.
    is_report: bool,
    /// Whether the text begins with a capital in English. A piece that begins with a small letter is then a clause of a longer
    /// sentence.
    pub(super) is_capitalized: bool,
}

impl Text<'_> {
    pub(super) fn of<'t>(text: &'t str, form: Form, story: &Story) -> Text<'t> {
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
    pub(super) fn resolved(&self, sentence: &str, before: &str, names: &Names, known: &[&FullNames]) -> String {
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

    /// Returns whether an English sentence leaves something out, but does not refer to one before: "Out of theatre."
    pub(super) fn is_bare_fragment(&self, sentence: &str) -> bool {
        self.language == Language::English && dependence::is_bare_fragment(&tokens(sentence))
    }

    /// Returns how well a sentence stands alone, and what it needs. `resolved` is the sentence with names for pronouns.
    pub(super) fn dependence(&self, sentence: &str, resolved: &str, is_behind: bool) -> (Dependence, Context) {
        let is_record = self.form == Form::Record;
        let tokens = tokens(resolved);
        let asks = !is_record && self.language == Language::English && questions::is_unmarked(resolved, &tokens);
        if asks || leads_a_list(self.text, sentence) || is_record && corrections::retracts(sentence) {
            return (Dependence::Aside, Context::Nothing);
        }
        // "Her letter gave no reason": with a name for "her" it still says too little.
        let is_possessive = is_record && self.language == Language::English && pronouns::is_possessive(sentence);
        let continues = self.is_report && is_behind && (is_possessive || self.continues(resolved, &tokens));
        let is_answer = !is_record && self.language == Language::English && ellipsis::is_answer(sentence, &tokens);
        let is_of_unnamed = !is_record && self.language == Language::English && is_brief_of_unnamed(resolved, &tokens);
        let is_loose = is_answer || is_of_unnamed || self.is_capitalized && is_loose_clause(sentence);
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
            // A statement about an event is not an event, and a headline says less than the sentence below it.
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

    /// Returns whether a sentence below a headline needs it. It does if it continues the one before, or if it is not the first
    /// and shares no word of more than three letters with the headline.
    fn is_apart(&self, sentence: &str, tokens: &[Token], continues: bool) -> bool {
        let Some(headline) = self.headline else { return false };
        let below = self.text.split_once(headline).map_or("", |(_, below)| below.trim_start());
        let words: Vec<String> = self::tokens(headline).into_iter().map(|token| token.lower).collect();
        let shares = || tokens.iter().any(|token| token.lower.len() > 3 && words.contains(&token.lower));
        continues || !below.starts_with(sentence) && !shares()
    }

    /// Returns whether a sentence of a report is a quotation, or says without a number what someone says: "“We lost
    /// everything,” said Ilse Brand".
    fn is_speech(&self, sentence: &str, tokens: &[Token]) -> bool {
        let is_quote = sentence.starts_with(['"', '“', '„', '«', '»']);
        let has_number = tokens.iter().any(|token| token.raw.starts_with(|c: char| c.is_ascii_digit()));
        self.is_report && (is_quote || self.language == Language::English && !has_number && record::reacts(tokens))
    }

    /// Returns whether a passage of a report has a pronoun for someone whom it does not name: "Relatives welcome the verdict.
    /// His lawyers appeal." Always false in chats, in texts about the writer, and if the name of the conversation is the label.
    pub(super) fn lacks_person(&self, passage: &str) -> bool {
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

    /// Returns whether a sentence needs the one before it. In languages other than English, very short sentences need it too:
    /// "Trop bruyant." Always false for languages without spaces.
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

/// Returns whether only a colon follows in the line: "Common causes:".
fn leads_a_list(text: &str, sentence: &str) -> bool {
    let rest = text.get(start_of(text, sentence) + sentence.len()..).unwrap_or_default();
    let rest = rest.strip_prefix([':', '：']);
    rest.is_some_and(|rest| rest.lines().next().is_none_or(|line| line.trim().is_empty()))
}

/// Returns whether a few words are about somebody whom they do not name: "I told her she can't". Others may name somebody in small
/// letters: "mia passed her test".
fn is_brief_of_unnamed(sentence: &str, tokens: &[Token]) -> bool {
    let is_of_writer =
        |first: &Token| ["i", "we", "you"].contains(&first.lower.as_str()) || verbs::is_past(&first.lower);
    tokens.len() <= 8 && tokens.first().is_some_and(is_of_writer) && unnamed::has_person(sentence)
}

/// Returns whether a piece of a sentence lacks its subject: "did give us wine".
fn is_loose_clause(sentence: &str) -> bool {
    const SUBJECTS: [&str; 9] = ["i", "we", "my", "our", "the", "a", "an", "this", "there"];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    first.starts_with(char::is_lowercase) && !SUBJECTS.contains(&first)
}
