//! A random history of three agents in one folder.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_core::ports::{Block, OnConflict, Origin, Select, Target};
use annals_core::{Agent, Grain, Interval, Kind, MemoryId, Message, Role, SignedDuration, Timestamp, Zones, identify};
use annals_testkit::Dice;
use annals_writer::NewMessage;
use tempfile::TempDir;

use crate::ground_truth::{Entry, EntryState, GroundTruth, SUBJECT, State, StoredAs, Turn};
use crate::planted::Bug;
use crate::totals::Totals;
use crate::world::{Moment, World, now};

const DAY: i64 = 24 * 60 * 60;
/// 1 March 2026.
const BEGIN: i64 = 1_772_323_200;
const STEPS: usize = 24;
/// Kinds of the last target, from which the seed chooses. The numbers are those of `target_of`: conversation, agent, subject,
/// entry, range.
const LAST: [usize; 5] = [3, 9, 5, 8, 7];

pub struct History {
    pub folder: TempDir,
    moment: Moment,
    pub world: Option<World>,
    bug: Option<Bug>,
    pub agents: Vec<Agent>,
    pub truth: GroundTruth,
    dice: Dice,
    /// Kind of the last target. It rotates with the seed, so that few histories cover each of the rare kinds.
    last: usize,
    pub words: usize,
    pub log: Vec<String>,
    pub totals: Totals,
}

impl History {
    pub async fn begin(seed: u64, bug: Option<Bug>) -> History {
        let folder = tempfile::tempdir().unwrap();
        let moment = Arc::new(AtomicI64::new(BEGIN));
        let world = Some(World::open(folder.path(), &moment, bug).await);
        let agents = ["ann", "bob", "cid"].map(|name| Agent::new(name).unwrap()).to_vec();
        let totals = Totals { histories: 1, ..Totals::default() };
        let dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (truth, log) = (GroundTruth::default(), Vec::new());
        let last = LAST[usize::try_from(seed).unwrap() % LAST.len()];
        History { folder, moment, world, bug, agents, truth, dice, last, words: 0, log, totals }
    }

    pub async fn run(mut self) -> Totals {
        for agent in 0..3 {
            self.set_plan(agent).await;
            self.say(agent, 0).await;
        }
        for _ in 0..STEPS {
            let agent = self.below(3);
            match self.below(21) {
                0..=4 => self.say(agent, 0).await,
                5 | 6 => self.say(agent, 130).await,
                7 => self.revise(agent).await,
                8 | 9 => self.advance().await,
                10 => self.retain(agent).await,
                11 => self.correct_summary(agent).await,
                12 => self.correct_turn(agent).await,
                13 => self.enter(agent).await,
                14 => self.write_block(agent).await,
                15 => self.say_again(agent).await,
                16 | 17 => self.write_document(agent).await,
                18 => self.change_document(agent).await,
                _ => self.forget(agent).await,
            }
        }
        self.advance().await;
        for agent in 0..3 {
            self.retain(agent).await;
        }
        let agent = self.below(3);
        self.forget_what_another_says_too(agent).await;
        self.enter_fact(agent, true).await;
        self.write_document(agent).await;
        if let Some((kind, target)) = self.target_of(agent, self.last) {
            self.forget_target(agent, kind, target).await;
        }
        self.check_all_tables().await;
        self.totals
    }

    pub fn world(&self) -> &World {
        self.world.as_ref().unwrap()
    }

    /// Closes all stores and opens them again.
    pub async fn restart(&mut self) {
        self.world = None;
        self.world = Some(World::open(self.folder.path(), &self.moment, self.bug).await);
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.dice.bits() % end as u64).unwrap()
    }

    pub fn now(&self) -> Timestamp {
        now(&self.moment)
    }

    pub fn word(&mut self) -> String {
        self.words += 1;
        format!("Quarn{}x", self.words)
    }

    pub fn note(&mut self, agent: usize, what: impl std::fmt::Display) {
        self.log.push(format!("{} {}: {what}", self.now(), self.agents[agent]));
    }

    pub async fn set_plan(&mut self, agent: usize) {
        let settings = annals_core::Settings { plan: "free".into(), ..annals_core::Settings::default() };
        self.world().parts.store.save_settings(&self.agents[agent], &settings).await.unwrap();
    }

    /// Returns a text and the words that identify it.
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
            self.say_text(agent, content, words, at).await;
        }
    }

    async fn say_text(&mut self, agent: usize, content: String, words: BTreeSet<String>, at: Timestamp) {
        let message = Message {
            conversation: format!("talk {}", self.below(4)),
            client_id: Some(format!("m{}-{}", self.words, self.truth.turns.len())),
            role: Role::User,
            name: Some("Uma".into()),
            content: content.clone(),
            at,
        };
        let key = identify(std::slice::from_ref(&message)).remove(0);
        let id = MemoryId::turn(&self.agents[agent], &key);
        self.note(agent, format!("says {content:?} of {at} in {}", message.conversation));
        let now = self.now();
        let (attachment, mut words) = (self.attachment(), words);
        words.extend(attachment.iter().flat_map(|(_, words)| words.clone()));
        let attachment = attachment.map(|(json, _)| json);
        let new = NewMessage { message: message.clone(), origin: Origin::Client, attachment: attachment.clone() };
        let (of, settings) = (self.agents[agent].clone(), annals_core::Settings::default());
        self.world().parts.writer.ingest_checked(&of, &settings, vec![new], OnConflict::Refuse, now).await.unwrap();
        self.truth.turns.push(Turn { agent, id, message, text: content, words, state: State::Live, attachment });
    }

    /// Returns JSON for one in three messages, with the words that identify it. One in six of them names the subject,
    /// after an escaped line break.
    fn attachment(&mut self) -> Option<(String, BTreeSet<String>)> {
        if self.below(3) != 0 {
            return None;
        }
        let word = self.word();
        let (note, words) = match self.below(6) {
            0 => (format!("A note about {word}.\n{SUBJECT} wrote it."), [word, SUBJECT.into()].into()),
            _ => (format!("A note about \"{word}\".\nNobody wrote it."), [word].into()),
        };
        Some((serde_json::json!({"item": {"note": note}}).to_string(), words))
    }

    /// Stores the same sentence for two agents, and forgets it for one of them. The other agent keeps it, and the proof is
    /// clean.
    async fn forget_what_another_says_too(&mut self, agent: usize) {
        let (word, at) = (self.word(), self.now());
        for who in [agent, (agent + 1) % 3] {
            self.say_text(who, format!("The attic key {word} hangs behind the door."), [word.clone()].into(), at).await;
            self.world().service.make_searchable(&self.agents[who], &|_| ()).await.unwrap();
        }
        let id = self.truth.turns[self.truth.turns.len() - 2].id.clone();
        self.forget_target(agent, "turns", Target::Memories(vec![id])).await;
    }

    fn any(&mut self, agent: usize, state: State) -> Option<usize> {
        let turns = self.truth.of(agent, state);
        (!turns.is_empty()).then(|| turns[self.below(turns.len())])
    }

    /// Revises a message as its client does, unless a person has corrected it.
    async fn revise(&mut self, agent: usize) {
        let Some(index) = self.any(agent, State::Live) else { return };
        if self.truth.turns[index].text != self.truth.turns[index].message.content {
            return;
        }
        let (content, words) = self.text();
        self.note(agent, format!("revises {:?} to {content:?}", self.truth.turns[index].text));
        let turn = &mut self.truth.turns[index];
        turn.message.content.clone_from(&content);
        turn.text = content;
        turn.words.extend(words);
        let (message, now) = (turn.message.clone(), self.now());
        self.world().parts.writer.ingest(&self.agents[agent], vec![message], OnConflict::Revise, now).await.unwrap();
    }

    /// Corrects a message as a person does.
    async fn correct_turn(&mut self, agent: usize) {
        let Some(index) = self.any(agent, State::Live) else { return };
        let (text, words) = self.text();
        self.note(agent, format!("corrects {:?} to {text:?}", self.truth.turns[index].text));
        let turn = &mut self.truth.turns[index];
        turn.text.clone_from(&text);
        turn.words.extend(words);
        let (id, now) = (turn.id.clone(), self.now());
        self.world().parts.writer.correct(&self.agents[agent], &id, &text, now).await.unwrap();
    }

    /// Corrects a summary of any grain as a person does. The new text may keep a word of the summary.
    async fn correct_summary(&mut self, agent: usize) {
        let of = self.agents[agent].clone();
        let grain = Grain::SUMMARIES[self.below(Grain::SUMMARIES.len())];
        let summaries = self.world().parts.store.list(&of, &Select::all(grain)).await.unwrap();
        if summaries.is_empty() {
            return;
        }
        let summary = summaries[self.below(summaries.len())].clone();
        let kept = summary.text.split(|c: char| !c.is_alphanumeric()).find(|word| word.starts_with("Quarn"));
        let text = kept.map_or("Nothing much happened.".to_owned(), |word| format!("It was all about {word}."));
        self.note(agent, format!("corrects {} to {text:?}", summary.period));
        let now = self.now();
        self.world().parts.writer.correct(&of, &summary.id, &text, now).await.unwrap();
    }

    async fn advance(&mut self) {
        let days = 1 + i64::try_from(self.below(45)).unwrap();
        self.moment.fetch_add(days * DAY, Ordering::SeqCst);
        if self.below(2) == 0 {
            self.remove_expired().await;
        }
        for (index, agent) in self.agents.clone().into_iter().enumerate() {
            self.note(index, "rolls up");
            let service = &self.world().service;
            service.read_for_facts(&agent, &|_| ()).await.unwrap();
            self.world().parts.summarizer.pass(&agent, self.now(), &|_| ()).await.unwrap();
            service.make_searchable(&agent, &|_| ()).await.unwrap();
        }
    }

    async fn retain(&mut self, agent: usize) {
        self.note(agent, "retains");
        let (service, of) = (self.world().service.clone(), self.agents[agent].clone());
        self.world().parts.retention.prune(&of, self.now(), true).await.unwrap();
        service.make_searchable(&of, &|_| ()).await.unwrap();
        let live = self.live(agent).await;
        for index in self.truth.of(agent, State::Live) {
            if !live.contains_key(&self.truth.turns[index].id) {
                self.truth.turns[index].state = State::Pruned;
            }
        }
    }

    /// Returns the texts of an agent's live turns, by id.
    pub async fn live(&self, agent: usize) -> std::collections::BTreeMap<MemoryId, String> {
        let turns = Select { kinds: vec![Kind::Turn], ..Select::all(Grain::Working) };
        let turns = self.world().parts.store.list(&self.agents[agent], &turns).await.unwrap();
        turns.into_iter().map(|turn| (turn.id, turn.text)).collect()
    }

    /// Enters a fact by hand. One in three names the subject among other words.
    async fn enter(&mut self, agent: usize) {
        let names_subject = self.below(3) == 0;
        self.enter_fact(agent, names_subject).await;
    }

    async fn enter_fact(&mut self, agent: usize, names_subject: bool) {
        let (word, at) = (self.word(), self.now());
        let (object, words) = match names_subject {
            true => (format!("{SUBJECT}'s song {word}"), [word, SUBJECT.into()].into()),
            false => (format!("the song {word}"), [word].into()),
        };
        self.note(agent, format!("enters {object:?}"));
        let of = self.agents[agent].clone();
        self.world().parts.fact_writer.add(&of, "Uma", "likes", &object, at, at).await.unwrap();
        let (_, log) = self.world().parts.store.operations(&of).await.unwrap();
        let source = log.into_iter().find(|operation| operation.object == object).unwrap().source;
        self.truth.entries.push(Entry {
            agent,
            stored_as: StoredAs::Fact(source),
            at,
            words,
            state: EntryState::Live,
            expires_at: None,
        });
    }

    async fn write_block(&mut self, agent: usize) {
        let (word, at) = (self.word(), self.now());
        let (text, words) = match self.below(2) {
            0 => (format!("Ask {SUBJECT} about {word}."), [word.clone(), SUBJECT.into()].into()),
            _ => (format!("Be brief about {word}."), [word.clone()].into()),
        };
        self.note(agent, format!("writes the block {text:?}"));
        let name = format!("block {}", self.words);
        let block = Block { name: name.clone(), text, updated_at: at };
        annals_testkit::save_block(&*self.world().parts.store, &self.agents[agent], block).await.unwrap();
        self.truth.entries.push(Entry {
            agent,
            stored_as: StoredAs::Block(name),
            at,
            words,
            state: EntryState::Live,
            expires_at: None,
        });
    }

    /// Sends forgotten messages again, with and without `revise`. All are refused.
    async fn say_again(&mut self, agent: usize) {
        let live = self.live(agent).await;
        let (of, now) = (self.agents[agent].clone(), self.now());
        for index in self.truth.of(agent, State::Forgotten) {
            for revise in [false, true] {
                let message = self.truth.turns[index].message.clone();
                let done = self
                    .world()
                    .parts
                    .writer
                    .ingest(&of, vec![message], OnConflict::revise_if(revise), now)
                    .await
                    .unwrap();
                assert_eq!((done.accepted, done.revised), (0, 0), "{:#?}", self.log);
            }
        }
        assert_eq!(self.live(agent).await, live);
    }

    /// Returns a random target that exists, or `None` if the agent has none of the chosen kind.
    pub fn target(&mut self, agent: usize) -> Option<(&'static str, Target)> {
        let kind = self.below(10);
        self.target_of(agent, kind)
    }

    fn target_of(&mut self, agent: usize, kind: usize) -> Option<(&'static str, Target)> {
        let there = [self.truth.of(agent, State::Live), self.truth.of(agent, State::Pruned)].concat();
        if there.is_empty() {
            return None;
        }
        let one = there[self.below(there.len())];
        let turn = &self.truth.turns[one];
        let (conversation, at) = (turn.message.conversation.clone(), turn.message.at);
        Some(match kind {
            0..=2 => {
                let some = (0..1 + self.below(3)).map(|_| there[self.below(there.len())]).collect::<Vec<_>>();
                let ids = some.into_iter().map(|index| self.truth.turns[index].id.clone());
                ("turns", Target::Memories(ids.collect()))
            }
            3 | 4 => ("conversation", Target::Conversation(conversation)),
            5 | 6 => ("subject", Target::Subject(SUBJECT.to_lowercase())),
            7 => {
                let zones = Zones::new("UTC").unwrap();
                let first = zones.day_interval(zones.day_of(at)).start;
                let days = 1 + i64::try_from(self.below(3)).unwrap();
                let end = first + SignedDuration::from_hours(24 * days);
                ("range", Target::Range(Interval { start: first, end }))
            }
            8 => ("entry", Target::Memories(vec![self.entered(agent)?])),
            _ => ("agent", Target::Agent),
        })
    }

    fn entered(&self, agent: usize) -> Option<MemoryId> {
        let entries = self.truth.entries.iter().filter(|entry| entry.agent == agent && entry.state == EntryState::Live);
        entries.rev().find_map(|entry| match &entry.stored_as {
            StoredAs::Fact(id) => Some(id.clone()),
            StoredAs::Document(_, passages) => passages.last().cloned(),
            StoredAs::Block(_) => None,
        })
    }
}
