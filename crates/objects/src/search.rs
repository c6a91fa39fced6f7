//! Searches the bytes of objects, for the proof of an erasure. In a local folder every file is searched, including
//! half-written files, which are not objects.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path as LocalPath;
use std::sync::Arc;

use futures::executor::block_on;
use futures::io::{AsyncRead, AsyncReadExt};
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStoreExt, Result};
use walkdir::WalkDir;

use crate::{Objects, is_missing, local};

impl Objects {
    /// Returns the names below a name that pass a test of name and content, sorted. The test reads the content from a stream,
    /// because the content may be larger than memory. Objects that are removed during the search are left out.
    pub async fn find(
        &self,
        below: &Path,
        passes: impl Fn(&str, &mut dyn Read) -> io::Result<bool> + Send + Sync + 'static,
    ) -> Result<Vec<String>> {
        if let (Some(root), Some(folder)) = (self.folder.clone(), self.local_path(below)) {
            return local::run(move || find_files(&root, &folder, &passes)).await;
        }
        let (passes, mut found) = (Arc::new(passes), Vec::new());
        for name in self.sorted(below).await? {
            let object = match self.store.get(&self.full_name(&name)).await {
                Err(error) if is_missing(&error) => continue,
                object => object?,
            };
            let pieces = object.into_stream().map_err(io::Error::other).boxed();
            let (passes, mut content) = (passes.clone(), Blocking(pieces.into_async_read()));
            let (name, tested) = (name.to_string(), name.to_string());
            if local::run(move || passes(&tested, &mut content)).await? {
                found.push(name);
            }
        }
        Ok(found)
    }
}

fn find_files(
    root: &LocalPath,
    folder: &LocalPath,
    passes: &dyn Fn(&str, &mut dyn Read) -> io::Result<bool>,
) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let Some(entry) = unless_missing(entry.map_err(io::Error::from))? else { continue };
        if !entry.file_type().is_file() {
            continue;
        }
        let Some(mut file) = unless_missing(File::open(entry.path()))? else { continue };
        let name = entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string();
        if passes(&name, &mut file)? {
            found.push(name);
        }
    }
    Ok(found)
}

/// Returns `None` for a missing file or folder. A file may be removed while its folder is listed.
pub fn unless_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A blocking reader of an asynchronous source.
struct Blocking<R>(R);

impl<R: AsyncRead + Unpin> Read for Blocking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        block_on(self.0.read(buffer))
    }
}
