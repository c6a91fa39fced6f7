use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, options};

#[test]
fn files_of_all_versions_are_read() {
    for name in ["memory.jsonl", "variants.jsonl", "memory.json"] {
        check(Kind::McpMemory, &format!("mcp-memory/{name}"), &options("UTC"));
    }
}

#[test]
fn later_file_adds_only_the_new_observation() {
    check_longer(Kind::McpMemory, "mcp-memory/memory.jsonl", "mcp-memory/longer.jsonl", 1, &options("UTC"));
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["memory.jsonl", "variants.jsonl", "memory.json"] {
        check_damaged(Kind::McpMemory, &format!("mcp-memory/{name}"), 60, &options("UTC"));
    }
}
