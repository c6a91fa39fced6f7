//! Agents with their settings, dead letters and operations; isolation between agents.

use annals_core::ports::{AgentState, Building, Counts, OnConflict, Select, VectorModel, Watermark};
use annals_core::{Agent, Catalog, DeadLetter, EngineChoice, Grain, MemoryId, Settings, Stage, Timestamp};

use super::{later, me, now, say, user_turn};
use crate::{agent, at, building, made, period, set_watermark, summary, turn};

pub(super) async fn unknown_agent_reads_as_empty(catalog: &dyn Catalog) {
    assert_eq!(catalog.all_agents().await.unwrap(), []);
    assert_eq!(catalog.settings(&me()).await.unwrap(), Settings::default());
    assert_eq!(catalog.agent_state(&me()).await.unwrap(), AgentState::default());
    assert_empty(catalog, &me()).await;
    assert_eq!(catalog.all_agents().await.unwrap(), [], "reading makes no agent");
}

/// Asserts that the agent has no memories, changes, watermarks, ledger rows, counts and dead letters.
async fn assert_empty(catalog: &dyn Catalog, agent: &Agent) {
    for grain in Grain::ALL {
        assert_eq!(catalog.changes(agent, grain, 0, usize::MAX).await.unwrap(), []);
        assert_eq!(catalog.backlog(agent, grain, 0).await.unwrap(), 0);
        assert_eq!(catalog.list(agent, &Select::all(grain)).await.unwrap(), []);
        let watermark = catalog.watermark(agent, grain).await.unwrap();
        assert_eq!(watermark, Watermark::default());
    }
    assert_eq!(catalog.ledger(agent).await.unwrap(), []);
    assert_eq!(catalog.counts(agent).await.unwrap(), Counts::default());
    assert_eq!(catalog.dead_letters(agent).await.unwrap(), []);
    for label in ["2026-03-04", "2026-W10"] {
        assert_eq!(catalog.inputs(agent, period(label)).await.unwrap(), []);
    }
}

pub(super) async fn settings_round_trip(catalog: &dyn Catalog) {
    let moved = Settings {
        time_zone: "Asia/Tokyo".into(),
        later_zones: vec![(at("2026-03-05T08:00:00Z"), "America/Los_Angeles".into())],
        language: "ja".into(),
        plan: "free".into(),
        engine: EngineChoice::Extractive,
        prompts: [("daily".to_owned(), "Tell the day.".to_owned())].into(),
        daily_tokens: Some(1000),
        mask: false,
    };
    for settings in [moved.clone(), Settings::default(), moved] {
        catalog.save_settings(&me(), &settings).await.unwrap();
        assert_eq!(catalog.settings(&me()).await.unwrap(), settings);
    }
    assert_eq!(catalog.settings(&agent("other")).await.unwrap(), Settings::default());
}

pub(super) async fn agent_state_equals_the_single_queries(catalog: &dyn Catalog) {
    let (set, other) = (agent("set"), agent("other"));
    let settings = Settings { plan: "free".into(), mask: false, ..Settings::default() };
    catalog.save_settings(&set, &settings).await.unwrap();
    let quiet = AgentState { known: true, settings, waiting: 0 };
    assert_eq!(catalog.agent_state(&set).await.unwrap(), quiet);
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")];
    let last = say(catalog, turns).await.seq;
    for (applied, waiting) in [(0, 2), (last - 1, 1), (last, 0)] {
        set_watermark(catalog, &me(), Grain::Working, made(0, applied)).await;
        assert_eq!(catalog.backlog(&me(), Grain::Working, applied).await.unwrap(), waiting);
        let expected = AgentState { known: true, waiting, ..AgentState::default() };
        assert_eq!(catalog.agent_state(&me()).await.unwrap(), expected, "{applied} of {last}");
    }
    // A watermark may exist for an agent that has nothing else.
    set_watermark(catalog, &other, Grain::Working, made(1, 0)).await;
    for agent in [set, me(), other, agent("nobody")] {
        let listed = catalog.all_agents().await.unwrap().contains(&agent);
        assert_eq!(catalog.agent_state(&agent).await.unwrap().known, listed, "{agent}");
    }
}

pub(super) async fn agents_have_settings_or_messages(catalog: &dyn Catalog) {
    let (set, talking) = (agent("b"), agent("a"));
    catalog.save_settings(&set, &Settings::default()).await.unwrap();
    let turns = vec![turn(&talking, "2026-03-04T10:00:00Z", "tea")];
    catalog.ingest(&talking, turns, OnConflict::Refuse, now()).await.unwrap();
    assert_eq!(catalog.all_agents().await.unwrap(), [talking, set]);
}

pub(super) async fn agents_to_reembed_have_a_table_of_another_model(catalog: &dyn Catalog) {
    let ours = made(0, 1).model.unwrap();
    let other = VectorModel { name: "other".into(), ..ours.clone() };
    let longer = VectorModel { dimension: ours.dimension + 1, ..ours.clone() };
    let of = |model: &VectorModel| Watermark { model: Some(model.clone()), ..made(0, 1) };
    let unfinished = |urgent| Watermark { building: Some(Building { urgent, ..building(1, 0) }), ..made(0, 1) };
    let cases = [
        ("current", made(0, 1), false),
        ("empty", Watermark::default(), false),
        ("longer", of(&longer), true),
        ("other", of(&other), true),
        ("placeholders", of(&ours.placeholder()), true),
        ("unfinished", unfinished(false), true),
        ("urgent", unfinished(true), false),
        ("urgent-other", Watermark { model: Some(other.clone()), ..unfinished(true) }, false),
    ];
    for (name, watermark, _) in &cases {
        catalog.save_settings(&agent(name), &Settings::default()).await.unwrap();
        set_watermark(catalog, &agent(name), Grain::Weekly, watermark.clone()).await;
    }
    // A watermark alone does not create an agent.
    set_watermark(catalog, &agent("unknown"), Grain::Weekly, of(&other)).await;
    let expect: Vec<Agent> = cases.iter().filter(|(_, _, due)| *due).map(|(name, ..)| agent(name)).collect();
    assert_eq!(catalog.agents_to_reembed(&ours).await.unwrap(), expect);
}

pub(super) async fn agents_are_listed_by_workspace_and_name_in_pages(catalog: &dyn Catalog) {
    let agent_of = |(workspace, name): (&str, &str)| Agent::in_workspace(workspace, name).unwrap();
    let all = [("a", "z"), ("b", "A"), ("b", "a"), ("b", "é"), ("ba", "0")].map(agent_of);
    for agent in all.iter().rev() {
        catalog.save_settings(agent, &Settings::default()).await.unwrap();
    }
    // A watermark alone does not create an agent.
    set_watermark(catalog, &agent_of(("b", "b")), Grain::Working, made(0, 1)).await;
    for limit in 1..=all.len() + 1 {
        let mut listed: Vec<Agent> = Vec::new();
        loop {
            let page = catalog.agents(None, listed.last(), limit).await.unwrap();
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            listed.extend(page);
        }
        assert_eq!(listed, all, "pages of {limit}");
    }
    let of = async |workspace: &str, after: Option<&Agent>, limit| {
        catalog.agents(Some(workspace), after, limit).await.unwrap()
    };
    assert_eq!(of("b", None, 9).await, all[1..4]);
    assert_eq!(of("b", None, 2).await, all[1..3]);
    assert_eq!(of("b", Some(&all[1]), 9).await, all[2..4]);
    // The agent after which a page begins need not exist any more.
    assert_eq!(of("b", Some(&agent_of(("b", "b"))), 9).await, all[3..4]);
    assert_eq!(of("b", Some(&all[3]), 9).await, []);
    assert_eq!(of("c", None, 9).await, []);
    assert_eq!(catalog.next_agent(Some(&all[3])).await.unwrap().as_ref(), Some(&all[4]));
    assert_eq!(catalog.all_agents().await.unwrap(), all);
}

pub(super) async fn agents_do_not_see_each_other(catalog: &dyn Catalog) {
    store_one_of_each(catalog, &me()).await;
    for other in [agent("other"), agent("TESTER"), agent("teste")] {
        assert_empty(catalog, &other).await;
        let ids: Vec<_> = catalog.list(&me(), &Select::all(Grain::Working)).await.unwrap();
        let ids: Vec<_> = ids.into_iter().map(|memory| memory.id).collect();
        assert_eq!(ids.len(), 1);
        assert_eq!(catalog.get(&other, &ids).await.unwrap(), [], "an id of another agent is not found");
        catalog.remove_dead_letters(&other, &ids).await.unwrap();
        assert_eq!(catalog.dead_letters(&me()).await.unwrap().len(), 1, "another agent's letters are not forgotten");
    }
}

/// Stores a turn, a summary, a watermark and a dead letter.
async fn store_one_of_each(catalog: &dyn Catalog, agent: &Agent) {
    let turn = turn(agent, "2026-03-04T10:00:00Z", "tea");
    let done = catalog.ingest(agent, vec![turn.clone()], OnConflict::Refuse, now()).await.unwrap();
    let day = summary("2026-03-04", done.seq, std::slice::from_ref(&turn.id), "They had tea.");
    catalog.save_summaries(agent, vec![day], now()).await.unwrap();
    let watermark = made(1, done.seq);
    set_watermark(catalog, agent, Grain::Working, watermark).await;
    catalog.add_dead_letters(vec![letter(agent, &turn.id, "bad", now())]).await.unwrap();
}

pub(super) async fn same_name_in_another_workspace_is_another_agent(catalog: &dyn Catalog) {
    let here = Agent::in_workspace("here", "ann").unwrap();
    let there = Agent::in_workspace("there", "ann").unwrap();
    store_one_of_each(catalog, &here).await;
    assert_empty(catalog, &there).await;
    store_one_of_each(catalog, &there).await;
    assert_eq!(catalog.counts(&here).await.unwrap(), catalog.counts(&there).await.unwrap());
    let mut agents = catalog.all_agents().await.unwrap();
    agents.sort();
    assert_eq!(agents, [here, there]);
}

pub(super) async fn any_name_is_accepted(catalog: &dyn Catalog) {
    let mut agents = ["../../etc", "o'brien \"x\"; --", "Μνήμη", "%", "a b", "日記"].map(agent);
    for agent in &agents {
        store_one_of_each(catalog, agent).await;
    }
    agents.sort();
    assert_eq!(catalog.all_agents().await.unwrap(), agents);
    for agent in &agents {
        assert_eq!(catalog.counts(agent).await.unwrap().memories, [1, 1, 0, 0, 0, 0], "{agent}");
    }
}

pub(super) async fn ledger_is_ordered_by_grain_and_time(catalog: &dyn Catalog) {
    let instants = ["2026-03-05T10:00:00Z", "1660-01-11T21:00:00Z", "2026-03-04T10:00:00Z"];
    say(catalog, instants.iter().map(|instant| user_turn(instant, instant, "x")).collect()).await;
    let source = [MemoryId::from_text("t-any")];
    let days = ["2026-03-05", "1660-01-11"].map(|label| summary(label, 0, &source, label));
    catalog.save_summaries(&me(), days.to_vec(), now()).await.unwrap();
    let labels: Vec<_> = catalog.ledger(&me()).await.unwrap().iter().map(|row| row.period.to_string()).collect();
    assert_eq!(labels, ["1660-01-11", "2026-03-04", "2026-03-05", "1660-W02", "2026-W10"]);
}

fn letter(agent: &Agent, memory: &MemoryId, error: &str, at: Timestamp) -> DeadLetter {
    DeadLetter {
        agent: agent.clone(),
        grain: Grain::Working,
        memory: memory.clone(),
        stage: Stage::Table,
        error: error.into(),
        at,
    }
}

pub(super) async fn dead_letters_stay_until_removed(catalog: &dyn Catalog) {
    let [a, b] = ["t-a", "t-b"].map(MemoryId::from_text);
    catalog
        .add_dead_letters(vec![letter(&me(), &a, "first", later()), letter(&me(), &b, "other", now())])
        .await
        .unwrap();
    let by_time = [letter(&me(), &b, "other", now()), letter(&me(), &a, "first", later())];
    assert_eq!(catalog.dead_letters(&me()).await.unwrap(), by_time);
    let much_later = at("2026-07-01T00:00:00Z");
    catalog.add_dead_letters(vec![letter(&me(), &b, "again", much_later)]).await.unwrap();
    let replaced = [letter(&me(), &a, "first", later()), letter(&me(), &b, "again", much_later)];
    assert_eq!(catalog.dead_letters(&me()).await.unwrap(), replaced);
    catalog.remove_dead_letters(&me(), &[a, MemoryId::from_text("t-absent")]).await.unwrap();
    assert_eq!(catalog.dead_letters(&me()).await.unwrap(), replaced[1..]);
}

pub(super) async fn receipt_is_searchable_once_its_own_table_has_applied_it(catalog: &dyn Catalog) {
    let request = || vec![turn(&me(), "2026-03-04T10:00:00Z", "one"), turn(&me(), "2026-03-04T11:00:00Z", "two")];
    let first = catalog.ingest(&me(), request(), OnConflict::Refuse, now()).await.unwrap();
    let other = agent("other");
    catalog.ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "one")], OnConflict::Refuse, now()).await.unwrap();
    let again = catalog.ingest(&me(), request(), OnConflict::Refuse, now()).await.unwrap();
    let newest = catalog.changes(&me(), Grain::Working, 0, 10).await.unwrap().pop().unwrap().seq();
    assert_eq!((first.seq, again.seq), (newest, newest));
}

pub(super) async fn receipts_round_trip(catalog: &dyn Catalog) {
    let done = say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    assert_eq!(catalog.operation(&me(), &done.id).await.unwrap(), Some(done.clone()));
    assert_eq!(catalog.operation(&agent("other"), &done.id).await.unwrap(), None);
    assert_eq!(catalog.operation(&me(), "unknown").await.unwrap(), None);
    let refused = vec![user_turn("1", "2026-03-04T10:00:00Z", "coffee")];
    assert!(catalog.ingest(&me(), refused, OnConflict::Refuse, now()).await.is_err());
    assert_eq!(catalog.operation(&me(), &done.id).await.unwrap(), Some(done));
}

pub(super) async fn intact_store_has_no_faults(catalog: &dyn Catalog) {
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    store_one_of_each(catalog, &me()).await;
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}
