//! Data of others looks like data that does not exist: for keys of other workspaces, for keys bound to other agents, and for
//! valid keys that use ids of one agent with another.

use serde_json::Value;

use super::table::{Needs, ROUTES, body, id_of, target};
use super::{AGENT, NOBODY, NOTHING, OTHER, World, key, shape, tells_nothing};

#[tokio::test]
async fn agent_of_others_looks_like_a_missing_one() {
    for name in ["foreign", "bound"] {
        for (method, template, needs) in ROUTES {
            if needs == Needs::Nothing {
                continue;
            }
            let world = World::new().await;
            let before = world.export().await;
            let (real, memory) = (id_of(&world, template), world.memory.clone());
            let there = target(method, template, AGENT, &real);
            let nowhere = target(method, template, NOBODY, NOTHING);
            // The missing target is requested first, so that nothing that this request stores belongs to the target of the
            // second one.
            let key = key(name);
            let (expect, missing) =
                world.ask(Some(&key), method, &nowhere, &body(method, template, NOTHING, NOTHING)).await;
            let (status, answer) =
                world.ask(Some(&key), method, &there, &body(method, template, &memory, "talk")).await;
            let put_in = [AGENT, NOBODY, &real, &memory, NOTHING, "talk"];
            let what = format!("{method} {template} by {name}");
            assert_eq!((status, shape(&answer, &put_in)), (expect, shape(&missing, &put_in)), "{what}");
            tells_nothing(&what, &answer);
            assert_eq!(world.export().await, before, "{what}");
        }
    }
}

#[tokio::test]
async fn ids_of_one_agent_do_not_exist_for_another() {
    for (method, template, needs) in ROUTES {
        let by_id = template.contains("{agent}") && matches!(needs, Needs::Scope(_));
        if !by_id || template.ends_with("{agent}") {
            continue;
        }
        let (world, control) = (World::new().await, World::new().await);
        let before = world.export().await;
        let (real, memory, key) = (id_of(&world, template), world.memory.clone(), key("all"));
        let ask = async |world: &World, id: &str, memory: &str, conversation: &str| {
            let path = target(method, template, OTHER, id);
            world.ask(Some(&key), method, &path, &body(method, template, memory, conversation)).await
        };
        let (status, answer) = ask(&world, &real, &memory, "talk").await;
        let (expect, missing) = ask(&control, NOTHING, NOTHING, NOTHING).await;
        let put_in = [real.as_str(), &memory, NOTHING, "talk"];
        let what = format!("{method} {template}");
        assert_eq!((status, shape(&answer, &put_in)), (expect, shape(&missing, &put_in)), "{what}");
        tells_nothing(&what, &answer);
        assert_eq!(world.export().await, before, "{what}");
    }
}

#[tokio::test]
async fn agent_list_names_only_agents_of_the_key() {
    let world = World::new().await;
    for (name, expect) in [("all", vec![OTHER, AGENT]), ("bound", vec![OTHER]), ("foreign", vec![])] {
        let (_, answer) = world.ask(Some(&key(name)), "GET", "/v1/agents", &Value::Null).await;
        assert_eq!(answer["agents"], serde_json::json!(expect), "{name}");
    }
}

#[tokio::test]
async fn metrics_need_a_key_for_all_agents() {
    let world = World::new().await;
    for (name, expect) in [("admin", 200), ("search", 403), ("bound", 403), ("foreign", 403)] {
        let (status, answer) = world.ask(Some(&key(name)), "GET", "/metrics", &Value::Null).await;
        assert_eq!(status, expect, "{name}");
        for word in [AGENT, OTHER, &world.memory] {
            assert!(!answer.to_string().contains(word), "{word}");
        }
    }
}
