//! Generated calendar tests over zones, days, grains and time bounds: an answer holds everything inside the range and nothing
//! else. [`annals_testkit::calendar`] computes the expected results independently of the code under test. The crate
//! `simulation` tests the same while time passes.

use annals_core::ports::{Journal, OnConflict};
use annals_core::prelude::*;
use annals_core::{Extracted, Extraction, Settings};
use annals_testkit::agent;
use annals_testkit::calendar::{Diary, PLACES, Place, bounds};
use futures::executor::block_on;

use super::*;
use crate::fixture::World;

/// Each place tests one in this many of the time bounds, beginning at another offset than the place before.
const STEP: usize = 4;
/// One in this many of the tested time bounds is also tested with a search text. Not all are, because ranking takes long.
const WITH_A_TEXT: usize = 5;

/// Returns stores that hold the whole diary: its turns, summaries and statements.
async fn world(diary: &Diary) -> World {
    let (world, me, now) = (World::new(), agent("a"), diary.place.now());
    let mut settings = Settings { time_zone: diary.place.zone.into(), ..Settings::default() };
    for step in diary.place.moves {
        settings.set_time_zone(step.to, true, step.at.parse().unwrap()).unwrap();
    }
    world.catalog.save_settings(&me, &settings).await.unwrap();
    world.catalog.ingest(&me, diary.turns(&me), OnConflict::Refuse, now).await.unwrap();
    let turns: Vec<MemoryId> = diary.turns(&me).into_iter().map(|turn| turn.id).collect();
    world.catalog.save_summaries(&me, diary.summaries(&turns[0]), now).await.unwrap();
    let found = Extracted { statements: diary.statements(&me), ..Extracted::default() };
    let extraction = Extraction { turns, found, after: 0, extracted: 1, degraded: None };
    world.catalog.save_extraction(&me, extraction, now).await.unwrap();
    world.project().await;
    world
}

async fn check(place: Place, offset: usize) -> usize {
    let now = place.now();
    let diary = Diary::new(place).as_of(now);
    let world = world(&diary).await;
    let mut checks = 0;
    for (number, bounds) in bounds(&diary, now).iter().skip(offset % STEP).step_by(STEP).enumerate() {
        for question in bounds.each(number % WITH_A_TEXT == 0) {
            diary.check(&question, world.search.answer(&agent("a"), &question.query, question.now).await);
            checks += 1;
        }
    }
    checks
}

fn check_all(places: impl Iterator<Item = Place>) {
    for (offset, place) in places.enumerate() {
        let checks = block_on(check(place, offset));
        assert!(checks > 4_000, "only {checks} checks of {place:?}");
    }
}

#[test]
fn range_holds_exactly_the_memories_inside_it() {
    check_all(PLACES.into_iter().filter(|place| place.moves.is_empty()));
}

#[test]
fn range_holds_exactly_the_memories_inside_it_after_moves() {
    check_all(PLACES.into_iter().filter(|place| !place.moves.is_empty()));
}
