//! That whatever is done in whatever order, with the power cut in between, the catalog agrees with the one in memory.

use annals_core::ports::{Lane, Select, Turn};
use annals_core::{Agent, Catalog, Draft, Grain, Interval, LedgerRow, MemoryId, Message, Sentence, Summary};
use annals_testkit::{MemoryCatalog, agent, at, message, turn_of};
use proptest::prelude::*;

use crate::SqliteCatalog;
use crate::power_cut::{Drive, Unsynced, open};

/// One thing that happens to an agent. Numbers are taken modulo what there is to choose from.
#[derive(Clone, Debug)]
enum Step {
    Ingest { turns: Vec<Said>, revise: bool },
    RollUp { row: usize, text: Option<u8> },
    Fail { row: usize },
    Lane { grain: usize, applied: u64 },
    Reopen,
    CutPower { seed: u64 },
}

#[derive(Clone, Debug)]
struct Said {
    id: u8,
    text: u8,
    day: u8,
}

fn step() -> impl Strategy<Value = Step> {
    let said = (0..5u8, 0..3u8, 0..3u8).prop_map(|(id, text, day)| Said { id, text, day });
    prop_oneof![
        3 => (prop::collection::vec(said, 0..5), any::<bool>()).prop_map(|(turns, revise)| Step::Ingest { turns, revise }),
        5 => (any::<usize>(), prop::option::of(0..3u8)).prop_map(|(row, text)| Step::RollUp { row, text }),
        1 => any::<usize>().prop_map(|row| Step::Fail { row }),
        1 => (0..6usize, any::<u64>()).prop_map(|(grain, applied)| Step::Lane { grain, applied: applied >> 1 }),
        1 => Just(Step::Reopen),
        2 => any::<u64>().prop_map(|seed| Step::CutPower { seed }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_catalog_in_memory(steps in prop::collection::vec((0..2usize, step()), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(compare(&steps));
    }
}

async fn compare(steps: &[(usize, Step)]) {
    let drive = Drive::new();
    let agents = [agent("one"), agent("two")];
    let model = MemoryCatalog::new();
    let mut catalog = open(&drive, None).unwrap();
    for (who, step) in steps {
        match step {
            Step::Reopen => {
                drop(catalog);
                catalog = open(&drive, None).unwrap();
            }
            Step::CutPower { seed } => catalog = cut_power(catalog, &drive, *seed),
            change => {
                let expect = apply(&model, &agents[*who], change).await;
                assert_eq!(apply(&catalog, &agents[*who], change).await, expect, "{change:?}");
            }
        }
        for agent in &agents {
            assert_eq!(dump(&catalog, agent).await, dump(&model, agent).await, "after {step:?}");
        }
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new(), "after {step:?}");
    }
}

fn cut_power(catalog: SqliteCatalog, drive: &Drive, seed: u64) -> SqliteCatalog {
    drive.disk().power_goes_at(drive.disk().steps());
    drop(catalog);
    drive.disk().power_is_back(Unsynced::LostByChance(seed));
    open(drive, None).unwrap()
}

/// Does it, and says what the caller saw.
async fn apply(catalog: &dyn Catalog, agent: &Agent, step: &Step) -> String {
    let now = at("2026-06-01T00:00:00Z");
    match step {
        Step::Ingest { turns, revise } => {
            let turns = turns.iter().map(|said| turn(agent, said)).collect();
            let done = catalog.ingest(agent, turns, *revise, now).await;
            format!("{:?}", done.map(|done| (done.accepted, done.duplicate, done.revised)).map_err(|e| e.to_string()))
        }
        Step::RollUp { row, text } => match chosen(catalog, agent, *row).await {
            Some(row) => format!("{:?}", roll_up(catalog, agent, &row, *text).await.map_err(|e| e.to_string())),
            None => String::new(),
        },
        Step::Fail { row } => match chosen(catalog, agent, *row).await {
            Some(row) => format!("{:?}", catalog.note_failure(agent, row.period, "no answer", now).await.is_ok()),
            None => String::new(),
        },
        Step::Lane { grain, applied } => {
            let lane = Lane { generation: 1, applied: *applied, building: Some((2, applied / 2)) };
            format!("{:?}", catalog.save_lane(agent, Grain::ALL[*grain], lane).await.is_ok())
        }
        Step::Reopen | Step::CutPower { .. } => unreachable!("not a change"),
    }
}

fn turn(agent: &Agent, said: &Said) -> Turn {
    let instant = format!("2026-03-{:02}T10:00:00Z", 1 + 7 * said.day);
    let message = message(&instant, &format!("text {}", said.text));
    turn_of(agent, Message { client_id: Some(said.id.to_string()), ..message })
}

async fn chosen(catalog: &dyn Catalog, agent: &Agent, row: usize) -> Option<LedgerRow> {
    let mut rows = catalog.ledger(agent).await.unwrap();
    let index = row.checked_rem(rows.len())?;
    Some(rows.swap_remove(index))
}

/// As the summarizer would: reads the input, and writes what the step says unless nothing is left.
async fn roll_up(catalog: &dyn Catalog, agent: &Agent, row: &LedgerRow, text: Option<u8>) -> annals_core::Result<()> {
    let sources: Vec<MemoryId> = catalog.inputs(agent, row.period).await?.into_iter().map(|memory| memory.id).collect();
    let summary = Summary {
        draft: text.filter(|_| !sources.is_empty()).map(|text| draft(row, text, &sources)),
        read_seq: row.dirty_seq,
        ..annals_testkit::summary(&row.period.to_string(), row.dirty_seq, &sources, "")
    };
    catalog.save_summaries(agent, vec![summary], at("2026-07-01T00:00:00Z")).await
}

fn draft(row: &LedgerRow, text: u8, sources: &[MemoryId]) -> Draft {
    let sentence = Sentence {
        day: row.period.first_day(),
        speaker: None,
        text: format!("sentence {text}"),
        from: sources[..1].to_vec(),
    };
    Draft { text: format!("summary {text}"), sentences: vec![sentence], tokens: 1 }
}

/// All that can be asked of an agent.
async fn dump(catalog: &dyn Catalog, agent: &Agent) -> Vec<String> {
    let ledger = catalog.ledger(agent).await.unwrap();
    let mut lines = vec![format!("{:?}", catalog.counts(agent).await.unwrap()), format!("{ledger:?}")];
    for row in &ledger {
        lines.push(format!("{:?}", catalog.inputs(agent, row.period).await.unwrap()));
    }
    for grain in Grain::ALL {
        lines.push(format!("{:?}", catalog.changes(agent, grain, 0, usize::MAX).await.unwrap()));
        lines.push(format!("{:?}", catalog.changes(agent, grain, 3, 2).await.unwrap()));
        lines.push(format!("{:?}", catalog.backlog(agent, grain, 3).await.unwrap()));
        lines.push(format!("{:?}", catalog.lane(agent, grain).await.unwrap()));
        for newest_first in [false, true] {
            let select = Select { grain, within: Interval::ALWAYS, conversation: None, newest_first, limit: 4 };
            lines.push(format!("{:?}", catalog.list(agent, &select).await.unwrap()));
        }
    }
    lines
}
