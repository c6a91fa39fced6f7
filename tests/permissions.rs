//! Files and folders that Annals writes are accessible to their user only. Foreign files keep their permissions.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::command::Annals;
use crate::mcp::{Client, Started};
use crate::story::days;

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Checks that only its user can access a folder and everything below it.
#[track_caller]
fn is_private(folder: &Path) {
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            is_private(&path);
        } else {
            assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
        }
    }
}

#[test]
fn written_files_are_accessible_to_their_user_only() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    annals.json(&["rollup"]);
    is_private(&annals.data());
    let target = annals.data().with_file_name("backups");
    annals.json(&["backup", target.to_str().unwrap()]);
    is_private(&target);
    let other = Annals::new();
    other.json(&["restore", target.to_str().unwrap()]);
    is_private(&other.data());
    let export = annals.data().with_file_name("ann.jsonl");
    assert_eq!(annals.run(&["export", "--agent", "ann", export.to_str().unwrap()]).code, 0);
    assert_eq!(mode(&export), 0o600);
    for format in ["--markdown", "--parquet"] {
        let folder = annals.data().with_file_name(&format[2..]);
        let exported = annals.run(&["export", "--agent", "ann", format, folder.to_str().unwrap()]);
        assert_eq!(exported.code, 0, "{}", exported.err);
        is_private(&folder);
    }
}

#[test]
fn log_of_a_service_that_an_agent_started_is_private() {
    let annals = Annals::new();
    let _started = Started(&annals);
    let mut client = Client::start(&annals);
    assert!(!client.tools().is_empty());
    assert_eq!(mode(&annals.data().join("service.log")), 0o600);
    is_private(&annals.data());
}

#[test]
fn permissions_of_an_older_folder_are_closed_when_it_is_opened() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    let foreign = annals.data().join("notes of mine");
    std::fs::write(&foreign, "not ours").unwrap();
    open_up(&annals.data());
    annals.json(&["status"]);
    assert_eq!(mode(&annals.data()), 0o700);
    assert_eq!(mode(&foreign), 0o644, "what is not ours is left as it is");
    std::fs::remove_file(foreign).unwrap();
    is_private(&annals.data());
}

fn open_up(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            open_up(&path);
        } else {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        }
    }
}
