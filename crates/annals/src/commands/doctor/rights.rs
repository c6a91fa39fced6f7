//! Checks who may access the data folder, and the secrets in its settings.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::Finding;
use crate::config::{Config, Origin, is_secret};

/// Advice for a folder that cannot be written to.
pub(crate) const MEND: &str = "make the user that runs Annals the owner of the folder: `chown -R`";

/// Mode bits that give access to the group or to others.
const GROUP_AND_OTHERS: u32 = 0o077;

pub(crate) fn look(data: &Path, config: Option<&Config>) -> Vec<Finding> {
    let mut findings = vec![folder(data)];
    findings.extend(config.and_then(secrets));
    findings
}

fn folder(data: &Path) -> Finding {
    let (about, shown) = ("data folder", data.display());
    match mode(data) {
        None => Finding::wrong(about, format!("{shown} cannot be accessed"), MEND),
        Some(mode) if mode & GROUP_AND_OTHERS != 0 => {
            let found = format!("{shown} can be read by other users of this machine");
            Finding::doubtful(about, found, format!("`chmod -R go= {shown}`"))
        }
        Some(_) => Finding::ok(about, shown.to_string()),
    }
}

/// Reports a configuration file that holds a secret and that others can read. Returns `None` for any other file, and without
/// one.
fn secrets(config: &Config) -> Option<Finding> {
    let file = config.file.as_ref()?;
    let mut settings = config.settings.iter().filter(|setting| is_secret(&setting.key));
    let holds_secret = settings.any(|setting| matches!(setting.origin, Origin::File { .. }));
    let is_open = mode(file).is_some_and(|mode| mode & GROUP_AND_OTHERS != 0);
    let found = format!("{} holds a key or a password and can be read by others", file.display());
    (holds_secret && is_open).then(|| {
        Finding::wrong(
            "secrets",
            found,
            format!("`chmod 600 {}`, or set the secret in the environment", file.display()),
        )
    })
}

fn mode(path: &Path) -> Option<u32> {
    Some(std::fs::metadata(path).ok()?.permissions().mode())
}
