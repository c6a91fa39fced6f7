use crate::Kind;
use crate::kinds::fixtures::{check, check_damaged, check_longer, options};
use crate::kinds::testing;

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

#[test]
fn export_of_openmemory_names_its_user() {
    let export = r#"{"user":{"id":"7d1f","user_id":"mira","name":null},"memories":[
        {"id":"m1","user_id":"7d1f","state":"active","content":"Drinks rye coffee","created_at":1751900000,"metadata_":{}},
        {"id":"m2","user_id":"7d1f","state":"deleted","content":"Drinks tea","created_at":1751900000}],
        "apps":[{"id":"a","name":"claude"}],"categories":[]}"#;
    testing::check_with(
        Kind::Mem0,
        &testing::options(),
        &[("memories.json", export)],
        r#"statement mem0:m1 mira Drinks rye coffee 2025-07-07T14:53:20Z
           skip 1 field "apps" beside the memories
           skip 1 field "user" beside the memories
           skip 1 memory that was deleted"#,
    );
}

#[test]
fn stores_and_exports_are_recognised() {
    let points = r#"{"result":{"points":[{"id":"p1","payload":{"data":"Runs","hash":"h"}}]},"status":"ok"}"#;
    for text in [points, r#"{"user":{"id":"x"},"memories":[],"apps":[]}"#] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("export.json"), text).unwrap();
        let mut source = crate::Source::open(&[folder.path()], crate::Limits::default()).unwrap();
        assert!(matches!(crate::detect(&mut source), crate::Detected::Clear(Kind::Mem0, _)), "{text}");
    }
}
