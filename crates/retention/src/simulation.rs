//! Simulates roll-up and retention through 400 days of failures: downtime, late and repeated messages, a model that is
//! unavailable for three weeks and refuses some texts, extraction that lags, and a clock that once runs a year ahead.
//!
//! Each message has a unique word, and the engines here keep every word. So the texts themselves show whether something was
//! lost, independently of the code that decides.

mod keeper;
mod sets;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use annals_core::ports::{Journal, OnConflict, Select, Turn};
use annals_core::prelude::*;
use annals_core::{Agent, Extracted, Extraction, Grain, Memory, Period, Settings, SignedDuration, Timestamp, Zones};
use annals_summarizer::{Gap, SchedulePolicy, Summarizer};
use annals_testkit::{Dice, MemoryCatalog, agent, at, turn};

use crate::{Hold, Plan, Plans, Pruned, Retention, Totals};
use keeper::Keeper;
use sets::{Sets, sets};

/// A plan under which every grain is pruned within the simulated time.
const SWIFT: &str =
    "working = \"1d\"\ndaily = \"3d\"\nweekly = \"2w\"\nmonthly = \"1mo\"\nquarterly = \"1q\"\nyearly = \"4mo\"";
/// The start of the simulation: well before the end of a year, so that years are pruned too.
const START: &str = "2025-09-10T00:00:00Z";
const NOTHING: [Totals; 6] = [Totals { sets: 0, rows: 0, bytes: 0 }; 6];
const DAYS: i64 = 400;

struct World {
    name: String,
    dice: Dice,
    agent: Agent,
    zones: Zones,
    plan: Plan,
    catalog: Arc<MemoryCatalog>,
    model: Arc<Keeper>,
    summarizer: Summarizer,
    retention: Retention,
    /// Every word that was said, with its turn.
    messages: BTreeMap<String, Turn>,
    messages_sent: i64,
    /// The sequence number of the last message.
    last: u64,
    pruned: [Totals; 6],
    /// How often the clock was confirmed, and how many sealed periods were amended.
    confirmed: u64,
    amended: u64,
}

impl World {
    async fn new(plan: &str, seed: u64) -> World {
        let (agent, catalog, model) = (agent("a"), Arc::new(MemoryCatalog::new()), Arc::new(Keeper::default()));
        let mut plans = Plans::built_in();
        plans.add("swift", SWIFT).unwrap();
        catalog.save_settings(&agent, &Settings { plan: plan.into(), ..Settings::default() }).await.unwrap();
        let policy = SchedulePolicy { grace: SignedDuration::from_mins(30), ..SchedulePolicy::default() };
        let fallback = Arc::new(Keeper::default());
        World {
            name: format!("plan {plan}, seed {seed}"),
            dice: Dice::new(seed),
            zones: Zones::new("UTC").unwrap(),
            plan: plans.get(plan).unwrap().clone(),
            summarizer: Summarizer::new(catalog.clone(), model.clone(), fallback, policy),
            retention: Retention::new(catalog.clone(), plans),
            agent,
            catalog,
            model,
            messages: BTreeMap::new(),
            messages_sent: 0,
            last: 0,
            pruned: NOTHING,
            confirmed: 0,
            amended: 0,
        }
    }

    async fn live(&mut self) {
        let dead = 60 + self.dice.below(200);
        let jump = 50 + self.dice.below(DAYS - 60);
        let mut down_until = 0;
        for day in 0..DAYS {
            self.model.away.store((dead..dead + 21).contains(&day), Ordering::SeqCst);
            self.model.picky.store(day < 250, Ordering::SeqCst);
            if self.dice.percent(3) {
                down_until = day + 1 + self.dice.below(6);
            }
            self.send_messages(day).await;
            if day < down_until {
                continue;
            }
            if self.dice.percent(70) {
                self.extract().await;
            }
            for hours in [self.dice.below(12), 12 + self.dice.below(12)] {
                let now = moment(day) + SignedDuration::from_mins(hours * 60 + self.dice.below(60));
                self.tick(now).await;
                if day == jump && hours >= 12 {
                    self.jump(now).await;
                }
            }
        }
        self.settle().await;
    }

    /// Adds the messages of a day, and late ones: from a phone that was off, an import, an import sent twice.
    async fn send_messages(&mut self, day: i64) {
        for _ in 0..self.dice.below(3) {
            self.say(day).await;
        }
        if self.dice.percent(12) {
            let late = self.dice.below(day.min(300) + 1);
            self.say(day - late).await;
        }
        if self.dice.percent(4) && !self.messages.is_empty() {
            let index = self.dice.below(self.messages_sent);
            let again = self.messages.values().nth(usize::try_from(index).unwrap()).unwrap().clone();
            self.store(again, day).await;
        }
    }

    async fn say(&mut self, day: i64) {
        self.messages_sent += 1;
        let word = format!("w{}", self.messages_sent);
        let text = if self.dice.below(300) == 0 { format!("{word} POISON") } else { word.clone() };
        let said_at = moment(day) + SignedDuration::from_secs(self.dice.below(86_400));
        let turn = turn(&self.agent, &said_at.to_string(), &text);
        self.messages.insert(word, turn.clone());
        self.store(turn, day).await;
    }

    async fn store(&mut self, turn: Turn, day: i64) {
        let stored = self.catalog.ingest(&self.agent, vec![turn], OnConflict::Refuse, moment(day)).await.unwrap();
        self.last = self.last.max(stored.seq);
    }

    /// Advances extraction past everything stored so far.
    async fn extract(&mut self) {
        let found = Extracted::default();
        let after = self.catalog.extraction(&self.agent).await.unwrap().extracted;
        let read = Extraction { turns: Vec::new(), found, after, extracted: self.last, degraded: None };
        self.catalog.save_extraction(&self.agent, read, moment(0)).await.unwrap();
    }

    /// Simulates ten minutes in which the clock is a year ahead and may be reported as synchronised. Checks that nothing is
    /// pruned.
    async fn jump(&mut self, now: Timestamp) {
        for minutes in [1, 6, 11] {
            let ahead = now + SignedDuration::from_hours(365 * 24) + SignedDuration::from_mins(minutes);
            let before = sets(&self.memories().await);
            let pruned = self.wake(ahead).await;
            assert_eq!(pruned.pruned, NOTHING, "{}: pruned in a year that did not come", self.name);
            let after = sets(&self.memories().await);
            for (parent_key, set) in before {
                assert!(
                    after.get(&parent_key).is_some_and(|after| after.rows >= set.rows),
                    "{}: {parent_key:?}",
                    self.name
                );
            }
        }
    }

    /// Reads the clock, rolls up and prunes, as the jobs do each time they run.
    async fn wake(&mut self, now: Timestamp) -> Pruned {
        let clock = self.look(now).await;
        self.wake_by(now, clock).await
    }

    async fn wake_by(&self, now: Timestamp, clock: bool) -> Pruned {
        self.summarizer.pass(&self.agent, now, &|_| ()).await.unwrap();
        self.retention.prune(&self.agent, now, clock).await.unwrap()
    }

    async fn look(&mut self, now: Timestamp) -> bool {
        let synchronised = [None, Some(true), Some(false)][usize::try_from(self.dice.below(3)).unwrap()];
        self.look_at(now, synchronised).await
    }

    async fn look_at(&mut self, now: Timestamp, synchronised: Option<bool>) -> bool {
        let clock = self.retention.read_clock(now, synchronised).await.unwrap();
        let prunes = clock.trust(None).prunes();
        self.confirmed += u64::from(prunes);
        prunes
    }

    async fn tick(&mut self, now: Timestamp) {
        let sealed = self.sealed_and_dirty().await;
        let passed = self.summarizer.pass(&self.agent, now, &|_| ()).await.unwrap();
        self.amended += if passed.waiting.is_empty() { sealed } else { 0 };
        let gaps = if self.dice.percent(15) { Some(self.gaps(now).await) } else { None };
        let clock = self.look(now).await;
        self.summarizer.pass(&self.agent, now, &|_| ()).await.unwrap();
        let before = sets(&self.memories().await);
        let pruned = self.retention.prune(&self.agent, now, clock).await.unwrap();
        let memories = self.memories().await;
        self.sum(&pruned);
        self.only_whole_sets_past_the_plan_went(&before, &sets(&memories), &pruned, now);
        self.no_word_is_lost(&memories, now);
        if let Some(gaps) = gaps {
            let new: Vec<Gap> = self.gaps(now).await.into_iter().filter(|gap| !gaps.contains(gap)).collect();
            assert_eq!(new, [], "{} at {now}: pruning uncovered days", self.name);
        }
    }

    async fn sealed_and_dirty(&self) -> u64 {
        let ledger = self.catalog.ledger(&self.agent).await.unwrap();
        ledger.iter().filter(|row| row.sealed && row.is_dirty()).count() as u64
    }

    async fn gaps(&self, now: Timestamp) -> Vec<Gap> {
        self.summarizer.coverage(&self.agent, now).await.unwrap()
    }

    fn sum(&mut self, pruned: &Pruned) {
        for (sum, more) in self.pruned.iter_mut().zip(pruned.pruned) {
            sum.sets += more.sets;
            sum.rows += more.rows;
            sum.bytes += more.bytes;
        }
    }

    fn only_whole_sets_past_the_plan_went(&self, before: &Sets, after: &Sets, pruned: &Pruned, now: Timestamp) {
        let mut went = NOTHING;
        for (parent_key, set) in before {
            match after.get(parent_key) {
                Some(left) => assert_eq!(left.rows, set.rows, "{} at {now}: {parent_key:?} is half-pruned", self.name),
                None => {
                    let is_past = self.plan.keep(parent_key.0).is_past(set.last_day, &self.zones, now);
                    assert!(is_past, "{} at {now}: {parent_key:?} went early", self.name);
                    let total = &mut went[parent_key.0 as usize];
                    *total =
                        Totals { sets: total.sets + 1, rows: total.rows + set.rows, bytes: total.bytes + set.bytes };
                }
            }
        }
        assert_eq!(went, pruned.pruned, "{} at {now}", self.name);
    }

    /// Checks that every word is in some live memory, or that its year is past the plan.
    fn no_word_is_lost(&self, memories: &[Memory], now: Timestamp) {
        let words: HashSet<&str> = memories.iter().flat_map(|memory| memory.text.split_whitespace()).collect();
        for (word, turn) in &self.messages {
            let is_kept = words.contains(word.as_str()) || self.is_over(turn, now);
            assert!(is_kept, "{} at {now}: {word} of {} is lost", self.name, turn.day);
        }
    }

    fn is_over(&self, turn: &Turn, now: Timestamp) -> bool {
        let year = turn.day.ancestor(Grain::Yearly);
        self.plan.keep(Grain::Yearly).is_past(year.cover_days().1, &self.zones, now)
    }

    async fn memories(&self) -> Vec<Memory> {
        let mut memories = Vec::new();
        for grain in Grain::ALL {
            let select = Select::all(grain);
            memories.extend(self.catalog.list(&self.agent, &select).await.unwrap());
        }
        memories
    }

    /// Runs another month: everything late or degraded must be made up for, and a further pass must change nothing.
    async fn settle(&mut self) {
        for half_day in 0..60 {
            let now = moment(DAYS) + SignedDuration::from_hours(12 * half_day);
            self.extract().await;
            self.tick(now).await;
        }
        let now = moment(DAYS + 30);
        // Under a confirmed clock; otherwise what fell due today would stay.
        let clock = self.look_at(now, Some(true)).await;
        self.wake_by(now, clock).await;
        assert_eq!(self.summarizer.pass(&self.agent, now, &|_| ()).await.unwrap(), Default::default(), "{}", self.name);
        let again = self.retention.prune(&self.agent, now, true).await.unwrap();
        assert_eq!((again.pruned, again.stale.len()), (NOTHING, 0), "{}", self.name);
        let held: Vec<_> = again.held.iter().filter(|held| held.hold != Hold::Uncovered).collect();
        assert!(held.is_empty(), "{}: {held:?}", self.name);
        assert_eq!(self.gaps(now).await, [], "{}", self.name);
        let ledger = self.catalog.ledger(&self.agent).await.unwrap();
        // An open year may have been written while the clock was a year ahead.
        let closed = ledger.iter().filter(|row| self.zones.is_closed(row.period, SignedDuration::ZERO, now));
        let degraded: Vec<_> = closed.filter(|row| row.degraded).collect();
        assert!(degraded.is_empty(), "{}: {degraded:?}", self.name);
        self.every_word_came_up(now).await;
    }

    /// Checks that the coarsest closed period above each word has a summary with that word, whatever was sealed and amended
    /// below.
    async fn every_word_came_up(&self, now: Timestamp) {
        let texts: BTreeMap<Period, HashSet<String>> = self
            .memories()
            .await
            .into_iter()
            .filter(|memory| memory.grain > Grain::Working)
            .map(|memory| (memory.period, memory.text.split_whitespace().map(str::to_owned).collect()))
            .collect();
        for (word, turn) in self.messages.iter().filter(|(_, turn)| !self.is_over(turn, now)) {
            let path = Grain::SUMMARIES.map(|grain| turn.day.ancestor(grain));
            let closed =
                path.iter().rev().find(|period| self.zones.is_closed(**period, SignedDuration::from_mins(30), now));
            let top = closed.expect("all of it was said a month ago");
            assert!(texts.get(top).is_some_and(|text| text.contains(word)), "{}: {word} is not in {top}", self.name);
        }
    }
}

fn moment(day: i64) -> Timestamp {
    at(START) + SignedDuration::from_hours(24 * day)
}

/// Runs the simulation with each of these seeds. Checks which grains were pruned in total, by their first letters.
async fn check(plan: &str, seeds: std::ops::Range<u64>, expect: &str) {
    let (mut sets, mut amended) = ([0; 6], 0);
    for seed in seeds {
        let mut world = World::new(plan, seed).await;
        world.live().await;
        assert!(world.confirmed > 100, "{}: too little happened", world.name);
        amended += world.amended;
        for (sum, totals) in sets.iter_mut().zip(world.pruned) {
            *sum += totals.sets;
        }
    }
    assert!(amended > 0 || plan == "keep", "{plan}: nothing came late");
    let pruned = Grain::ALL.into_iter().zip(sets).filter(|(_, sets)| *sets > 0);
    let letters: String = pruned.map(|(grain, _)| &grain.as_str()[..1]).collect();
    assert_eq!(letters, expect, "{plan}: {sets:?}");
}

#[tokio::test]
async fn keep_prunes_nothing() {
    check("keep", 0..1, "").await;
}

#[tokio::test]
async fn free_prunes_up_to_months() {
    check("free", 10..13, "wdwm").await;
}

#[tokio::test]
async fn starter_prunes_up_to_months() {
    check("starter", 20..22, "wdwm").await;
}

#[tokio::test]
async fn pro_prunes_up_to_weeks() {
    check("pro", 30..32, "wdw").await;
}

#[tokio::test]
async fn fast_plan_prunes_all_grains() {
    check("swift", 100..116, "wdwmqy").await;
}
