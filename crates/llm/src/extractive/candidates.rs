//! The sentences that a summary is chosen from.

use annals_core::{Base, Date, Grain, Memory, MemoryId, Role, Sentence};

use super::budget::{Budget, cut, length};
use super::names::Names;
use super::worth::{self, Worth};
use super::{lines, small_talk, split};

/// So many sentences are compared with each other at most, whatever the input: a turn of ten megabytes holds a hundred
/// thousand. No budget has room for as many.
const POOL: usize = 512;

/// The most words of one sentence; longer ones are cut.
const SENTENCE: usize = 60;

/// A sentence that may be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Which of the sources it is from.
    pub(super) child: usize,
    /// The sentence as it would stand in the summary.
    pub(super) sentence: Sentence,
    /// What it tells. Nothing if it only says that there was small talk.
    pub(super) worth: Worth,
}

/// The best sentences of each source, in order of time: first each source's best, then the second ones, and so on.
pub(super) fn pool(grain: Grain, base: Option<&Base>, sources: &[&Memory], budget: Budget) -> Vec<Candidate> {
    let quotes = match base {
        Some(base) => beside(base, quotes(grain, sources, budget)),
        None => quotes(grain, sources, budget),
    };
    let names = Names::of(quotes.iter().filter_map(|quote| quote.speaker));
    let candidate = |quote: &Quote| quote.candidate(grain, budget, &names);
    let mut ranked = ranked(&quotes, |quote| candidate(quote).worth.full());
    ranked.truncate(POOL);
    ranked.sort_unstable();
    let pool = ranked.into_iter().map(|index| candidate(&quotes[index])).collect();
    if grain > Grain::Daily { pool } else { told_or_all(pool) }
}

/// A sealed day in which there was only small talk has more to say once something was told late.
fn told_or_all(pool: Vec<Candidate>) -> Vec<Candidate> {
    let (small_talk, told): (Vec<_>, Vec<_>) = pool
        .into_iter()
        .partition(|candidate| small_talk::is(candidate.sentence.speaker.as_deref(), &candidate.sentence.text));
    if told.is_empty() { small_talk } else { told }
}

/// The places of the quotes that tell something, by rank within their child, then by worth, then in order of time.
fn ranked(quotes: &[Quote], worth: impl Fn(&Quote) -> f64) -> Vec<usize> {
    let worths: Vec<f64> = quotes.iter().map(worth).collect();
    let better = |one: &usize, other: &usize| worths[*other].total_cmp(&worths[*one]).then(one.cmp(other));
    let tells = |index: &usize| worths[*index] > 0.0 || quotes[*index].is_small_talk();
    let mut places: Vec<usize> = (0..quotes.len()).filter(tells).collect();
    places.sort_by(|one, other| quotes[*one].child.cmp(&quotes[*other].child).then(better(one, other)));
    let mut ranks = vec![0; quotes.len()];
    for pair in places.windows(2) {
        let same_child = quotes[pair[0]].child == quotes[pair[1]].child;
        ranks[pair[1]] = if same_child { ranks[pair[0]] + 1 } else { 0 };
    }
    places.sort_by(|one, other| ranks[*one].cmp(&ranks[*other]).then(better(one, other)));
    places
}

/// A sentence as it stands in a source.
struct Quote<'a> {
    child: usize,
    day: Date,
    speaker: Option<&'a str>,
    text: &'a str,
    from: &'a [MemoryId],
}

impl Quote<'_> {
    fn is_small_talk(&self) -> bool {
        small_talk::is(self.speaker, self.text)
    }

    fn candidate(&self, grain: Grain, budget: Budget, names: &Names) -> Candidate {
        let room = room(grain, budget, self.day, self.speaker);
        let text = cut(self.text, room);
        let worth = if self.is_small_talk() { Worth::default() } else { worth::of(&text, length(&text), names) };
        let speaker = self.speaker.map(str::to_owned);
        let sentence = Sentence { day: self.day, speaker, text, from: self.from.to_vec() };
        Candidate { child: self.child, sentence, worth }
    }
}

/// The words that the longest sentence may have.
fn room(grain: Grain, budget: Budget, day: Date, speaker: Option<&str>) -> usize {
    SENTENCE.min(budget.room(&lines::head(grain, day, speaker)))
}

/// What came late beside the base, by day. Among those of one day the base comes first: when its turns were said is not
/// known any more.
fn beside<'a>(base: &'a Base, late: Vec<Quote<'a>>) -> Vec<Quote<'a>> {
    let child = late.iter().map(|quote| quote.child + 1).max().unwrap_or_default();
    let mut quotes: Vec<Quote> = of_sentences(child, &base.sentences).into_iter().chain(late).collect();
    quotes.sort_by_key(|quote| quote.day);
    quotes
}

fn quotes<'a>(grain: Grain, sources: &[&'a Memory], budget: Budget) -> Vec<Quote<'a>> {
    if grain > Grain::Daily {
        return sources
            .iter()
            .enumerate()
            .flat_map(|(child, summary)| of_sentences(child, &summary.sentences))
            .collect();
    }
    let people_spoke = sources.iter().any(|turn| is_persons(turn) && !turn.text.trim().is_empty());
    let turns = sources.iter().enumerate().filter(|(_, turn)| is_persons(turn) || !people_spoke);
    turns.flat_map(|(child, turn)| of_turn(child, turn, budget)).collect()
}

/// Instructions and the answers of tools are not what was lived; they are quoted only where nobody said a word.
fn is_persons(turn: &Memory) -> bool {
    !matches!(turn.role, Some(Role::System | Role::Tool))
}

fn of_turn<'a>(child: usize, turn: &'a Memory, budget: Budget) -> Vec<Quote<'a>> {
    let quote = |text| Quote {
        child,
        day: turn.days.0,
        speaker: turn.speaker.as_deref(),
        text,
        from: std::slice::from_ref(&turn.id),
    };
    let room = room(Grain::Daily, budget, turn.days.0, turn.speaker.as_deref());
    split::sentences(&turn.text, room).map(quote).collect()
}

fn of_sentences<'a>(child: usize, sentences: &'a [Sentence]) -> Vec<Quote<'a>> {
    let quote = |sentence: &'a Sentence| Quote {
        child,
        day: sentence.day,
        speaker: sentence.speaker.as_deref(),
        text: &sentence.text,
        from: &sentence.from,
    };
    let (small_talk, told): (Vec<_>, Vec<_>) = sentences.iter().map(quote).partition(Quote::is_small_talk);
    if told.is_empty() { small_talk } else { told }
}
