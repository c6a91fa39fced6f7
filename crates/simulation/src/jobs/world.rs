//! A service and its users, over any stores: agents in many zones, with late and repeated messages; a machine that is off for
//! days, with a clock that is unsynchronised for a while, goes back once, and once runs a year ahead. Always:
//!
//! - once roll-up has caught up, every message is covered by the summary of its period and no other, at every grain for which the
//!   period is closed, unless that summary was pruned by plan. `Summarizer::coverage` and, independently, [`super::lineage`] both
//!   confirm it;
//! - only whole sets are pruned, past the plan by the calendar of the agent's zone, and covered by their parent;
//! - under a clock that is certainly wrong nothing is written or pruned; under one that jumped ahead nothing is pruned.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_core::ports::OnConflict;
use annals_core::{Agent, Grain, MemoryId, Message, Period, Role, Settings, SignedDuration, Timestamp, identify};
use annals_retention::Plan;
use annals_service::jobs::{Moment, Pass, RolledUp, Sweep};
use annals_service::{Parts, Service};
use annals_testkit::Dice;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::lineage::{Live, PrunedCovers};
use super::parts::{PLANS, SCHEDULE};
use super::rules::Rules;

/// Zones with whole and odd offsets, at both ends of the day; with summer time of one hour, half an hour and two hours, that
/// changes at midnight, or pauses for Ramadan; and Apia, which had no 30 December 2011.
pub const ZONES: [&str; 26] = [
    "UTC",
    "Pacific/Apia",
    "Etc/GMT-14",
    "Etc/GMT+12",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Asia/Kabul",
    "Asia/Yangon",
    "Australia/Eucla",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Pacific/Marquesas",
    "America/St_Johns",
    "America/Sao_Paulo",
    "America/Havana",
    "America/New_York",
    "America/Los_Angeles",
    "Europe/Berlin",
    "Europe/London",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Antarctica/Troll",
    "Asia/Tokyo",
];

/// The start of the simulation: before summer time ends in any zone, and well before the year ends. So the run includes every
/// change, and a yearly summary is pruned.
const START: &str = "2011-09-12T00:00:00Z";
const AGENTS_AT_ONCE: usize = 4;

/// Counts of events, so that a test can check that they occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages that were stored.
    pub messages: u64,
    /// Messages that arrived more than a day late.
    pub late: u64,
    /// Messages that came twice.
    pub repeated: u64,
    /// Days on which the machine was off.
    pub off: u64,
    /// Wake-ups under a clock that was not trusted.
    pub doubted: u64,
    /// Summaries written.
    pub written: u64,
    /// Sealed summaries that were amended after late messages.
    pub amended: u64,
    /// Memories pruned, by grain.
    pub pruned: [u64; 6],
    /// Checks that every message is covered once.
    pub checks: u64,
}

/// One agent, and the test's own record of it.
struct Someone {
    agent: Agent,
    plan: Plan,
    /// Messages that are not stored yet.
    unsent: Vec<Message>,
    /// Every message that was stored, with its day.
    sent: BTreeMap<MemoryId, (Period, Message)>,
    /// The messages that pruned summaries covered.
    gone: PrunedCovers,
}

/// A service with its users and its clock. The module documentation lists what must always hold.
pub struct World {
    /// Counts of events so far.
    pub tally: Tally,
    name: String,
    dice: Dice,
    parts: Parts,
    pass: Pass,
    clock: Arc<Mutex<Timestamp>>,
    people: Vec<Someone>,
    sent: u64,
    off_until: i64,
    unsynchronised: std::ops::Range<i64>,
    ahead: i64,
    back: i64,
}

impl World {
    /// Creates one agent in each zone, over the parts that [`super::parts`] assembles.
    pub async fn new(parts: Parts, zones: &[&str], seed: u64) -> World {
        let mut people = Vec::new();
        for (index, zone) in zones.iter().enumerate() {
            let agent = Agent::new(zone).unwrap();
            let plan = PLANS[index % PLANS.len()];
            let settings = Settings { time_zone: (*zone).into(), plan: plan.into(), ..Settings::default() };
            parts.store.save_settings(&agent, &settings).await.unwrap();
            let plan = parts.plans.get(plan).unwrap().clone();
            people.push(Someone { agent, plan, unsent: Vec::new(), sent: BTreeMap::new(), gone: PrunedCovers::new() });
        }
        let clock = Arc::new(Mutex::new(START.parse().unwrap()));
        let read = clock.clone();
        let parts = Parts { clock: Arc::new(move || *read.lock()), ..parts };
        let mut dice = Dice::new(seed);
        let unsynchronised = 30 + dice.below(200);
        World {
            name: format!("seed {seed}"),
            tally: Tally::default(),
            pass: Pass::of(&Service::new(parts.clone())),
            clock,
            people,
            sent: 0,
            off_until: 0,
            unsynchronised: unsynchronised..unsynchronised + 3,
            ahead: 20 + dice.below(250),
            back: 10 + dice.below(300),
            dice,
            parts,
        }
    }

    /// Simulates `days` days, and then a month in which everything settles.
    pub async fn live(&mut self, days: i64) {
        for day in 0..days + 30 {
            if day < days {
                self.send_messages(day);
                self.move_house(day).await;
                if self.dice.percent(4) {
                    self.off_until = day + 1 + self.dice.below(9);
                }
                if day < self.off_until {
                    self.tally.off += 1;
                    continue;
                }
            }
            self.wake_up_twice(day).await;
            if day % 20 == 19 || day == days + 29 {
                self.everything_is_covered_once(moment(day + 1)).await;
            }
        }
        for someone in &self.people {
            let missing = self.parts.writer.audit(&someone.agent).await.unwrap();
            assert!(missing.is_empty(), "{}: tables of {} differ: {missing:?}", self.name, someone.agent);
        }
    }

    /// Checks that enough events occurred; without them the test shows nothing.
    pub fn expect_much_happened(&self) {
        let Tally { messages, late, repeated, off, doubted, written, amended, pruned, checks } = self.tally.clone();
        let least = [messages, written, late, repeated, off, doubted, amended, checks]
            .into_iter()
            .zip([2000, 4000, 100, 20, 10, 2, 5, 15]);
        for (agent_index, (number, least)) in least.enumerate() {
            assert!(number >= least, "{}: too little happened, {agent_index}: {:?}", self.name, self.tally);
        }
        assert!(pruned.iter().all(|rows| *rows > 0), "{}: {:?}", self.name, self.tally);
    }

    /// Creates the messages of a day, late messages of earlier days, and repetitions of stored messages.
    fn send_messages(&mut self, day: i64) {
        for index in 0..self.people.len() {
            for _ in 0..self.dice.below(3) / 2 + i64::from(self.dice.percent(20)) {
                self.say(index, day);
            }
            if self.dice.percent(3) {
                let late = self.dice.below(day.min(300) + 1);
                self.say(index, day - late);
            }
            let known = i64::try_from(self.people[index].sent.len()).unwrap();
            if known > 0 && self.dice.percent(1) {
                let again = usize::try_from(self.dice.below(known)).unwrap();
                let someone = &mut self.people[index];
                let (_, message) = someone.sent.values().nth(again).unwrap();
                someone.unsent.push(message.clone());
                self.tally.repeated += 1;
            }
        }
    }

    fn say(&mut self, index: usize, day: i64) {
        self.sent += 1;
        let message = Message {
            conversation: format!("talk of {day}"),
            client_id: Some(format!("m{}", self.sent)),
            role: Role::User,
            name: None,
            content: format!("Word {} was said.", self.sent),
            at: moment(day) + SignedDuration::from_secs(self.dice.below(86_400)),
        };
        self.people[index].unsent.push(message);
    }

    /// Changes the zone of the first agent on some days, from the next midnight on.
    async fn move_house(&mut self, day: i64) {
        if day % 150 != 100 {
            return;
        }
        let agent = &self.people[0].agent;
        let mut settings = self.parts.store.settings(agent).await.unwrap();
        let zone = if day == 100 { "Asia/Tokyo" } else { "America/Los_Angeles" };
        settings.set_time_zone(zone, true, moment(day)).unwrap();
        self.parts.store.save_settings(agent, &settings).await.unwrap();
    }

    /// Simulates two of a day's 1440 wake-ups; the others would find nothing to do. None is in the first 80 minutes of a day,
    /// because [`World::everything_is_covered_once`] uses 72 of these.
    async fn wake_up_twice(&mut self, day: i64) {
        for half in [0, 12] {
            let now = moment(day) + SignedDuration::from_mins(80 + half * 60 + self.dice.below(600));
            self.send(now).await;
            let unsynchronised = self.unsynchronised.contains(&day);
            let synchronised = if unsynchronised { Some(false) } else { self.dice.percent(50).then_some(true) };
            if half == 12 && day == self.back {
                let earlier = Moment { now: now - SignedDuration::from_hours(30), synchronised: None };
                self.wake_doubted(earlier).await;
            }
            let moment = Moment { now, synchronised };
            if unsynchronised {
                self.wake_doubted(moment).await;
                continue;
            }
            self.roll_up(moment).await;
            if half == 12 {
                self.retain(moment).await;
            }
            if half == 12 && day == self.ahead {
                self.run_ahead(now).await;
            }
        }
    }

    /// Stores the messages that were created by `now`.
    async fn send(&mut self, now: Timestamp) {
        for someone in &mut self.people {
            let (ready, unsent): (Vec<Message>, Vec<Message>) =
                std::mem::take(&mut someone.unsent).into_iter().partition(|message| message.at <= now);
            someone.unsent = unsent;
            let zones = self.parts.store.settings(&someone.agent).await.unwrap().zones().unwrap();
            for message in ready {
                let key = identify(std::slice::from_ref(&message)).remove(0);
                let day = Period::of(Grain::Daily, zones.day_of(message.at));
                let stored = self
                    .parts
                    .writer
                    .ingest(&someone.agent, vec![message.clone()], OnConflict::Refuse, now)
                    .await
                    .unwrap();
                self.tally.messages += stored.accepted;
                self.tally.late += u64::from(now.duration_since(message.at) > SignedDuration::from_hours(24));
                someone.sent.entry(MemoryId::turn(&someone.agent, &key)).or_insert((day, message));
            }
        }
    }

    async fn roll_up(&mut self, moment: Moment) -> Sweep<RolledUp> {
        *self.clock.lock() = moment.now;
        let before = self.sealed_and_dirty().await;
        let never = CancellationToken::new();
        let sweep = self.pass.roll_up(AGENTS_AT_ONCE, moment, &never).await.unwrap();
        assert!(sweep.failed.is_empty() && sweep.left.is_empty(), "{}: {:?}", self.name, sweep.failed);
        self.tally.amended += before.saturating_sub(self.sealed_and_dirty().await);
        self.tally.written += written(&sweep);
        sweep
    }

    async fn sealed_and_dirty(&self) -> u64 {
        let mut number = 0;
        for someone in &self.people {
            let ledger = self.parts.store.ledger(&someone.agent).await.unwrap();
            number += ledger.iter().filter(|row| row.sealed && row.is_dirty()).count() as u64;
        }
        number
    }

    /// Prunes, and checks that everything pruned was allowed to go. Returns the number of pruned memories.
    async fn retain(&mut self, moment: Moment) -> u64 {
        *self.clock.lock() = moment.now;
        let mut before = Vec::new();
        for someone in &self.people {
            before.push(Live::of(&*self.parts.store, &someone.agent).await);
        }
        let sweep = self.pass.retain(AGENTS_AT_ONCE, moment, &CancellationToken::new()).await.unwrap();
        assert!(sweep.failed.is_empty() && sweep.left.is_empty(), "{}: {:?}", self.name, sweep.failed);
        let mut all = 0;
        for (someone, before) in self.people.iter_mut().zip(before) {
            let after = Live::of(&*self.parts.store, &someone.agent).await;
            let zones = self.parts.store.settings(&someone.agent).await.unwrap().zones().unwrap();
            let rules = Rules { name: &self.name, agent: &someone.agent, zones: &zones, now: moment.now };
            let pruned_now = rules.pruned_between(&someone.plan, &before, &after, &mut someone.gone);
            all += pruned_now.iter().sum::<u64>();
            for (sum, more) in self.tally.pruned.iter_mut().zip(pruned_now) {
                *sum += more;
            }
        }
        all
    }

    /// Simulates a wake-up under a clock that is certainly wrong.
    async fn wake_doubted(&mut self, moment: Moment) {
        let sweep = self.roll_up(moment).await;
        assert!(sweep.slots.iter().all(|(_, slot)| slot.trust.doubt().is_some()), "{}: {moment:?}", self.name);
        assert_eq!(written(&sweep), 0, "{}: written under {moment:?}", self.name);
        assert_eq!(self.retain(moment).await, 0, "{}: pruned under {moment:?}", self.name);
        self.tally.doubted += 1;
    }

    /// Simulates ten minutes in which the clock is a year ahead and is reported as synchronised. Periods that close in that
    /// time open again; nothing may be pruned.
    async fn run_ahead(&mut self, now: Timestamp) {
        for minutes in [1, 6, 11] {
            let ahead = now + SignedDuration::from_hours(365 * 24) + SignedDuration::from_mins(minutes);
            let moment = Moment { now: ahead, synchronised: Some(true) };
            self.roll_up(moment).await;
            assert_eq!(self.retain(moment).await, 0, "{}: pruned in a year that did not come", self.name);
        }
        self.wake_doubted(Moment { now: now + SignedDuration::from_mins(12), synchronised: Some(true) }).await;
    }

    /// Checks that every message is covered once at every grain, after roll-up has caught up.
    async fn everything_is_covered_once(&mut self, midnight: Timestamp) {
        let mut now = midnight;
        // The grains become quiet one after another, and the clock may have to advance for a while first.
        for _ in 0..Grain::ALL.len() + 6 {
            now += SignedDuration::from_mins(6);
            self.roll_up(Moment { now, synchronised: Some(true) }).await;
        }
        for someone in &self.people {
            let gaps = self.parts.summarizer.coverage(&someone.agent, now).await.unwrap();
            assert!(gaps.is_empty(), "{}: {} at {now}: {gaps:?}", self.name, someone.agent);
            let live = Live::of(&*self.parts.store, &someone.agent).await;
            let zones = self.parts.store.settings(&someone.agent).await.unwrap().zones().unwrap();
            let rules = Rules { name: &self.name, agent: &someone.agent, zones: &zones, now };
            let messages = someone.sent.iter().map(|(id, (day, _))| (id, *day));
            rules.each_message_is_covered_once(messages, &live, &someone.gone, SCHEDULE.grace);
        }
        self.tally.checks += 1;
    }
}

fn written(sweep: &Sweep<RolledUp>) -> u64 {
    sweep.slots.iter().map(|(_, slot)| slot.passed.written.iter().sum::<u64>()).sum()
}

fn moment(day: i64) -> Timestamp {
    START.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * day)
}
