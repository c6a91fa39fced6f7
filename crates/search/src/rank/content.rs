//! Step 4: adds scores for a memory that was read back: for its text, speaker, role, length and times, its kind, importance and
//! confidence, how often it was returned, and whether it is pinned.

use annals_core::ports::Access;
use annals_core::{Body, Interval, Kind, Memory, Role, SENTENCE_ENDS, Timestamp, is_wide};

use super::Ranked;
use super::time_words::says_a_time;
use crate::Weights;
use crate::question::{AskedSpeaker, Question};
use crate::score::Part;

/// Number of words of a usual chat turn, which the prior assumes.
const USUAL_WORDS: f64 = 20.0;
/// Prior for the usual length in each role: this many turns of `USUAL_WORDS` words are added to the mean, so that a handful of
/// turns does not set the usual length alone.
const IMAGINED: f64 = 8.0;
/// Limit of the length score, in doublings or halvings of the usual length.
const MOST_DOUBLINGS: f64 = 2.0;
/// A turn with at least this many words outside its questions gets no penalty for asking.
const TELLING_WORDS: f64 = 20.0;
/// Share of the bonus `mentioned` for memories of the week after a named time.
const SHARE_AFTER: f64 = 0.5;
const SECONDS_A_DAY: f64 = 86_400.0;

/// The question, the times that it names, and the time of the search.
pub(crate) struct QuestionContext<'a> {
    pub(crate) question: &'a Question,
    pub(crate) named_times: &'a [NamedTime],
    pub(crate) now: Timestamp,
}

/// A time that the question names.
pub(crate) struct NamedTime {
    pub(crate) itself: Interval,
    /// The same interval, with the week after it.
    pub(crate) with_week_after: Interval,
}

impl NamedTime {
    /// Returns the share of the bonus for a memory of this interval.
    fn share(&self, cover: &Interval) -> f64 {
        match (self.itself.overlaps(cover), self.with_week_after.overlaps(cover)) {
            (true, _) => 1.0,
            (false, true) => SHARE_AFTER,
            (false, false) => 0.0,
        }
    }
}

/// Adds the parts of the score that depend on the memory itself: on its text, speaker, role, length and times, its kind,
/// importance and confidence, its accesses, and whether it is pinned.
pub(crate) fn content(ranked: &mut [Ranked], context: &QuestionContext<'_>, weights: &Weights) {
    let usual = Usual::of(ranked);
    let users = users(ranked, context.question, weights);
    ranked.iter_mut().for_each(|ranked| content_of(ranked, &usual, users, context, weights));
}

fn content_of(ranked: &mut Ranked, usual: &Usual, users: f64, context: &QuestionContext<'_>, weights: &Weights) {
    let Ranked { memory, access, score, .. } = ranked;
    if let Body::Turn { speaker, role, .. } = &memory.body {
        if context.question.names(speaker) {
            score.add(Part::Speaker, weights.speaker);
        }
        if *role == Role::User {
            score.add(Part::Role, users);
        }
        if ends_with_question(&memory.text) {
            score.add(Part::Question, -weights.question * only_asks(&memory.text));
        }
        score.add(Part::Length, weights.length * usual.doublings(memory));
    }
    if context.question.asks_when && says_a_time(&memory.text) {
        score.add(Part::When, weights.when);
    }
    let in_named_time = context.named_times.iter().map(|time| time.share(&memory.cover)).fold(0.0, f64::max);
    score.add(Part::Mentioned, weights.mentioned * in_named_time);
    if context.question.about_now {
        score.add(Part::Recency, weights.recency * faded(memory.cover.end, context.now, weights.half_life));
    }
    if let Body::Statement { importance, confidence, .. } = memory.body {
        score.add(Part::Importance, weights.importance * importance);
        score.add(Part::Confidence, weights.confidence * (1.0 - confidence.unwrap_or(1.0)));
    }
    if let Some(access) = access {
        score.add(Part::Access, weights.access * usage(*access, context.now, weights));
    }
    if memory.pinned {
        score.add(Part::Pinned, weights.pinned);
    }
    score.add(Part::Kind, kind(memory.kind(), weights));
}

/// Returns the score that a user's turn gets for its role: negative if the question asks for the assistant's words. If the
/// question shows no speaker, what users say is the better answer than what an assistant explains.
fn users(ranked: &[Ranked], question: &Question, weights: &Weights) -> f64 {
    let turns = || ranked.iter().filter(|ranked| ranked.memory.kind() == Kind::Turn).map(|ranked| &ranked.memory);
    let has_assistant = || turns().any(|turn| turn.role() == Some(Role::Assistant));
    let names_a_speaker = || turns().any(|turn| turn.speaker().is_some_and(|speaker| question.names(speaker)));
    match question.asked_speaker {
        Some(AskedSpeaker::Asker) => weights.own_words,
        Some(AskedSpeaker::Assistant) => -weights.your_words,
        None if has_assistant() && !names_a_speaker() => weights.told_words,
        None => 0.0,
    }
}

fn kind(kind: Kind, weights: &Weights) -> f64 {
    match kind {
        Kind::Turn | Kind::Passage => 0.0,
        Kind::Statement => weights.statement,
        Kind::Summary => weights.summary,
    }
}

/// Returns whether the text ends with a question. Ignores a trailing text in brackets, such as the caption of a picture.
fn ends_with_question(text: &str) -> bool {
    without_caption(text).trim_end().trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c)).ends_with(is_mark)
}

fn without_caption(text: &str) -> &str {
    text.rfind('[').filter(|_| text.trim_end().ends_with(']')).map_or(text, |index| &text[..index])
}

/// Returns 1 for a text that consists of questions, falling to 0 for a text with `TELLING_WORDS` words outside its questions.
/// Chinese joins statements and a question by commas.
fn only_asks(text: &str) -> f64 {
    let is_end = |c: char| SENTENCE_ENDS.contains(&c) || is_mark(c) || matches!(c, '，' | '；');
    let sentences = without_caption(text).split_inclusive(is_end).filter(|sentence| !sentence.ends_with(is_mark));
    1.0 - (sentences.map(words).sum::<f64>() / TELLING_WORDS).min(1.0)
}

fn is_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟')
}

/// The usual length of turns of users and of all other roles, as the mean binary logarithm of their word counts.
struct Usual {
    users: f64,
    others: f64,
}

impl Usual {
    /// Computes the usual lengths among these memories.
    fn of(ranked: &[Ranked]) -> Usual {
        let of_users = |ranked: &&Ranked| ranked.memory.role() == Some(Role::User);
        let turns = || ranked.iter().filter(|ranked| ranked.memory.kind() == Kind::Turn);
        Usual { users: mean(turns().filter(of_users)), others: mean(turns().filter(|ranked| !of_users(ranked))) }
    }

    /// Returns the binary logarithm of the turn's length divided by the usual length: 1 for twice the usual length, -1 for
    /// half. Clamped to `MOST_DOUBLINGS` on both sides.
    fn doublings(&self, memory: &Memory) -> f64 {
        let usual = if memory.role() == Some(Role::User) { self.users } else { self.others };
        (words(&memory.text).max(1.0).log2() - usual).clamp(-MOST_DOUBLINGS, MOST_DOUBLINGS)
    }
}

fn mean<'r>(turns: impl Iterator<Item = &'r Ranked>) -> f64 {
    let begin = (IMAGINED * USUAL_WORDS.log2(), IMAGINED);
    let add = |(sum, count): (f64, f64), turn: &Ranked| (sum + words(&turn.memory.text).max(1.0).log2(), count + 1.0);
    let (sum, count) = turns.fold(begin, add);
    sum / count
}

/// Counts the words between spaces, plus one for every two characters of a wide script.
fn words(text: &str) -> f64 {
    if text.is_ascii() {
        // Fast path: when words were counted by characters, this took a fifth of the time of a search over long messages.
        return text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() as f64;
    }
    let wide = text.chars().filter(|c| is_wide(*c)).count() / 2;
    (text.split_whitespace().count() + wide) as f64
}

/// Returns 1 for a memory that was returned `weights.often` times or more and just now; less, down to 0, for a memory that was
/// returned seldom or long ago.
fn usage(access: Access, now: Timestamp, weights: &Weights) -> f64 {
    let often = (access.times as f64).ln_1p() / weights.often.ln_1p();
    often.min(1.0) * faded(access.last, now, weights.half_life)
}

/// Returns 1 for a time that is now or in the future. The value halves with every half-life before now.
fn faded(at: Timestamp, now: Timestamp, half_life: f64) -> f64 {
    let seconds = now.duration_since(at).as_secs_f64().max(0.0);
    0.5_f64.powf(seconds / SECONDS_A_DAY / half_life)
}

#[cfg(test)]
mod tests {
    use annals_core::Fit;

    use super::*;
    use crate::fixture::{memory, summarized, turn_body};
    use crate::score::Score;

    #[test]
    fn each_kind_of_memory_gets_only_its_score_parts() {
        /// Scores a memory with a text of twenty words that ends with `end`, and expects these score parts.
        fn check(question: &str, memory: Memory, end: &str, expect: &[&str]) {
            let kind = memory.kind();
            let memory = Memory { text: format!("{}{end}", "word ".repeat(19)), ..memory };
            let mut ranked = [Ranked { memory, access: None, score: Score::default(), fit: Fit::default() }];
            let context = QuestionContext {
                question: &Question::new(question, "en"),
                named_times: &[],
                now: Timestamp::UNIX_EPOCH,
            };
            content(&mut ranked, &context, &Weights { length: 0.0, ..Weights::default() });
            let parts: Vec<String> =
                ranked[0].score.explain().iter().map(|part| format!("{} {}", part.name, part.value)).collect();
            assert_eq!(parts, expect, "{question:?} {kind:?} {end:?}");
        }
        let of = |body| memory("m", "2026-03-04".parse().unwrap(), body);
        let turn = |role| of(turn_body("Ann", role));
        check("what?", turn(Role::User), "end", &[]);
        check("what did Ann say?", turn(Role::User), "end", &["speaker 2"]);
        check("what?", turn(Role::User), "why?", &["question -1.5"]);
        check("where do I live?", turn(Role::User), "end", &["role 3"]);
        check("where do I live?", turn(Role::Assistant), "end", &[]);
        check("what did you say?", turn(Role::User), "end", &["role -1.5"]);
        check("when?", turn(Role::User), "2019", &["when 1"]);
        check("what?", turn(Role::User), "2019", &[]);
        check("what?", Memory { pinned: true, ..turn(Role::User) }, "end", &["pinned 0.5"]);
        let speaker = Some("Ann".into());
        let statement = of(Body::Statement { speaker, sources: Vec::new(), importance: 0.5, confidence: Some(0.25) });
        check("what did Ann ask?", statement, "why?", &["importance 0.25", "confidence -0.375"]);
        check("what did Ann ask?", of(summarized()), "why?", &["kind -0.5"]);
    }

    #[test]
    fn users_gain_if_the_question_shows_no_speaker() {
        fn check(question: &str, roles: &[Role], expect: f64) {
            let turn = |role: &Role| memory("m", "2026-03-04".parse().unwrap(), turn_body("Ann", *role));
            let row = |memory| Ranked { memory, access: None, score: Score::default(), fit: Fit::default() };
            let ranked: Vec<Ranked> = roles.iter().map(turn).map(row).collect();
            assert_eq!(users(&ranked, &Question::new(question, "en"), &Weights::default()), expect, "{question:?}");
        }
        check("Which trees have pears?", &[Role::User, Role::Assistant], 2.0);
        check("Which trees have pears?", &[Role::User], 0.0);
        check("Which trees does Ann have?", &[Role::User, Role::Assistant], 0.0);
        check("Which trees do I have?", &[Role::User], 3.0);
        check("Which trees did you name?", &[Role::User, Role::Assistant], -1.5);
    }

    #[test]
    fn questions_are_distinguished_from_statements() {
        fn check(text: &str, expect: bool) {
            assert_eq!(ends_with_question(text), expect, "{text:?}");
        }
        check("How are you?", true);
        check("How are you? :)", true);
        check("Really?! [shared a picture: a boat]", true);
        check("How are you? I am fine.", false);
        check("你好吗？", true);
        check("A boat [shared a picture: why?]", false);
        check("", false);
    }

    #[test]
    fn access_counts_logarithmically_and_fades() {
        let (weights, now) = (Weights::default(), Timestamp::UNIX_EPOCH);
        let days_ago = |days: i64| Timestamp::from_second(-86_400 * days).unwrap();
        let of = |times, days| usage(Access { times, last: days_ago(days) }, now, &weights);
        assert_eq!(of(0, 0), 0.0);
        assert!(of(2, 0) - of(1, 0) > of(3, 0) - of(2, 0));
        assert_eq!((of(20, 0), of(u64::MAX, 0), of(20, -1)), (1.0, 1.0, 1.0), "a clock may have gone back");
        assert_eq!((of(20, 30), of(20, 60)), (0.5, 0.25));
        // The maximum of the access score stays below a third of a standard deviation.
        assert!(weights.access * of(u64::MAX, 0) < 1.0 / 3.0);
    }

    #[test]
    fn question_penalty_falls_with_the_other_words_of_a_turn() {
        fn check(text: &str, expect: f64) {
            assert!((only_asks(text) - expect).abs() < 1e-9, "{text:?}: {}", only_asks(text));
        }
        check("How are you?", 1.0);
        check("I moved to Bern last week. Where can I swim?", 0.7);
        check(&format!("{}. And you?", "word ".repeat(20)), 0.0);
        check("我上周搬到了北京朝阳区，你呢？", 0.65);
        check("", 1.0);
    }

    #[test]
    fn length_counts_in_doublings_of_the_usual_length_of_the_role() {
        let turn = |role, words: usize| {
            let mut memory = memory("m", "2026-03-04".parse().unwrap(), turn_body("Ann", role));
            memory.text = "word ".repeat(words);
            Ranked { memory, access: None, score: Score::default(), fit: Fit::default() }
        };
        let usual = Usual::of(&[]);
        let check = |words, expect| assert_eq!(usual.doublings(&turn(Role::User, words).memory), expect);
        check(40, 1.0);
        check(2000, MOST_DOUBLINGS);
        check(0, -MOST_DOUBLINGS);
        let ranked: Vec<Ranked> = (0..100).map(|_| turn(Role::Assistant, 320)).collect();
        let usual = Usual::of(&ranked);
        assert!(usual.doublings(&ranked[0].memory) < 0.5, "long answers are usual");
        assert_eq!(usual.doublings(&turn(Role::User, 40).memory), 1.0);
        assert!(words(&"你".repeat(40)) == 20.0 + 1.0);
    }
}
