use std::sync::Arc;

use annals_core::Error;
use annals_testkit::{agent, at};

use super::*;
use crate::fixture::{NOW, service, service_with_memories};

fn entity(name: &str, kind: &str, observations: &[&str]) -> Entity {
    Entity {
        name: name.into(),
        kind: kind.into(),
        observations: observations.iter().map(ToString::to_string).collect(),
    }
}

fn relation(from: &str, kind: &str, to: &str) -> Relation {
    Relation { from: from.into(), to: to.into(), kind: kind.into() }
}

async fn with_two() -> (Service, Agent) {
    let (service, me) = (service(Arc::new(|| at(NOW))), agent("a"));
    let entities = vec![entity("Zoe", "person", &["Likes tea.", "Plays go"]), entity("Bern", "city", &[])];
    assert_eq!(service.add_entities(&me, entities.clone(), at(NOW)).await.unwrap(), entities);
    let relations = vec![relation("Zoe", "lives in", "Bern"), relation("Zoe", "knows", "Nobody")];
    assert_eq!(service.add_relations(&me, relations.clone(), at(NOW)).await.unwrap(), relations);
    (service, me)
}

#[tokio::test]
async fn graph_is_read_as_it_was_entered() {
    let (service, me) = with_two().await;
    let graph = service.knowledge(&me).await.unwrap();
    assert_eq!(graph.entities, [entity("Zoe", "person", &["Likes tea.", "Plays go"]), entity("Bern", "city", &[])]);
    assert_eq!(graph.relations, [relation("Zoe", "lives in", "Bern"), relation("Zoe", "knows", "Nobody")]);
}

#[tokio::test]
async fn existing_entity_is_not_added_again() {
    let (service, me) = with_two().await;
    let before = service.knowledge(&me).await.unwrap();
    let again = vec![entity("Zoe", "robot", &["Likes oil"])];
    assert_eq!(service.add_entities(&me, again, at(NOW)).await.unwrap(), []);
    assert_eq!(service.add_relations(&me, vec![relation("Zoe", "knows", "Nobody")], at(NOW)).await.unwrap(), []);
    let observed = vec![("Zoe".to_owned(), vec!["Plays go".to_owned()])];
    let added = service.add_observations(&me, observed, at(NOW)).await.unwrap();
    assert_eq!(added, [("Zoe".to_owned(), vec![])]);
    assert_eq!(service.knowledge(&me).await.unwrap(), before);
}

/// The texts are long, have several lines or spaces around them, or differ from another in case and punctuation only.
#[tokio::test]
async fn observation_of_any_text_round_trips() {
    let (service, me) = with_two().await;
    let long = "word ".repeat(200) + "end";
    let texts = ["likes tea".to_owned(), "one\ntwo".into(), long, "…".into(), " spaced ".into(), "東京".repeat(100)];
    let observed = vec![("Zoe".to_owned(), texts.to_vec())];
    let added = service.add_observations(&me, observed.clone(), at(NOW)).await.unwrap();
    assert_eq!(added, observed);
    let expect: Vec<String> = ["Likes tea.", "Plays go"].map(str::to_owned).into_iter().chain(texts.clone()).collect();
    assert_eq!(service.knowledge(&me).await.unwrap().entity("zoe").unwrap().observations, expect);
    service.remove_observations(&me, &[("Zoe".into(), texts.to_vec())], at(NOW)).await.unwrap();
    let left = service.knowledge(&me).await.unwrap();
    assert_eq!(left.entity("Zoe").unwrap().observations, ["Likes tea.", "Plays go"]);
}

#[tokio::test]
async fn observation_of_an_unknown_entity_adds_nothing() {
    let (service, me) = with_two().await;
    let before = service.knowledge(&me).await.unwrap();
    let observed = vec![("Zoe".to_owned(), vec!["new".to_owned()]), ("Yan".to_owned(), vec!["new".to_owned()])];
    let error = service.add_observations(&me, observed, at(NOW)).await.unwrap_err();
    assert!(matches!(error, Error::NotFound { name, .. } if name == "Yan"));
    assert_eq!(service.knowledge(&me).await.unwrap(), before);
}

#[tokio::test]
async fn removed_entity_takes_its_relations_along_and_may_come_back() {
    let (service, me) = with_two().await;
    service.remove_entities(&me, &["Bern".into(), "Nothing".into()], at(NOW)).await.unwrap();
    let graph = service.knowledge(&me).await.unwrap();
    assert_eq!(graph.entities, [entity("Zoe", "person", &["Likes tea.", "Plays go"])]);
    assert_eq!(graph.relations, [relation("Zoe", "knows", "Nobody")]);
    service.remove_relations(&me, &[relation("Zoe", "knows", "Nobody")], at(NOW)).await.unwrap();
    let back = vec![entity("Bern", "capital", &["Old town"])];
    assert_eq!(service.add_entities(&me, back.clone(), at(NOW)).await.unwrap(), back);
    let graph = service.knowledge(&me).await.unwrap();
    assert_eq!((graph.entities.last(), graph.relations.len()), (back.last(), 0));
}

#[tokio::test]
async fn relation_named_like_a_type_stays_a_relation() {
    let (service, me) = with_two().await;
    service.add_relations(&me, vec![relation("Zoe", "is_a", "Bern")], at(NOW)).await.unwrap();
    let graph = service.knowledge(&me).await.unwrap();
    assert_eq!(graph.entity("Zoe").unwrap().kind, "person");
    assert_eq!(graph.relations.last(), Some(&relation("Zoe", "is_a", "Bern")));
}

#[tokio::test]
async fn search_and_open_return_relations_with_one_end_in_the_result() {
    let (service, me) = with_two().await;
    let graph = service.knowledge(&me).await.unwrap();
    for found in [graph.clone().search("CIT"), graph.clone().open(&["Bern".into(), "Nobody".into()])] {
        assert_eq!(found.entities, [entity("Bern", "city", &[])]);
        assert_eq!(found.relations, [relation("Zoe", "lives in", "Bern")]);
    }
    assert_eq!(graph.search("no such text"), KnowledgeGraph::default());
}

#[tokio::test]
async fn subject_of_a_conversation_is_an_entity() {
    let me = agent("a");
    let graph = service_with_memories(&me).await.knowledge(&me).await.unwrap();
    assert_eq!(graph.entity("Ann"), Some(&entity("Ann", "entity", &[])));
    assert_eq!(graph.relations, [relation("Ann", "lives_in", "Bern")]);
}
