//! Decides whether an English weekday is after the day of the message, from its clause. The rules are in `rules`: each reads
//! prepositions, verbs, or the kind of a note. Without one that holds, the weekday is on the side of the nearest verb.

mod rules;

use std::ops::Range;

use super::{Sentence, tense};
use crate::extractive::tokens::is_in;
use crate::extractive::verbs;

/// Words that begin another clause, whose verb says nothing about a time in this one.
const CONJUNCTIONS: [&str; 8] = ["but", "because", "although", "though", "cos", "cause", "whereas", "unless"];

/// Characters between two words that begin another clause.
const BOUNDARIES: [char; 10] = ['(', ')', ':', ';', '…', '—', '–', '\n', '?', '!'];

/// Marks that end a note: "Felt ok. Talk Sat".
const NOTE_ENDS: [char; 4] = ['.', ',', '!', '?'];

/// Maximum number of words before a weekday in a note that announces an event.
const NOTE_WORDS: usize = 4;

/// Words that do not occur in a note that announces an event: "after the talk Saturday, …".
const NOT_IN_NOTES: [&str; 10] = ["after", "since", "at", "during", "from", "in", "of", "the", "that", "last"];

/// Events that notes announce.
pub(super) const EVENTS: &str = "advert answer bid quote price appointment appt audition ceremony checkup check-up class concert deadline decision delivery dentist dinner due exam \
    exams final flight funeral game gig hearing interview launch lunch match meeting mri party performance presentation quiz race \
    recital rehearsal result results scan surgery talk test tests tournament trip verdict viewing visit vote wedding";

/// Returns whether the weekday is after the day of the message.
pub(super) fn is_ahead(sentence: Sentence<'_>, at: usize) -> bool {
    let weekday = Weekday::new(sentence, at);
    let holds = |rules: &[rules::Rule]| rules.iter().any(|rule| (rule.holds)(&weekday));
    let is_ahead = || holds(&rules::AHEAD) || announces(sentence, at) || weekday.agrees() || weekday.is_in_future();
    rules::is_agenda(&weekday) || !holds(&rules::PAST) && is_ahead()
}

/// A weekday in its clause.
struct Weekday<'s> {
    /// The words of the clause, and the position of the weekday among them.
    words: &'s [&'s str],
    at: usize,
    /// The range in `words` of the note that contains the weekday: "felt ok" and "talk Sat" are two.
    note: Range<usize>,
}

impl<'s> Weekday<'s> {
    fn new(sentence: Sentence<'s>, at: usize) -> Self {
        let (clause, note) = (clause(sentence, at), note(sentence, at));
        let in_clause = |position: usize| position.clamp(clause.start, clause.end) - clause.start;
        Self {
            words: &sentence.words[clause.clone()],
            at: at - clause.start,
            note: in_clause(note.start)..in_clause(note.end),
        }
    }

    /// Returns the word that is so many words before the weekday, or an empty one.
    fn back(&self, count: usize) -> &'s str {
        self.at.checked_sub(count).map_or("", |position| self.words[position])
    }

    fn before(&self) -> &'s [&'s str] {
        &self.words[..self.at]
    }

    /// Returns whether one of the words is before the weekday.
    fn follows(&self, any: &[&str]) -> bool {
        self.before().iter().any(|word| any.contains(word))
    }

    /// Returns whether the note tells what happened, before its weekday.
    fn is_told(&self) -> bool {
        let told = &self.words[self.note.start..self.at];
        told.iter().any(|word| verbs::is_past(word) || ["was", "were", "been"].contains(word))
    }

    /// Returns whether the nearest verb looks ahead. A verb of the same note counts first: "Saw them on Saturday, my voice is
    /// gone."
    fn is_in_future(&self) -> bool {
        let (note, at) = (&self.words[self.note.clone()], self.at - self.note.start);
        if tense::is_shown(note, at) { tense::is_future(note, at) } else { tense::is_future(self.words, self.at) }
    }

    /// Returns whether a note without a verb agrees to a day, or refuses one: "sunday evening yes", "not thursday", "saturday
    /// now".
    fn agrees(&self) -> bool {
        const AGREED: [&str; 8] = ["yes", "yep", "yeah", "works", "suits", "instead", "now", "then"];
        let (note, at) = (&self.words[self.note.clone()], self.at - self.note.start);
        let is_short = note.len() <= NOTE_WORDS && !tense::is_shown(note, at);
        let is_answer = at + 1 < note.len() && note.last().is_some_and(|last| AGREED.contains(last));
        is_short && (is_answer || at == 1 && note[0] == "not")
    }
}

/// Returns whether the weekday belongs to a note without a verb, of a few words, that announces an event: "Slept badly, talk
/// Sat".
fn announces(sentence: Sentence<'_>, at: usize) -> bool {
    let words = sentence.words;
    let all = note(sentence, at);
    let tells = words[..all.start].iter().any(|word| verbs::is_past(word));
    let is_told = |position: usize| {
        verbs::is_past(words[position]) || (tells || position < at) && NOT_IN_NOTES.contains(&words[position])
    };
    let note = &words[all.start..at];
    let event = note.strip_suffix(&["on"]).unwrap_or(note).last();
    let is_event = event.is_some_and(|word| is_in(EVENTS, word));
    // "No answer Monday" is what happened.
    let is_none = note.first() == Some(&"no");
    is_event && !is_none && note.len() <= NOTE_WORDS && !all.clone().any(|position| position != at && is_told(position))
}

/// Returns the range of the words between the marks that surround a word: commas, stops, brackets and the like.
fn note(sentence: Sentence<'_>, at: usize) -> Range<usize> {
    let ends = |position: &usize| {
        let between = &sentence.text[sentence.tokens[*position].span.end..sentence.tokens[position + 1].span.start];
        between.contains(BOUNDARIES) || between.contains(NOTE_ENDS)
    };
    let start = (0..at).rev().find(ends).map_or(0, |end| end + 1);
    let end = (at..sentence.words.len() - 1).find(ends).map_or(sentence.words.len(), |end| end + 1);
    start..end
}

/// Returns the range of the words of the clause that contains a word.
fn clause(sentence: Sentence<'_>, at: usize) -> Range<usize> {
    let begins = |position: usize| {
        let between = &sentence.text[sentence.tokens[position - 1].span.end..sentence.tokens[position].span.start];
        // "3:40"
        let follows = sentence.words.get(position + 1).copied().unwrap_or_default();
        // "They met on Friday and will meet again on Monday."
        let is_second =
            sentence.words[position] == "and" && ["will", "won't", "plan", "plans", "hope", "hopes"].contains(&follows);
        (between != ":" && between.contains(BOUNDARIES))
            || CONJUNCTIONS.contains(&sentence.words[position])
            || is_second
    };
    let start = (1..=at).rev().find(|position| begins(*position)).unwrap_or(0);
    let end = (at + 1..sentence.words.len()).find(|position| begins(*position)).unwrap_or(sentence.words.len());
    start..end
}
