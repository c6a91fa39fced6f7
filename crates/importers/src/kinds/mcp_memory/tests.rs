use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, options};
use crate::kinds::testing;

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

#[test]
fn other_servers_write_other_names_and_times() {
    let lines = r#"{"name":"Rowing club","entityType":"club","observations":[{"text":"Has nine boats","timestamp":"2025-05-11T15:54:05.242Z","version":"1.0"}],"_type":"entity","_savedAt":"2025-05-13T16:26:31Z"}
{"name":"Mira","entityType":"person","observations":["Rows"],"weight":7,"type":"entity"}
{"from_entity":"Mira","to_entity":"Rowing club","relationType":"member_of","type":"relation"}"#;
    let (items, summary) = testing::items(Kind::McpMemory, &[("memory.jsonl", lines)], &testing::options());
    assert_eq!(summary.skipped.iter().count(), 0);
    let shown = testing::shown(&items, &summary);
    assert!(shown.contains("Rowing club observation Has nine boats 2025-05-11T15:54:05.242Z"), "{shown}");
    assert!(shown.contains("Mira member_of Rowing club"), "{shown}");
    assert_eq!(items.len(), 5);
}
