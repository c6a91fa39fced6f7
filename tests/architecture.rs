//! Dependencies between crates, checked against the map in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace crates that each crate may depend on, without dev-dependencies.
const EDGES: [(&str, &[&str]); 16] = [
    ("annals-core", &[]),
    ("annals-testkit", &["annals-core"]),
    ("annals-catalog", &["annals-core"]),
    ("annals-index", &["annals-core"]),
    ("annals-strata", &["annals-core", "annals-index"]),
    ("annals-embedder", &["annals-core"]),
    ("annals-llm", &["annals-core"]),
    ("annals-writer", &["annals-core"]),
    ("annals-facts", &["annals-core"]),
    ("annals-retention", &["annals-core"]),
    ("annals-summarizer", &["annals-core"]),
    ("annals-search", &["annals-core"]),
    ("annals-server", &["annals-core", "annals-retention", "annals-search", "annals-summarizer", "annals-writer"]),
    ("annals-simulation", &["annals-core", "annals-retention", "annals-server", "annals-summarizer", "annals-testkit"]),
    (
        "annals-bench",
        &[
            "annals-catalog",
            "annals-core",
            "annals-embedder",
            "annals-facts",
            "annals-index",
            "annals-llm",
            "annals-retention",
            "annals-search",
            "annals-strata",
            "annals-summarizer",
            "annals-writer",
        ],
    ),
    (
        "annals",
        &[
            "annals-catalog",
            "annals-core",
            "annals-embedder",
            "annals-facts",
            "annals-llm",
            "annals-retention",
            "annals-server",
            "annals-strata",
            "annals-summarizer",
            "annals-writer",
        ],
    ),
];

/// Dependencies that only one crate may have. Exception: the bench also uses SQLite, as an alternative to measure against.
const KEPT_APART: [(&str, &str); 9] = [
    ("async-openai", "annals-llm"),
    ("duckdb", "annals-facts"),
    ("reqwest", "annals-llm"),
    ("lancedb", "annals-strata"),
    ("rusqlite", "annals-catalog"),
    ("rmcp", "annals-server"),
    ("rten", "annals-embedder"),
    ("tokio-cron-scheduler", "annals-server"),
    ("tokenizers", "annals-embedder"),
];

fn packages() -> Vec<Value> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let args = ["metadata", "--no-deps", "--format-version", "1", "--offline", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn names(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let shipped = dependencies.filter(|dependency| dependency["kind"] != "dev");
    shipped.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    let packages = packages();
    assert_eq!(packages.len(), EDGES.len(), "a new crate needs a line in EDGES");
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let (_, allowed) = EDGES.iter().find(|(crate_name, _)| *crate_name == name).expect(name);
        let ours: BTreeSet<String> = names(package).into_iter().filter(|name| name.starts_with("annals")).collect();
        let allowed: BTreeSet<String> = allowed.iter().map(ToString::to_string).collect();
        assert_eq!(ours, allowed, "{name}");
    }
}

#[test]
fn heavy_dependencies_belong_to_one_crate() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        for (dependency, home) in KEPT_APART {
            let is_rival = (name, dependency) == ("annals-bench", "rusqlite");
            assert!(name == home || is_rival || !names(&package).contains(dependency), "{name} names {dependency}");
        }
    }
}

#[test]
fn source_files_named_in_the_docs_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in ["crates", "tests"] {
        files(&root.join(folder), &mut sources);
    }
    let mut texts = vec![root.join("ARCHITECTURE.md"), root.join("README.md")];
    files(&root.join("docs"), &mut texts);
    let mut missing = BTreeSet::new();
    for text in texts.iter().filter(|path| path.extension().is_some_and(|end| end == "md")) {
        let text = std::fs::read_to_string(text).unwrap();
        let named = text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs"));
        missing.extend(named.filter(|name| !sources.iter().any(|path| path.ends_with(name))).map(str::to_owned));
    }
    assert_eq!(missing, BTreeSet::new());
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}
