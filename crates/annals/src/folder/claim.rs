//! Takes a data folder for this process: creates it, closes it to other users, locks it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use annals_core::{Error, ObjectKind, Result};
use annals_service::backup::CATALOG;

use crate::{catalog, private};

/// A data folder that this process owns and has not opened yet.
pub(crate) struct Claim {
    pub(super) path: PathBuf,
    pub(super) lock: File,
}

impl Claim {
    /// Takes the folder, or fails if another process owns it. If it does not exist, creates it if `create` is set, and fails
    /// otherwise.
    pub(crate) fn take(path: &Path, create: bool) -> Result<Claim> {
        let path = prepare(path, create)?;
        let lock = lock(&path)?;
        Ok(Claim { path, lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the default data folder: `annals` in the user's data directory. Fails if the account has no home directory.
pub(crate) fn default_path() -> Result<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "annals");
    let missing = || Error::invalid("--data", "is needed: this account has no home directory");
    directories.map(|directories| directories.data_dir().to_owned()).ok_or_else(missing)
}

fn prepare(path: &Path, create: bool) -> Result<PathBuf> {
    if !create && !catalog::exists(path) {
        let failed = |cause| Error::storage(format!("cannot look into {}", path.display()), cause);
        path.join(CATALOG).try_exists().map_err(failed)?;
        return Err(Error::NotFound { what: ObjectKind::DataFolder, name: path.display().to_string() });
    }
    let failed = cannot_use(path);
    refuse_folder_of_others(path)?;
    let make = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(path.join("tables"))?;
        let path = path.canonicalize()?;
        private::close_to_others(&path)?;
        Ok(path)
    };
    make().map_err(failed)
}

fn cannot_use(path: &Path) -> impl Fn(std::io::Error) -> Error + Copy {
    move |cause| Error::storage(format!("cannot use {} as data folder", path.display()), cause)
}

/// Fails if the folder exists, holds no catalog yet, and holds something else: it would be closed to other users.
fn refuse_folder_of_others(path: &Path) -> Result<()> {
    let failed = cannot_use(path);
    if !path.try_exists().map_err(failed)? || catalog::exists(path) {
        return Ok(());
    }
    let Some(name) = private::stranger_in(path).map_err(failed)? else { return Ok(()) };
    let reason = format!("is {}, which holds other files ({name}); name a new or empty folder", path.display());
    Err(Error::invalid("--data", reason))
}

fn lock(path: &Path) -> Result<File> {
    let wrong = |cause| Error::storage(format!("cannot write in the data folder {}", path.display()), cause);
    let lock_file = path.join("annals.lock");
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(lock_file).map_err(wrong)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Error::InUse { folder: path.display().to_string(), owner: owner(&mut file) });
        }
        Err(TryLockError::Error(cause)) => return Err(wrong(cause)),
    }
    sign(&mut file).map_err(wrong)?;
    Ok(file)
}

/// Writes this process's id into the lock file, for the error message of a process that finds it locked.
fn sign(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn owner(file: &mut File) -> String {
    let mut pid = String::new();
    let read = file.read_to_string(&mut pid);
    if read.is_ok() && !pid.is_empty() { format!(" (pid {pid})") } else { String::new() }
}
