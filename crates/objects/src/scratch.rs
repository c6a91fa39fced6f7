//! Local files for a library that reads and writes only files, such as DuckDB. The files are not durable and are removed at the
//! next start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

/// A local folder for temporary files.
#[derive(Clone, Debug)]
pub struct Scratch(Arc<PathBuf>);

impl Scratch {
    /// Creates the folder. Empties it if it exists: a crash may have left files.
    pub fn emptied(folder: &Path) -> io::Result<Scratch> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        Ok(Scratch(Arc::new(folder.canonicalize()?)))
    }

    /// Creates a separate folder in the scratch folder for one use. Creates the scratch folder again if it was removed.
    pub fn folder(&self) -> io::Result<ScratchFolder> {
        fs::create_dir_all(&*self.0)?;
        TempDir::new_in(&*self.0).map(ScratchFolder)
    }
}

/// A folder that is removed with all its files when it is dropped.
#[derive(Debug)]
pub struct ScratchFolder(TempDir);

impl ScratchFolder {
    /// Returns the absolute path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the content of an object to a file, and returns its path. The object store may be on another machine, so a
    /// library that needs a file always reads such a copy.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let file = self.path().join(name);
        fs::write(&file, bytes)?;
        Ok(file)
    }

    /// Returns the content of a file that the library wrote, and removes the file.
    pub fn take(&self, name: &str) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.path().join(name))?;
        self.remove(name)?;
        Ok(bytes)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path().join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_scratch_folder_is_created_again() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::emptied(&root.path().join("facts/scratch")).unwrap();
        fs::remove_dir_all(root.path().join("facts")).unwrap();
        let folder = scratch.folder().unwrap();
        folder.write("a", b"b").unwrap();
        assert_eq!(folder.take("a").unwrap(), b"b");
    }
}
