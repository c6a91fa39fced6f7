//! Dumps everything that the ports return for an agent.

use annals_core::ports::{RetentionLimits, Select};
use annals_core::{Agent, Grain, Kind, SignedDuration, latest_day};
use annals_testkit::all_records;
use annals_testkit::{Store, at};

/// Returns one line for each answer.
pub(super) async fn dump(store: &dyn Store, agent: &Agent) -> Vec<String> {
    let ledger = store.ledger(agent).await.unwrap();
    let mut lines = vec![format!("{:?}", store.counts(agent).await.unwrap()), format!("{ledger:?}")];
    for row in &ledger {
        lines.push(format!("{:?}", store.inputs(agent, row.period).await.unwrap()));
        lines.push(format!("{:?}", store.base(agent, row.period).await.unwrap()));
    }
    for grain in Grain::ALL {
        lines.append(&mut dump_grain(store, agent, grain).await);
    }
    lines.push(format!("{:?}", store.extraction(agent).await.unwrap()));
    let (version, mut operations) = store.operations(agent).await.unwrap();
    operations.sort_by(|a, b| a.id.cmp(&b.id));
    lines.push(format!("{version}: {operations:?}"));
    lines.push(format!("{:?}", store.dead_letters(agent).await.unwrap()));
    lines.push(format!("{:?}", store.children(agent).await.unwrap()));
    lines.push(format!("{:?}", store.usage(agent, at("2026-01-01T00:00:00Z")).await.unwrap()));
    lines.push(format!("{:?}", store.agent_state(agent).await.unwrap()));
    lines.push(format!("{:?}", store.blocks(agent).await.unwrap()));
    lines.push(format!("{:?}", store.pending_cleanings().await.unwrap()));
    lines.push(format!("{:?}", store.all_agents().await.unwrap()));
    lines.extend(all_records(store, agent).await.iter().map(|record| format!("{record:?}")));
    lines
}

/// Returns one line for each answer over all agents. The in-memory catalog adds them up agent by agent.
pub(super) async fn of_all(store: &dyn Store) -> Vec<String> {
    let mut lines = Vec::new();
    for now in ["2026-03-05T11:00:00Z", "2026-03-09T01:00:00Z", "2030-01-01T00:00:00Z"].map(at) {
        lines.push(format!("{:?}", store.totals(now).await.unwrap()));
        let last_days = ["keep", "free"].into_iter().zip(0..).map(|(plan, hours)| {
            let day = latest_day(now - SignedDuration::from_hours(24 * hours));
            (plan.to_owned(), Grain::ALL.map(|grain| (grain > Grain::Working || hours > 0).then_some(day)))
        });
        let limits = RetentionLimits { last_days: last_days.collect(), replies_before: Some(now) };
        lines.push(format!("{:?}", store.agents_to_retain(&limits).await.unwrap()));
        let limits = RetentionLimits { replies_before: None, ..limits };
        lines.push(format!("{:?}", store.agents_to_retain(&limits).await.unwrap()));
    }
    lines
}

async fn dump_grain(store: &dyn Store, agent: &Agent, grain: Grain) -> Vec<String> {
    let mut lines = vec![
        format!("{:?}", store.changes(agent, grain, 0, usize::MAX).await.unwrap()),
        format!("{:?}", store.changes(agent, grain, 3, 2).await.unwrap()),
        format!("{:?}", store.backlog(agent, grain, 3).await.unwrap()),
        format!("{:?}", store.watermark(agent, grain).await.unwrap()),
    ];
    for newest_first in [false, true] {
        let passages = Select { kinds: vec![Kind::Passage], newest_first, limit: 4, ..Select::all(grain) };
        lines.push(format!("{:?}", store.list(agent, &passages).await.unwrap()));
        let select = Select { newest_first, limit: 4, ..Select::all(grain) };
        lines.push(format!("{:?}", store.list(agent, &select).await.unwrap()));
    }
    lines
}
