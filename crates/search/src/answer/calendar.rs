//! The generated calendar suite: whatever zone, day, grain and way to ask for a time, an answer holds all that lies in the range and
//! nothing else. What should be found is worked out by [`annals_testkit::calendar`], which knows nothing of the code under test.

use std::collections::{BTreeSet, HashMap};

use annals_core::ports::Journal;
use annals_core::{Catalog, Extracted, Extraction, Kind};
use annals_testkit::agent;
use annals_testkit::calendar::{Diary, Entry, PLACES, Place, Question, Remembered, questions};
use futures::executor::block_on;

use super::*;
use crate::fixture::World;

/// One in so many questions is asked at each place, at every place another.
const ASKED: usize = 4;
/// One in so many of these is also asked with a text: ranking takes its time.
const WITH_A_TEXT: usize = 5;
/// Far fewer than there are.
const FEW: usize = 3;

/// A place with everything that happens there in memory.
struct Suite {
    place: Place,
    diary: Diary,
    memories: HashMap<String, Remembered>,
    world: World,
    checks: usize,
}

impl Suite {
    async fn new(place: Place) -> Suite {
        let (world, diary, me) = (World::new(), Diary::new(&place, place.now()), agent("a"));
        let mut settings = Settings { time_zone: place.zone.into(), ..Settings::default() };
        for step in place.moves {
            settings.set_time_zone(step.to, true, step.at.parse().unwrap()).unwrap();
        }
        world.catalog.save_settings(&me, &settings).await.unwrap();
        world.catalog.ingest(&me, diary.turns(&me), false, place.now()).await.unwrap();
        let turns = diary.turns(&me).into_iter().map(|turn| turn.id).collect();
        let found = Extracted { statements: diary.statements(&me), ..Extracted::default() };
        let extraction = Extraction { turns, found, extracted: 1, degraded: None };
        world.catalog.save_extraction(&me, extraction, place.now()).await.unwrap();
        world.catalog.save_summaries(&me, diary.summaries(&me), place.now()).await.unwrap();
        world.project().await;
        let memories = diary.memories.iter().map(|memory| (memory.text.clone(), memory.clone())).collect();
        Suite { place, diary, memories, world, checks: 0 }
    }

    /// Asks for the time of a question; what else is asked for stands in `query`. None if the range cannot be.
    async fn ask(&mut self, question: &Question, query: &Query) -> Option<(DateRange, Answer)> {
        self.checks += 1;
        let Query { from, to, min_days_ago, max_days_ago, period, .. } = question.query;
        let query = Query { from, to, min_days_ago, max_days_ago, period, ..query.clone() };
        let answer = self.world.search.answer(&agent("a"), &query, question.now).await;
        let Some(range) = question.range else {
            assert!(answer.is_err(), "{:?} {query:?}", self.place);
            return None;
        };
        let answer = answer.unwrap();
        assert_eq!(answer.range, range, "{:?} {query:?}", self.place);
        for found in &answer.results {
            self.check_extent(&found.memory);
        }
        Some((range, answer))
    }

    fn check_extent(&self, memory: &Memory) {
        let Remembered { label, days, cover, .. } = &self.memories[&memory.text];
        let found = (memory.period.to_string(), memory.days, memory.cover);
        assert_eq!(found, (label.clone(), *days, *cover), "{:?}", self.place);
    }

    /// One grain: all and only what lies in the range, each with the days that do not.
    async fn check(&mut self, question: &Question, query: Query) {
        let Some((range, answer)) = self.ask(question, &query).await else { return };
        let context = || format!("{:?}, {query:?}, {question:?}", self.place);
        let expect = self.diary.within(range, query.grains[0], &query.kinds, query.strict);
        assert_eq!(entries(&answer), expect, "{}", context());
        assert_eq!(answer.results.len(), expect.len(), "twice: {}", context());
        let is_empty = self.diary.within(range, query.grains[0], &[], false).is_empty();
        assert_eq!(answer.range_is_empty, is_empty, "{}", context());
    }

    /// A short list has the newest of the range, as many as it may.
    async fn check_newest(&mut self, question: &Question, query: Query) {
        let Some((range, answer)) = self.ask(question, &query).await else { return };
        let ends = |texts: &mut dyn Iterator<Item = &str>| {
            let mut ends: Vec<Timestamp> = texts.map(|text| self.memories[text].cover.end).collect();
            ends.sort_by_key(|end| std::cmp::Reverse(*end));
            ends.truncate(query.limit);
            ends
        };
        let expect = self.diary.within(range, query.grains[0], &query.kinds, query.strict);
        let expect = ends(&mut expect.iter().map(|(text, _)| text.as_str()));
        let found = ends(&mut answer.results.iter().map(|found| found.memory.text.as_str()));
        assert_eq!((found, answer.results.len()), (expect.clone(), expect.len()), "{:?} {query:?}", self.place);
    }

    /// Several grains at once, or those that Annals chooses: nothing that is not in the range, and what is missing is told of by
    /// something above or below it.
    async fn check_folded(&mut self, question: &Question, query: Query) {
        let Some((range, answer)) = self.ask(question, &query).await else { return };
        let within = |grain: &Grain| self.diary.within(range, *grain, &[], query.strict);
        let expect: BTreeSet<Entry> = answer.grains.iter().flat_map(within).collect();
        let found = entries(&answer);
        assert!(found.is_subset(&expect), "{:?} {query:?} {question:?}", self.place);
        for (text, _) in expect.difference(&found) {
            let missing = &self.memories[text];
            let is_told = found.iter().any(|(text, _)| is_kin(&self.memories[text], missing));
            assert!(is_told, "{:?} {query:?} {question:?}: {missing:?}", self.place);
        }
    }
}

fn entries(answer: &Answer) -> BTreeSet<Entry> {
    answer.results.iter().map(|found| (found.memory.text.clone(), found.days_outside)).collect()
}

/// Whether one tells of days that the other tells of, at another grain.
fn is_kin(one: &Remembered, other: &Remembered) -> bool {
    one.grain != other.grain && one.days.0 <= other.days.1 && other.days.0 <= one.days.1
}

/// All that is asked for a question.
async fn walk(suite: &mut Suite, question: &Question, with_a_text: bool) {
    let text = with_a_text.then(|| "word".to_owned());
    let all = Query { limit: MOST_RESULTS, ..Query::default() };
    for (grain, strict) in Grain::ALL.into_iter().flat_map(|grain| [(grain, false), (grain, true)]) {
        let query = Query { grains: vec![grain], strict, ..all.clone() };
        suite.check(question, query.clone()).await;
        suite.check_newest(question, Query { limit: FEW, ..query.clone() }).await;
        if with_a_text {
            suite.check(question, Query { text: text.clone(), ..query }).await;
        }
    }
    for kind in [Kind::Turn, Kind::Fact] {
        let query = Query { grains: vec![Grain::Working], kinds: vec![kind], text: text.clone(), ..all.clone() };
        suite.check(question, query.clone()).await;
        suite.check_newest(question, Query { limit: FEW, text: None, ..query }).await;
    }
    suite.check_folded(question, Query { text: text.clone(), ..all.clone() }).await;
    suite.check_folded(question, Query { text, strict: true, grains: Grain::ALL.to_vec(), ..all }).await;
}

fn check_places(places: &[Place]) {
    let mut checks = 0;
    for (offset, place) in places.iter().enumerate() {
        let mut suite = block_on(Suite::new(*place));
        let questions = questions(&suite.diary, place.now());
        for (number, question) in questions.iter().skip(offset % ASKED).step_by(ASKED).enumerate() {
            block_on(walk(&mut suite, question, number % WITH_A_TEXT == 0));
        }
        checks += suite.checks;
    }
    assert!(checks > 5_000 * places.len(), "only {checks} checks of {} places", places.len());
}

#[test]
fn a_range_holds_all_and_only_what_lies_in_it() {
    check_places(&PLACES.into_iter().filter(|place| place.moves.is_empty()).collect::<Vec<_>>());
}

#[test]
fn so_it_does_for_who_moves() {
    check_places(&PLACES.into_iter().filter(|place| !place.moves.is_empty()).collect::<Vec<_>>());
}
