//! A random history of three agents in one folder, with a model of what each of them may still remember.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_core::ports::{Select, Target};
use annals_core::{
    Agent, FactQuery, Grain, Interval, MemoryId, Message, Role, SignedDuration, Timestamp, Zones, identify,
};
use annals_server::wire::ForgetAnswer;
use serde_json::Value;
use tempfile::TempDir;

use crate::search;
use crate::world::{Moment, World, now};

const DAY: i64 = 24 * 60 * 60;
/// 1 March 2026.
const BEGIN: i64 = 1_772_323_200;
const SUBJECT: &str = "Zelda Quist";
const STEPS: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    Pruned,
    Forgotten,
}

/// A message of an agent, with all words by which its texts, the former ones too, can be recognised.
#[derive(Clone, Debug)]
struct Said {
    agent: usize,
    id: MemoryId,
    message: Message,
    words: BTreeSet<String>,
    state: State,
}

/// A fact entered by hand.
#[derive(Debug)]
struct Entered {
    agent: usize,
    at: Timestamp,
    word: String,
    is_forgotten: bool,
}

pub struct History {
    folder: TempDir,
    moment: Moment,
    world: Option<World>,
    agents: Vec<Agent>,
    said: Vec<Said>,
    entered: Vec<Entered>,
    random: u64,
    words: usize,
    log: Vec<String>,
}

impl History {
    pub async fn begin(seed: u64) -> History {
        let folder = tempfile::tempdir().unwrap();
        let moment = Arc::new(AtomicI64::new(BEGIN));
        let world = World::open(folder.path(), &moment).await;
        let agents = ["ann", "bob", "cid"].map(|name| Agent::new(name).unwrap()).to_vec();
        let (said, entered, log) = (Vec::new(), Vec::new(), Vec::new());
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        History { folder, moment, world: Some(world), agents, said, entered, random, words: 0, log }
    }

    pub async fn run(mut self) {
        for agent in 0..3 {
            self.set_plan(agent).await;
            self.say(agent, 0).await;
        }
        for _ in 0..STEPS {
            let agent = self.below(3);
            match self.below(16) {
                0..=4 => self.say(agent, 0).await,
                5 | 6 => self.say(agent, 130).await,
                7 => self.revise(agent).await,
                8 | 9 => self.advance().await,
                10 => self.retain(agent).await,
                11 => self.correct(agent).await,
                12 => self.enter(agent).await,
                13 => self.say_again(agent).await,
                _ => self.forget(agent).await,
            }
        }
        self.advance().await;
        for agent in 0..3 {
            self.retain(agent).await;
            self.forget(agent).await;
        }
    }

    fn world(&self) -> &World {
        self.world.as_ref().unwrap()
    }

    /// SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn now(&self) -> Timestamp {
        now(&self.moment)
    }

    fn word(&mut self) -> String {
        self.words += 1;
        format!("Quarn{}x", self.words)
    }

    fn note(&mut self, agent: usize, what: impl std::fmt::Display) {
        self.log.push(format!("{} {}: {what}", self.now(), self.agents[agent]));
    }

    async fn set_plan(&mut self, agent: usize) {
        let settings = annals_core::Settings { plan: "free".into(), ..annals_core::Settings::default() };
        self.world().service.catalog.save_settings(&self.agents[agent], &settings).await.unwrap();
    }

    /// A text, and the words by which it is known.
    fn text(&mut self) -> (String, BTreeSet<String>) {
        let word = self.word();
        match self.below(6) {
            0 => (format!("I moved to {word} last spring."), [word].into()),
            1 => (format!("{SUBJECT} lent me the ladder {word} for a week."), [word, SUBJECT.into()].into()),
            2 => {
                let shared = format!("Share{}x", self.below(4));
                (format!("The shared plan {shared} is on the kitchen table."), [shared].into())
            }
            3 => (format!("Our dog {word} barked all night. The vet says that {word} is fine."), [word].into()),
            _ => (format!("We put the box \"{word}\" under the stairs, and said so."), [word].into()),
        }
    }

    async fn say(&mut self, agent: usize, days_back: usize) {
        for _ in 0..1 + self.below(4) {
            let (content, words) = self.text();
            let back = if days_back == 0 { 0 } else { i64::try_from(self.below(days_back)).unwrap() * DAY };
            let seconds = i64::try_from(self.below(3600)).unwrap();
            let at = Timestamp::from_second(self.moment.load(Ordering::SeqCst) - back - seconds).unwrap();
            let message = Message {
                conversation: format!("talk {}", self.below(4)),
                client_id: Some(format!("m{}-{}", self.words, self.said.len())),
                role: Role::User,
                name: Some("Uma".into()),
                content,
                at,
            };
            let key = identify(std::slice::from_ref(&message)).remove(0);
            let id = MemoryId::turn(&self.agents[agent], &key);
            self.note(agent, format!("says {:?} of {at} in {}", message.content, message.conversation));
            let now = self.now();
            self.world().service.writer.ingest(&self.agents[agent], vec![message.clone()], false, now).await.unwrap();
            self.said.push(Said { agent, id, message, words, state: State::Live });
        }
    }

    fn which(&self, agent: usize, state: State) -> Vec<usize> {
        let said = self.said.iter().enumerate();
        said.filter(|(_, said)| said.agent == agent && said.state == state).map(|(index, _)| index).collect()
    }

    async fn revise(&mut self, agent: usize) {
        let live = self.which(agent, State::Live);
        if live.is_empty() {
            return;
        }
        let index = live[self.below(live.len())];
        let (content, words) = self.text();
        self.note(agent, format!("revises {:?} to {content:?}", self.said[index].message.content));
        self.said[index].message.content = content;
        self.said[index].words.extend(words);
        let (message, now) = (self.said[index].message.clone(), self.now());
        self.world().service.writer.ingest(&self.agents[agent], vec![message], true, now).await.unwrap();
    }

    async fn advance(&mut self) {
        let days = 1 + i64::try_from(self.below(45)).unwrap();
        self.moment.fetch_add(days * DAY, Ordering::SeqCst);
        for (index, agent) in self.agents.clone().into_iter().enumerate() {
            self.note(index, "rolls up");
            let service = &self.world().service;
            service.read_for_facts(&agent, &|_| ()).await.unwrap();
            service.summarizer.pass(&agent, self.now(), &|_| ()).await.unwrap();
            service.make_searchable(&agent, &|_| ()).await.unwrap();
        }
    }

    async fn retain(&mut self, agent: usize) {
        self.note(agent, "retains");
        let (service, of) = (self.world().service.clone(), self.agents[agent].clone());
        service.retention.prune(&of, self.now(), true).await.unwrap();
        service.make_searchable(&of, &|_| ()).await.unwrap();
        let live = self.live(agent).await;
        for said in self.said.iter_mut().filter(|said| said.agent == agent && said.state == State::Live) {
            if !live.contains(&said.id) {
                said.state = State::Pruned;
            }
        }
    }

    async fn live(&self, agent: usize) -> BTreeSet<MemoryId> {
        let turns = self.world().service.catalog.list(&self.agents[agent], &Select::all(Grain::Working)).await.unwrap();
        turns.into_iter().map(|turn| turn.id).collect()
    }

    /// Gives a summary other words. Only a daily one: of those above, models' words are not cut out yet.
    async fn correct(&mut self, agent: usize) {
        let of = self.agents[agent].clone();
        let days = self.world().service.catalog.list(&of, &Select::all(Grain::Daily)).await.unwrap();
        if days.is_empty() {
            return;
        }
        let day = days[self.below(days.len())].clone();
        self.note(agent, format!("corrects {}", day.period));
        let now = self.now();
        self.world().service.writer.correct(&of, &day.id, "Nothing much happened on that day.", now).await.unwrap();
    }

    async fn enter(&mut self, agent: usize) {
        let (word, at) = (self.word(), self.now());
        self.note(agent, format!("enters {word}"));
        let of = self.agents[agent].clone();
        self.world().service.fact_writer.add(&of, "Uma", "likes", &format!("the song {word}"), at, at).await.unwrap();
        self.entered.push(Entered { agent, at, word, is_forgotten: false });
    }

    /// What was forgotten while it was there is refused.
    async fn say_again(&mut self, agent: usize) {
        let live = self.live(agent).await;
        let now = self.now();
        for index in self.which(agent, State::Forgotten) {
            let message = self.said[index].message.clone();
            let of = self.agents[agent].clone();
            let done = self.world().service.writer.ingest(&of, vec![message], false, now).await.unwrap();
            assert_eq!(done.accepted, 0, "{:#?}", self.log);
        }
        assert_eq!(self.live(agent).await, live);
    }

    fn target(&mut self, agent: usize) -> Option<Target> {
        let there = [self.which(agent, State::Live), self.which(agent, State::Pruned)].concat();
        if there.is_empty() {
            return None;
        }
        let one = there[self.below(there.len())];
        Some(match self.below(9) {
            0..=2 => {
                let some = (0..1 + self.below(3)).map(|_| there[self.below(there.len())]).collect::<Vec<_>>();
                Target::Memories(some.into_iter().map(|index| self.said[index].id.clone()).collect())
            }
            3 | 4 => {
                let name = self.said[one].message.conversation.clone();
                let pruned = self.which(agent, State::Pruned);
                let was_pruned = pruned.into_iter().any(|index| self.said[index].message.conversation == name);
                if was_pruned && !crate::WITH_PRUNED_CONVERSATIONS {
                    return None;
                }
                Target::Conversation(name)
            }
            5 | 6 => Target::Subject(SUBJECT.to_lowercase()),
            7 => {
                let zones = Zones::new("UTC").unwrap();
                let first = zones.day_interval(zones.day_of(self.said[one].message.at)).start;
                let days = 1 + i64::try_from(self.below(3)).unwrap();
                Target::Range(Interval { start: first, end: first + SignedDuration::from_hours(24 * days) })
            }
            _ => Target::Agent,
        })
    }

    fn is_meant(&self, target: &Target, said: &Said) -> bool {
        match target {
            Target::Memories(ids) => ids.contains(&said.id),
            Target::Conversation(name) => said.message.conversation == *name,
            Target::Subject(_) => said.message.content.contains(SUBJECT),
            Target::Range(range) => range.contains(said.message.at),
            Target::Agent => true,
        }
    }

    async fn forget(&mut self, agent: usize) {
        let Some(target) = self.target(agent) else { return };
        self.note(agent, format!("forgets {target:?}"));
        let of = self.agents[agent].clone();
        let before = self.others(agent).await;
        let planned = self.world().service.forget_target(&of, &target, true, self.now()).await.unwrap();
        assert_eq!(self.others(agent).await, before);
        let done = self.world().service.forget_target(&of, &target, false, self.now()).await.unwrap();
        assert_eq!(self.others(agent).await, before, "{:#?}", self.log);

        let mut expect: Vec<String> = Vec::new();
        for index in [self.which(agent, State::Live), self.which(agent, State::Pruned)].concat() {
            if self.is_meant(&target, &self.said[index]) {
                if self.said[index].state == State::Live {
                    expect.push(self.said[index].id.to_string());
                }
                self.said[index].state = State::Forgotten;
            }
        }
        for entered in self.entered.iter_mut().filter(|entered| entered.agent == agent) {
            entered.is_forgotten |= match &target {
                Target::Range(range) => range.contains(entered.at),
                other => *other == Target::Agent,
            };
        }
        self.check_report(&done, &planned, expect);
        self.check_survivors(agent).await;
        self.check_search(agent, target == Target::Subject(SUBJECT.to_lowercase())).await;
        if target == Target::Agent {
            self.set_plan(agent).await;
        }
    }

    fn check_report(&self, done: &ForgetAnswer, planned: &ForgetAnswer, mut expect: Vec<String>) {
        let mut turns = done.turns.clone();
        turns.sort();
        expect.sort();
        assert_eq!(turns, expect, "{:#?}", self.log);
        let plain = |answer: &ForgetAnswer| {
            let mut value = serde_json::to_value(answer).unwrap();
            value["done"] = Value::Null;
            value["proof"] = Value::Null;
            value
        };
        assert_eq!(plain(done), plain(planned), "{:#?}", self.log);
        let proof = done.proof.as_ref().unwrap();
        assert!(proof.clean && proof.still_in.is_empty(), "{proof:?} {:#?}", self.log);
    }

    /// All that the other agents have.
    async fn others(&self, agent: usize) -> Vec<String> {
        let service = &self.world().service;
        let mut all = Vec::new();
        for (_, other) in self.agents.iter().enumerate().filter(|(index, _)| *index != agent) {
            all.push(service.export(other).await.unwrap().collect());
            let facts = service.facts.find(other, &FactQuery::default()).await.unwrap();
            all.extend(facts.iter().map(|fact| format!("{fact:?}")));
            assert_eq!(service.writer.audit(other).await.unwrap(), []);
        }
        all
    }

    async fn check_survivors(&self, agent: usize) {
        let service = &self.world().service;
        let turns = service.catalog.list(&self.agents[agent], &Select::all(Grain::Working)).await.unwrap();
        let mut stored: Vec<(MemoryId, String)> = turns.into_iter().map(|turn| (turn.id, turn.text)).collect();
        let live = self.which(agent, State::Live).into_iter().map(|index| &self.said[index]);
        let mut expect: Vec<_> = live.map(|said| (said.id.clone(), said.message.content.clone())).collect();
        stored.sort();
        expect.sort();
        assert_eq!(stored, expect, "{:#?}", self.log);
        assert_eq!(service.writer.audit(&self.agents[agent]).await.unwrap(), [], "{:#?}", self.log);
    }

    /// The words that an agent may not have any more, and those of them that no other agent has.
    fn gone(&self, agent: usize) -> (BTreeSet<String>, BTreeSet<String>) {
        let held = |which: &dyn Fn(usize) -> bool| {
            let said = self.said.iter().filter(|said| which(said.agent) && said.state != State::Forgotten);
            said.flat_map(|said| said.words.clone()).collect::<BTreeSet<_>>()
        };
        let forgotten = self.said.iter().filter(|said| said.agent == agent && said.state == State::Forgotten);
        let mut gone: BTreeSet<String> = forgotten.flat_map(|said| said.words.clone()).collect();
        let entered = self.entered.iter().filter(|entered| entered.agent == agent && entered.is_forgotten);
        gone.extend(entered.map(|entered| entered.word.clone()));
        let gone: BTreeSet<String> = gone.difference(&held(&|of| of == agent)).cloned().collect();
        let nowhere = gone.difference(&held(&|of| of != agent)).cloned().collect();
        (gone, nowhere)
    }

    async fn check_search(&mut self, agent: usize, by_subject: bool) {
        let (mut gone, nowhere) = self.gone(agent);
        if !by_subject && !self.said.iter().any(|said| said.agent == agent && said.words.contains(SUBJECT)) {
            gone.remove(SUBJECT);
        }
        let (folder, of) = (self.folder.path().to_owned(), self.agents[agent].clone());
        let mut left = search::bytes(&folder, &nowhere);
        let export: String = self.world().service.export(&of).await.unwrap().collect();
        left.extend(gone.iter().filter(|word| export.contains(*word)).map(|word| format!("{word} in the export")));
        let backup = folder.join("backup.sqlite");
        self.world().sqlite.copy_to(&backup).await.unwrap();
        self.world = None;
        left.extend(search::bytes(&folder, &nowhere));
        left.extend(search::sqlite(&folder.join("catalog.sqlite"), of.name(), &gone));
        left.extend(search::sqlite(&backup, of.name(), &gone));
        left.extend(search::lance(&folder.join("tables").join(of.folder()), &gone).await);
        left.extend(search::parquet(&folder.join("facts").join(of.folder()), &gone));
        self.check_that_it_would_be_found(agent).await;
        std::fs::remove_file(backup).unwrap();
        assert_eq!(left, [""; 0], "{:#?}", self.log);
        self.world = Some(World::open(&folder, &self.moment).await);
    }

    /// A search that finds nothing proves something only if it finds what is there.
    async fn check_that_it_would_be_found(&self, agent: usize) {
        let Some(index) = self.which(agent, State::Live).pop() else { return };
        let content = &self.said[index].message.content;
        let there = self.said[index].words.iter().find(|word| content.contains(*word) && *word != SUBJECT);
        let (folder, of) = (self.folder.path(), &self.agents[agent]);
        let there: BTreeSet<String> = there.into_iter().cloned().collect();
        assert_ne!(search::bytes(folder, &there), [""; 0]);
        assert_ne!(search::sqlite(&folder.join("catalog.sqlite"), of.name(), &there), [""; 0]);
        assert_ne!(search::lance(&folder.join("tables").join(of.folder()), &there).await, [""; 0]);
    }
}
