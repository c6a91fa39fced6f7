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
        &[
            "annals-core",
            "annals-importers",
            "annals-objects",
            "annals-retention",
            "annals-search",
            "annals-summarizer",
            "annals-writer",
        ],
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

/// Dependencies that only one crate may have. Exceptions: the bench also uses SQLite, as an alternative to measure against, and
/// the testkit creates and drops schemas of PostgreSQL.
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
            let is_exception =
                [("annals-bench", "rusqlite"), ("annals-testkit", "tokio-postgres")].contains(&(name, dependency));
            assert!(name == home || is_exception || !names(&package).contains(dependency), "{name} names {dependency}");
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

/// The `type` of a problem document links to the section of its code.
#[test]
fn every_problem_code_has_a_section() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/problems.md")).unwrap();
    let mut sources = Vec::new();
    files(&root.join("crates/server/src"), &mut sources);
    let mut codes = codes_of_errors(&std::fs::read_to_string(root.join("crates/core/src/error.rs")).unwrap());
    for file in sources.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        codes.extend(codes_of_problems(&std::fs::read_to_string(file).unwrap()));
    }
    assert!(codes.len() > 25, "{codes:?}");
    let missing: Vec<&String> = codes.iter().filter(|code| !page.contains(&format!("\n## {code}\n"))).collect();
    assert!(missing.is_empty(), "docs/problems.md lacks sections: {missing:?}");
}

/// Returns the codes in the body of `Error::code`.
fn codes_of_errors(source: &str) -> BTreeSet<String> {
    let body = source.split("pub fn code(").nth(1).unwrap().split("\n    }\n").next().unwrap();
    body.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the codes that are passed to `Problem::new`, as its second argument.
fn codes_of_problems(source: &str) -> BTreeSet<String> {
    let calls = source.split("Problem::new(StatusCode::").skip(1);
    let code = |call: &str| {
        let (before, rest) = call.split_once('"')?;
        (before.matches(',').count() == 1 && !before.contains(')'))
            .then(|| rest.split('"').next().map(str::to_owned))?
    };
    calls.filter_map(code).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Former names in the code for things that have a standard term: `Shelf` was a store of Parquet files, `lane` a watermark, a
/// lock, a pipeline and a semaphore. `CONTRIBUTING.md` says how names are chosen.
const REPLACED_NAMES: [&str; 29] = [
    "aim", "bury", "enough", "exhume", "guest", "heat", "hot", "lane", "living", "looked", "patience", "rota", "seat",
    "seats", "shelf", "soil", "spare", "talk", "talks", "tame", "theme", "tidy", "till", "trace", "traces", "trouble",
    "upkeep", "wear", "wish",
];

/// Files in which such a name is the standard term: a lane is a row of the picture of the timeline.
const STANDARD_THERE: [(&str, &str); 1] = [("web/src/timeline.rs", "lane")];

/// Words before the name of an item or variable that is declared.
const DECLARATIONS: [&str; 10] = ["fn", "struct", "enum", "trait", "mod", "const", "static", "type", "let", "mut"];

#[test]
fn replaced_names_do_not_return() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in ["crates", "tests"] {
        files(&root.join(folder), &mut sources);
    }
    sources.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    let mut found = Vec::new();
    for path in &sources {
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.lines().filter_map(|line| line.split("//").next());
        let declared = code.flat_map(declared_names).map(str::to_lowercase);
        let replaced = declared.filter(|name| REPLACED_NAMES.contains(&name.as_str()));
        let is_standard = |name: &str| STANDARD_THERE.iter().any(|(file, word)| *word == name && path.ends_with(file));
        found.extend(replaced.filter(|name| !is_standard(name)).map(|name| format!("{}: {name}", path.display())));
    }
    assert_eq!(found, Vec::<String>::new());
}

/// Returns the names that follow a word of [`DECLARATIONS`] in a line.
fn declared_names(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.clone().zip(words.skip(1)).filter(|(before, _)| DECLARATIONS.contains(before)).map(|(_, name)| name)
}
