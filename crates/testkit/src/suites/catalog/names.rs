//! Names of agents: which agent a name leads to, and what a new name changes.

use annals_core::ports::{OnConflict, Select};
use annals_core::{Agent, Catalog, Error, Grain, Settings};

use super::{me, now, say, user_turn};
use crate::{agent, turn};

/// Asserts that a name leads to the agent with this key, and that the agent shows the name `shown`.
async fn leads(catalog: &dyn Catalog, name: &str, key: &str, shown: &str) {
    let found = catalog.resolve_agent("default", name).await.unwrap();
    assert_eq!((found.key(), found.name()), (key, shown), "{name}");
}

async fn create(catalog: &dyn Catalog, name: &str) -> Agent {
    catalog.save_settings(&agent(name), &Settings::default()).await.unwrap();
    agent(name)
}

pub(super) async fn every_name_of_an_agent_leads_to_it(catalog: &dyn Catalog) {
    let ann = create(catalog, "ann").await;
    leads(catalog, "nobody", "nobody", "nobody").await;
    let former = ["ann", "bea", "Kläre \"K\" 猫", "bea", "ann"];
    for (position, name) in former.iter().enumerate().skip(1) {
        let renamed = catalog.rename_agent(&ann, name).await.unwrap();
        assert_eq!((&renamed, renamed.name()), (&ann, *name));
        for known in &former[..=position] {
            leads(catalog, known, "ann", name).await;
        }
    }
    let elsewhere = catalog.resolve_agent("other", "bea").await.unwrap();
    assert_eq!((elsewhere.workspace(), elsewhere.key()), ("other", "bea"));
    assert!(catalog.resolve_agent("default", "").await.is_err());
}

pub(super) async fn renamed_agent_keeps_its_memories_and_is_listed_under_its_name(catalog: &dyn Catalog) {
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")];
    say(catalog, turns.clone()).await;
    let state = catalog.agent_state(&me()).await.unwrap();
    let renamed = catalog.rename_agent(&me(), "Anna").await.unwrap();
    let memories = catalog.list(&renamed, &Select::all(Grain::Working)).await.unwrap();
    assert_eq!(memories.iter().map(|memory| &memory.id).collect::<Vec<_>>(), [&turns[0].id]);
    assert_eq!(catalog.agent_state(&renamed).await.unwrap(), state);
    let name = |agent: Agent| agent.name().to_owned();
    assert_eq!(catalog.all_agents().await.unwrap().into_iter().map(name).collect::<Vec<_>>(), ["Anna"]);
    assert_eq!(catalog.agent_of(&turns[0].id).await.unwrap().map(name).as_deref(), Some("Anna"));
    let busy = catalog.agents_with_work(now()).await.unwrap();
    assert_eq!(busy.into_iter().map(name).collect::<Vec<_>>(), ["Anna"]);
    let repeated = catalog.ingest(&renamed, turns, OnConflict::Refuse, now()).await.unwrap();
    assert_eq!((repeated.accepted, repeated.duplicate), (0, 1));
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

pub(super) async fn name_that_another_agent_has_or_had_is_refused(catalog: &dyn Catalog) {
    let (ann, bob) = (create(catalog, "ann").await, create(catalog, "bob").await);
    catalog.rename_agent(&bob, "bert").await.unwrap();
    catalog.rename_agent(&bob, "ben").await.unwrap();
    for name in ["bob", "bert", "ben"] {
        let error = catalog.rename_agent(&ann, name).await.unwrap_err();
        assert!(matches!(&error, Error::Exists { name: taken, .. } if taken == name), "{error}");
    }
    for (name, field) in [("", "agent is empty"), ("a\nb", "agent contains")] {
        let error = catalog.rename_agent(&ann, name).await.unwrap_err().to_string();
        assert!(error.starts_with(field), "{error}");
    }
    let error = catalog.rename_agent(&agent("nobody"), "new").await.unwrap_err();
    assert!(matches!(&error, Error::NotFound { .. }), "{error}");
    leads(catalog, "ann", "ann", "ann").await;
    leads(catalog, "new", "new", "new").await;
    // Names are unique within a workspace only.
    let other = Agent::in_workspace("other", "ann").unwrap();
    catalog.save_settings(&other, &Settings::default()).await.unwrap();
    catalog.rename_agent(&other, "ben").await.unwrap();
    leads(catalog, "ben", "bob", "ben").await;
}

/// A request may have resolved the name just before another agent got that name.
pub(super) async fn no_second_agent_is_created_under_a_name_of_another(catalog: &dyn Catalog) {
    let ann = create(catalog, "ann").await;
    let stale = catalog.resolve_agent("default", "bea").await.unwrap();
    catalog.rename_agent(&ann, "bea").await.unwrap();
    let turns = vec![turn(&stale, "2026-03-04T10:00:00Z", "tea")];
    let error = catalog.ingest(&stale, turns, OnConflict::Refuse, now()).await.unwrap_err();
    assert!(matches!(&error, Error::Exists { .. }), "{error}");
    assert_eq!(catalog.all_agents().await.unwrap(), [ann]);
}
