//! Reads the projects and memories of a Claude.ai export as documents.

use annals_core::Result;
use serde_json::Value;

use crate::dates;
use crate::item::{Item, Location};
use crate::kinds::files::{filled, keys, list, text};
use crate::output::Output;
use crate::skipped::Skip;

/// Reads a project: its instructions, its description and its documents.
pub fn project(value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let Some(id) = filled(value, "uuid") else {
        output.skip(Skip::unknown("project without a uuid", keys(value), location));
        return Ok(());
    };
    let location = location.at_entry(format!("project {id}"));
    let name = filled(value, "name").unwrap_or("Project");
    let zone = &output.options().zone;
    let time = |value: &Value| value.get("created_at").and_then(|at| dates::of_json(at, zone));
    for (field, label) in [("description", "description"), ("prompt_template", "instructions")] {
        if let Some(text) = filled(value, field) {
            let (id, title) = (format!("claude:project/{id}/{label}"), format!("{name}: {label}"));
            output.item(Item::Document { id, title, text: text.to_owned(), at: time(value) }, &location)?;
        }
    }
    for document in list(value, "docs") {
        let Some(document_id) = filled(document, "uuid") else {
            output.skip(Skip::unknown("document without a uuid", keys(document), &location));
            continue;
        };
        let title = format!("{name}: {}", filled(document, "filename").unwrap_or("document"));
        let item = Item::Document {
            id: format!("claude:project/{id}/{document_id}"),
            title,
            text: text(document, "content").unwrap_or_default().to_owned(),
            at: time(document),
        };
        output.item(item, &location.at_entry(format!("project {id}, document {document_id}")))?;
    }
    Ok(())
}

/// Reads Claude's memories of conversations and of projects, which have no date.
pub fn memories(value: &Value, location: &Location, output: &mut Output<'_>) -> Result<()> {
    if let Some(memory) = filled(value, "conversations_memory") {
        memory_item("claude:memory".to_owned(), "Claude's memory", memory, location, output)?;
    }
    match value.get("project_memories") {
        Some(Value::Object(projects)) => {
            for (project, memory) in projects {
                let location = location.at_entry(format!("project {project}"));
                match memory.as_str() {
                    Some(memory) => {
                        let id = format!("claude:memory/{project}");
                        memory_item(id, "Claude's memory of a project", memory, &location, output)?;
                    }
                    None => output.skip(Skip::unknown("memory of an unknown shape", keys(memory), &location)),
                }
            }
        }
        Some(Value::Null) | None => {}
        Some(other) => output.skip(Skip::unknown("memory of an unknown shape", keys(other), location)),
    }
    Ok(())
}

fn memory_item(id: String, title: &str, memory: &str, location: &Location, output: &mut Output<'_>) -> Result<()> {
    let item = Item::Document { id, title: title.to_owned(), text: memory.to_owned(), at: None };
    output.item(item, location)
}
