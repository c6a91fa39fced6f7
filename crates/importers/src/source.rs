//! The files of an import: single files, folders, ZIP archives and streams, listed once and read one after another.
//!
//! Gzip is recognised by its first bytes in every file and in every entry of an archive. Links below a folder or in an archive
//! are never followed. Archives with unsafe paths or overlapping entries are refused, encrypted entries are skipped, and
//! reading fails where an entry expands beyond [`Limits`]. Nothing is unpacked to disk; only a stream is copied to a file
//! without a name, because the directory of a ZIP archive is at its end.

mod archive;
mod bounded;
mod counted;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Result as IoResult, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use annals_core::{Error, Fault, Result, Timestamp};
use flate2::bufread::MultiGzDecoder;
use walkdir::WalkDir;

use crate::item::Location;
use archive::Archive;
use bounded::Bounded;
use counted::Counted;

/// Number of bytes that are read at once.
const BUFFER: usize = 64 * 1024;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZIP: [u8; 4] = *b"PK\x03\x04";
/// The first bytes of a ZIP archive without entries.
const EMPTY_ZIP: [u8; 4] = *b"PK\x05\x06";

/// Bounds against archives that expand without end.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of entries of an archive, and of all files once a folder was listed. A source with more is refused.
    pub entries: usize,
    /// Maximum number of bytes to which one compressed file may expand. Reading fails beyond it.
    pub expanded: u64,
    /// Maximum ratio of expanded to compressed size, for a file that has expanded beyond `free` bytes.
    pub ratio: u64,
    /// Number of expanded bytes up to which `ratio` does not apply.
    pub free: u64,
}

impl Default for Limits {
    /// Returns limits for real exports: chat exports compress 4 to 30 times, while deflate reaches 1032 times on constant
    /// bytes.
    fn default() -> Limits {
        Limits { entries: 2_000_000, expanded: 256 << 30, ratio: 200, free: 64 << 20 }
    }
}

/// One file of a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The path within the folder or archive, with `/`; the file name for a single file. Ids are made of this path, so it does
    /// not depend on the location of the folder.
    pub path: Arc<str>,
    /// The path as people see it: with the archive or folder in front, if the source has several.
    shown: Arc<str>,
    /// The name of the folder or archive that was given to the import; `None` for a single file.
    container: Option<Arc<str>>,
    /// The stored size in bytes; for a compressed file, the compressed size.
    pub size: u64,
    /// When the file was last written, according to the archive or the file system. `None` for an upload or a stream that is a
    /// single file, and if there is no time.
    pub modified: Option<Timestamp>,
    origin: Origin,
}

impl Entry {
    fn new(path: &str, size: u64, origin: Origin) -> Entry {
        let path: Arc<str> = path.into();
        Entry { shown: Arc::clone(&path), path, container: None, size, modified: None, origin }
    }

    fn modified(self, modified: Option<Timestamp>) -> Entry {
        Entry { modified, ..self }
    }

    /// Returns whether the file is in an archive. Its time is then that of the export, while the time of a file on disk changes
    /// when the file is copied.
    pub fn is_archived(&self) -> bool {
        matches!(self.origin, Origin::Archive { .. })
    }

    /// Returns the file name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the name of the folder or archive that contains the file, without `.zip`; `None` for a single file. Users may
    /// rename folders and archives. So only a kind that gives all its files the same name uses it for ids.
    pub fn container(&self) -> Option<&str> {
        self.container.as_deref().map(|name| name.strip_suffix(".zip").unwrap_or(name))
    }

    /// Returns the file name without folders, a final `.gz`, and the last extension.
    pub fn stem(&self) -> &str {
        let name = self.name().strip_suffix(".gz").unwrap_or(self.name());
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// Returns whether the file has this extension, before a final `.gz` if there is one. Ignores case.
    pub fn has_extension(&self, extension: &str) -> bool {
        let name = self.name().strip_suffix(".gz").unwrap_or(self.name());
        name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension))
    }

    /// Returns the place of the whole file.
    pub fn location(&self) -> Location {
        Location::of(Arc::clone(&self.shown))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Origin {
    File(PathBuf),
    Spooled(usize),
    Archive { archive: usize, index: usize },
}

/// The files of an import, in the order in which they are read.
pub struct Source {
    entries: Vec<Entry>,
    archives: Vec<Archive>,
    spooled: Vec<File>,
    /// Files and entries that are not read, with the reason.
    refused: Vec<(Location, String)>,
    limits: Limits,
    read: Arc<AtomicU64>,
}

impl Source {
    /// Lists the files of paths: files, folders (with all folders in them) and ZIP archives. Files keep the order of `paths`,
    /// and within a path they are ordered by name. Fails if a path does not exist, an archive is refused, or there are no files
    /// at all.
    pub fn open<P: AsRef<Path>>(paths: &[P], limits: Limits) -> Result<Source> {
        let mut source = Source::empty(limits);
        for path in paths {
            let first = source.entries.len();
            source.add_path(path.as_ref())?;
            source.name_container(first, &path.as_ref().file_name().unwrap_or_default().to_string_lossy());
            if paths.len() > 1 {
                source.show_root(first, path.as_ref());
            }
        }
        source.check_not_empty()
    }

    /// Lists the files of a stream: a ZIP archive, or one file named `name`. Copies the stream to a file without a name in
    /// `scratch` first.
    pub fn from_reader(name: &str, reader: &mut dyn Read, scratch: &Path, limits: Limits) -> Result<Source> {
        let failed = |cause| Error::storage(format!("reading {name}"), cause);
        let mut file = tempfile::tempfile_in(scratch).map_err(failed)?;
        std::io::copy(reader, &mut file).map_err(failed)?;
        Source::from_file(name, file, limits)
    }

    /// Lists the files of an open file: a ZIP archive, or one file named `name`.
    pub fn from_file(name: &str, mut file: File, limits: Limits) -> Result<Source> {
        let failed = |cause| Error::storage(format!("reading {name}"), cause);
        let mut source = Source::empty(limits);
        if is_zip(&mut file).map_err(failed)? {
            source.add_archive(name, file)?;
            source.name_container(0, name);
        } else {
            let size = file.metadata().map_err(failed)?.len();
            source.entries.push(Entry::new(name, size, Origin::Spooled(source.spooled.len())));
            source.spooled.push(file);
        }
        source.check_not_empty()
    }

    /// Returns all files, in the order in which they are read.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the files that are not read, with the reason: links, encrypted entries, files of macOS, folders without
    /// permission.
    pub fn refused(&self) -> &[(Location, String)] {
        &self.refused
    }

    /// Returns the stored size of all files, in bytes.
    pub fn size(&self) -> u64 {
        self.entries.iter().map(|entry| entry.size).sum()
    }

    /// Returns the number of stored bytes that were read, for a progress bar. The number may exceed [`Source::size`], because
    /// some files are read more than once. Another thread may load the number during an import.
    pub fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Opens a file as a stream of its uncompressed bytes.
    pub fn open_entry(&mut self, entry: &Entry) -> IoResult<Box<dyn BufRead + '_>> {
        let limits = self.limits;
        match &entry.origin {
            Origin::File(path) => {
                let file = Counted::new(File::open(path)?, Arc::clone(&self.read));
                unzipped(BufReader::with_capacity(BUFFER, file), entry.size, limits)
            }
            Origin::Spooled(index) => {
                let mut file = &self.spooled[*index];
                file.seek(SeekFrom::Start(0))?;
                let file = Counted::new(file, Arc::clone(&self.read));
                unzipped(BufReader::with_capacity(BUFFER, file), entry.size, limits)
            }
            Origin::Archive { archive, index } => {
                let file = self.archives[*archive].read(*index)?;
                unzipped(BufReader::with_capacity(BUFFER, Bounded::new(file, entry.size, limits)), entry.size, limits)
            }
        }
    }

    /// Sets the time of all files, so that a test does not depend on when its fixtures were written.
    #[cfg(test)]
    pub fn date_files(&mut self, at: Timestamp) {
        self.entries.iter_mut().for_each(|entry| entry.modified = Some(at));
    }

    fn empty(limits: Limits) -> Source {
        Source {
            entries: Vec::new(),
            archives: Vec::new(),
            spooled: Vec::new(),
            refused: Vec::new(),
            limits,
            read: Arc::default(),
        }
    }

    fn check_not_empty(self) -> Result<Source> {
        if self.entries.is_empty() {
            return Err(Error::invalid("the source", "contains no files; name an export, a folder or an archive"));
        }
        Ok(self)
    }

    /// Sets the folder or archive of the files from `first` on. A single file has none.
    fn name_container(&mut self, first: usize, name: &str) {
        let name: Arc<str> = name.into();
        for entry in self.entries.iter_mut().skip(first) {
            let is_alone = matches!(entry.origin, Origin::File(_)) && *entry.path == *name;
            entry.container = Some(Arc::clone(&name)).filter(|_| !is_alone && !name.is_empty());
        }
    }

    /// Puts the name of a folder or archive before the displayed paths of its files, from the file `first` on. A single file
    /// keeps its name.
    fn show_root(&mut self, first: usize, root: &Path) {
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
        for entry in self.entries[first..].iter_mut().filter(|entry| *entry.path != *name) {
            entry.shown = format!("{name}/{}", entry.path).into();
        }
    }

    fn add_path(&mut self, path: &Path) -> Result<()> {
        let failed = |cause| Error::storage(format!("reading {}", path.display()), cause);
        // The path that a user names may be a link; files in a folder may not.
        let metadata = std::fs::metadata(path).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::NotFound => Error::invalid(path.display().to_string(), "does not exist"),
            _ => failed(cause),
        })?;
        if metadata.is_dir() {
            return self.add_folder(path);
        }
        if !metadata.is_file() {
            return Err(Error::invalid(path.display().to_string(), "is neither a file nor a folder"));
        }
        let mut file = File::open(path).map_err(failed)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_zip(&mut file).map_err(failed)? {
            return self.add_archive(&name, file);
        }
        let entry = Entry::new(&name, metadata.len(), Origin::File(path.to_owned()));
        self.entries.push(entry.modified(written_at(&metadata)));
        Ok(())
    }

    fn add_folder(&mut self, folder: &Path) -> Result<()> {
        for found in WalkDir::new(folder).follow_links(false).sort_by_file_name() {
            let found = match found {
                Ok(found) => found,
                // If a folder may not be read, the other folders are still listed.
                Err(cause) => {
                    let path = cause.path().unwrap_or(folder).to_string_lossy().into_owned();
                    self.refused.push((Location::of(path), cause.to_string()));
                    continue;
                }
            };
            let inner = found.path().strip_prefix(folder).unwrap_or(found.path());
            let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            let path = parts.join("/");
            if found.path_is_symlink() && found.depth() > 0 {
                self.refused.push((Location::of(path), "is a link; links are not followed".to_owned()));
            } else if is_of_macos(&path) {
                self.refused.push((Location::of(path), OF_MACOS.to_owned()));
            } else if found.file_type().is_file() {
                let metadata = found.metadata().ok();
                let size = metadata.as_ref().map_or(0, std::fs::Metadata::len);
                let entry = Entry::new(&path, size, Origin::File(found.into_path()));
                self.entries.push(entry.modified(metadata.as_ref().and_then(written_at)));
            }
            if self.entries.len() > self.limits.entries {
                let reason = format!("contains more than {} files", self.limits.entries);
                return Err(Error::invalid(folder.display().to_string(), reason));
            }
        }
        Ok(())
    }

    fn add_archive(&mut self, name: &str, file: File) -> Result<()> {
        let refuse = |reason: String| Error::Invalid(Fault::new(name, reason));
        let archive = Archive::open(Counted::new(file, Arc::clone(&self.read)), self.limits).map_err(refuse)?;
        let number = self.archives.len();
        for listed in archive.list().map_err(refuse)? {
            let refused = listed.refused.or_else(|| is_of_macos(&listed.path).then(|| OF_MACOS.to_owned()));
            match refused {
                Some(reason) => self.refused.push((Location::of(listed.path), reason)),
                None => {
                    let origin = Origin::Archive { archive: number, index: listed.index };
                    self.entries.push(Entry::new(&listed.path, listed.compressed, origin).modified(listed.modified));
                }
            }
        }
        self.archives.push(archive);
        Ok(())
    }
}

fn written_at(metadata: &std::fs::Metadata) -> Option<Timestamp> {
    metadata.modified().ok().and_then(|at| Timestamp::try_from(at).ok())
}

const OF_MACOS: &str = "is a file that macOS adds to folders and archives";

fn is_of_macos(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path.starts_with("__MACOSX/") || name.starts_with("._") || name == ".DS_Store"
}

fn is_zip(file: &mut File) -> IoResult<bool> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    (&mut *file).take(4).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(head == ZIP || head == EMPTY_ZIP)
}

/// Returns a reader of the bytes that decompresses them if they begin with the mark of gzip.
fn unzipped<'a>(mut input: impl BufRead + 'a, size: u64, limits: Limits) -> IoResult<Box<dyn BufRead + 'a>> {
    let mut head = Vec::new();
    input.by_ref().take(2).read_to_end(&mut head)?;
    let is_gzip = head == GZIP;
    let whole = Cursor::new(head).chain(input);
    if !is_gzip {
        return Ok(Box::new(whole));
    }
    Ok(Box::new(BufReader::new(Bounded::new(MultiGzDecoder::new(whole), size, limits))))
}

#[cfg(test)]
mod tests;
