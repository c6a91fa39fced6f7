//! A test disk that loses unsynced data in a power cut.
//!
//! Files written through a store that does not sync are cut to nothing, as after a real power cut: the folder entry
//! exists, the bytes do not. Deletions are not synced by any store, so they may be undone. Whether the store below
//! syncs is read from that store, not passed to this layer, so that the product's own store is tested.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result, UploadPart,
};
use parking_lot::{Mutex, MutexGuard};

#[derive(Clone, Debug)]
pub struct Forgetful {
    below: Arc<dyn ObjectStore>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    syncs: bool,
    /// Number of writes and deletions until the power goes off.
    left: usize,
    off: bool,
    unsynced: Vec<PathBuf>,
    deleted: Vec<(PathBuf, Vec<u8>)>,
}

impl Forgetful {
    /// Returns a disk that goes off before write or deletion number `steps`, counted from 0.
    pub fn until(below: Arc<dyn ObjectStore>, steps: usize) -> Forgetful {
        let syncs = format!("{below:?}").contains("fsync: true");
        let state = State { syncs, left: steps, off: false, unsynced: Vec::new(), deleted: Vec::new() };
        Forgetful { below, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns whether the power is off.
    pub fn is_off(&self) -> bool {
        self.state().off
    }

    /// Leaves on the disk what a power cut would leave: all synced data, with or without the last deletions.
    pub fn lose_power(&self, deletions_are_undone: bool) {
        let mut state = self.state();
        state.off = true;
        for path in state.unsynced.drain(..).filter(|path| path.exists()) {
            std::fs::write(path, []).unwrap();
        }
        for (path, bytes) in state.deleted.drain(..).filter(|_| deletions_are_undone) {
            std::fs::write(path, bytes).unwrap();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn read(&self) -> Result<()> {
        if self.state().off { Err(gone()) } else { Ok(()) }
    }

    fn step(&self) -> Result<()> {
        let mut state = self.state();
        state.off |= state.left == 0;
        if state.off {
            return Err(gone());
        }
        state.left -= 1;
        Ok(())
    }

    fn wrote(&self, path: &Path) {
        let mut state = self.state();
        let path = local(path);
        state.deleted.retain(|(deleted, _)| *deleted != path);
        if !state.syncs {
            state.unsynced.push(path);
        }
    }
}

fn gone() -> Error {
    // The error that a disk without power returns: EIO.
    Error::Generic { store: "Forgetful", source: Box::new(std::io::Error::from_raw_os_error(5)) }
}

fn local(path: &Path) -> PathBuf {
    PathBuf::from(format!("/{path}"))
}

impl fmt::Display for Forgetful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "forgetful {}", self.below)
    }
}

#[async_trait]
impl ObjectStore for Forgetful {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.step()?;
        let put = self.below.put_opts(path, payload, options).await?;
        self.wrote(path);
        Ok(put)
    }

    async fn put_multipart_opts(&self, path: &Path, options: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.step()?;
        let upload = self.below.put_multipart_opts(path, options).await?;
        Ok(Box::new(Upload { disk: self.clone(), path: path.clone(), upload }))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.read()?;
        self.below.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let disk = self.clone();
        let deleting = paths.then(move |path| {
            let disk = disk.clone();
            async move {
                let path = path?;
                disk.step()?;
                let bytes = std::fs::read(local(&path)).unwrap_or_default();
                let mut deleted = disk.below.delete_stream(futures::stream::iter([Ok(path.clone())]).boxed());
                deleted.next().await.transpose()?;
                disk.state().deleted.push((local(&path), bytes));
                Ok(path)
            }
        });
        deleting.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.read() {
            Ok(()) => self.below.list(prefix),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.read()?;
        self.below.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.step()?;
        self.below.copy_opts(from, to, options).await?;
        self.wrote(to);
        Ok(())
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.step()?;
        self.below.rename_opts(from, to, options).await?;
        self.wrote(to);
        Ok(())
    }
}

#[derive(Debug)]
struct Upload {
    disk: Forgetful,
    path: Path,
    upload: Box<dyn MultipartUpload>,
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        match self.disk.read() {
            Ok(()) => self.upload.put_part(data),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.disk.step()?;
        let put = self.upload.complete().await?;
        self.disk.wrote(&self.path);
        Ok(put)
    }

    async fn abort(&mut self) -> Result<()> {
        self.upload.abort().await
    }
}
