//! Threads of lower priority for LanceDB's work, so that committing a message to the catalog does not wait for it:
//! beside fifty concurrent searches on two cores, an acknowledgement would otherwise wait for all of them.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Niceness of these threads: another thread gets about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// Number of threads that read files while a table is loaded into memory.
const READERS: usize = 2;

/// One runtime for the process: LanceDB also has process-wide threads, which start here and inherit the priority.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.thread_name("tables").enable_all().on_thread_start(|| {
        // Without the permission, the priority stays the same. Nothing fails, but acknowledgements may wait for
        // searches.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    });
    builder.build().expect("a process that runs can start threads")
});

/// Runs the work on the threads of lower priority.
pub(crate) fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    RUNTIME.spawn(work)
}

/// Runs work for which LanceDB reads many local files, on threads that end with the work. If one thread allocates memory and
/// another frees it, the allocator reserves it for the first thread until that thread allocates again. A thread of the
/// runtime may not do so for a long time.
pub(crate) async fn apart<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> lancedb::Result<T> {
    let run = move || Ok(Builder::new_current_thread().max_blocking_threads(READERS).build()?.block_on(work));
    let done = tokio::task::spawn_blocking(run)
        .await
        .map_err(|error| std::io::Error::other(annals_core::thread_end(error.is_panic())))
        .flatten();
    done.map_err(|error: std::io::Error| lancedb::Error::Runtime { message: error.to_string() })
}
