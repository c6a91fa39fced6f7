//! The library that runs networks: ONNX Runtime where its library is found, otherwise rten, which is compiled in.
//!
//! The library is loaded once per process and stays loaded. If a setting names it, it is looked for only there;
//! otherwise beside the program, where it was at build time, and where the system keeps libraries. If it cannot be loaded, rten
//! runs instead. Never downloads it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use annals_core::Result;
use ort::environment::Environment;

use crate::graph::{Graph, Source};
use crate::ort_graph::OrtGraph;
use crate::rten_graph::RtenGraph;

/// The name under which ONNX Runtime is installed.
const LIBRARY: &str = "libonnxruntime.so.1";

/// The folder of the library at build time. `scripts/release` builds without it.
const BUILT_WITH: Option<&str> = option_env!("ONNXRUNTIME_LIB_DIR");

static LOADED: OnceLock<std::result::Result<Loaded, String>> = OnceLock::new();

struct Loaded {
    environment: Environment,
    path: PathBuf,
}

/// The library that runs networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// ONNX Runtime, from its shared library.
    OnnxRuntime,
    /// rten, which is compiled in.
    Rten,
}

impl Runtime {
    /// Returns ONNX Runtime if its library can be loaded, otherwise rten. The first call of the process decides where the
    /// library is looked for: at `library`, or in the usual places.
    pub fn find(library: Option<&Path>) -> Runtime {
        if LOADED.get_or_init(|| load(library)).is_ok() { Runtime::OnnxRuntime } else { Runtime::Rten }
    }

    /// Describes the runtime: the file of the library, or why there is none. Before the first call of [`Runtime::find`],
    /// returns only "rten".
    pub fn describe(self) -> String {
        match (self, LOADED.get()) {
            (Runtime::OnnxRuntime, Some(Ok(loaded))) => format!("ONNX Runtime, {}", loaded.path.display()),
            (Runtime::Rten, Some(Err(reason))) => format!("rten ({reason})"),
            _ => "rten".into(),
        }
    }

    /// Loads a network that up to `workers` texts can run through in parallel, each on `threads` threads. Uses rten for
    /// [`Runtime::OnnxRuntime`] too if the library is not loaded.
    pub(crate) fn load(self, source: &Source, workers: usize, threads: usize) -> Result<Box<dyn Graph>> {
        match (self, LOADED.get()) {
            (Runtime::OnnxRuntime, Some(Ok(loaded))) => {
                Ok(Box::new(OrtGraph::load(&loaded.environment, source, workers, threads)?))
            }
            _ => Ok(Box::new(RtenGraph::load(source, workers, threads)?)),
        }
    }
}

fn load(library: Option<&Path>) -> std::result::Result<Loaded, String> {
    let mut reason = "no library of ONNX Runtime".to_owned();
    for path in places(library) {
        match open(&path) {
            Ok(environment) => return Ok(Loaded { environment, path }),
            Err(error) => reason = error,
        }
    }
    Err(reason)
}

/// Returns the files to try, in order. The system looks for the last one, a name without a folder, in its own places.
fn places(library: Option<&Path>) -> Vec<PathBuf> {
    if let Some(library) = library {
        return vec![library.to_owned()];
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(Path::to_owned);
    let folders = beside.into_iter().chain(BUILT_WITH.filter(|folder| !folder.is_empty()).map(PathBuf::from));
    let files = folders.map(|folder| folder.join(LIBRARY)).filter(|file| file.exists());
    files.chain([PathBuf::from(LIBRARY)]).collect()
}

fn open(path: &Path) -> std::result::Result<Environment, String> {
    let builder = ort::init_from(path).map_err(|error| error.to_string())?;
    builder.with_name("annals").with_telemetry(false).build().map_err(|error| error.to_string())
}
