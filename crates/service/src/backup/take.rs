//! Makes one backup.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result, Timestamp};
use async_trait::async_trait;
use data_encoding::HEXLOWER;
use object_store::ObjectStoreExt;
use object_store::buffered::BufWriter;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::Target;
use super::manifest::{self, Entry, FOLDERS, FORMAT, MANIFEST, Manifest, is_path_of_a_backup};

/// File name of the catalog in a backup and in the data folder. SQLite adds a suffix to it for the files that it keeps beside.
pub const CATALOG: &str = "catalog.sqlite";

/// File name of the settings in a backup and in the data folder.
pub const SETTINGS: &str = "annals.toml";

const STOPPED: &str = "it was stopped, because its time limit was reached or the service is shutting down";

/// Number of bytes that are read and hashed at once.
const PIECE: usize = 1 << 20;

/// A way to copy the catalog: in this process if it has the catalog open, otherwise in the process that has it open.
#[async_trait]
pub trait CopyTo: Send + Sync {
    /// Copies the catalog at one moment to a new file. Returns the sequence number of its last change.
    async fn copy_to(&self, path: &Path) -> Result<i64>;
}

/// What a backup is made from.
pub struct Source<'a> {
    pub catalog: &'a dyn CopyTo,
    /// The data folder, canonicalized.
    pub data: &'a Path,
    /// An empty folder on the disk of the data folder, for the copy of the catalog. The caller removes it.
    pub scratch: &'a Path,
    /// The text of the configuration file in use without its secrets, and the keys that were left out. With `None`, the backup
    /// has no settings.
    pub settings: Option<(String, Vec<String>)>,
}

/// Makes a backup, and returns its name and manifest. The backup is then complete and stored at the target. Fails if another
/// backup of the data folder is under way, or if the target already has a complete backup of this second. Fails soon after
/// `stop` is cancelled, without writing the manifest.
pub async fn take(
    source: &Source<'_>,
    target: &Target,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<(String, Manifest)> {
    let _one_at_a_time = lock(source.data)?;
    let name = manifest::name(now);
    if manifest::read(target, &name).await?.is_some() {
        return Err(Error::invalid(
            "TARGET",
            format!("already holds a backup named {name}, which was made in this second; try again"),
        ));
    }
    unless_stopped(stop)?;
    let catalog = source.scratch.join(CATALOG);
    let catalog_sequence = source.catalog.copy_to(&catalog).await?;
    unless_stopped(stop)?;
    let mut files = vec![(CATALOG.to_owned(), catalog)];
    let mut left_out = Vec::new();
    if let Some((text, secrets)) = &source.settings {
        let copy = source.scratch.join(SETTINGS);
        std::fs::write(&copy, text).map_err(|cause| Error::storage("copying the settings", cause))?;
        files.push((SETTINGS.to_owned(), copy));
        left_out.clone_from(secrets);
    }
    for (folder, _) in FOLDERS {
        add_folder(&source.data.join(folder), folder, &mut files)?;
    }
    files.sort();
    let mut entries = Vec::new();
    for (path, file) in files {
        entries.push(upload(target, &name, path, &file, stop).await?);
    }
    let annals = env!("CARGO_PKG_VERSION").to_owned();
    let manifest = Manifest { format: FORMAT, annals, created: now, catalog_sequence, left_out, files: entries };
    let text = serde_json::to_vec_pretty(&manifest).map_err(|cause| Error::storage("writing the manifest", cause))?;
    let written = target.store.put(&target.object_path(&name, MANIFEST), text.into()).await;
    written.map_err(|cause| target.failed("writing to", cause))?;
    Ok((name, manifest))
}

/// Locks the data folder while a backup is made, against backups in this process and in others. Fails if another one runs.
/// Locks nothing if the file system cannot lock a folder.
fn lock(data: &Path) -> Result<File> {
    let folder = File::open(data).map_err(|cause| Error::storage(format!("cannot read {}", data.display()), cause))?;
    match folder.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Error::unavailable("making a backup", "another backup is running; try again when it has finished"))
        }
        // Some network file systems cannot lock a folder. Two backups at once are then slower, and both complete.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(folder),
    }
}

fn unless_stopped(stop: &CancellationToken) -> Result<()> {
    if stop.is_cancelled() { Err(Error::unavailable("making a backup", STOPPED)) } else { Ok(()) }
}

fn add_folder(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let failed = |cause| Error::storage(format!("reading {}", path.display()), cause);
    if !path.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let own = file.file_name().and_then(|own| own.to_str());
        let path = own.map(|own| format!("{name}/{own}")).filter(|path| is_path_of_a_backup(path));
        files.extend(path.filter(|_| file.is_file()).map(|path| (path, file)));
    }
    Ok(())
}

async fn upload(target: &Target, backup: &str, path: String, file: &Path, stop: &CancellationToken) -> Result<Entry> {
    let mut writer = BufWriter::new(target.store.clone(), target.object_path(backup, &path));
    let copied = match copy(file, &mut writer, stop).await {
        Ok(copied) => writer.shutdown().await.map(|()| copied),
        Err(cause) => {
            // Without this, parts that were already sent would stay in the store: invisible, but billed. A writer that was shut
            // down panics here.
            let _ = writer.abort().await;
            Err(cause)
        }
    };
    let (bytes, sha256) = copied.map_err(|cause| Error::storage(format!("writing to {}", target.shown()), cause))?;
    Ok(Entry { path, bytes, sha256 })
}

async fn copy(file: &Path, writer: &mut BufWriter, stop: &CancellationToken) -> std::io::Result<(u64, String)> {
    let mut file = tokio::fs::File::open(file).await?;
    let (mut hasher, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        if stop.is_cancelled() {
            return Err(std::io::Error::other(STOPPED));
        }
        let read = file.read(&mut piece).await?;
        if read == 0 {
            break;
        }
        hasher.update(&piece[..read]);
        writer.write_all(&piece[..read]).await?;
        bytes += read as u64;
    }
    Ok((bytes, HEXLOWER.encode(&hasher.finalize())))
}
