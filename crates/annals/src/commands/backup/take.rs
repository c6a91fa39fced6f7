//! Makes one backup.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use annals_core::{Error, Result, Timestamp};
use annals_service::calls::CopyCatalog;
use async_trait::async_trait;
use data_encoding::HEXLOWER;
use object_store::ObjectStoreExt;
use object_store::buffered::BufWriter;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::Target;
use super::manifest::{self, Entry, FOLDERS, FORMAT, MANIFEST, Manifest, is_path_of_a_backup};
use crate::config::{NAME, without_secrets};
use crate::run_or_hand_over::Client;
use crate::scratch::Scratch;

/// The catalog's file name in a backup, the same as in the data folder.
pub(crate) const CATALOG: &str = "catalog.sqlite";

const STOPPED: &str = "it was stopped, because its time limit was reached or the service is shutting down";

/// Bytes read and hashed at once.
const PIECE: usize = 1 << 20;

/// A way to copy the catalog: in this process if it has the catalog open, otherwise in the process that has it open.
#[async_trait]
pub(crate) trait CopyTo: Send + Sync {
    /// Copies the catalog at one moment to a new file. Returns the sequence number of its last change.
    async fn copy_to(&self, path: &Path) -> Result<i64>;
}

#[async_trait]
impl CopyTo for Client {
    async fn copy_to(&self, path: &Path) -> Result<i64> {
        Ok(self.call(CopyCatalog { to: path.to_owned() }).await?.sequence)
    }
}

/// The source of a backup.
pub(crate) struct Source<'a> {
    pub catalog: &'a dyn CopyTo,
    /// The data folder, canonicalized.
    pub data: &'a Path,
    /// The configuration file in use, if there is one.
    pub config: Option<&'a Path>,
}

/// Makes a backup, and returns its name and manifest. The backup is then complete and stored at the target. Fails soon after
/// `stop` is cancelled, without writing the manifest.
pub(crate) async fn take(
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
    let scratch = Scratch::within(source.data, "backup")?;
    let catalog_sequence = source.catalog.copy_to(&scratch.path().join(CATALOG)).await?;
    unless_stopped(stop)?;
    let mut files = vec![(CATALOG.to_owned(), scratch.path().join(CATALOG))];
    let left_out = redact(source.config, &scratch.path().join(NAME), &mut files)?;
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

/// Locks the data folder for one backup at a time, in this process and in others. A second one is refused.
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

/// Writes a copy of the settings without their secrets, beside the copy of the catalog. Returns the keys that were left out.
fn redact(config: Option<&Path>, copy: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<Vec<String>> {
    let Some(path) = config else { return Ok(Vec::new()) };
    let failed = |cause| Error::storage(format!("copying {}", path.display()), cause);
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let unreadable = || {
        Error::invalid(
            path.display().to_string(),
            "is not valid TOML, so its secrets cannot be removed from the backup",
        )
    };
    let (text, left_out) = without_secrets(&text).ok_or_else(unreadable)?;
    std::fs::write(copy, text).map_err(failed)?;
    files.push((NAME.to_owned(), copy.to_owned()));
    Ok(left_out)
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use std::sync::Arc;

    use annals_catalog::SqliteCatalog;
    use annals_core::Timestamp;

    use super::*;
    use crate::catalog::Catalog;

    struct Fixture {
        folder: tempfile::TempDir,
        catalog: Catalog,
        target: Target,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let catalog = Catalog::File(Arc::new(SqliteCatalog::open(&data.join(CATALOG)).unwrap()));
        let target = Target::to_write(folder.path().join("backups").to_str().unwrap(), &data).unwrap();
        Fixture { folder, catalog, target }
    }

    impl Fixture {
        async fn take(&self, now: i64, stop: &CancellationToken) -> Result<(String, Manifest)> {
            let data = self.folder.path().join("data");
            let source = Source { catalog: &self.catalog, data: &data, config: None };
            take(&source, &self.target, Timestamp::from_second(now).unwrap(), stop).await
        }

        /// Returns the scratch folders beside the catalog.
        fn scratch(&self) -> Vec<PathBuf> {
            let entries = std::fs::read_dir(self.folder.path().join("data")).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            paths.filter(|path| path.to_string_lossy().contains("annals-scratch")).collect()
        }
    }

    #[tokio::test]
    async fn stopped_backup_and_refused_concurrent_backup_leave_nothing() {
        let (fixture, stop) = (fixture(), CancellationToken::new());
        stop.cancel();
        let error = fixture.take(0, &stop).await.unwrap_err();
        assert!(error.to_string().contains(STOPPED), "{error}");
        assert_eq!(
            (
                manifest::read(&fixture.target, &manifest::name(Timestamp::UNIX_EPOCH)).await.unwrap().is_some(),
                fixture.scratch()
            ),
            (false, Vec::new())
        );
        let go_on = CancellationToken::new();
        let (first, second) = tokio::join!(fixture.take(1, &go_on), fixture.take(2, &go_on));
        assert_eq!(first.unwrap().1.files.len(), 1);
        let error = second.unwrap_err();
        assert!(error.to_string().contains("another backup is running"), "{error}");
        assert_eq!(fixture.scratch(), Vec::<PathBuf>::new());
        assert!(fixture.take(2, &go_on).await.is_ok(), "the next one may begin");
    }
}
