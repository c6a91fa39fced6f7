//! Damaged files: said, put aside, rebuilt from the catalog. Nothing of what was said is lost.

use std::path::{Path, PathBuf};

use crate::command::{Annals, files};
use crate::story::days;

/// Damages one file below the tables, in each way; verify must say so, and searching or rebuilding must mend it.
fn check(choose: impl Fn(&Path) -> bool, damage: impl Fn(&PathBuf)) {
    let annals = Annals::new();
    annals.import(&days("ann", 30, 2));
    annals.json(&["rollup"]);
    let before = annals.dump();
    // The first by name: LanceDB counts the names of manifests down, so it is the newest.
    let chosen = files(&annals.data().join("tables")).into_iter().find(|file| choose(file)).unwrap();
    damage(&chosen);

    let verified = annals.run(&["verify"]);
    assert_eq!(verified.code, 1, "{}: {}{}", chosen.display(), verified.out, verified.err);
    assert!(verified.out.contains("damaged"), "{}: {}", chosen.display(), verified.out);
    let rebuilt = annals.run(&["rebuild"]);
    assert_eq!(rebuilt.code, 0, "{}: {}", chosen.display(), rebuilt.err);
    assert_eq!(annals.run(&["verify"]).code, 0);
    assert_eq!(annals.dump(), before);
}

fn truncate(file: &PathBuf) {
    let length = std::fs::metadata(file).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap();
}

fn zero(file: &PathBuf) {
    let length = usize::try_from(std::fs::metadata(file).unwrap().len()).unwrap();
    std::fs::write(file, vec![0; length]).unwrap();
}

fn empty(file: &PathBuf) {
    std::fs::write(file, "").unwrap();
}

fn is_data(file: &Path) -> bool {
    file.to_string_lossy().contains("working") && file.extension().is_some_and(|extension| extension == "lance")
}

fn is_manifest(file: &Path) -> bool {
    file.to_string_lossy().contains("working") && file.extension().is_some_and(|extension| extension == "manifest")
}

#[test]
fn a_truncated_data_file() {
    check(is_data, truncate);
}

#[test]
fn a_zeroed_data_file() {
    check(is_data, zero);
}

#[test]
fn an_empty_manifest() {
    check(is_manifest, empty);
}

#[test]
fn a_search_mends_the_table_it_needs() {
    let annals = Annals::new();
    annals.import(&days("ann", 30, 2));
    annals.json(&["rollup"]);
    let asked = ["search", "Kyoto", "--agent", "ann", "--grain", "working"];
    let before = found(&annals.json(&asked));
    files(&annals.data().join("tables")).iter().filter(|file| is_data(file)).for_each(zero);
    let answer = annals.run(&[&asked[..], &["--json"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_eq!(found(&serde_json::from_str(&answer.out).unwrap()), before);
    assert!(answer.err.contains("damaged"), "it is said: {}", answer.err);
    assert_eq!(annals.run(&["verify"]).code, 0);
}

/// The ids of the results, in order: scores move a little with how often a memory was given out.
fn found(answer: &serde_json::Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|found| found["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_damaged_catalog_is_not_taken_for_an_empty_one() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    zero(&annals.data().join("catalog.sqlite"));
    let answer = annals.run(&["status"]);
    assert_eq!(answer.code, 5, "{}{}", answer.out, answer.err);
}

#[test]
fn a_model_with_a_wrong_checksum_is_refused() {
    let annals = Annals::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/all-MiniLM-L6-v2");
    let folder = annals.file("marker", "").with_file_name("model");
    std::fs::create_dir(&folder).unwrap();
    for name in ["model.onnx", "tokenizer.json", "SHA256SUMS"] {
        std::fs::copy(source.join(name), folder.join(name)).unwrap();
    }
    truncate(&folder.join("model.onnx"));
    let answer = annals.run(&["embed", "--model", folder.to_str().unwrap()]);
    assert_eq!(answer.code, 5, "{}", answer.err);
    assert!(answer.err.contains("model.onnx") && answer.err.contains("SHA-256"), "{}", answer.err);
}
