//! A place in the data folder for what is made and thrown away: on the same disk, and gone when dropped. What a killed process
//! left there is removed when the data folder is opened next, because it may hold words that are to be forgotten.

use std::path::{Path, PathBuf};

use annals_core::{Error, Result};

/// What names of such folders begin with.
const PREFIX: &str = "annals-scratch-";

/// A folder that lives as long as this.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new and empty folder of this name within another.
    pub fn within(folder: &Path, name: &str) -> Result<Scratch> {
        let path = folder.join(format!("{PREFIX}{name}"));
        let failed = |cause| Error::storage(format!("cannot write in {}", folder.display()), cause);
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(failed)?;
        }
        std::fs::create_dir_all(&path).map_err(failed)?;
        Ok(Scratch(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Removes what killed processes left. For the owner of the data folder, before it begins to work.
pub fn sweep(folder: &Path) -> Result<()> {
    let failed = |cause| Error::storage(format!("cannot tidy {}", folder.display()), cause);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            std::fs::remove_dir_all(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The next one of this name tries again.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
