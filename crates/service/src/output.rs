//! Keeps files that a user names out of the data folder: an export there would replace a part of it, such as the catalog.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use annals_core::{Error, Result};

/// Maximum number of dangling symbolic links that are followed in a row, so that a loop ends.
const MAX_LINKS: u8 = 40;

/// Returns an error if a path to write to is in the data folder. Follows symbolic links and `..`, even if the path does not
/// exist yet. Accepts any path if the data folder cannot be read.
pub fn refuse_in_data_folder(data: &Path, path: &Path) -> Result<()> {
    let failed = |cause| Error::storage(format!("finding {}", path.display()), cause);
    let target = std::path::absolute(path).map(|path| resolved(&path, MAX_LINKS)).map_err(failed)?;
    let Some(of_data) = identity(data) else { return Ok(()) };
    if target.ancestors().any(|folder| identity(folder) == Some(of_data)) {
        return Err(Error::invalid(path.display().to_string(), "is in the data folder of Annals; name another place"));
    }
    Ok(())
}

/// Returns the path without links and `..`. Parts that do not exist yet stay unchanged.
fn resolved(path: &Path, links: u8) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(found.pop()),
            Component::CurDir => {}
            part => {
                found.push(part);
                found = followed(found, links);
            }
        }
    }
    found
}

fn followed(path: PathBuf, links: u8) -> PathBuf {
    match (path.canonicalize(), fs::read_link(&path), path.parent()) {
        (Ok(path), ..) => path,
        (Err(_), Ok(target), Some(parent)) if links > 0 => resolved(&parent.join(target), links - 1),
        _ => path,
    }
}

/// Returns the device and inode numbers of a file, which are the same for all its names; `None` if it cannot be read.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use annals_testkit::{MemoryCatalog, ThreeWords, agent, at};

    use super::*;
    use crate::fixture::{NOW, in_memory};
    use crate::{Parts, Service};

    #[test]
    fn places_in_the_data_folder_are_refused_however_they_are_named() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let data = path("data");
        fs::create_dir_all(data.join("tables")).unwrap();
        fs::create_dir(path("out")).unwrap();
        fs::write(data.join("catalog.sqlite"), "").unwrap();
        symlink(&data, path("link")).unwrap();
        symlink(data.join("catalog.sqlite"), path("out/file")).unwrap();
        symlink("../data/new", path("out/dangling")).unwrap();
        symlink("loop", path("loop")).unwrap();
        for (name, is_refused) in [
            ("data", true),
            ("data/catalog.sqlite", true),
            ("data/new/deep/er", true),
            ("link/catalog.sqlite", true),
            ("link/../data/new", true),
            ("out/../data/new", true),
            ("new/../data/new", true),
            ("out/file", true),
            ("out/dangling", true),
            ("out/dangling/deeper", true),
            ("data/../out/x", false),
            ("data2/catalog.sqlite", false),
            ("out/x", false),
            ("loop", false),
            ("", false),
        ] {
            assert_eq!(refuse_in_data_folder(&data, &path(name)).is_err(), is_refused, "{name}");
        }
        assert!(refuse_in_data_folder(&path("absent"), &path("out")).is_ok());
    }

    #[tokio::test]
    async fn service_writes_no_facts_into_its_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let parts = Parts::over(in_memory(Arc::new(MemoryCatalog::new()), Arc::new(ThreeWords), Arc::new(|| at(NOW))));
        let service = Service::new(Parts { folder: Some(folder.path().to_owned()), ..parts });
        let file = folder.path().join("catalog.sqlite");
        let refused = service.export_facts(&agent("ann"), &file).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
        assert!(!file.exists());
    }
}
