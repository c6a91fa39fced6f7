use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, options};

#[test]
fn pages_lists_lines_and_histories_are_read() {
    for name in [
        "page.json",
        "self-hosted.json",
        "bare-list.json",
        "lines.jsonl",
        "structured.json",
        "history.json",
        "points.json",
        "strings.json",
    ] {
        check(Kind::Mem0, &format!("mem0/{name}"), &options("Europe/Oslo"));
    }
}

#[test]
fn later_page_adds_only_the_new_memory() {
    check_longer(Kind::Mem0, "mem0/page.json", "mem0/page-later.json", 1, &options("UTC"));
}

#[test]
fn damaged_input_does_no_harm() {
    for name in ["page.json", "self-hosted.json", "lines.jsonl", "history.json"] {
        check_damaged(Kind::Mem0, &format!("mem0/{name}"), 60, &options("UTC"));
    }
}
