//! The sentences of the sources, as they may be quoted: those of messages as they are read, with questions in front of answers
//! and corrections behind the corrected line, and those of finer summaries.

use std::borrow::Cow;
use std::collections::BTreeMap;

use annals_core::{Base, Date, Grain, Memory, MemoryId, Sentence, has_value, is_placeholder};

use super::chats::chats;
use super::{Candidate, Input, is_persons};
use crate::extractive::budget::{Budget, cut};
use crate::extractive::dependence::{self, Dependence};
use crate::extractive::language::Language;
use crate::extractive::names::Names;
use crate::extractive::record::Form;
use crate::extractive::story::{self, Story};
use crate::extractive::tokens::tokens;
use crate::extractive::worth::{self, Worth};
use crate::extractive::{corrections, lines, mails, questions, reading, record, replies, split};

/// Maximum words of one sentence. Longer ones are cut.
const SENTENCE: usize = 60;

/// Factor for sentences of an assistant without a name: its explanations are worth less than what people say to it.
const EXPLAINED: f64 = 0.35;

/// A sentence of a source, as it may be quoted.
pub(super) struct Quote<'a> {
    child: usize,
    position: usize,
    day: Date,
    speaker: Option<&'a str>,
    text: Cow<'a, str>,
    language: Language,
    dependence: Dependence,
    from: Cow<'a, [MemoryId]>,
}

impl Quote<'_> {
    pub(super) fn candidate(self, input: &Input, names: &Names) -> Candidate {
        let text = cut(&self.text, room(input.grain, input.budget, self.day, self.speaker));
        let mut worth = if is_placeholder(self.speaker, &text) {
            Worth::default()
        } else {
            worth::of(&text, self.language, input.kind(), names)
        };
        if self.speaker.is_some_and(crate::rules::is_assistant) {
            worth.explain(EXPLAINED);
        }
        let speaker = self.speaker.map(str::to_owned);
        let sentence = Sentence { day: self.day, speaker, text, from: self.from.into_owned(), ungrounded: false };
        Candidate {
            child: self.child,
            position: self.position,
            sentence,
            worth,
            dependence: self.dependence,
            is_filling: false,
        }
    }
}

/// Returns the maximum number of words of a sentence, so that it fits into the budget behind the head of its line.
fn room(grain: Grain, budget: Budget, day: Date, speaker: Option<&str>) -> usize {
    SENTENCE.min(budget.room(&lines::head(grain, day, speaker)))
}

pub(super) fn quotes<'a>(input: &Input<'a>, names: &Names) -> Vec<Quote<'a>> {
    let sources = &input.sources;
    if input.grain > Grain::Daily {
        let of_child = |(child, summary): (usize, &&'a Memory)| of_sentences(child, summary.sentences(), input.form);
        return sources.iter().enumerate().flat_map(of_child).collect();
    }
    let people_spoke = sources.iter().any(|turn| is_persons(turn) && !turn.text.trim().is_empty());
    let turns = sources.iter().enumerate().filter(|(_, turn)| is_persons(turn) || !people_spoke);
    let mut found = Vec::new();
    // The last message of each conversation.
    let mut last_messages: BTreeMap<&str, replies::Before> = BTreeMap::new();
    let chats = chats(sources, &input.earlier);
    let mut stories: BTreeMap<&str, Story> = BTreeMap::new();
    for (child, turn) in turns {
        let conversation = turn.conversation().unwrap_or_default();
        let form = if chats.contains(conversation) { Form::Chat } else { Form::Record };
        let story = match form {
            Form::Chat => &Story::default(),
            Form::Record => stories.entry(conversation).or_insert_with(|| input.story(turn)),
        };
        let room = room(Grain::Daily, input.budget, turn.days.0, turn.speaker());
        let mut read = of_parts(turn, room, names, form, story);
        let is_correction = corrections::is(&turn.text);
        let next = if form == Form::Chat { replies::before(child, turn, &read, names) } else { None };
        let before = match next {
            Some(next) => last_messages.insert(conversation, next),
            None => last_messages.remove(conversation),
        };
        if let Some(before) = before.as_ref().filter(|_| !is_correction) {
            for continued in before.continued(turn, &read, names) {
                found.push(of_read(before.child, before.turn, continued, Some(turn.id.clone())));
            }
        }
        let answer = before.as_ref().and_then(|before| before.quote_question(turn, &mut read, names));
        let asker = before.map(|before| before.turn.id.clone());
        for mut read in read {
            let asker = asker.clone().filter(|_| answer == Some(read.position));
            if story.is_routine(story::parts(&read.text).1) {
                read.dependence = read.dependence.max(Dependence::Faint);
            }
            found.push(of_read(child, turn, read, asker));
        }
        if is_correction {
            correct(&mut found, sources, child);
        }
    }
    // What somebody goes on to say stands with the message before.
    found.sort_by_key(|quote| quote.child);
    found
}

/// Merges the base with late sentences, by day. On the same day the base comes first, because the time of its turns is no
/// longer known.
pub(super) fn beside<'a>(base: &'a Base, late: Vec<Quote<'a>>) -> Vec<Quote<'a>> {
    let child = late.iter().map(|quote| quote.child + 1).max().unwrap_or_default();
    let mut quotes: Vec<Quote> = of_sentences(child, &base.sentences, Form::Chat).into_iter().chain(late).collect();
    quotes.sort_by_key(|quote| quote.day);
    quotes
}

/// Returns the sentences of a message. Those of a mail in it are labelled with its sender.
fn of_parts(turn: &Memory, room: usize, names: &Names, form: Form, story: &Story) -> Vec<reading::Read> {
    let mut all: Vec<reading::Read> = Vec::new();
    for part in mails::parts(&turn.text) {
        let before = all.iter().map(|read| read.position + 1).max().unwrap_or_default();
        let read = reading::of(&part.text, turn.days.0, room, names, form, story);
        all.extend(read.into_iter().map(|read| read.of_part(before, part.label.as_deref())));
    }
    all
}

/// Adds a message that corrects the writer's last message with a time or number to the quotes of that message, if that message
/// is at most [`corrections::NEAR`] messages back. An amount of money does not correct a message with times alone. An answer to
/// another speaker's question corrects nothing: "Nein, Dienstag".
fn correct(found: &mut [Quote<'_>], sources: &[&Memory], correction: usize) {
    let by = sources[correction];
    let is_same = |turn: &Memory| turn.speaker() == by.speaker() && turn.conversation() == by.conversation();
    let of_conversation = |turn: &&&Memory| turn.conversation() == by.conversation();
    let before = sources[..correction].iter().rfind(of_conversation);
    let asks = |turn: &&Memory| questions::end(&turn.text, Language::of(&tokens(&turn.text)));
    if before.is_some_and(|before| before.speaker() != by.speaker() && asks(before)) {
        return;
    }
    let is_corrected = |quote: &&Quote| {
        let is_near = quote.child < correction && correction - quote.child <= corrections::NEAR;
        is_near && is_same(sources[quote.child]) && has_value(&quote.text)
    };
    let Some(last) = found.iter().rfind(is_corrected) else { return };
    if is_of_money(&by.text) && !has_amount(&last.text) {
        return;
    }
    let corrected = &sources[last.child].id;
    for quote in found {
        if quote.from.contains(corrected) && has_value(&quote.text) {
            quote.text = Cow::Owned(corrections::joined(&quote.text, &by.text));
            quote.from.to_mut().push(by.id.clone());
        } else if quote.child == correction {
            quote.dependence = quote.dependence.max(Dependence::Leaning);
        }
    }
}

fn is_of_money(text: &str) -> bool {
    text.contains(['£', '$', '€', '¥'])
}

/// Returns whether a text has an amount of money, or a number of at least three digits, which may be one.
fn has_amount(text: &str) -> bool {
    let is_long = |number: &str| number.len() > 2;
    is_of_money(text) || text.split(|c: char| !c.is_ascii_digit()).any(is_long)
}

pub(super) fn of_read<'a>(child: usize, turn: &'a Memory, read: reading::Read, asker: Option<MemoryId>) -> Quote<'a> {
    let mut from = vec![turn.id.clone()];
    for id in asker.into_iter().chain(read.from) {
        if !from.contains(&id) {
            from.push(id);
        }
    }
    Quote {
        child,
        position: read.position,
        day: turn.days.0,
        speaker: turn.speaker(),
        text: Cow::Owned(closed(read.text)),
        language: read.language,
        dependence: read.dependence,
        from: Cow::Owned(from),
    }
}

/// Closes a quotation that goes on in the message behind the sentence: `"We lost everything.`
fn closed(text: String) -> String {
    let count = |mark: char| text.chars().filter(|c| *c == mark).count();
    let mark = match () {
        () if count('"') == 1 && text.starts_with('"') => '"',
        () if count('“') == 1 && count('”') == 0 && text.starts_with('“') => '”',
        () => return text,
    };
    format!("{text}{mark}")
}

/// Returns the sentences, without those that a model invented.
fn of_sentences<'a>(child: usize, sentences: &'a [Sentence], form: Form) -> Vec<Quote<'a>> {
    let quote = |(position, sentence): (usize, &'a Sentence)| {
        let tokens = tokens(&sentence.text);
        let language = Language::of(&tokens);
        // A line of several sentences is introduced by its first.
        let first = split::sentences(&sentence.text, usize::MAX).next().unwrap_or_default();
        let is_labelled = story::parts(first).0.is_some();
        let is_known = form == Form::Record && !is_labelled && record::is_known(&self::tokens(first), language);
        let least = if is_known { Dependence::Leaning } else { Dependence::Independent };
        Quote {
            child,
            position,
            day: sentence.day,
            speaker: sentence.speaker.as_deref(),
            text: Cow::Borrowed(&sentence.text),
            language,
            dependence: dependence::of(&sentence.text, &tokens, language).max(least),
            from: Cow::Borrowed(&sentence.from),
        }
    };
    let is_small_talk = |quote: &Quote| is_placeholder(quote.speaker, &quote.text);
    let supported = sentences.iter().enumerate().filter(|(_, sentence)| !sentence.ungrounded);
    let (small_talk, content): (Vec<_>, Vec<_>) = supported.map(quote).partition(is_small_talk);
    if content.is_empty() { small_talk } else { content }
}
