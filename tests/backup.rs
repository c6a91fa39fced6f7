//! Backup and restore: what comes back is what was there; what is damaged is found; what is half is not taken for whole.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::story::{days, line};

/// A folder with a story in it, rolled up, and settings with a secret.
fn with_story() -> Annals {
    let annals = Annals::new();
    annals.import(&days("ann", 20, 2));
    annals.import(&line("bob", "c", "1", "Bob", "I live in Ghent.", "2026-02-01T10:00:00Z"));
    annals.json(&["rollup"]);
    annals
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
fn what_is_restored_is_what_was_backed_up() {
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
    assert_eq!(known.as_array().map(Vec::len), Some(1), "{known}");
    // It goes on as the first would have: the same message again is a duplicate.
    assert_eq!(other.import(&days("ann", 20, 2))["accepted"], json!(0));
}

#[test]
fn what_people_wrote_comes_back_without_its_secrets() {
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

/// Harms a backup; it must be found, and nothing may be restored from it.
#[track_caller]
fn check(harm: impl Fn(&Path), expect: &str) {
    let annals = with_story();
    let made = back_up(&annals, 0, &[]);
    harm(&target(&annals).join(made["name"].as_str().unwrap()));
    let (code, said) = verify(&annals);
    assert!(code != 0 && said.contains(expect), "{code}: {said}");
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
fn a_truncated_file_is_found() {
    let halve = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    check(|backup| change(backup.join("catalog.sqlite"), halve), "catalog.sqlite has");
}

#[test]
fn a_changed_byte_is_found() {
    let flip = |bytes: &mut Vec<u8>| bytes[5000] ^= 1;
    check(|backup| change(backup.join("catalog.sqlite"), flip), "catalog.sqlite holds other bytes than were written");
}

#[test]
fn a_missing_file_is_found() {
    check(|backup| std::fs::remove_file(backup.join("catalog.sqlite")).unwrap(), "catalog.sqlite is missing");
}

#[test]
fn a_backup_without_manifest_is_none() {
    check(|backup| std::fs::remove_file(backup.join("manifest.json")).unwrap(), "there is no whole backup at");
}

#[test]
fn a_manifest_cut_short_is_found() {
    let halve = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    check(
        |backup| change(backup.join("manifest.json"), halve),
        "manifest.json of the backup 2026-11-20T12-00-00Z is damaged",
    );
}

#[test]
fn a_manifest_that_leads_out_of_the_folder_is_not_followed() {
    let lead_out = |bytes: &mut Vec<u8>| {
        *bytes = String::from_utf8(bytes.clone()).unwrap().replace("catalog.sqlite", "../../catalog.sqlite").into();
    };
    check(|backup| change(backup.join("manifest.json"), lead_out), "is no path within a backup");
}

#[test]
fn a_catalog_of_another_moment_is_found() {
    let renumber = |bytes: &mut Vec<u8>| {
        let mut manifest: Value = serde_json::from_slice(bytes).unwrap();
        manifest["catalog_sequence"] = json!(manifest["catalog_sequence"].as_i64().unwrap() + 1);
        *bytes = serde_json::to_vec(&manifest).unwrap();
    };
    check(|backup| change(backup.join("manifest.json"), renumber), "the catalog ends with change");
}

#[test]
fn older_ones_go_once_a_newer_is_whole() {
    let annals = with_story();
    for hours in [1, 2, 3] {
        assert_eq!(back_up(&annals, hours, &[])["removed"], json!([]), "all are kept unless it is said");
    }
    // One that was never finished, long ago, and one that may still be on its way.
    for half in ["2026-11-01T00-00-00Z", "2026-11-20T15-59-00Z", "not a backup"] {
        std::fs::create_dir_all(target(&annals).join(half)).unwrap();
        // What a killed process leaves of a file on its way.
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
fn the_settings_say_where_and_how_many() {
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
fn what_cannot_be_done_is_refused_before_anything_is() {
    #[track_caller]
    fn check(annals: &Annals, args: &[&str], expect: &str) {
        let answer = annals.run(args);
        assert!(answer.code == 2 && answer.err.contains(expect), "{args:?}: {} {}", answer.code, answer.err);
    }
    let annals = with_story();
    let (inside, place) = (annals.data().join("backups"), target(&annals));
    check(&annals, &["backup"], "TARGET is needed");
    check(&annals, &["backup", inside.to_str().unwrap()], "lies in the data folder");
    check(&annals, &["backup", "ftp://host/x"], "neither a folder nor of the form s3://bucket/prefix");
    check(&annals, &["backup", "s3:///prefix"], "names no bucket");
    back_up(&annals, 0, &[]);
    check(&annals, &["backup", place.to_str().unwrap()], "of this very second");
    check(&annals, &["restore", place.to_str().unwrap()], "must name a new or empty folder");
}

#[test]
fn nothing_is_left_beside_the_data() {
    let annals = with_story();
    let before = files(&annals.data()).len();
    back_up(&annals, 0, &[]);
    verify(&annals);
    assert_eq!(files(&annals.data()).len(), before);
}
