//! Decides whether an English weekday is after the day of the message, from its clause: prepositions, verbs, and kinds of notes.

use std::ops::Range;

use super::{Sentence, tense};
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

/// Words after the genitive of a weekday that announce it: "Monday's diary".
const AGENDAS: [&str; 8] = ["agenda", "diary", "fixtures", "forecast", "line-up", "lineup", "programme", "schedule"];

/// Returns whether the weekday is after the day of the message.
pub(super) fn is_ahead(sentence: Sentence<'_>, at: usize) -> bool {
    let clause = clause(sentence, at);
    let (words, at) = (&sentence.words[clause.clone()], at - clause.start);
    let word = |back: usize| at.checked_sub(back).map_or("", |position| words[position]);
    // "Correction to Thursday: …"
    let is_corrected = ["correction", "addendum", "update", "follow-up", "erratum"].contains(&word(2));
    // "Crews restored power by Tuesday night", but "I asked for it by Tuesday".
    // A verb behind the day counts only if the day begins the clause: "By Friday we were all sick".
    let before_it = if at == 1 { words } else { &words[..=at] };
    let is_done = word(1) == "by" && tense::is_past(before_it, at) && !words[..at].iter().any(|word| tense::asks(word));
    let is_limit = ["by", "until", "till", "til", "to", "for"].contains(&word(1)) && !is_done;
    // "Pump hired from Monday", but "I was off from Monday" and "still sore from Monday".
    let has = |any: &[&str]| words[..at].iter().any(|word| any.contains(word));
    let is_told = words[note(sentence, clause.start + at).start.saturating_sub(clause.start)..at]
        .iter()
        .any(|word| verbs::is_past(word) || ["was", "were", "been"].contains(word));
    let is_sore = word(1) == "from" && has(&["still", "sore"]);
    let is_begin = word(1) == "from" && !is_sore && !has(&["was", "were", "been"])
        || ["starting", "beginning"].contains(&word(1)) && !is_told;
    // "Vet back Thursday", "advert out Thursday", "home on Friday", but "I drove home on Friday".
    let place = if word(1) == "on" { word(2) } else { word(1) };
    let is_expected = ["back", "out", "home"].contains(&place) && !is_told;
    // "Rang the surgery, got Tuesday."
    let begins = note(sentence, clause.start + at).start + 1 == clause.start + at;
    let is_given = begins && ["got", "given", "offered", "booked"].contains(&word(1));
    // "Bilge dry after pumping Friday", but "meet me after training Friday".
    let is_over = word(2) == "after" && word(1).ends_with("ing") && !tense::looks_ahead(&words[..at]);
    // "Clinics reopen after an attack on Saturday", but "we fly to Bergen after a wedding on Saturday".
    let is_of_writer = has(&["i", "i'm", "i'll", "we", "we'll", "will"]);
    let is_event = word(1) == "on"
        && !is_of_writer
        && (2..=6).any(|back| word(back) == "after" && ["a", "an"].contains(&word(back - 1)));
    // "A van seen on Sunday is missing", but "the dinner booked for Friday is off".
    let is_verb_next = words.get(at + 1).is_some_and(|next| ["is", "are", "has", "have"].contains(next));
    let is_found =
        |word: &&str| ["seen", "found", "lost", "stolen", "taken", "held", "reported", "killed"].contains(word);
    let is_of_subject = word(1) == "on" && is_verb_next && words[..at].iter().any(is_found);
    // "They didn't stop till Sunday."
    let near = &words[at.saturating_sub(4)..at];
    let is_past_end = ["until", "till", "til"].contains(&word(1)) && near.contains(&"didn't");
    // "Nine cases now, up from four on Tuesday."
    let compares = near.windows(2).any(|pair| ["up", "down"].contains(&pair[0]) && pair[1] == "from");
    let is_compared = compares && !tense::looks_ahead(&words[..at]);
    // "The plan must be withdrawn by noon on Friday."
    let is_limit = is_limit || (word(1) == "on" && word(3) == "by" && !tense::is_past(words, at));
    // "Monday's diary" announces what is to come.
    let names_agenda = words.get(at + 1).is_some_and(|next| AGENDAS.contains(next));
    let is_agenda = names_agenda && words[at].ends_with("'s") && !tense::is_past(words, at);
    // "Thursday's deal" is in the past, unless the sentence announces something or gives a limit.
    let is_known = words[at].ends_with("'s") && !is_limit && word(1) != "before" && !tense::is_announced(words, at);
    // "Cancelled Monday" is about an appointment.
    let is_cancelled = ["cancelled", "canceled", "postponed"].contains(&word(1));
    let is_since = word(1) == "since" && !tense::is_announced(words, at);
    let part = note(sentence, clause.start + at);
    let part = part.start.max(clause.start) - clause.start..part.end.min(clause.end) - clause.start;
    let (near, position) = (&words[part.clone()], at - part.start);
    // "Saw them on Saturday, my voice is gone."
    let is_future =
        if tense::is_shown(near, position) { tense::is_future(near, position) } else { tense::is_future(words, at) };
    let is_agreed = agrees(&words[part], position);
    let is_future = announces(sentence, clause.start + at) || is_agreed || is_future;
    let is_past = is_corrected
        || is_since
        || is_known
        || is_over
        || is_event
        || is_of_subject
        || is_past_end
        || is_sore
        || is_compared;
    is_agenda || !is_past && (is_limit || is_begin || is_expected || is_given || is_cancelled || is_future)
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
    let is_event = event.is_some_and(|word| EVENTS.split_whitespace().any(|event| event == *word));
    // "No answer Monday" is what happened.
    let is_none = note.first() == Some(&"no");
    is_event && !is_none && note.len() <= NOTE_WORDS && !all.clone().any(|position| position != at && is_told(position))
}

/// Returns whether a note without a verb agrees to a day, or refuses one: "sunday evening yes", "not thursday", "saturday now".
fn agrees(note: &[&str], at: usize) -> bool {
    const AGREED: [&str; 8] = ["yes", "yep", "yeah", "works", "suits", "instead", "now", "then"];
    let is_short = note.len() <= NOTE_WORDS && !tense::is_shown(note, at);
    let is_answer = at + 1 < note.len() && note.last().is_some_and(|last| AGREED.contains(last));
    is_short && (is_answer || at == 1 && note[0] == "not")
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
        (between != ":" && between.contains(BOUNDARIES)) || CONJUNCTIONS.contains(&sentence.words[position])
    };
    let start = (1..=at).rev().find(|position| begins(*position)).unwrap_or(0);
    let end = (at + 1..sentence.words.len()).find(|position| begins(*position)).unwrap_or(sentence.words.len());
    start..end
}
