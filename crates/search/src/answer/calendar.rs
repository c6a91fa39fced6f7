//! The generated calendar suite: whatever zone, day, grain and way to ask for a time, an answer holds all that lies in the range and
//! nothing else. What should be found is worked out by [`annals_testkit::calendar`], which knows nothing of the code under test.

mod life;

use std::sync::Arc;

use annals_core::ports::Journal;
use annals_core::{Catalog, Extracted, Extraction};
use annals_testkit::calendar::{Diary, PLACES, Place, bounds};
use annals_testkit::{MemoryCatalog, MemoryStrata, agent};
use futures::executor::block_on;
use life::Life;

use super::*;
use crate::fixture::World;

/// One in so many bounds of time is asked for at each place; at every place another.
const ASKED: usize = 4;
/// One in so many of these with a text as well: ranking takes its time.
const WITH_A_TEXT: usize = 5;

/// A world in which everything has happened.
async fn world(diary: &Diary) -> World {
    let (world, me, now) = (World::new(), agent("a"), diary.place.now());
    let mut settings = Settings { time_zone: diary.place.zone.into(), ..Settings::default() };
    for step in diary.place.moves {
        settings.set_time_zone(step.to, true, step.at.parse().unwrap()).unwrap();
    }
    world.catalog.save_settings(&me, &settings).await.unwrap();
    world.catalog.ingest(&me, diary.turns(&me), false, now).await.unwrap();
    let turns: Vec<MemoryId> = diary.turns(&me).into_iter().map(|turn| turn.id).collect();
    world.catalog.save_summaries(&me, diary.summaries(&turns[0]), now).await.unwrap();
    let found = Extracted { statements: diary.statements(&me), ..Extracted::default() };
    let extraction = Extraction { turns, found, extracted: 1, degraded: None };
    world.catalog.save_extraction(&me, extraction, now).await.unwrap();
    world.project().await;
    world
}

async fn check(place: Place, offset: usize) -> usize {
    let now = place.now();
    let diary = Diary::new(place).as_of(now);
    let world = world(&diary).await;
    let mut checks = 0;
    for (number, bounds) in bounds(&diary, now).iter().skip(offset % ASKED).step_by(ASKED).enumerate() {
        for asked in bounds.each(number % WITH_A_TEXT == 0) {
            diary.check(&asked, world.search.answer(&agent("a"), &asked.query, asked.now).await);
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
fn a_range_holds_all_and_only_what_lies_in_it() {
    check_all(PLACES.into_iter().filter(|place| place.moves.is_empty()));
}

#[test]
fn so_it_does_for_who_moves() {
    check_all(PLACES.into_iter().filter(|place| !place.moves.is_empty()));
}

#[test]
fn so_it_does_as_time_goes_by() {
    for place in PLACES {
        let checks = block_on(async {
            let life = Life::new(place, Arc::new(MemoryCatalog::new()), Arc::new(MemoryStrata::new())).await;
            life.live(11, 90).await
        });
        assert!(checks > 300, "only {checks} checks of {place:?}");
    }
}
