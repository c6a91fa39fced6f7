//! Lists and reads ZIP archives. Refuses an archive with overlapping entries or unsafe paths: no export has them.

use std::fs::File;
use std::io::{BufReader, Error as IoError, Read, Result as IoResult};

use annals_core::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use zip::ZipArchive;
use zip::result::ZipError;

use super::Limits;
use super::counted::Counted;

pub struct Archive(ZipArchive<BufReader<Counted<File>>>);

/// One entry of an archive.
pub struct Listed {
    /// The path of the entry, with `/`.
    pub path: String,
    /// The index of the entry in the archive.
    pub index: usize,
    /// The compressed size in bytes.
    pub compressed: u64,
    /// When the file was last written, if the archive has a time.
    pub modified: Option<Timestamp>,
    /// The reason why the entry cannot be read; `None` if it can.
    pub refused: Option<String>,
}

impl Archive {
    /// Opens an archive and checks its directory. Returns an error as the end of a sentence that begins with the name of the
    /// archive.
    pub fn open(file: Counted<File>, limits: Limits) -> Result<Archive, String> {
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|cause| damaged(&cause))?;
        if archive.len() > limits.entries {
            return Err(format!("contains {} files; {} are allowed", archive.len(), limits.entries));
        }
        if archive.has_overlapping_files().map_err(|cause| damaged(&cause))? {
            return Err("has overlapping entries; it is refused as a zip bomb".to_owned());
        }
        Ok(Archive(archive))
    }

    /// Lists the files, ordered by path. Returns an error if the directory is damaged or a path is unsafe.
    pub fn list(&self) -> Result<Vec<Listed>, String> {
        let mut files = Vec::new();
        for index in 0..self.0.len() {
            let entry = self.0.by_index_data(index).map_err(|cause| damaged(&cause))?;
            let path = entry.name().map_err(|cause| damaged(&cause))?.into_owned();
            if !is_safe(&path) {
                return Err(format!("contains the unsafe path {path:?}; it is refused"));
            }
            if entry.is_dir() {
                continue;
            }
            let refused = if entry.is_symlink() {
                Some("is a link; links are not followed".to_owned())
            } else {
                entry.encrypted().then(|| "is encrypted; unpack the archive first".to_owned())
            };
            let modified = entry.last_modified().and_then(instant);
            files.push(Listed { path, index, compressed: entry.compressed_size(), modified, refused });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// Opens an entry as a stream.
    pub fn read(&mut self, index: usize) -> IoResult<impl Read + '_> {
        self.0.by_index(index).map_err(IoError::other)
    }
}

/// Returns the instant of a time in an archive. The time has no zone and is read as UTC, which services write. Returns `None`
/// for the first day of 1980, which means that no time is recorded.
fn instant(at: zip::DateTime) -> Option<Timestamp> {
    let small = |number: u8| i8::try_from(number).ok();
    let (year, month, day) = (i16::try_from(at.year()).ok()?, small(at.month())?, small(at.day())?);
    let (hour, minute, second) = (small(at.hour())?, small(at.minute())?, small(at.second())?);
    let local = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    let is_set = (year, month, day) > (1980, 1, 1);
    local.to_zoned(TimeZone::UTC).ok().filter(|_| is_set).map(|zoned| zoned.timestamp())
}

/// Returns whether a path stays within its folder on every operating system.
fn is_safe(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let escapes = path.split(['/', '\\']).any(|part| part == "..");
    !(path.is_empty() || path.starts_with(['/', '\\']) || has_drive || escapes || path.contains('\0'))
}

fn damaged(cause: &ZipError) -> String {
    format!("is not a readable ZIP archive: {cause}; download it again")
}
