//! Imports of uploads. An upload is first copied into a file without a name. Imports then run in the background, one after
//! another.
//!
//! The progress and the report of an import are kept in memory only. The catalog records that it began, and whether it was
//! completed or failed, so that its state is known after a restart. After a failure or an interruption, sending the upload
//! again adds the items that are missing.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_core::{Agent, Digest, Error, IngestReceipt, Result, Timestamp, Zones, thread_end};
use annals_importers::{Kind, Limits, Options, Source};
use jiff::tz::TimeZone;
use parking_lot::{Mutex, MutexGuard};
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::read_source::read_source;
use crate::wire::{ImportReport, ImportStatus, ImportView, ItemsRequest, UploadRequest};
use crate::{NotAdmitted, Service};

/// Maximum number of imports with a report in memory. The oldest finished ones are dropped.
const REMEMBERED: usize = 100;
/// Maximum number of imports that are not finished. Each keeps its upload on the disk.
const MAX_WAITING: usize = 8;

/// Bytes of an upload after which the free space of the disk is checked again.
const STEP: u64 = 16 << 20;

/// The prefixes of the ids of imports, and of dry runs.
const IMPORT: &str = "import-";
const PREVIEW: &str = "preview-";

/// The imports of uploads. They run one after another: two at once would not be faster, because they share one disk and one
/// embedder.
#[derive(Clone)]
pub(crate) struct Uploads {
    imports: Arc<Mutex<VecDeque<Arc<Upload>>>>,
    permits: Arc<Semaphore>,
}

impl Default for Uploads {
    fn default() -> Uploads {
        Uploads { imports: Arc::default(), permits: Arc::new(Semaphore::new(1)) }
    }
}

/// The import of one upload, as it is kept in memory.
struct Upload {
    id: String,
    agent: Agent,
    kind: Kind,
    dry_run: bool,
    size: u64,
    read: Arc<AtomicU64>,
    progress: Mutex<Progress>,
}

enum Progress {
    Waiting,
    Running,
    Done(Box<ImportReport>),
    Failed(String),
}

/// What the catalog records of an import. It is stored in the field for a receipt's sequence number, which imports do not need.
#[derive(Clone, Copy)]
enum Recorded {
    Begun = 0,
    Done = 1,
    Failed = 2,
}

impl Upload {
    fn set(&self, progress: Progress) {
        *self.progress.lock() = progress;
    }

    fn is_finished(&self) -> bool {
        matches!(self.view().status, ImportStatus::Done | ImportStatus::Failed)
    }

    fn view(&self) -> ImportView {
        let progress = self.progress.lock();
        let (status, report, error) = match &*progress {
            Progress::Waiting => (ImportStatus::Waiting, None, None),
            Progress::Running => (ImportStatus::Running, None, None),
            Progress::Done(report) => (ImportStatus::Done, Some((**report).clone()), None),
            Progress::Failed(error) => (ImportStatus::Failed, None, Some(error.clone())),
        };
        let read = if status == ImportStatus::Done { self.size } else { self.read.load(Ordering::Relaxed) };
        ImportView {
            operation_id: self.id.clone(),
            agent: self.agent.name().to_owned(),
            from: self.kind.to_string(),
            dry_run: self.dry_run,
            status,
            bytes: self.size,
            // Some files are read more than once.
            bytes_read: read.min(self.size),
            report,
            error,
        }
    }
}

impl Uploads {
    fn imports(&self) -> MutexGuard<'_, VecDeque<Arc<Upload>>> {
        self.imports.lock()
    }

    /// Adds an import. Fails if too many are not finished. Drops finished ones beyond [`REMEMBERED`].
    fn add(&self, upload: &Arc<Upload>) -> std::result::Result<(), NotAdmitted> {
        let mut imports = self.imports();
        let waiting = imports.iter().filter(|upload| !upload.is_finished()).count();
        if waiting >= MAX_WAITING {
            return Err(NotAdmitted::UploadsFull(waiting));
        }
        while imports.len() >= REMEMBERED
            && let Some(index) = imports.iter().position(|upload| upload.is_finished())
        {
            imports.remove(index);
        }
        imports.push_back(Arc::clone(upload));
        Ok(())
    }
}

/// A writer that copies an upload into a file without a name, on the disk of the data folder, while enough space is free.
pub struct UploadWriter {
    service: Service,
    file: tokio::fs::File,
    written: u64,
}

impl UploadWriter {
    /// Appends a piece to the file. Checks the disk about every 16 MiB, and fails if less space is free than the limit.
    pub async fn write(&mut self, piece: &[u8]) -> std::result::Result<(), NotAdmitted> {
        self.file.write_all(piece).await.map_err(|cause| Error::storage("storing the upload", cause))?;
        let before = self.written / STEP;
        self.written += piece.len() as u64;
        if self.written / STEP > before {
            self.service.admit_data()?;
        }
        Ok(())
    }

    /// Returns the file for [`Service::import_upload`].
    pub async fn finish(mut self) -> Result<File> {
        self.file.flush().await.map_err(|cause| Error::storage("storing the upload", cause))?;
        Ok(self.file.into_std().await)
    }
}

impl Service {
    /// Creates a file for an upload, and returns the writer to it.
    pub fn receive_upload(&self) -> Result<UploadWriter> {
        Ok(UploadWriter { service: self.clone(), file: tokio::fs::File::from_std(self.upload_file()?), written: 0 })
    }

    /// Returns the imports of uploads that are kept in memory, newest first: of one agent, or of all if `agent` is `None`.
    pub fn present_uploads(&self, agent: Option<&Agent>) -> Vec<ImportView> {
        let imports = self.uploads.imports();
        let wanted = imports.iter().rev().filter(|upload| agent.is_none_or(|agent| upload.agent == *agent));
        wanted.map(|upload| upload.view()).collect()
    }

    /// Creates an empty file for an upload, without a name: it is deleted when it is closed or the process ends.
    fn upload_file(&self) -> Result<File> {
        let failed = |cause| Error::storage("storing the upload", cause);
        let file = self.nameless_file().map_err(failed)?;
        file.try_into_std().map_err(|_| failed(std::io::Error::other("the file is in use")))
    }

    /// Checks an upload, and begins to import it in the background. Returns the import as it begins; [`Service::upload`]
    /// returns it later. Fails if the file cannot be read as the kind of source, or if too many imports are not finished.
    pub async fn import_upload(
        &self,
        agent: &Agent,
        request: UploadRequest,
        file: File,
        now: Timestamp,
    ) -> std::result::Result<ImportView, NotAdmitted> {
        let kind: Kind = request.from.parse()?;
        let zone = match &request.time_zone {
            Some(zone) => zone.clone(),
            None => self.present_zone(agent).await?,
        };
        let options = options(&request, &zone, now)?;
        let name = request.file_name.clone().unwrap_or_else(|| kind.file_name().to_owned());
        let source = spawn_blocking(move || open(&name, file)).await.map_err(|cause| failed(&cause))??;
        let upload = Arc::new(Upload {
            id: self.upload_id(agent, kind, request.dry_run, now),
            agent: agent.clone(),
            kind,
            dry_run: request.dry_run,
            size: source.size(),
            read: source.bytes_read(),
            progress: Mutex::new(Progress::Waiting),
        });
        self.uploads.add(&upload)?;
        // Recorded before the request is answered, so that its state can be read after a restart.
        let begun = self.save_upload(&upload, Recorded::Begun).await;
        begun.inspect_err(|error| upload.set(Progress::Failed(error.to_string())))?;
        let (service, own) = (self.clone(), Arc::clone(&upload));
        tokio::spawn(async move {
            let _busy = service.activity.begin();
            let _permit = service.uploads.permits.clone().acquire_owned().await;
            own.set(Progress::Running);
            let (working, upload) = (service.clone(), Arc::clone(&own));
            // Runs in a task of its own, so that after a panic the import is still marked as failed.
            let work = tokio::spawn(async move { working.run_upload(&upload, &request, source, options, now).await });
            let result = work.await.unwrap_or_else(|cause| Err(failed(&cause)));
            let end = if result.is_ok() { Recorded::Done } else { Recorded::Failed };
            if let Err(error) = service.save_upload(&own, end).await {
                tracing::warn!(%error, "the end of an import could not be recorded");
            }
            own.set(match result {
                Ok(report) => Progress::Done(Box::new(report)),
                Err(error) => Progress::Failed(error.to_string()),
            });
        });
        Ok(upload.view())
    }

    /// Returns the names of the kinds of sources, as in [`UploadRequest::from`].
    pub fn import_kinds() -> Vec<&'static str> {
        Kind::ALL.iter().map(|kind| kind.as_str()).collect()
    }

    /// Returns an import of an upload in a workspace, with its agent; `None` if it does not exist. For an import that is no
    /// longer kept in memory, returns only what the catalog records.
    pub async fn upload(&self, workspace: &str, id: &str) -> Result<Option<(Agent, ImportView)>> {
        if let Some(found) = self.present_upload(workspace, id) {
            return Ok(Some(found));
        }
        let Some((from, dry_run)) = kind_of(id) else { return Ok(None) };
        let found = self.parts.store.find_operation(workspace, id).await?;
        Ok(found.map(|(agent, operation)| {
            let view = recorded(id, &agent, from, dry_run, operation.seq);
            (agent, view)
        }))
    }

    fn present_upload(&self, workspace: &str, id: &str) -> Option<(Agent, ImportView)> {
        let imports = self.uploads.imports();
        let found = imports.iter().find(|upload| upload.id == id && upload.agent.workspace() == workspace)?;
        Some((found.agent.clone(), found.view()))
    }

    async fn save_upload(&self, upload: &Upload, recorded: Recorded) -> Result<()> {
        let operation = IngestReceipt { id: upload.id.clone(), seq: recorded as u64, ..IngestReceipt::default() };
        self.parts.store.save_operation(&upload.agent, operation).await
    }

    async fn run_upload(
        &self,
        upload: &Upload,
        request: &UploadRequest,
        source: Source,
        options: Options,
        now: Timestamp,
    ) -> Result<ImportReport> {
        let reader = read_source(upload.kind, source, options);
        if upload.dry_run {
            return Ok(ImportReport::new(upload.agent.name(), upload.kind.as_str(), &reader.finish().await?, None));
        }
        let request = ItemsRequest {
            from: upload.kind.to_string(),
            time_zone: request.time_zone.clone(),
            unforget: request.unforget,
        };
        self.import_source(&upload.agent, upload.kind, reader, &request, now).await
    }

    /// Returns a new id for an import. It contains the kind of the source and whether it is a dry run, which nothing else
    /// records for the time after a restart.
    fn upload_id(&self, agent: &Agent, kind: Kind, dry_run: bool, now: Timestamp) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed).to_string();
        let digest = Digest::of([agent.workspace(), agent.name(), &now.to_string(), &number]).to_string();
        let prefix = if dry_run { PREVIEW } else { IMPORT };
        format!("{prefix}{kind}-{}", &digest[..26])
    }
}

/// Returns the kind of source in the id of an import, and whether it is a dry run; `None` for the id of another operation.
fn kind_of(id: &str) -> Option<(&str, bool)> {
    let (rest, dry_run) = match id.strip_prefix(PREVIEW) {
        Some(rest) => (rest, true),
        None => (id.strip_prefix(IMPORT)?, false),
    };
    Some((rest.rsplit_once('-')?.0, dry_run))
}

/// Builds the view of an import that is no longer kept in memory. `state` is the [`Recorded`] number in the catalog.
fn recorded(id: &str, agent: &Agent, from: &str, dry_run: bool, state: u64) -> ImportView {
    const DONE: u64 = Recorded::Done as u64;
    const FAILED: u64 = Recorded::Failed as u64;
    const AGAIN: &str = "send the same file again: what is stored already is recognised, and nothing is stored twice";
    let (status, error) = match state {
        DONE => (ImportStatus::Done, None),
        FAILED => (ImportStatus::Failed, Some("the import failed; the reason was lost when the service stopped")),
        _ => (ImportStatus::Interrupted, Some("the service stopped before the import ended")),
    };
    ImportView {
        operation_id: id.to_owned(),
        agent: agent.name().to_owned(),
        from: from.to_owned(),
        dry_run,
        status,
        bytes: 0,
        bytes_read: 0,
        report: None,
        error: error.map(|error| format!("{error}; {AGAIN}")),
    }
}

fn open(name: &str, file: File) -> Result<Source> {
    let size = file.metadata().map_err(|cause| Error::storage("reading the upload", cause))?.len();
    if size == 0 {
        return Err(Error::invalid("the body", "is empty; send the export as the body of the request"));
    }
    Source::from_file(name, file, Limits::default())
}

fn options(request: &UploadRequest, zone: &str, now: Timestamp) -> Result<Options> {
    Zones::new(zone)?;
    let list = |text: &Option<String>| -> Vec<String> {
        text.iter().flat_map(|text| text.split(',')).map(|part| part.trim().to_owned()).collect()
    };
    let defaults = Options::new(now);
    let pair = |text: String| match text.split_once('=') {
        Some((field, column)) => Ok((field.trim().to_owned(), column.trim().to_owned())),
        None => Err(Error::invalid("columns", format!("contains {text:?}; expected FIELD=COLUMN"))),
    };
    Ok(Options {
        me: request.me.clone(),
        assistants: list(&request.assistants),
        zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC),
        branches: request.branches.as_deref().map_or(Ok(defaults.branches), str::parse)?,
        tools: request.tools,
        thinking: request.thinking,
        date_order: request.date_order.as_deref().map(str::parse).transpose()?,
        columns: list(&request.columns).into_iter().map(pair).collect::<Result<_>>()?,
        ..defaults
    })
}

fn failed(cause: &tokio::task::JoinError) -> Error {
    Error::storage("importing the upload", thread_end(cause.is_panic()))
}

#[cfg(test)]
mod tests;
