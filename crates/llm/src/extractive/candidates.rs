//! The sentences from which a summary is chosen.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;

use annals_core::{Base, Date, Grain, Memory, MemoryId, Role, Sentence};

use super::budget::{Budget, cut, length};
use super::dependence::{self, Dependence};
use super::language::Language;
use super::names::Names;
use super::record::Form;
use super::story::{self, Story};
use super::tokens::tokens;
use super::worth::{self, Worth};
use super::{answers, corrections, in_order, lines, mails, news, reading, record, recurrence, small_talk, split};

/// Maximum number of sentences that are compared with each other: one message alone can give thousands (`reading`). No budget
/// has room for more.
const POOL: usize = 512;

/// Maximum number of candidates of a chat in which no sentence stands alone and has content: a trace instead of a page of
/// fillers.
const WEAK: usize = 2;

/// Minimum words of a faint line that the daily summary of a record may quote if there is no better line.
const EXPLICIT: usize = 12;

/// Maximum words of a day of a record that is quoted in full.
const BRIEF: usize = 30;

/// Maximum words of one sentence. Longer ones are cut.
const SENTENCE: usize = 60;

/// Minimum turns of a conversation with one writer, and maximum share of its turns that ask or address someone, so that it
/// counts as a log and not as a chat.
const LOG: usize = 4;
const ASKING: f64 = 0.2;

/// Time after which a message does not answer the one before.
const ANSWERED: SignedDuration = SignedDuration::from_hours(4);

/// Factor for sentences of an assistant without a name: its explanations are worth less than what people say to it.
const EXPLAINED: f64 = 0.35;

/// A sentence that may be chosen.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Index of the source.
    pub(super) child: usize,
    /// Index in the source of the sentence with which the candidate begins. Of several candidates that begin with the same
    /// sentence, only one is chosen.
    pub(super) position: usize,
    /// The sentence as it would appear in the summary.
    pub(super) sentence: Sentence,
    /// Content. Empty if the sentence only reports small talk.
    pub(super) worth: Worth,
    /// Whether it can be understood alone.
    pub(super) dependence: Dependence,
    /// Whether it says less than its grain asks for, and is only quoted if the summary would be very short.
    pub(super) is_filling: bool,
}

impl Candidate {
    fn is_small_talk(&self) -> bool {
        small_talk::is(self.sentence.speaker.as_deref(), &self.sentence.text)
    }

    fn is_note(&self) -> bool {
        small_talk::is_of_notes(self.sentence.speaker.as_deref(), &self.sentence.text)
    }
}

/// The input of a summary.
pub(super) struct Input<'a> {
    grain: Grain,
    base: Option<&'a Base>,
    /// The sources of the summary, in order of time.
    pub(super) sources: Vec<&'a Memory>,
    /// Earlier turns of the authors of records, in order of time.
    earlier: Vec<&'a Memory>,
    pub(super) budget: Budget,
    /// Whether the input is a record, in which one author writes and addresses nobody, or a chat.
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

    /// Returns the candidates in order of time: sentences that stand alone and say enough, or a few of the others if there are
    /// none.
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

    /// Returns the messages of a short day that say something, each as one line, without those that are quoted already. Empty for
    /// other periods.
    fn brief(&self, is_quoted: impl Fn(usize) -> bool) -> Vec<Candidate> {
        let spoken: Vec<(usize, &&Memory)> =
            self.sources.iter().enumerate().filter(|(_, turn)| is_persons(turn)).collect();
        let words: usize = spoken.iter().map(|(_, turn)| length(&turn.text)).sum();
        let has_mail =
            || spoken.iter().any(|(_, turn)| mails::parts(&turn.text).iter().any(|part| part.label.is_some()));
        if self.grain > Grain::Daily || self.base.is_some() || words > BRIEF || has_mail() {
            return Vec::new();
        }
        let names = Names::of(speakers(None, &self.sources));
        let whole = |(child, turn): (usize, &&Memory)| {
            let read = reading::whole(&turn.text, turn.days.0, self.form, &self.story(turn))?;
            Some(of_read(child, turn, read, None).judged(self, &names)).filter(|one| one.worth.full() > 0.0)
        };
        spoken.into_iter().filter(|(child, _)| !is_quoted(*child)).filter_map(whole).collect()
    }

    /// Returns the best sentences in order of time.
    fn best(&self) -> Vec<Candidate> {
        let all = self.judged();
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

    /// Returns whether a period without a quotable line has notes in it, rather than small talk.
    pub(super) fn has_notes(&self) -> bool {
        self.form == Form::Record && self.judged().iter().any(|one| one.worth.full() > 0.0 || one.is_note())
    }

    fn kind(&self) -> worth::KindOfText {
        worth::KindOfText { grain: self.grain, form: self.form, is_news: self.is_news }
    }

    /// Returns every sentence in order of time, with its content and its dependence.
    pub(super) fn judged(&self) -> Vec<Candidate> {
        let names = Names::of(speakers(self.base, &self.sources));
        let quotes = quotes(self, &names);
        let quotes = if let Some(base) = self.base { beside(base, quotes) } else { quotes };
        let mut all: Vec<Candidate> = quotes.into_iter().map(|quote| quote.judged(self, &names)).collect();
        if self.grain > Grain::Daily {
            recurrence::rate(&mut all);
        }
        for one in &mut all {
            if one.dependence == Dependence::Independent && !one.worth.is_definite() {
                one.dependence = Dependence::Faint;
                one.is_filling = self.grain > Grain::Daily && one.worth.fills();
            }
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

/// Drops the lines that only say that there was small talk or notes, if others have content.
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
    let mut places: Vec<usize> = (0..candidates.len()).collect();
    places.sort_by(|one, other| candidates[*one].child.cmp(&candidates[*other].child).then(better(one, other)));
    let mut ranks = vec![0; candidates.len()];
    for pair in places.windows(2) {
        let is_same_child = candidates[pair[0]].child == candidates[pair[1]].child;
        ranks[pair[1]] = if is_same_child { ranks[pair[0]] + 1 } else { 0 };
    }
    places.sort_by(|one, other| ranks[*one].cmp(&ranks[*other]).then(better(one, other)));
    places.truncate(most);
    let kept: BTreeSet<usize> = places.into_iter().collect();
    candidates.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, one)| one).collect()
}

fn speakers<'a>(base: Option<&'a Base>, sources: &[&'a Memory]) -> impl Iterator<Item = &'a str> {
    let kept = base.into_iter().flat_map(|base| &base.sentences);
    let sentences = sources.iter().flat_map(|source| source.sentences()).chain(kept);
    let turns = sources.iter().filter_map(|source| source.speaker());
    turns.chain(sentences.filter_map(|sentence| sentence.speaker.as_deref())).collect::<Vec<_>>().into_iter()
}

/// A sentence of a source, as it may be quoted.
struct Quote<'a> {
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
    fn judged(self, input: &Input, names: &Names) -> Candidate {
        let text = cut(&self.text, room(input.grain, input.budget, self.day, self.speaker));
        let mut worth = if small_talk::is(self.speaker, &text) {
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

/// Returns the maximum number of words of a sentence.
fn room(grain: Grain, budget: Budget, day: Date, speaker: Option<&str>) -> usize {
    SENTENCE.min(budget.room(&lines::head(grain, day, speaker)))
}

/// Merges the base with late sentences, by day. On the same day the base comes first, because the time of its turns is no
/// longer known.
fn beside<'a>(base: &'a Base, late: Vec<Quote<'a>>) -> Vec<Quote<'a>> {
    let child = late.iter().map(|quote| quote.child + 1).max().unwrap_or_default();
    let mut quotes: Vec<Quote> = of_sentences(child, &base.sentences, Form::Chat).into_iter().chain(late).collect();
    quotes.sort_by_key(|quote| quote.day);
    quotes
}

fn quotes<'a>(input: &Input<'a>, names: &Names) -> Vec<Quote<'a>> {
    let sources = &input.sources;
    if input.grain > Grain::Daily {
        let of_child = |(child, summary): (usize, &&'a Memory)| of_sentences(child, summary.sentences(), input.form);
        return sources.iter().enumerate().flat_map(of_child).collect();
    }
    let people_spoke = sources.iter().any(|turn| is_persons(turn) && !turn.text.trim().is_empty());
    let turns = sources.iter().enumerate().filter(|(_, turn)| is_persons(turn) || !people_spoke);
    let mut found = Vec::new();
    let mut open_question: Option<(&Memory, String)> = None;
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
        let next = answers::question(&read, names).map(|question| (*turn, question));
        let mut answer = open_question.filter(|(asker, _)| is_answered(asker, turn)).and_then(|(asker, question)| {
            let position = answers::answer(&mut read, asker.speaker()?, &question, names)?;
            Some((position, asker.id.clone()))
        });
        for mut read in read {
            let asker = answer.take_if(|(position, _)| *position == read.position).map(|(_, asker)| asker);
            if story.is_routine(story::parts(&read.text).1) {
                read.dependence = read.dependence.max(Dependence::Faint);
            }
            found.push(of_read(child, turn, read, asker));
        }
        if corrections::is(&turn.text) {
            correct(&mut found, sources, child);
        }
        open_question = next;
    }
    found
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

/// Adds a message that corrects the writer's last message with a time or number to the quotes of that message. An answer to
/// another speaker's question corrects nothing: "Nein, Dienstag".
fn correct(found: &mut [Quote<'_>], sources: &[&Memory], correction: usize) {
    let by = sources[correction];
    let is_same = |turn: &Memory| turn.speaker() == by.speaker() && turn.conversation() == by.conversation();
    let of_conversation = |turn: &&&Memory| turn.conversation() == by.conversation();
    let before = sources[..correction].iter().rfind(of_conversation);
    if before.is_some_and(|before| before.speaker() != by.speaker() && before.text.trim_end().ends_with(['?', '？'])) {
        return;
    }
    let is_corrected = |quote: &&Quote| {
        let is_near = quote.child < correction && correction - quote.child <= corrections::NEAR;
        is_near && is_same(sources[quote.child]) && corrections::has_time(&quote.text)
    };
    let Some(corrected) = found.iter().rfind(is_corrected).map(|quote| quote.child) else { return };
    for quote in found {
        if quote.child == corrected && corrections::has_time(&quote.text) {
            quote.text = Cow::Owned(corrections::joined(&quote.text, &by.text));
            quote.from.to_mut().push(by.id.clone());
        } else if quote.child == correction {
            quote.dependence = quote.dependence.max(Dependence::Leaning);
        }
    }
}

/// Returns the conversations in which more than one speaker takes part, or whose only writer asks or addresses someone. A log
/// with few questions ("since when??") is not a chat, nor are reports of several newspapers.
fn chats<'a>(sources: &[&'a Memory], earlier: &[&'a Memory]) -> BTreeSet<&'a str> {
    let mut speakers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for turn in sources {
        speakers.entry(turn.conversation().unwrap_or_default()).or_default();
    }
    // On a day with one writer, the conversation may still be that of several.
    for turn in sources.iter().chain(earlier) {
        let of_conversation = speakers.get_mut(turn.conversation().unwrap_or_default());
        of_conversation.into_iter().for_each(|known| _ = known.insert(turn.speaker().unwrap_or_default()));
    }
    let is_chat = |(conversation, speakers): &(&str, BTreeSet<&str>)| {
        let is_of_it = |turn: &&&Memory| turn.conversation() == Some(*conversation);
        let count = |turns: &[&Memory], asking: bool| {
            turns.iter().filter(is_of_it).filter(|turn| !asking || record::addresses(&turn.text)).count()
        };
        let asking = count(sources, true);
        let is_log = || {
            let turns = count(sources, false) + count(earlier, false);
            turns >= LOG && (asking + count(earlier, true)) as f64 <= ASKING * turns as f64
        };
        let is_news = || news::is(sources.iter().chain(earlier).filter(is_of_it).copied());
        speakers.len() > 1 && !is_news() || asking > 0 && !is_log()
    };
    speakers.into_iter().filter(is_chat).map(|(conversation, _)| conversation).filter(|one| !one.is_empty()).collect()
}

/// Returns [`Form::Chat`] if several speakers write in the period and not only reports, or one of its conversations is a chat;
/// otherwise [`Form::Record`].
fn form<'a>(base: Option<&'a Base>, sources: &[&'a Memory], earlier: &[&'a Memory]) -> Form {
    let distinct: BTreeSet<&str> = speakers(base, sources).collect();
    let is_of_one = distinct.len() < 2 || news::is(sources.iter().chain(earlier).copied());
    if is_of_one && chats(sources, earlier).is_empty() { Form::Record } else { Form::Chat }
}

/// Returns whether a person or assistant wrote the turn. System and tool turns are quoted only if nobody else said
/// anything.
fn is_persons(turn: &Memory) -> bool {
    !matches!(turn.role(), Some(Role::System | Role::Tool))
}

/// Returns whether a turn can answer the one before it: by another speaker, in the same conversation, soon.
fn is_answered(asker: &Memory, turn: &Memory) -> bool {
    let is_soon = turn.at().duration_since(asker.at()) <= ANSWERED;
    asker.conversation() == turn.conversation() && asker.speaker() != turn.speaker() && is_soon
}

fn of_read<'a>(child: usize, turn: &'a Memory, read: reading::Read, asker: Option<MemoryId>) -> Quote<'a> {
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
        text: Cow::Owned(read.text),
        language: read.language,
        dependence: read.dependence,
        from: Cow::Owned(from),
    }
}

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
    let is_small_talk = |quote: &Quote| small_talk::is(quote.speaker, &quote.text);
    let (small_talk, content): (Vec<_>, Vec<_>) = sentences.iter().enumerate().map(quote).partition(is_small_talk);
    if content.is_empty() { small_talk } else { content }
}
