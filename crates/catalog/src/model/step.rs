//! The steps of the model test, and how they are applied.

use annals_core::ports::{
    Access, Block, Change, Document, DocumentKey, DocumentWrite, Expected, OnConflict, RequestKey, Select, Target,
    Turn, Watermark,
};
use annals_core::{
    ALIAS, Agent, CacheTokens, Draft, Extracted, Extraction, FactOperation, Grain, Interval, Kind, LedgerRow, Memory,
    MemoryId, Message, Purpose, Reply, Sentence, Statement, Summary, Timestamp,
};
use annals_testkit::{Store, at, building, document, made, message, operation, statement, turn_of};
use proptest::prelude::*;

/// One step on an agent. Numbers select an item modulo the number of items.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Ingest { turns: Vec<SpokenTurn>, on_conflict: OnConflict },
    RollUp { row: usize, text: Option<u8>, verbatim: bool },
    Fail { row: usize },
    Watermark { grain: usize, applied: u64, stale: bool },
    Extract { turns: Vec<SpokenTurn>, found: Vec<(usize, u8)>, degraded: bool },
    Seal { children: usize, stale: bool },
    Pin { memory: usize, pinned: bool },
    Correct { memory: usize, text: u8 },
    Erase { target: Reached, dry: bool },
    Unforget { spoken_turn: SpokenTurn },
    Reply { key: u8, drop: bool },
    Wait { rows: [usize; 2] },
    Block { name: u8, text: Option<u8> },
    Document { key: u8, text: Option<u8>, version: u8, expires: bool },
    Request { turns: Vec<SpokenTurn>, key: u8, drop: bool },
    Clean { early: bool },
    Access { memories: [usize; 2], times: u8 },
    Reopen,
    CutPower { seed: u64 },
}

#[derive(Clone, Debug)]
pub(super) struct SpokenTurn {
    id: u8,
    text: u8,
    day: u8,
}

#[derive(Clone, Debug)]
pub(super) enum Reached {
    Memory(usize),
    /// A turn by its id: live, pruned or never stored.
    SpokenTurn(SpokenTurn),
    Conversation(u8),
    Subject(u8),
    Day(u8),
    Agent,
}

/// The names in the texts. The last two name the same person if an alias in the log joins them.
const NAMES: [&str; 3] = ["Ann", "Bob", "Robert"];

fn on_conflict() -> impl Strategy<Value = OnConflict> {
    any::<bool>().prop_map(OnConflict::revise_if)
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let turns = || prop::collection::vec(spoken_turn(), 0..5);
    prop_oneof![
        4 => (turns(), on_conflict()).prop_map(|(turns, on_conflict)| Step::Ingest { turns, on_conflict }),
        8 => (any::<usize>(), prop::option::weighted(0.9, 0..3u8), any::<bool>())
            .prop_map(|(row, text, verbatim)| Step::RollUp { row, text, verbatim }),
        1 => any::<usize>().prop_map(|row| Step::Fail { row }),
        1 => (0..6usize, any::<u64>(), prop::bool::weighted(0.2))
            .prop_map(|(grain, applied, stale)| Step::Watermark { grain, applied: applied >> 1, stale }),
        3 => (turns(), prop::collection::vec((any::<usize>(), 0..4u8), 0..4), any::<bool>())
            .prop_map(|(turns, found, degraded)| Step::Extract { turns, found, degraded }),
        6 => (any::<usize>(), prop::bool::weighted(0.1)).prop_map(|(children, stale)| Step::Seal { children, stale }),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(memory, pinned)| Step::Pin { memory, pinned }),
        1 => (any::<usize>(), 0..3u8).prop_map(|(memory, text)| Step::Correct { memory, text }),
        5 => (reached(), any::<bool>()).prop_map(|(target, dry)| Step::Erase { target, dry }),
        1 => spoken_turn().prop_map(|spoken_turn| Step::Unforget { spoken_turn }),
        1 => (0..2u8, any::<bool>()).prop_map(|(key, drop)| Step::Reply { key, drop }),
        1 => any::<[usize; 2]>().prop_map(|rows| Step::Wait { rows }),
        2 => (0..3u8, prop::option::weighted(0.8, 0..4u8)).prop_map(|(name, text)| Step::Block { name, text }),
        2 => (0..3u8, prop::option::weighted(0.8, 0..4u8), 0..4u8, prop::bool::weighted(0.2))
            .prop_map(|(key, text, version, expires)| Step::Document { key, text, version, expires }),
        2 => (turns(), 0..2u8, prop::bool::weighted(0.2))
            .prop_map(|(turns, key, drop)| Step::Request { turns, key, drop }),
        1 => any::<bool>().prop_map(|early| Step::Clean { early }),
        2 => (any::<[usize; 2]>(), 1..4u8).prop_map(|(memories, times)| Step::Access { memories, times }),
        1 => Just(Step::Reopen),
        2 => any::<u64>().prop_map(|seed| Step::CutPower { seed }),
    ]
}

fn spoken_turn() -> impl Strategy<Value = SpokenTurn> {
    (0..5u8, 0..4u8, 0..3u8).prop_map(|(id, text, day)| SpokenTurn { id, text, day })
}

fn reached() -> impl Strategy<Value = Reached> {
    prop_oneof![
        3 => any::<usize>().prop_map(Reached::Memory),
        2 => spoken_turn().prop_map(Reached::SpokenTurn),
        2 => (0..2u8).prop_map(Reached::Conversation),
        4 => (0..3u8).prop_map(Reached::Subject),
        3 => (0..3u8).prop_map(Reached::Day),
        1 => Just(Reached::Agent),
    ]
}

fn now() -> Timestamp {
    at("2026-06-01T00:00:00Z")
}

/// Applies a step and returns what the caller observes.
pub(super) async fn apply(store: &dyn Store, agent: &Agent, step: &Step) -> String {
    match step {
        Step::Ingest { turns, on_conflict } => {
            let turns = turns.iter().map(|spoken_turn| turn(agent, spoken_turn)).collect();
            let done = store.ingest(agent, turns, *on_conflict, now()).await;
            let counts = done.map(|done| (done.accepted, done.duplicate, done.revised, done.forgotten, done.seq));
            format!("{:?}", counts.map_err(|e| e.to_string()))
        }
        Step::RollUp { row, text, verbatim } => match chosen(store, agent, *row).await {
            Some(row) => seen(roll_up(store, agent, &row, *text, *verbatim).await),
            None => String::new(),
        },
        Step::Fail { row } => match chosen(store, agent, *row).await {
            Some(row) => seen(store.note_failure(agent, row.period, "no answer", now(), now()).await),
            None => seen(store.note_extraction_failure(agent, "no answer", now(), now()).await),
        },
        Step::Watermark { grain, applied, stale } => {
            let grain = Grain::ALL[*grain];
            let mut read = store.watermark(agent, grain).await.unwrap();
            let generation = read.generation + 1;
            let next =
                Watermark { building: Some(building(generation + 1, applied / 2)), ..made(generation, *applied) };
            read.applied += u64::from(*stale);
            seen(store.save_watermark(agent, grain, read, next).await)
        }
        Step::Extract { turns, found, degraded } => {
            let turns: Vec<Turn> = turns.iter().map(|spoken_turn| turn(agent, spoken_turn)).collect();
            let after = store.extraction(agent).await.unwrap().extracted;
            // If an earlier step read more turns, the new watermark is below the stored one, and the store refuses it.
            let extraction = Extraction { after, ..extraction(agent, &turns, found, *degraded) };
            seen(store.save_extraction(agent, extraction, now()).await)
        }
        Step::Seal { children, stale } => seen(seal(store, agent, *children, *stale).await),
        Step::Pin { memory, pinned } => {
            let id = live(store, agent, *memory).await;
            seen(store.pin(agent, &id, *pinned).await)
        }
        Step::Correct { memory, text } => {
            let id = live(store, agent, *memory).await;
            let text = format!("{} corrected.\nThis is line two.", NAMES[usize::from(*text)]);
            seen(store.correct(agent, &id, &text, at("2026-06-02T00:00:00Z")).await)
        }
        Step::Erase { target, dry } => {
            let target = resolve(store, agent, target).await;
            let dry_run = store.preview(agent, &target).await.map_err(|e| e.to_string());
            if *dry {
                return format!("{dry_run:?}");
            }
            let report = store.erase(agent, &target, now()).await.map_err(|e| e.to_string());
            assert_eq!(report, dry_run, "what is told before is what happens");
            format!("{report:?}")
        }
        Step::Unforget { spoken_turn } => {
            let turn = turn(agent, spoken_turn);
            let message = [(turn.key.clone(), turn.message.digest())];
            let before = store.forgotten(agent, &message).await.unwrap();
            format!("{before:?} {}", seen(store.unforget(agent, &message).await))
        }
        Step::Reply { key, drop } => ask(store, agent, *key, *drop).await,
        Step::Wait { rows } => {
            let mut periods = vec!["2026-05".parse().unwrap()];
            for row in rows {
                periods.extend(chosen(store, agent, *row).await.map(|row| row.period));
            }
            seen(store.note_outage(agent, &periods, "away", now(), now()).await)
        }
        Step::Block { name, text } => write_block(store, agent, *name, *text).await,
        Step::Document { key, text, version, expires } => {
            let done = store.write_documents(agent, vec![document_write(*key, *text, *version, *expires)], now()).await;
            let removed = if *key == 0 && *expires {
                store.remove_expired(at("2026-06-03T00:00:00Z"), 1).await
            } else {
                Ok(Vec::new())
            };
            format!("{:?} {removed:?}", done.map_err(|error| error.to_string()))
        }
        Step::Request { turns, key, drop } => request(store, agent, turns, *key, *drop).await,
        Step::Clean { early } => {
            let pending = store.pending_cleanings().await.unwrap();
            if let Some((_, erasure)) = pending.iter().find(|(of, _)| of == agent) {
                store.cleaned(agent, erasure - u64::from(*early)).await.unwrap();
            }
            format!("{pending:?}")
        }
        Step::Access { memories, times } => {
            let access = Access { times: u64::from(*times), last: at(&format!("2026-06-0{times}T00:00:00Z")) };
            let mut accesses = Vec::new();
            for memory in memories {
                accesses.push((live(store, agent, *memory).await, access));
            }
            seen(store.add_accesses(agent, &accesses).await)
        }
        Step::Reopen | Step::CutPower { .. } => unreachable!("not a change"),
    }
}

fn seen(done: annals_core::Result<()>) -> String {
    format!("{:?}", done.map_err(|error| error.to_string()))
}

fn turn(agent: &Agent, spoken_turn: &SpokenTurn) -> Turn {
    let instant = format!("2026-03-{:02}T10:00:00Z", 1 + 7 * spoken_turn.day);
    let sentence = NAMES
        .get(usize::from(spoken_turn.text))
        .map_or_else(|| "Nobody was there.".into(), |name| format!("{name} said so."));
    let message = message(&instant, &format!("{sentence} This is text {}.", spoken_turn.text));
    let conversation = format!("talk {}", spoken_turn.id % 2);
    let attached = [r#"{"by":"nobody"}"#.to_owned(), format!(r#"{{"note":"So it was.\n{sentence} \"Yes.\""}}"#)];
    let attachment = attached.get(usize::from(spoken_turn.id)).cloned();
    let turn = turn_of(agent, Message { client_id: Some(spoken_turn.id.to_string()), conversation, ..message });
    Turn { attachment, ..turn }
}

async fn chosen(store: &dyn Store, agent: &Agent, row: usize) -> Option<LedgerRow> {
    let mut rows = store.ledger(agent).await.unwrap();
    let index = row.checked_rem(rows.len())?;
    Some(rows.swap_remove(index))
}

/// Returns the id of a live memory of any grain, or an id that does not exist.
async fn live(store: &dyn Store, agent: &Agent, memory: usize) -> MemoryId {
    let mut ids = vec![MemoryId::from_text("t-none")];
    for grain in Grain::ALL {
        let kinds = vec![Kind::Turn, Kind::Statement, Kind::Summary, Kind::Passage];
        let select = Select { kinds, ..Select::all(grain) };
        ids.extend(store.list(agent, &select).await.unwrap().into_iter().map(|memory| memory.id));
    }
    ids.swap_remove(memory % ids.len())
}

/// Rolls up like the summarizer: reads base and input, and writes the step's text unless nothing is left.
async fn roll_up(
    store: &dyn Store,
    agent: &Agent,
    row: &LedgerRow,
    text: Option<u8>,
    verbatim: bool,
) -> annals_core::Result<()> {
    let (base, inputs) = (store.base(agent, row.period).await?, store.inputs(agent, row.period).await?);
    let sources: Vec<MemoryId> = inputs.iter().map(|memory| memory.id.clone()).collect();
    let mut sentences: Vec<Sentence> = base.into_iter().flat_map(|base| base.sentences).collect();
    sentences.extend(inputs.iter().flat_map(quote));
    let summary = Summary {
        degraded: text == Some(1),
        draft: text.filter(|_| !sentences.is_empty()).map(|text| draft(text, sentences, verbatim)),
        replaces: row.rolled_up(),
        ..annals_testkit::summary(&row.period.to_string(), row.dirty_seq, &sources, "")
    };
    store.save_summaries(agent, vec![summary], at("2026-07-01T00:00:00Z")).await
}

fn quote(memory: &Memory) -> Vec<Sentence> {
    let quoted = Sentence {
        day: memory.period.first_day(),
        speaker: memory.speaker().map(str::to_owned),
        text: memory.text.clone(),
        from: vec![memory.id.clone()],
        ungrounded: false,
    };
    if memory.kind() == Kind::Turn { vec![quoted] } else { memory.sentences().to_vec() }
}

fn draft(text: u8, sentences: Vec<Sentence>, verbatim: bool) -> Draft {
    let lines: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let text = format!("summary {text}: {}", lines.join("; "));
    Draft { text, sentences, tokens: 1, ungrounded: 2, verbatim }
}

fn extraction(agent: &Agent, turns: &[Turn], found: &[(usize, u8)], degraded: bool) -> Extraction {
    let (mut statements, mut operations) = (Vec::new(), Vec::new());
    for (position, (index, text)) in found.iter().enumerate() {
        let Some(index) = index.checked_rem(turns.len()) else { continue };
        statements.push(stated(agent, turns, index, *text));
        operations.push(operation_from(&turns[index], u32::try_from(position).unwrap(), *text));
    }
    Extraction {
        turns: turns.iter().map(|turn| turn.id.clone()).collect(),
        found: Extracted { statements, operations, rejected: Vec::new() },
        after: 0,
        extracted: 7 + turns.len() as u64,
        degraded: degraded.then(|| "no answer".into()),
    }
}

/// Builds a statement; some have a second source.
fn stated(agent: &Agent, turns: &[Turn], index: usize, text: u8) -> Statement {
    let name = NAMES[usize::from(text) % NAMES.len()];
    let mut stated = statement(agent, &turns[index], &format!("{name} is meant by {text}."));
    stated.who = vec![name.into()];
    stated.confidence = (text > 0).then(|| f64::from(text) / 4.0);
    if text % 2 == 1 && turns[0].id != turns[index].id {
        stated.sources.push(turns[0].id.clone());
    }
    stated
}

fn operation_from(turn: &Turn, position: u32, text: u8) -> FactOperation {
    match text {
        0 => operation(turn, position, &format!("Bob {ALIAS} Robert")),
        1 => operation(turn, position, "Ann likes Bob"),
        _ => operation(turn, position, &format!("Robert likes tea of kind {text}")),
    }
}

async fn seal(store: &dyn Store, agent: &Agent, children: usize, stale: bool) -> annals_core::Result<()> {
    let mut all = store.children(agent).await?;
    let Some(index) = children.checked_rem(all.len()) else { return Ok(()) };
    let looked_at = all.swap_remove(index);
    let rows = store.ledger(agent).await?;
    let row = rows.into_iter().find(|row| row.period == looked_at.parent);
    store.seal(agent, &looked_at, row.map_or(0, |row| row.clean_seq) + u64::from(stale)).await
}

async fn resolve(store: &dyn Store, agent: &Agent, target: &Reached) -> Target {
    match target {
        Reached::Memory(index) => Target::Memories(vec![live(store, agent, *index).await]),
        Reached::SpokenTurn(spoken_turn) => Target::Memories(vec![turn(agent, spoken_turn).id]),
        Reached::Conversation(number) => Target::Conversation(format!("talk {number}")),
        Reached::Subject(index) => Target::Subject(NAMES[usize::from(*index)].to_uppercase()),
        Reached::Day(day) => {
            let start = at(&format!("2026-03-{:02}T00:00:00Z", 1 + 7 * day));
            Target::Range(Interval { start, end: start + annals_core::SignedDuration::from_hours(24) })
        }
        Reached::Agent => Target::Agent,
    }
}

async fn ask(store: &dyn Store, agent: &Agent, key: u8, drop: bool) -> String {
    let changes = store.changes(agent, Grain::Working, 0, usize::MAX).await.unwrap();
    let reply = Reply {
        key: annals_core::Digest::of([[key]]),
        purpose: if drop { Purpose::Extraction } else { Purpose::Daily },
        model: "m".into(),
        text: "Ann said so.".into(),
        tokens_in: 3,
        cache: CacheTokens::default(),
        tokens_out: 4,
        read_seq: changes.iter().map(Change::seq).max().unwrap_or_default(),
        reservation: None,
        access_key: None,
    };
    let kept = store.reply(agent, &reply.key).await.unwrap();
    let dropped = if drop { store.drop_replies(agent, now()).await.unwrap() } else { 0 };
    store.save_reply(agent, reply, now()).await.unwrap();
    format!("{kept:?} {dropped}")
}

/// Stores or removes a block. Some blocks name a subject, in their text or in their name.
async fn write_block(store: &dyn Store, agent: &Agent, name: u8, text: Option<u8>) -> String {
    let name = format!("block {}", ["one", "two", "Bob"][usize::from(name)]);
    let Some(text) = text else {
        return format!("{:?}", annals_testkit::remove_block(store, agent, &name).await.unwrap());
    };
    let sentence =
        NAMES.get(usize::from(text)).map_or("This is text 1".into(), |name| format!("{name} is kept in mind."));
    seen(annals_testkit::save_block(store, agent, Block { name, text: sentence, updated_at: now() }).await)
}

/// Builds a write that stores or removes a document of up to three passages. Some documents name a subject, in their text or in
/// their key. With `version` 0 the write expects any version, otherwise this one.
fn document_write(key: u8, text: Option<u8>, version: u8, expires: bool) -> DocumentWrite {
    let key = ["one", "two", "Bob"][usize::from(key)];
    let expected = if version == 0 { Expected::Any } else { Expected::Version(u64::from(version)) };
    let Some(text) = text else {
        return DocumentWrite::Remove(DocumentKey { collection: "notes".into(), key: key.into() }, expected);
    };
    let end = NAMES.get(usize::from(text)).map_or(String::new(), |name| format!("\n\n{name} is written down here."));
    let written = document(key, now(), &format!("This is text 1.\n\nThis is document {text}.{end}"));
    let expires_at = expires.then(|| at("2026-06-02T00:00:00Z"));
    DocumentWrite::Save(Box::new(Document { expires_at, ..written }), expected)
}

/// Stores turns under an idempotency key, after old keys were dropped if `drop` is set. Leaves the id of the operation out of
/// the result, because ids differ between stores.
async fn request(store: &dyn Store, agent: &Agent, turns: &[SpokenTurn], key: u8, drop: bool) -> String {
    let (key, body) = (annals_core::Digest::of([[key]]), annals_core::Digest::of([[turns.len() as u8]]));
    let dropped = if drop { store.drop_requests(at("2026-06-02T00:00:00Z")).await.unwrap() } else { 0 };
    let turns: Vec<Turn> = turns
        .iter()
        .map(|spoken_turn| Turn { masked: u64::from(spoken_turn.text), ..turn(agent, spoken_turn) })
        .collect();
    let done = match store.ingest_once(agent, &RequestKey { key, body }, turns, OnConflict::Revise, now()).await {
        Ok(done) => done,
        Err(error) => return format!("{dropped} {error}"),
    };
    let found = store.find_operation(agent.workspace(), &done.receipt.id).await.unwrap();
    assert_eq!(found, Some((agent.clone(), done.receipt.clone())));
    let receipt = annals_core::IngestReceipt { id: String::new(), ..done.receipt };
    format!("{dropped} {receipt:?} {}", done.repeated)
}
