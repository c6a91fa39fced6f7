//! The sentences that a summary is chosen from.

use std::borrow::Cow;

use annals_core::{Base, Date, Grain, Memory, MemoryId, Role, Sentence};

use super::budget::{Budget, cut, length};
use super::language::Language;
use super::names::Names;
use super::standing::{self, Standing};
use super::tokens::tokens;
use super::worth::{self, Worth};
use super::{lines, reading, small_talk};

/// So many sentences are compared with each other at most, whatever the input: a turn of ten megabytes holds a hundred
/// thousand. No budget has room for as many.
const POOL: usize = 512;

/// So many sentences are kept where none says anything definite: a trace, rather than a page of fillers.
const WEAK: usize = 2;

/// The most words of one sentence; longer ones are cut.
const SENTENCE: usize = 60;

/// What an assistant without a name explains is worth less than what is said to it.
const EXPLAINED: f64 = 0.35;

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

/// The best sentences of each source, in order of time: first each source's best, then the second ones, and so on. Only those that
/// stand alone, if there are any.
pub(super) fn pool(grain: Grain, base: Option<&Base>, sources: &[&Memory], budget: Budget) -> Vec<Candidate> {
    let names = Names::of(speakers(base, sources));
    let quotes = match base {
        Some(base) => beside(base, quotes(grain, sources, budget, &names)),
        None => quotes(grain, sources, budget, &names),
    };
    let candidate = |quote: &Quote| quote.candidate(grain, budget, &names);
    let judged: Vec<(f64, Standing)> = quotes.iter().map(|quote| quote.judged(&candidate(quote))).collect();
    let mut ranked = ranked(&quotes, &judged);
    let is_weak = best(&judged).is_some_and(|best| best > Standing::Alone);
    ranked.truncate(if is_weak { WEAK } else { POOL });
    ranked.sort_unstable();
    let pool = ranked.into_iter().map(|index| candidate(&quotes[index])).collect();
    if grain > Grain::Daily { pool } else { told_or_all(pool) }
}

fn speakers<'a>(base: Option<&'a Base>, sources: &[&'a Memory]) -> impl Iterator<Item = &'a str> {
    let kept = base.into_iter().flat_map(|base| &base.sentences);
    let sentences = sources.iter().flat_map(|source| &source.sentences).chain(kept);
    let turns = sources.iter().filter_map(|source| source.speaker.as_deref());
    turns.chain(sentences.filter_map(|sentence| sentence.speaker.as_deref())).collect::<Vec<_>>().into_iter()
}

/// A sealed day in which there was only small talk has more to say once something was told late.
fn told_or_all(pool: Vec<Candidate>) -> Vec<Candidate> {
    let (small_talk, told): (Vec<_>, Vec<_>) = pool
        .into_iter()
        .partition(|candidate| small_talk::is(candidate.sentence.speaker.as_deref(), &candidate.sentence.text));
    if told.is_empty() { small_talk } else { told }
}

/// How those stand that stand best of those that tell something.
fn best(judged: &[(f64, Standing)]) -> Option<Standing> {
    judged.iter().filter(|(worth, _)| *worth > 0.0).map(|(_, standing)| *standing).min()
}

/// The places of the quotes that tell something and stand as well as the best, by rank within their child, then by worth, then
/// in order of time.
fn ranked(quotes: &[Quote], judged: &[(f64, Standing)]) -> Vec<usize> {
    let best = best(judged);
    let better = |one: &usize, other: &usize| judged[*other].0.total_cmp(&judged[*one].0).then(one.cmp(other));
    let tells = |index: &usize| {
        let (worth, standing) = judged[*index];
        quotes[*index].is_small_talk() || (worth > 0.0 && Some(standing) == best)
    };
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

/// A sentence of a source, as it may be quoted.
struct Quote<'a> {
    child: usize,
    day: Date,
    speaker: Option<&'a str>,
    text: Cow<'a, str>,
    language: Language,
    standing: Standing,
    from: &'a [MemoryId],
}

impl Quote<'_> {
    fn is_small_talk(&self) -> bool {
        small_talk::is(self.speaker, &self.text)
    }

    /// What it is worth, and how it stands.
    fn judged(&self, candidate: &Candidate) -> (f64, Standing) {
        let is_faint = self.standing == Standing::Alone && !candidate.worth.is_definite;
        (candidate.worth.full(), if is_faint { Standing::Faint } else { self.standing })
    }

    fn candidate(&self, grain: Grain, budget: Budget, names: &Names) -> Candidate {
        let room = room(grain, budget, self.day, self.speaker);
        let text = cut(&self.text, room);
        let mut worth = if self.is_small_talk() {
            Worth::default()
        } else {
            worth::of(&text, self.language, length(&text), grain, names)
        };
        if self.speaker == Some(Role::Assistant.as_str()) {
            worth.factor *= EXPLAINED;
            worth.is_definite = false;
        }
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

fn quotes<'a>(grain: Grain, sources: &[&'a Memory], budget: Budget, names: &Names) -> Vec<Quote<'a>> {
    if grain > Grain::Daily {
        return sources
            .iter()
            .enumerate()
            .flat_map(|(child, summary)| of_sentences(child, &summary.sentences))
            .collect();
    }
    let people_spoke = sources.iter().any(|turn| is_persons(turn) && !turn.text.trim().is_empty());
    let turns = sources.iter().enumerate().filter(|(_, turn)| is_persons(turn) || !people_spoke);
    turns.flat_map(|(child, turn)| of_turn(child, turn, budget, names)).collect()
}

/// Instructions and the answers of tools are not what was lived; they are quoted only where nobody said a word.
fn is_persons(turn: &Memory) -> bool {
    !matches!(turn.role, Some(Role::System | Role::Tool))
}

fn of_turn<'a>(child: usize, turn: &'a Memory, budget: Budget, names: &Names) -> Vec<Quote<'a>> {
    let room = room(Grain::Daily, budget, turn.days.0, turn.speaker.as_deref());
    let quote = |read: reading::Read| Quote {
        child,
        day: turn.days.0,
        speaker: turn.speaker.as_deref(),
        text: Cow::Owned(read.text),
        language: read.language,
        standing: read.standing,
        from: std::slice::from_ref(&turn.id),
    };
    reading::of(&turn.text, turn.days.0, room, names).into_iter().map(quote).collect()
}

fn of_sentences<'a>(child: usize, sentences: &'a [Sentence]) -> Vec<Quote<'a>> {
    let quote = |sentence: &'a Sentence| {
        let tokens = tokens(&sentence.text);
        let language = Language::of(&tokens);
        Quote {
            child,
            day: sentence.day,
            speaker: sentence.speaker.as_deref(),
            text: Cow::Borrowed(&sentence.text),
            language,
            standing: standing::of(&sentence.text, &tokens, language),
            from: &sentence.from,
        }
    };
    let (small_talk, told): (Vec<_>, Vec<_>) = sentences.iter().map(quote).partition(Quote::is_small_talk);
    if told.is_empty() { small_talk } else { told }
}
