//! Manifests of backups, as `annals backup verify` and `annals restore` read them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Annals, Answer, files};
use crate::fuzz::{Verdict, fuzz};
use crate::story::days;

use super::commands::ended_well;

#[test]
fn backups_are_restored_whole_or_not_at_all() {
    let whole = Annals::new();
    whole.import(&days("ann", 2, 1));
    let target = whole.data().with_file_name("backups");
    assert_eq!(whole.run(&["backup", target.to_str().unwrap()]).code, 0);
    let place = files(&target).into_iter().find(|file| file.ends_with("manifest.json")).unwrap();
    let good = std::fs::read(&place).unwrap();
    let expect = whole.dump();
    fuzz("backups", &[good], |input| check(input, &target, &place, &expect));
}

fn check(input: &[u8], target: &Path, place: &Path, expect: &str) -> Verdict {
    let annals = Annals::new();
    let copied = annals.data().with_file_name("backups");
    assert!(Command::new("cp").arg("-a").args([target, &copied]).status().unwrap().success());
    let manifest = copied.join(place.strip_prefix(target).unwrap());
    std::fs::write(manifest, input).unwrap();
    let before = everything(&annals);
    let verified = annals.run(&["backup", "verify", copied.to_str().unwrap()]);
    // The findings of `verify` are its output, not an error.
    let verified = Answer { err: verified.err + &verified.out, ..verified };
    ended_well(&verified, &[0, 1, 2, 3, 5])?;
    let restored = annals.run(&["restore", copied.to_str().unwrap()]);
    ended_well(&restored, &[0, 2, 3, 5])?;
    if verified.code == 0 && restored.code != 0 {
        return Err(format!("verified, but not restored: {}", restored.err));
    }
    if restored.code == 0 {
        return if annals.dump() == expect { Ok(()) } else { Err("restored to something else".into()) };
    }
    let after = everything(&annals);
    if after == before { Ok(()) } else { Err(format!("something is left of a restore that failed: {after:?}")) }
}

fn everything(annals: &Annals) -> Vec<PathBuf> {
    files(annals.data().parent().unwrap())
}
