//! Checks an answer against a diary.

use std::collections::BTreeMap;

use annals_core::{Answer, Error, Grain, Memory, Timestamp};

use super::diary::MICROSECOND;
use super::{Diary, Question, Remembered};

impl Diary {
    /// Panics unless the answer is right.
    ///
    /// The answer must have the expected range and the right `range_is_empty`. For one grain, it must have exactly the memories
    /// in the range, or the newest of them if the limit is smaller. For several grains, a memory may be missing if a result of
    /// another grain shares a day with it. Each result must have the right days, instants and number of days outside. A
    /// question without a range must be answered by an error.
    pub fn check(&self, question: &Question, answer: Result<Answer, Error>) {
        let Some(range) = question.range else {
            assert!(answer.is_err(), "{:?} {question:?}", self.place);
            return;
        };
        let answer = answer.unwrap();
        assert_eq!(answer.range, range, "{:?} {question:?}", self.place);
        for found in &answer.results {
            self.check_extent(&found.memory);
        }
        let query = &question.query;
        let of_grains = |kinds, strict| -> BTreeMap<String, i64> {
            let days = |grain| if grain == Grain::Working { range } else { question.summaries };
            let within = |grain: &Grain| self.within(days(*grain), *grain, kinds, strict);
            let all = answer.grains.iter().flat_map(within);
            all.filter(|(text, _)| self.memories[text].cover.end <= question.now + MICROSECOND).collect()
        };
        let expect = of_grains(&query.kinds, query.strict);
        assert_eq!(answer.range_is_empty, of_grains(&[], false).is_empty(), "{:?} {question:?}", self.place);
        match query.grains[..] {
            [_] if query.limit < expect.len() => self.check_newest(question, &expect, &answer),
            [_] => assert_eq!(found(&answer), expect, "{:?} {question:?}", self.place),
            _ => self.check_folded(question, &expect, &answer),
        }
        assert_eq!(answer.results.len(), found(&answer).len(), "a result comes twice: {:?} {question:?}", self.place);
    }

    fn check_extent(&self, memory: &Memory) {
        let Remembered { grain, kind, label, days, cover } = &self.memories[&memory.text];
        let expect = (*grain, *kind, label.clone(), *days, *cover);
        let found = (memory.grain, memory.kind(), memory.period.to_string(), memory.days, memory.cover);
        assert_eq!(found, expect, "{:?}", self.place);
    }

    /// Checks that the results are the memories that end last. Memories that end at the same time may come in any order.
    fn check_newest(&self, question: &Question, expect: &BTreeMap<String, i64>, answer: &Answer) {
        let ends = |texts: &BTreeMap<String, i64>| {
            let mut ends: Vec<Timestamp> = texts.keys().map(|text| self.memories[text].cover.end).collect();
            ends.sort_by_key(|end| std::cmp::Reverse(*end));
            ends.truncate(question.query.limit);
            ends
        };
        let found = found(answer);
        assert!(found.iter().all(|(text, outside)| expect.get(text) == Some(outside)), "{:?} {question:?}", self.place);
        assert_eq!(ends(&found), ends(expect), "{:?} {question:?}", self.place);
    }

    /// Checks an answer from several grains: every result lies in the range, and every memory of the range that is missing
    /// shares a day with a result of another grain.
    fn check_folded(&self, question: &Question, expect: &BTreeMap<String, i64>, answer: &Answer) {
        let found = found(answer);
        assert!(found.iter().all(|(text, outside)| expect.get(text) == Some(outside)), "{:?} {question:?}", self.place);
        for missing in expect.keys().filter(|text| !found.contains_key(*text)) {
            let is_represented = found.keys().any(|text| is_kin(&self.memories[text], &self.memories[missing]));
            assert!(is_represented, "{missing}: {:?} {question:?}", self.place);
        }
    }
}

fn found(answer: &Answer) -> BTreeMap<String, i64> {
    answer.results.iter().map(|found| (found.memory.text.clone(), found.days_outside)).collect()
}

/// Returns whether two memories of different grains share a day.
fn is_kin(one: &Remembered, other: &Remembered) -> bool {
    one.grain != other.grain && one.days.0 <= other.days.1 && other.days.0 <= one.days.1
}
