//! Dependencies between crates, checked against the map in ARCHITECTURE.md.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The workspace crates that each crate may depend on, without dev-dependencies.
const EDGES: [(&str, &[&str]); 20] = [
    ("annals-core", &[]),
    ("annals-testkit", &["annals-core"]),
    ("annals-catalog", &["annals-core"]),
    ("annals-index", &["annals-core"]),
    ("annals-objects", &[]),
    ("annals-strata", &["annals-core", "annals-index", "annals-objects"]),
    ("annals-embedder", &["annals-core"]),
    ("annals-llm", &["annals-core"]),
    ("annals-writer", &["annals-core"]),
    ("annals-importers", &["annals-core"]),
    ("annals-facts", &["annals-core", "annals-objects"]),
    ("annals-retention", &["annals-core"]),
    ("annals-summarizer", &["annals-core"]),
    ("annals-search", &["annals-core"]),
    (
        "annals-service",
        &["annals-core", "annals-importers", "annals-retention", "annals-search", "annals-summarizer", "annals-writer"],
    ),
    ("annals-server", &["annals-core", "annals-service", "annals-web"]),
    ("annals-web", &["annals-core", "annals-service"]),
    (
        "annals-simulation",
        &["annals-core", "annals-retention", "annals-service", "annals-summarizer", "annals-testkit"],
    ),
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
            "annals-importers",
            "annals-llm",
            "annals-objects",
            "annals-retention",
            "annals-server",
            "annals-service",
            "annals-strata",
            "annals-summarizer",
            "annals-writer",
        ],
    ),
];

/// Dependencies that only one crate may have. Exception: the bench also uses SQLite, as an alternative to measure against.
const KEPT_APART: [(&str, &str); 16] = [
    ("async-openai", "annals-llm"),
    ("duckdb", "annals-facts"),
    ("reqwest", "annals-llm"),
    ("lancedb", "annals-strata"),
    ("maud", "annals-web"),
    ("multer", "annals-web"),
    ("rusqlite", "annals-catalog"),
    ("rmcp", "annals-server"),
    ("ort", "annals-embedder"),
    ("rten", "annals-embedder"),
    ("toml_edit", "annals"),
    ("tokio-cron-scheduler", "annals-service"),
    ("tokenizers", "annals-embedder"),
    ("tokio-postgres", "annals-catalog"),
    ("tokio-postgres-rustls", "annals-catalog"),
    ("zip", "annals-importers"),
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

/// The crates that reach files only through `annals-objects`, so that another store can take the place of local files.
const WITHOUT_FILES: [&str; 2] = ["strata", "facts"];

/// Names from the standard library and from crates that give access to files.
const FILE_ACCESS: [&str; 12] = [
    "std::fs",
    "std::os::unix::fs",
    "tokio::fs",
    "fs::",
    "File::",
    "OpenOptions",
    "LocalFileSystem",
    "WalkDir",
    "TempDir",
    "NamedTempFile",
    ".exists()",
    ".canonicalize()",
];

/// The source file that may read `/proc` and `/sys`, for the size of the machine's memory. It reads nothing that is stored.
const READS_THE_MACHINE: &str = "strata/src/cache_limits.rs";

#[test]
fn strata_and_facts_reach_files_only_through_objects() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for name in WITHOUT_FILES {
        let mut sources = Vec::new();
        files(&crates.join(name).join("src"), &mut sources);
        let is_test = |path: &Path| path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        sources.retain(|path| !is_test(path) && path.extension().is_some_and(|end| end == "rs"));
        assert!(sources.len() > 10, "{name} has only {} sources", sources.len());
        for path in sources.iter().filter(|path| !path.ends_with(READS_THE_MACHINE)) {
            let text = std::fs::read_to_string(path).unwrap();
            let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = shipped.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code.filter(|line| FILE_ACCESS.iter().any(|access| line.contains(access))) {
                found.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        if WITHOUT_FILES.iter().any(|without| name == format!("annals-{without}")) {
            for access in ["tempfile", "walkdir"] {
                assert!(!names(&package).contains(access), "{name} names {access}");
            }
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
