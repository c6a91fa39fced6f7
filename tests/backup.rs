//! Backup and restore: a restored folder equals the original, damage is found, and an incomplete backup is not used.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::documents::with_documents;
use crate::story::{days, line};

/// Creates a folder with two agents, rolled up, with documents and attachments.
fn with_story() -> Annals {
    let annals = Annals::new();
    annals.import(&days("ann", 20, 2));
    annals.import(&line("bob", "c", "1", "Bob", "I live in Ghent.", "2026-02-01T10:00:00Z"));
    annals.json(&["rollup"]);
    with_documents(&annals)
}

fn target(annals: &Annals) -> PathBuf {
    annals.data().with_file_name("backups")
}

#[track_caller]
fn back_up(annals: &Annals, hours: u32, more: &[&str]) -> Value {
    let target = target(annals);
    annals.json_after(hours, &[&["backup", target.to_str().unwrap()], more].concat())
}

#[track_caller]
fn names(annals: &Annals) -> Vec<String> {
    let listed = annals.json(&["backup", "list", target(annals).to_str().unwrap()]);
    listed.as_array().unwrap().iter().map(|backup| backup["name"].as_str().unwrap().to_owned()).collect()
}

fn verify(annals: &Annals) -> (i32, String) {
    let answer = annals.run(&["backup", "verify", target(annals).to_str().unwrap()]);
    (answer.code, answer.out + &answer.err)
}

#[test]
fn restored_folder_equals_the_original() {
    let annals = with_story();
    let before = annals.dump();
    let made = back_up(&annals, 0, &[]);
    assert_eq!(made["name"], json!("2026-11-20T12-00-00Z"));
    let kept: Vec<&str> =
        made["manifest"]["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(kept, ["catalog.sqlite"], "tables and facts are made anew");
    annals.import(&days("ann", 21, 2));
    assert_eq!(verify(&annals).0, 0);

    let other = Annals::new();
    let restored = other.json(&["restore", target(&annals).to_str().unwrap()]);
    assert_eq!((&restored["agents"], &restored["name"]), (&json!(2), &made["name"]));
    assert_eq!(other.dump(), before);
    assert_eq!(other.json(&["verify"])["sound"], json!(true));
    let found = other.json(&["search", "brother in Kyoto", "--agent", "ann"]);
    assert!(!found["results"].as_array().unwrap().is_empty());
    let known = other.json(&["facts", "--agent", "bob", "--about", "bob"]);
    assert_eq!(known["facts"].as_array().map(Vec::len), Some(1), "{known}");
    // The restored folder works like the original: the same messages again are duplicates.
    assert_eq!(other.import(&days("ann", 20, 2))["accepted"], json!(0));
}

#[test]
fn settings_plans_and_prompts_are_restored_without_secrets() {
    let annals = with_story();
    let data = annals.data();
    let settings = "# ours\n[models]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey = \"sk-very-secret\" # old\n\
                    daily = { key = 'sk-very-secret-too', model = \"n\" }\n[backup]\nkeep = 3\n";
    std::fs::write(data.join("annals.toml"), settings).unwrap();
    for (folder, name) in [("retention", "ours.toml"), ("prompts", "daily.md")] {
        std::fs::create_dir_all(data.join(folder)).unwrap();
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../retention/free.toml")).unwrap();
        std::fs::write(data.join(folder).join(name), text).unwrap();
        std::fs::write(data.join(folder).join("notes.txt"), "not ours").unwrap();
    }
    let made = back_up(&annals, 0, &[]);
    assert_eq!(made["manifest"]["left_out"], json!(["models.key", "models.daily.key"]));
    for file in files(&target(&annals)) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(14).any(|piece| piece == b"sk-very-secret"), "{}", file.display());
    }
    let other = Annals::new();
    other.json(&["restore", target(&annals).to_str().unwrap()]);
    let back = std::fs::read_to_string(other.data().join("annals.toml")).unwrap();
    assert_eq!(back, settings.replace("\"sk-very-secret\"", "\"\"").replace("'sk-very-secret-too'", "\"\""));
    for path in ["retention/ours.toml", "prompts/daily.md"] {
        assert_eq!(std::fs::read(other.data().join(path)).unwrap(), std::fs::read(data.join(path)).unwrap(), "{path}");
    }
    assert!(!other.data().join("prompts/notes.txt").exists());
}

/// Damages a backup. Expects that verification finds the damage and that a restore restores nothing.
#[track_caller]
fn check(harm: impl Fn(&Path), expect: &str) {
    let annals = with_story();
    let made = back_up(&annals, 0, &[]);
    harm(&target(&annals).join(made["name"].as_str().unwrap()));
    let (code, output) = verify(&annals);
    assert!(code != 0 && output.contains(expect), "{code}: {output}");
    let other = Annals::new();
    let refused = other.run(&["restore", target(&annals).to_str().unwrap()]);
    assert_ne!(refused.code, 0, "{}", refused.out);
    assert!(!other.data().exists(), "nothing that looks whole is left");
    let beside: Vec<_> = std::fs::read_dir(other.data().parent().unwrap()).unwrap().collect();
    assert!(beside.is_empty(), "{beside:?}");
}

fn change(path: PathBuf, change: impl Fn(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn truncated_file_is_found() {
    let halve = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    check(|backup| change(backup.join("catalog.sqlite"), halve), "catalog.sqlite has");
}

#[test]
fn changed_byte_is_found() {
    let flip = |bytes: &mut Vec<u8>| bytes[5000] ^= 1;
    check(|backup| change(backup.join("catalog.sqlite"), flip), "catalog.sqlite has a wrong SHA-256 checksum");
}

#[test]
fn missing_file_is_found() {
    check(|backup| std::fs::remove_file(backup.join("catalog.sqlite")).unwrap(), "catalog.sqlite is missing");
}

#[test]
fn backup_without_manifest_is_refused() {
    check(|backup| std::fs::remove_file(backup.join("manifest.json")).unwrap(), "there is no complete backup at");
}

#[test]
fn truncated_manifest_is_found() {
    let halve = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    check(
        |backup| change(backup.join("manifest.json"), halve),
        "manifest.json of the backup 2026-11-20T12-00-00Z is damaged",
    );
}

#[test]
fn manifest_path_outside_the_backup_is_refused() {
    let lead_out = |bytes: &mut Vec<u8>| {
        *bytes = String::from_utf8(bytes.clone()).unwrap().replace("catalog.sqlite", "../../catalog.sqlite").into();
    };
    check(|backup| change(backup.join("manifest.json"), lead_out), "is not a path of a backup");
}

#[test]
fn catalog_with_another_sequence_is_found() {
    let renumber = |bytes: &mut Vec<u8>| {
        let mut manifest: Value = serde_json::from_slice(bytes).unwrap();
        manifest["catalog_sequence"] = json!(manifest["catalog_sequence"].as_i64().unwrap() + 1);
        *bytes = serde_json::to_vec(&manifest).unwrap();
    };
    check(|backup| change(backup.join("manifest.json"), renumber), "the catalog ends with change");
}

#[test]
fn old_backups_are_removed_after_a_complete_one() {
    let annals = with_story();
    for hours in [1, 2, 3] {
        assert_eq!(back_up(&annals, hours, &[])["removed"], json!([]), "all are kept unless it is said");
    }
    // A backup that was left unfinished long ago, one that may still be in progress, and a folder that is not a backup.
    for half in ["2026-11-01T00-00-00Z", "2026-11-20T15-59-00Z", "not a backup"] {
        std::fs::create_dir_all(target(&annals).join(half)).unwrap();
        // A file as a killed process leaves it while it is writing.
        std::fs::write(target(&annals).join(half).join("catalog.sqlite#1"), "half").unwrap();
    }
    let removed = back_up(&annals, 4, &["--keep", "2"])["removed"].clone();
    assert_eq!(removed, json!(["2026-11-01T00-00-00Z", "2026-11-20T13-00-00Z", "2026-11-20T14-00-00Z"]));
    assert_eq!(names(&annals), ["2026-11-20T15-00-00Z", "2026-11-20T15-59-00Z", "2026-11-20T16-00-00Z"]);
    for name in removed.as_array().unwrap() {
        assert!(!target(&annals).join(name.as_str().unwrap()).exists(), "{name}");
    }
    assert!(target(&annals).join("not a backup").exists());
    assert_eq!(verify(&annals).0, 0);
}

#[test]
fn target_and_number_of_backups_come_from_the_settings() {
    let annals = with_story();
    let place = target(&annals);
    let settings = format!("[backup]\ntarget = {:?}\nkeep = 1\n", place.to_str().unwrap());
    std::fs::write(annals.data().join("annals.toml"), settings).unwrap();
    annals.json_after(1, &["backup"]);
    annals.json_after(2, &["backup"]);
    assert_eq!(annals.json(&["backup", "list"]).as_array().unwrap().len(), 1);
    assert_eq!(annals.json(&["backup", "verify"])["sound"], json!(true));
}

#[test]
fn impossible_backup_or_restore_is_refused() {
    #[track_caller]
    fn check(annals: &Annals, args: &[&str], expect: &str) {
        let answer = annals.run(args);
        assert!(answer.code == 2 && answer.err.contains(expect), "{args:?}: {} {}", answer.code, answer.err);
    }
    let annals = with_story();
    let (inside, place) = (annals.data().join("backups"), target(&annals));
    check(&annals, &["backup"], "TARGET is needed");
    check(&annals, &["backup", inside.to_str().unwrap()], "lies in the data folder");
    check(&annals, &["backup", "ftp://host/x"], "must have the form s3://bucket/prefix");
    check(&annals, &["backup", "s3:///prefix"], "has no bucket name");
    back_up(&annals, 0, &[]);
    check(&annals, &["backup", place.to_str().unwrap()], "already holds a backup named");
    check(&annals, &["restore", place.to_str().unwrap()], "must name a new or empty folder");
}

#[test]
fn backup_leaves_no_files_in_the_data_folder() {
    let annals = with_story();
    let before = files(&annals.data()).len();
    back_up(&annals, 0, &[]);
    verify(&annals);
    assert_eq!(files(&annals.data()).len(), before);
}
