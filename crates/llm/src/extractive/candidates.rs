//! The sentences from which a summary is chosen.

mod chats;
mod leads;
mod quotes;

use std::collections::BTreeSet;

use annals_core::{Base, Grain, Memory, Role, Sentence};

use super::budget::{Budget, length};
use super::dependence::Dependence;
use super::names::Names;
use super::record::Form;
use super::story::Story;
use super::worth::{self, Worth};
use super::{in_order, mails, news, reading, recurrence, small_talk};
use chats::form;
use quotes::{beside, of_read, quotes};

/// Maximum number of sentences that are compared with each other: one message alone can give thousands (`reading`). No budget
/// has room for this many.
const POOL: usize = 512;

/// Maximum number of candidates of a chat in which no sentence stands alone and says enough, even for filling. Two lines show
/// what it was about; more would be fillers.
const WEAK: usize = 2;

/// Minimum words of a faint line that the working or daily summary of a record may quote if there is no better line. Coarser
/// summaries also quote shorter ones.
const EXPLICIT: usize = 12;

/// Maximum words of a day whose messages are quoted in full: those of a record, or of a chat without any other candidate.
const BRIEF: usize = 30;

/// A sentence that may be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Index of the source that the sentence is from.
    pub(super) child: usize,
    /// Index in the source of the sentence with which the candidate begins. Of several candidates that begin with the same
    /// sentence, only one is chosen.
    pub(super) position: usize,
    /// The sentence as it would appear in the summary.
    pub(super) sentence: Sentence,
    /// Rating of the content. Empty if the sentence only reports small talk.
    pub(super) worth: Worth,
    /// Degree to which the sentence needs other sentences to be understood.
    pub(super) dependence: Dependence,
    /// Whether the sentence says less than the grain requires. Such a sentence is quoted only if the summary would otherwise be
    /// very short.
    pub(super) is_filling: bool,
}

impl Candidate {
    fn is_small_talk(&self) -> bool {
        self.sentence.is_placeholder()
    }

    fn is_note(&self) -> bool {
        small_talk::is_of_notes(self.sentence.speaker.as_deref(), &self.sentence.text)
    }
}

/// The input of a summary, with its budget and form.
pub(super) struct Input<'a> {
    grain: Grain,
    base: Option<&'a Base>,
    /// The sources of the summary, in order of time.
    pub(super) sources: Vec<&'a Memory>,
    /// Earlier turns of the authors of records, in order of time.
    earlier: Vec<&'a Memory>,
    pub(super) budget: Budget,
    /// Whether the input is a chat or a record, in which one author writes and addresses nobody. News of several authors is a
    /// record too.
    form: Form,
    /// Whether the record is news of what others do.
    is_news: bool,
}

impl<'a> Input<'a> {
    pub(super) fn of(grain: Grain, base: Option<&'a Base>, sources: &'a [Memory], earlier: &'a [Memory]) -> Input<'a> {
        let (sources, earlier) = (in_order(sources), in_order(earlier));
        let (budget, form) = (Budget::of(grain, base, &sources), form(base, &sources, &earlier));
        let is_news = form == Form::Record && news::is(sources.iter().chain(&earlier).copied());
        Input { grain, base, sources, earlier, budget, form, is_news }
    }

    /// Returns the candidates in order of time: those of [`Self::best`]. Adds whole messages of a short day if it is a record
    /// or if there are no others.
    pub(super) fn pool(&self) -> Vec<Candidate> {
        let best = self.best();
        let is_quoted = |child: usize| best.iter().any(|one| one.child == child);
        // In a chat of which something is quoted, the other messages of a short day are small talk.
        let is_to_add = best.is_empty() || self.form == Form::Record;
        let brief = if is_to_add { self.brief(is_quoted) } else { Vec::new() };
        if brief.is_empty() {
            return best;
        }
        let mut pool: Vec<Candidate> = best.into_iter().chain(brief).collect();
        pool.sort_by_key(|one| one.child);
        pool
    }

    /// Returns the number of words that people wrote.
    fn words(&self) -> usize {
        self.sources.iter().filter(|turn| is_persons(turn)).map(|turn| length(&turn.text)).sum()
    }

    /// Returns the messages of a short day that say something, each as one line, without those that are quoted already. Empty
    /// for coarser grains, and for a day with a base, with a mail, or with more than [`BRIEF`] words.
    fn brief(&self, is_quoted: impl Fn(usize) -> bool) -> Vec<Candidate> {
        let spoken: Vec<(usize, &&Memory)> =
            self.sources.iter().enumerate().filter(|(_, turn)| is_persons(turn)).collect();
        let has_mail =
            || spoken.iter().any(|(_, turn)| mails::parts(&turn.text).iter().any(|part| part.label.is_some()));
        if self.grain > Grain::Daily || self.base.is_some() || self.words() > BRIEF || has_mail() {
            return Vec::new();
        }
        let names = Names::of(speakers(None, &self.sources));
        let whole = |(child, turn): (usize, &&Memory)| {
            let read = reading::whole(&turn.text, turn.days.0, self.form, &self.story(turn))?;
            Some(of_read(child, turn, read, None).candidate(self, &names)).filter(|one| one.worth.full() > 0.0)
        };
        spoken.into_iter().filter(|(child, _)| !is_quoted(*child)).filter_map(whole).collect()
    }

    /// Returns the quotable sentences that depend least on others, and those that only fill a short summary, in order of time.
    /// Returns lines such as "Small talk only" only if there is nothing else.
    fn best(&self) -> Vec<Candidate> {
        let all = self.candidates();
        let is_record = self.form == Form::Record;
        let best = all.iter().filter(|one| one.worth.full() > 0.0).map(|one| one.dependence).min();
        let is_weak = best.is_some_and(|best| best > Dependence::Independent);
        let fills = all.iter().any(|one| one.is_filling);
        let most = match (is_weak && !fills, is_record) {
            (false, _) => POOL,
            (true, true) => 1,
            (true, false) => WEAK,
        };
        // A line that needs earlier entries would mislead, and short faint lines would hide the days that matter.
        let is_quotable = |one: &Candidate| match one.dependence {
            Dependence::Leaning => !is_record,
            Dependence::Faint => !is_record || self.grain > Grain::Daily || length(&one.sentence.text) >= EXPLICIT,
            Dependence::Independent | Dependence::Aside => true,
        };
        let keeps = |one: &Candidate| {
            let is_best = Some(one.dependence) == best && is_quotable(one) && !(is_weak && fills);
            one.is_small_talk() || one.is_filling || one.worth.full() > 0.0 && is_best
        };
        let pool = best_of(all.into_iter().filter(keeps).collect(), most);
        content_or_all(pool)
    }

    /// Returns whether the input is a record with notes rather than with small talk alone: it has a sentence with content, or a
    /// line "Brief notes only" of a finer summary. Used for a period without a quotable line.
    pub(super) fn has_notes(&self) -> bool {
        self.form == Form::Record && self.candidates().iter().any(|one| one.worth.full() > 0.0 || one.is_note())
    }

    fn kind(&self) -> worth::KindOfText {
        worth::KindOfText { grain: self.grain, form: self.form, is_news: self.is_news }
    }

    /// Returns every sentence in order of time, with its content and its dependence. A sentence that stands alone but says too
    /// little for the grain becomes [`Dependence::Faint`].
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let names = Names::of(speakers(self.base, &self.sources));
        let quotes = quotes(self, &names);
        let quotes = if let Some(base) = self.base { beside(base, quotes) } else { quotes };
        let mut all: Vec<Candidate> = quotes.into_iter().map(|quote| quote.candidate(self, &names)).collect();
        if self.grain > Grain::Daily {
            recurrence::rate(&mut all);
        }
        for one in &mut all {
            if one.dependence == Dependence::Independent && !one.worth.is_definite() {
                one.dependence = Dependence::Faint;
                one.is_filling = self.grain > Grain::Daily && one.worth.fills();
            }
        }
        if self.form == Form::Record {
            // Messages of a short day that are not quoted are added as a whole.
            let adds_whole = self.grain <= Grain::Daily && self.words() <= BRIEF;
            leads::promote(self.grain, adds_whole, &mut all);
        }
        all
    }

    /// Returns what the record of a turn is about, as read from the turns of its author: those of the same conversation if
    /// earlier turns belong to it, otherwise all.
    fn story(&self, turn: &Memory) -> Story {
        let of_author = |other: &&&Memory| other.speaker() == turn.speaker() && is_persons(other);
        let is_same = |other: &&&Memory| other.conversation() == turn.conversation();
        let has_earlier = self.earlier.iter().filter(of_author).any(|other| is_same(&other));
        let all = self.earlier.iter().chain(&self.sources).filter(of_author);
        let turns: Vec<&Memory> = all.filter(|other| !has_earlier || is_same(other)).copied().collect();
        Story::of(&turns, turn)
    }
}

/// Drops lines such as "Small talk only" if other candidates have content.
fn content_or_all(pool: Vec<Candidate>) -> Vec<Candidate> {
    let (small_talk, content): (Vec<_>, Vec<_>) = pool.into_iter().partition(Candidate::is_small_talk);
    if content.is_empty() { small_talk } else { content }
}

/// Returns at most `most` candidates in order: the best of each child, then the second best, and so on.
fn best_of(candidates: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    if candidates.len() <= most {
        return candidates;
    }
    let worth: Vec<f64> = candidates.iter().map(|one| one.worth.full()).collect();
    let better = |one: &usize, other: &usize| worth[*other].total_cmp(&worth[*one]).then(one.cmp(other));
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|one, other| candidates[*one].child.cmp(&candidates[*other].child).then(better(one, other)));
    let mut ranks = vec![0; candidates.len()];
    for pair in order.windows(2) {
        let is_same_child = candidates[pair[0]].child == candidates[pair[1]].child;
        ranks[pair[1]] = if is_same_child { ranks[pair[0]] + 1 } else { 0 };
    }
    order.sort_by(|one, other| ranks[*one].cmp(&ranks[*other]).then(better(one, other)));
    order.truncate(most);
    let kept: BTreeSet<usize> = order.into_iter().collect();
    candidates.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, one)| one).collect()
}

fn speakers<'a>(base: Option<&'a Base>, sources: &[&'a Memory]) -> impl Iterator<Item = &'a str> {
    let kept = base.into_iter().flat_map(|base| &base.sentences);
    let sentences = sources.iter().flat_map(|source| source.sentences()).chain(kept);
    let turns = sources.iter().filter_map(|source| source.speaker());
    turns.chain(sentences.filter_map(|sentence| sentence.speaker.as_deref())).collect::<Vec<_>>().into_iter()
}

/// Returns whether a person or assistant wrote the turn. System and tool turns are quoted only if nobody else said
/// anything.
fn is_persons(turn: &Memory) -> bool {
    !matches!(turn.role(), Some(Role::System | Role::Tool))
}
