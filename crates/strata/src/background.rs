//! Threads of lower priority for what LanceDB computes. Requests that only have to be made durable come first: beside fifty
//! searches at once on two cores, an acknowledgement would otherwise wait for all of them.

use std::sync::LazyLock;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// Ten steps of niceness give another thread about nine times as much of a busy core.
const NICENESS: i32 = 10;

/// Threads that read files for a table on its way into memory.
const READERS: usize = 2;

/// One for the process: LanceDB has threads of its own for the whole process too, which begin here and inherit the priority.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.thread_name("tables").enable_all().on_thread_start(|| {
        // Without the right to it everything is as quick as before, only not in the best order.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    });
    builder.build().expect("a process that runs can start threads")
});

/// Runs the work there.
pub fn spawn<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    RUNTIME.spawn(work)
}

/// Runs work for which LanceDB reads very much on threads that end with it. An allocator keeps for each thread what others gave
/// back to it until that thread asks again, and those of the runtime may not for long.
pub async fn apart<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> lancedb::Result<T> {
    let run = move || Ok(Builder::new_current_thread().max_blocking_threads(READERS).build()?.block_on(work));
    let done = tokio::task::spawn_blocking(run).await.map_err(std::io::Error::other).flatten();
    done.map_err(|error: std::io::Error| lancedb::Error::Runtime { message: error.to_string() })
}
