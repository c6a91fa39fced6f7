//! Fetches one file. Continues a partial download, and keeps the file only if its checksum is the listed one.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::{Error, Result};
use data_encoding::HEXLOWER;
use sha1_smol::Sha1;
use sha2::{Digest, Sha256};

use super::{Checksum, Hub, HubFile, Listing};

/// Connections for one download before giving up. Each continues where the one before broke off or fell silent, if the server
/// can continue.
const ATTEMPTS: usize = 5;

const STEP: usize = 1 << 20;

impl Hub {
    /// Fetches a file of a listing to its path below `folder`. Passes the number of bytes that arrive, or are stored already,
    /// to `progress`. Bytes that arrive a second time are not counted again, so the sum is the size of the file. After an
    /// error, the next call continues the download; after a wrong checksum it begins anew.
    pub async fn fetch(
        &self,
        listing: &Listing,
        file: &HubFile,
        folder: &Path,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let path = folder.join(&file.path);
        let begun = PathBuf::from(format!("{}.part", path.display()));
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(|error| failed(&path, error))?;
        if path.exists() {
            if check(&path, file).is_ok() {
                progress(file.size);
                return Ok(());
            }
            std::fs::remove_file(&path).map_err(|error| failed(&path, error))?;
        }
        let url = format!("{}/resolve/{}/{}", listing.repo, listing.revision, file.path);
        if length(&begun) > file.size {
            std::fs::remove_file(&begun).map_err(|error| failed(&begun, error))?;
        }
        let is_continued = length(&begun) > 0;
        let counted = AtomicU64::new(0);
        let report_length = |length: u64| progress(length.saturating_sub(counted.fetch_max(length, Ordering::Relaxed)));
        report_length(length(&begun));
        match self.complete(&url, file, &begun, &report_length).await {
            // The checksum is wrong, perhaps because of the part that an earlier call left. The file has been removed, so all
            // of it is fetched now.
            Err(Error::Damaged { .. }) if is_continued => self.complete(&url, file, &begun, &report_length).await?,
            done => done?,
        }
        std::fs::rename(&begun, &path).map_err(|error| failed(&path, error))
    }

    /// Fetches the missing part of a file and checks the whole file. Removes it if the checksum is wrong. Calls `report_length`
    /// with the length of the stored part as it grows.
    async fn complete(
        &self,
        url: &str,
        file: &HubFile,
        begun: &Path,
        report_length: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        for attempt in 1..=ATTEMPTS {
            match self.receive(url, file, begun, report_length).await {
                Ok(()) => break,
                Err(error) if attempt == ATTEMPTS || !matches!(error, Error::Unavailable { .. }) => return Err(error),
                Err(_) => {}
            }
        }
        if let Err(error) = check(begun, file) {
            // A download with wrong content cannot be continued.
            std::fs::remove_file(begun).map_err(|error| failed(begun, error))?;
            return Err(error);
        }
        Ok(())
    }

    /// Appends the missing bytes, or writes the file anew if the server does not continue. Never writes more than the listed
    /// size, whatever the server sends.
    async fn receive(
        &self,
        url: &str,
        file: &HubFile,
        begun: &Path,
        report_length: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let mut there = length(begun);
        if there == file.size && begun.exists() {
            return Ok(());
        }
        let mut response = self.get(url, there).await?;
        let continues = response.status() == reqwest::StatusCode::PARTIAL_CONTENT;
        let opened = OpenOptions::new().create(true).append(continues).write(true).truncate(!continues).open(begun);
        let mut out = opened.map_err(|error| failed(begun, error))?;
        if !continues {
            there = 0;
        }
        while let Some(bytes) = self.awaited(url, response.chunk()).await? {
            there += bytes.len() as u64;
            if there > file.size {
                return Err(self.unusable("is longer than the listed size"));
            }
            out.write_all(&bytes).map_err(|error| failed(begun, error))?;
            report_length(there);
        }
        out.sync_all().map_err(|error| failed(begun, error))?;
        if there < file.size {
            return Err(Error::unavailable(format!("fetching {url}"), "the connection ended early"));
        }
        Ok(())
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Returns an error if the file's content does not have the checksum.
fn check(path: &Path, file: &HubFile) -> Result<()> {
    let (found, expected) = match &file.checksum {
        Checksum::Sha256(sum) => (sha256(path), sum),
        Checksum::Git(sum) => (git(path), sum),
    };
    let found = found.map_err(|error| failed(path, error))?;
    if found == *expected {
        return Ok(());
    }
    Err(Error::damaged(&file.path, format!("its checksum is {found}, but the hub lists {expected}; pull it again")))
}

fn sha256(path: &Path) -> std::io::Result<String> {
    let mut digest = Sha256::new();
    read(path, |bytes| digest.update(bytes))?;
    Ok(HEXLOWER.encode(&digest.finalize()))
}

/// Returns the hash that git gives to a file's content: the SHA-1 of a blob object.
fn git(path: &Path) -> std::io::Result<String> {
    let mut digest = Sha1::new();
    digest.update(format!("blob {}\0", std::fs::metadata(path)?.len()).as_bytes());
    read(path, |bytes| digest.update(bytes))?;
    Ok(digest.digest().to_string())
}

fn read(path: &Path, mut take: impl FnMut(&[u8])) -> std::io::Result<()> {
    let (mut file, mut buffer) = (File::open(path)?, vec![0; STEP]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            count => take(&buffer[..count]),
        }
    }
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::storage(format!("fetching a model to {}", path.display()), error)
}
