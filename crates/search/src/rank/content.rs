//! Step 4: what a memory says, who says it and when, and how often it was given out, once it was read back.

use annals_core::ports::Access;
use annals_core::{Kind, Timestamp};

use super::Ranked;
use super::words::says_a_time;
use crate::Weights;
use crate::question::{Question, is_wide};
use crate::score::Part;

/// Words of a turn whose length neither adds nor takes away: the middle of what people write in chats.
const USUAL_WORDS: f64 = 20.0;
/// Beyond so many times the usual, or so small a part of it, length makes no more difference.
const MOST_DOUBLINGS: f64 = 2.0;
const SECONDS_A_DAY: f64 = 86_400.0;

/// What the question is asked with.
pub(crate) struct Asked<'a> {
    pub(crate) question: &'a Question,
    /// The instants of the days that it speaks of.
    pub(crate) said: &'a [annals_core::Interval],
    pub(crate) now: Timestamp,
}

/// Adds what the content comes to.
pub(crate) fn content(ranked: &mut Ranked, asked: &Asked<'_>, weights: &Weights) {
    let Ranked { memory, access, score } = ranked;
    if memory.kind == Kind::Turn {
        if memory.speaker.as_deref().is_some_and(|speaker| asked.question.names(speaker)) {
            score.add(Part::Speaker, weights.speaker);
        }
        if asks(&memory.text) {
            score.add(Part::Question, -weights.question);
        }
        score.add(Part::Length, weights.length * doublings(&memory.text));
    }
    if asked.question.asks_when && says_a_time(&memory.text) {
        score.add(Part::When, weights.when);
    }
    if asked.said.iter().any(|said| said.overlaps(&memory.cover)) {
        score.add(Part::Said, weights.said);
    }
    if asked.question.about_now {
        score.add(Part::Recency, weights.recency * faded(memory.cover.end, asked.now, weights.half_life));
    }
    score.add(Part::Importance, weights.importance * memory.importance.unwrap_or(0.0));
    score.add(Part::Confidence, weights.confidence * (1.0 - memory.confidence.unwrap_or(1.0)));
    if let Some(access) = access {
        score.add(Part::Access, weights.access * usage(*access, asked.now, weights));
    }
    if memory.pinned {
        score.add(Part::Pinned, weights.pinned);
    }
    score.add(Part::Kind, kind(memory.kind, weights));
}

fn kind(kind: Kind, weights: &Weights) -> f64 {
    match kind {
        Kind::Turn => 0.0,
        Kind::Fact => weights.statement,
        Kind::Summary => weights.summary,
    }
}

/// Whether it ends with a question; what stands in brackets, as pictures do, is not said.
fn asks(text: &str) -> bool {
    let said = text.rfind('[').filter(|_| text.trim_end().ends_with(']')).map_or(text, |place| &text[..place]);
    said.trim_end().trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c)).ends_with(is_mark)
}

fn is_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟')
}

/// How often the length of the text doubles the usual one; negative for shorter ones.
fn doublings(text: &str) -> f64 {
    let wide = text.chars().filter(|c| is_wide(*c)).count() / 2;
    let words = (text.split_whitespace().count() + wide).max(1) as f64;
    (words / USUAL_WORDS).log2().clamp(-MOST_DOUBLINGS, MOST_DOUBLINGS)
}

/// One for what was given often and just now; less for what was given seldom or long ago.
fn usage(access: Access, now: Timestamp, weights: &Weights) -> f64 {
    let often = (access.times as f64).ln_1p() / weights.often.ln_1p();
    often.min(1.0) * faded(access.last, now, weights.half_life)
}

/// One for what is of this moment or yet to come, half of that for what is of a half-life ago.
fn faded(at: Timestamp, now: Timestamp, half_life: f64) -> f64 {
    let seconds = now.duration_since(at).as_secs_f64().max(0.0);
    0.5_f64.powf(seconds / SECONDS_A_DAY / half_life)
}

#[cfg(test)]
mod tests {
    use annals_core::Memory;

    use super::*;
    use crate::fixture::memory;
    use crate::score::Score;

    #[test]
    fn each_kind_of_memory_is_given_its_parts_and_no_others() {
        /// Asks for a memory of Ann's in twenty words, of which the last is `end`.
        fn check(question: &str, kind: Kind, end: &str, change: fn(&mut Memory), expect: &[&str]) {
            let mut said = memory("m", kind, "2026-03-04".parse().unwrap());
            (said.text, said.speaker) = (format!("{}{end}", "word ".repeat(19)), Some("Ann".into()));
            change(&mut said);
            let mut ranked = Ranked { memory: said, access: None, score: Score::default() };
            let asked = Asked { question: &Question::new(question), said: &[], now: Timestamp::UNIX_EPOCH };
            content(&mut ranked, &asked, &Weights::default());
            let parts: Vec<String> =
                ranked.score.explain().iter().map(|part| format!("{} {}", part.name, part.value)).collect();
            assert_eq!(parts, expect, "{question:?} {kind:?} {end:?}");
        }
        let same = |_: &mut Memory| ();
        check("what?", Kind::Turn, "end", same, &[]);
        check("what did Ann say?", Kind::Turn, "end", same, &["speaker 2"]);
        check("what?", Kind::Turn, "why?", same, &["question -1.5"]);
        check("when?", Kind::Turn, "2019", same, &["when 1"]);
        check("what?", Kind::Turn, "2019", same, &[]);
        check("what?", Kind::Turn, "end", |memory| memory.pinned = true, &["pinned 0.5"]);
        check("what did Ann ask?", Kind::Fact, "why?", |memory| memory.importance = Some(0.5), &["importance 0.25"]);
        check("what did Ann ask?", Kind::Summary, "why?", same, &["kind -0.5"]);
    }

    #[test]
    fn questions_are_told_from_statements() {
        fn check(text: &str, expect: bool) {
            assert_eq!(asks(text), expect, "{text:?}");
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
    fn use_counts_less_and_less_and_fades() {
        let (weights, now) = (Weights::default(), Timestamp::UNIX_EPOCH);
        let days_ago = |days: i64| Timestamp::from_second(-86_400 * days).unwrap();
        let of = |times, days| usage(Access { times, last: days_ago(days) }, now, &weights);
        assert_eq!(of(0, 0), 0.0);
        assert!(of(2, 0) - of(1, 0) > of(3, 0) - of(2, 0));
        assert_eq!((of(20, 0), of(u64::MAX, 0), of(20, -1)), (1.0, 1.0, 1.0), "a clock may have gone back");
        assert_eq!((of(20, 30), of(20, 60)), (0.5, 0.25));
        // Whatever was given however often stays below what fits better by a third of a standard deviation.
        assert!(weights.access * of(u64::MAX, 0) < 1.0 / 3.0);
    }

    #[test]
    fn length_counts_in_doublings() {
        assert_eq!(doublings(&"word ".repeat(40)), 1.0);
        assert_eq!(doublings(&"word ".repeat(2000)), MOST_DOUBLINGS);
        assert_eq!(doublings(""), -MOST_DOUBLINGS);
        assert!(doublings(&"你".repeat(40)) > 0.0);
    }
}
