//! Damaged files are reported, put aside, and rebuilt from the catalog. No message is lost.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::command::{Annals, files};
use crate::documents::with_documents;
use crate::story::{days, line};

/// Damages one file below the tables. `verify` must report the damage, and a rebuild must repair it.
fn check(choose: impl Fn(&Path) -> bool, damage: impl Fn(&PathBuf)) {
    let annals = Annals::new();
    annals.import(&days("ann", 30, 2));
    annals.json(&["rollup"]);
    let before = annals.dump();
    // Files are sorted by name. LanceDB numbers manifests downwards, so the first manifest is the newest.
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
fn truncated_data_file_is_reported_and_rebuilt() {
    check(is_data, truncate);
}

#[test]
fn zeroed_data_file_is_reported_and_rebuilt() {
    check(is_data, zero);
}

#[test]
fn empty_manifest_is_reported_and_rebuilt() {
    check(is_manifest, empty);
}

#[test]
fn search_rebuilds_the_damaged_table_it_needs() {
    let annals = Annals::new();
    annals.import(&days("ann", 30, 2));
    annals.json(&["rollup"]);
    let command = ["search", "Kyoto", "--agent", "ann", "--grain", "working"];
    let before = found(&annals.json(&command));
    files(&annals.data().join("tables")).iter().filter(|file| is_data(file)).for_each(zero);
    let answer = annals.run(&[&command[..], &["--json"]].concat());
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert_eq!(found(&serde_json::from_str(&answer.out).unwrap()), before);
    assert!(answer.err.contains("damaged"), "it is said: {}", answer.err);
    assert_eq!(annals.run(&["verify"]).code, 0);
}

/// Returns everything below a folder, each folder before its content.
fn part_paths(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.clone());
        if path.is_dir() {
            found.extend(part_paths(&path));
        }
    }
    found.sort();
    found
}

/// Returns the path with long names replaced by `*`, so that files of one kind have the same path.
fn kind(part_path: &Path) -> String {
    let text = part_path.display().to_string();
    let part = |part: &str| {
        let (stem, end) = part.rsplit_once('.').unwrap_or((part, ""));
        if stem.len() > 15 { format!("*.{end}") } else { part.to_owned() }
    };
    text.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn remove(part_path: &Path) {
    if part_path.is_dir() {
        std::fs::remove_dir_all(part_path).unwrap();
    } else {
        std::fs::remove_file(part_path).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.as_ref().unwrap().file_name());
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// Returns the ids of matching memories (working, daily, weekly) and the facts, or `None` if the command reports that it
/// cannot answer.
fn findings(annals: &Annals) -> Option<(BTreeSet<String>, String)> {
    let grains = ["working", "daily", "weekly"].map(|grain| ["--grain", grain]).concat();
    let question = [&["search", "brother", "--agent", "ann", "--limit", "100", "--json"], &grains[..]].concat();
    let facts = ["facts", "--about", "Ann", "--agent", "ann", "--json"];
    let [searched, command] = [&question[..], &facts].map(|args| annals.run(args));
    for answer in [&searched, &command] {
        if answer.code != 0 {
            assert!(!answer.err.trim().is_empty(), "it says why");
            return None;
        }
    }
    let found: BTreeSet<String> = found(&serde_json::from_str(&searched.out).unwrap()).into_iter().collect();
    Some((found, command.out))
}

/// Removes one file or folder of a data folder, and searches. Tries one of each kind, or all with `ANNALS_DAMAGE=all`.
#[test]
fn search_after_any_removal_is_right_or_fails_with_a_reason() {
    let begun = Annals::new();
    begun.import(&days("ann", 9, 2));
    let whole = with_documents(&begun);
    whole.import(&line("ann", "me", "1", "Ann", "I live in Bern. My brother visits me.", "2026-01-03T10:00:00Z"));
    whole.json(&["rollup"]);
    whole.import(&line("ann", "me", "2", "Ann", "My brother Tom likes tea.", "2026-01-04T10:00:00Z"));
    let expect = findings(&whole).unwrap();
    assert!(expect.0.len() > 15 && expect.1.contains("Bern"), "{expect:?}");
    assert!(expect.0.iter().any(|id| id.starts_with("p-")), "passages are found too: {expect:?}");
    let (all, mut seen) = (std::env::var("ANNALS_DAMAGE").is_ok_and(|which| which == "all"), BTreeSet::new());
    for part_path in part_paths(&whole.data()) {
        let part_path = part_path.strip_prefix(whole.data()).unwrap();
        if !(seen.insert(kind(part_path)) || all) {
            continue;
        }
        let annals = Annals::new();
        copy(&whole.data(), &annals.data());
        remove(&annals.data().join(part_path));
        if let Some(found) = findings(&annals) {
            assert_eq!(found, expect, "without {}", part_path.display());
        }
    }
}

/// New messages after the loss of a table must not be treated as the whole table.
#[test]
fn import_after_the_loss_of_a_table_restores_its_rows() {
    for lost in ["tables", "tables/*", "tables/*/working-g0.lance", "tables/*/working-g0.lance/_versions"] {
        let annals = Annals::new();
        annals.import(&days("ann", 3, 2));
        annals.json(&["rollup"]);
        let mut part_path = annals.data();
        for part in lost.split('/') {
            part_path = if part == "*" { part_paths(&part_path).remove(0) } else { part_path.join(part) };
        }
        remove(&part_path);
        annals.import(&line("ann", "me", "1", "Ann", "I live in Bern. My brother visits me.", "2026-01-03T10:00:00Z"));
        let found = annals.json(&["search", "brother", "--agent", "ann", "--grain", "working", "--limit", "100"]);
        assert_eq!(found["results"].as_array().unwrap().len(), 7, "{lost}");
        // A search of a summary grain notices that its table is missing.
        annals.json(&["search", "brother", "--agent", "ann", "--grain", "daily"]);
        annals.expect_sound_tables();
    }
}

/// Returns the ids of the results, in order. Scores are left out: they change slightly with access counts.
fn found(answer: &serde_json::Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|found| found["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn damaged_catalog_is_not_treated_as_empty() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    zero(&annals.data().join("catalog.sqlite"));
    let answer = annals.run(&["status"]);
    assert_eq!(answer.code, 5, "{}{}", answer.out, answer.err);
}

#[test]
fn model_with_a_wrong_checksum_is_refused() {
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
