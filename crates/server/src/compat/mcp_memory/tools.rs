//! The nine tools: their definitions, which are the reference's own, and their answers. The text of an answer is the result as
//! JSON with two spaces of indentation, in the reference's order of fields; a deletion is answered with a sentence.

use std::sync::LazyLock;

use annals_core::ports::Scope;
use annals_core::{Agent, Error, Timestamp, harmless};
use annals_service::{Entity, KnowledgeGraph, Relation, Service};
use rmcp::model::{JsonObject, Tool as Definition};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arguments;

/// An answer, as text for a model and as a value for programs.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) structured: Value,
}

/// The reason why a call failed: a text for the model, or an error that gets the reference's wording.
pub(super) enum Failure {
    Text(String),
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

/// Returns the reference's own definitions of its nine tools.
pub(super) fn definitions() -> &'static [Definition] {
    static TOOLS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
        serde_json::from_str(include_str!("tools.json")).expect("the file holds definitions of tools")
    });
    &TOOLS
}

/// Returns the scope that a tool needs: search for reading, admin for everything else.
pub(super) fn scope(name: &str) -> Scope {
    if matches!(name, "read_graph" | "search_nodes" | "open_nodes") { Scope::Search } else { Scope::Admin }
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EntityView {
    name: String,
    entity_type: String,
    observations: Vec<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RelationView {
    from: String,
    to: String,
    relation_type: String,
}

#[derive(Serialize)]
struct GraphView {
    entities: Vec<EntityView>,
    relations: Vec<RelationView>,
}

#[derive(Deserialize, JsonSchema)]
struct CreateEntities {
    entities: Vec<EntityView>,
}

#[derive(Deserialize, JsonSchema)]
struct Relations {
    relations: Vec<RelationView>,
}

#[derive(Deserialize, JsonSchema)]
struct AddObservations {
    observations: Vec<Additions>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Additions {
    entity_name: String,
    contents: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Added {
    entity_name: String,
    added_observations: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DeleteEntities {
    entity_names: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteObservations {
    deletions: Vec<Deletion>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    entity_name: String,
    observations: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    query: String,
}

#[derive(Deserialize, JsonSchema)]
struct Open {
    names: Vec<String>,
}

/// Runs the tool of this name. Fails with the reference's own text if there is none, or if the arguments do not fit.
pub(super) async fn call(
    service: &Service,
    agent: &Agent,
    name: &str,
    arguments: JsonObject,
    now: Timestamp,
) -> Result<Answer, Failure> {
    match name {
        "create_entities" => {
            let CreateEntities { entities } = parse(name, arguments)?;
            let new = service.add_entities(agent, entities.into_iter().map(Entity::from).collect(), now).await?;
            Ok(list("entities", new.into_iter().map(EntityView::from).collect::<Vec<_>>()))
        }
        "create_relations" => {
            let Relations { relations } = parse(name, arguments)?;
            let new = service.add_relations(agent, relations.into_iter().map(Relation::from).collect(), now).await?;
            Ok(list("relations", new.into_iter().map(RelationView::from).collect::<Vec<_>>()))
        }
        "add_observations" => {
            let AddObservations { observations } = parse(name, arguments)?;
            let observations = observations.into_iter().map(|one| (one.entity_name, one.contents)).collect();
            let added = service.add_observations(agent, observations, now).await?.into_iter();
            let added = added.map(|(name, texts)| Added {
                entity_name: harmless(&name),
                added_observations: texts.iter().map(|text| harmless(text)).collect(),
            });
            Ok(list("results", added.collect::<Vec<_>>()))
        }
        "delete_entities" => {
            let DeleteEntities { entity_names } = parse(name, arguments)?;
            service.remove_entities(agent, &entity_names, now).await?;
            Ok(deleted("Entities"))
        }
        "delete_observations" => {
            let DeleteObservations { deletions } = parse(name, arguments)?;
            let removed: Vec<_> = deletions.into_iter().map(|one| (one.entity_name, one.observations)).collect();
            service.remove_observations(agent, &removed, now).await?;
            Ok(deleted("Observations"))
        }
        "delete_relations" => {
            let Relations { relations } = parse(name, arguments)?;
            let removed: Vec<Relation> = relations.into_iter().map(Relation::from).collect();
            service.remove_relations(agent, &removed, now).await?;
            Ok(deleted("Relations"))
        }
        "read_graph" => read(service, agent).await,
        "search_nodes" => {
            let Search { query } = parse(name, arguments)?;
            Ok(graph(service.knowledge(agent).await?.search(&query)))
        }
        "open_nodes" => {
            let Open { names } = parse(name, arguments)?;
            Ok(graph(service.knowledge(agent).await?.open(&names)))
        }
        _ => Err(Failure::Text(format!("MCP error -32602: Tool {name} not found"))),
    }
}

/// Returns the whole graph, for the tool `read_graph` and for the resource.
pub(super) async fn read(service: &Service, agent: &Agent) -> Result<Answer, Failure> {
    Ok(graph(service.knowledge(agent).await?))
}

fn parse<T: DeserializeOwned + JsonSchema>(name: &str, arguments: JsonObject) -> Result<T, Failure> {
    arguments::from_value(Value::Object(arguments), "the arguments").map_err(|error| {
        Failure::Text(format!("MCP error -32602: Input validation error: Invalid arguments for tool {name}: {error}"))
    })
}

fn list<T: Serialize>(field: &str, items: Vec<T>) -> Answer {
    Answer { text: pretty(&items), structured: json!({ field: items }) }
}

fn deleted(what: &str) -> Answer {
    let text = format!("{what} deleted successfully");
    Answer { structured: json!({ "success": true, "message": text }), text }
}

fn graph(graph: KnowledgeGraph) -> Answer {
    let entities = graph.entities.into_iter().map(EntityView::from).collect();
    let relations = graph.relations.into_iter().map(RelationView::from).collect();
    let view = GraphView { entities, relations };
    Answer { text: pretty(&view), structured: json!(view) }
}

fn pretty<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("texts and lists of them")
}

impl From<EntityView> for Entity {
    fn from(view: EntityView) -> Entity {
        Entity { name: view.name, kind: view.entity_type, observations: view.observations }
    }
}

/// Models read the answers, so no text in them may look like the marks of a chat template or close a fence.
impl From<Entity> for EntityView {
    fn from(entity: Entity) -> EntityView {
        EntityView {
            name: harmless(&entity.name),
            entity_type: harmless(&entity.kind),
            observations: entity.observations.iter().map(|text| harmless(text)).collect(),
        }
    }
}

impl From<RelationView> for Relation {
    fn from(view: RelationView) -> Relation {
        Relation { from: view.from, to: view.to, kind: view.relation_type }
    }
}

impl From<Relation> for RelationView {
    fn from(relation: Relation) -> RelationView {
        RelationView {
            from: harmless(&relation.from),
            to: harmless(&relation.to),
            relation_type: harmless(&relation.kind),
        }
    }
}
