//! A network in ONNX Runtime. Each worker has a session of its own, because the crate lends a session to one text at a time.

use std::borrow::Cow;

use annals_core::{Error, Result};
use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::Tensor;
use parking_lot::Mutex;
use rten::ThreadPool;

use crate::graph::{Graph, Output, Source};

pub(crate) struct OrtGraph {
    workers: Vec<Worker>,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// A session and the thread that texts run on.
struct Worker {
    thread: ThreadPool,
    session: Mutex<Session>,
}

impl OrtGraph {
    /// Loads the network once for each of `workers`, with `threads` threads each. The threads get the priority of the calling
    /// thread.
    pub(crate) fn load(environment: &Environment, source: &Source, workers: usize, threads: usize) -> Result<OrtGraph> {
        let load = || session(environment, source, threads).map_err(|error| failure("cannot load the network", &error));
        let sessions = (0..workers).map(|_| load()).collect::<Result<Vec<_>>>()?;
        let first = sessions.first().ok_or_else(|| Error::model("cannot load the network", "it has no worker"))?;
        let inputs = first.inputs().iter().map(|input| input.name().to_owned()).collect();
        let outputs = first.outputs().iter().map(|output| output.name().to_owned()).collect();
        let worker = |session| Worker { thread: ThreadPool::with_num_threads(1), session: Mutex::new(session) };
        Ok(OrtGraph { inputs, outputs, workers: sessions.into_iter().map(worker).collect() })
    }
}

impl Graph for OrtGraph {
    fn inputs(&self) -> Vec<String> {
        self.inputs.clone()
    }

    fn outputs(&self) -> Vec<String> {
        self.outputs.clone()
    }

    fn run(&self, worker: usize, inputs: Vec<(&str, Vec<i64>)>, output: &str) -> Result<Output> {
        let Worker { thread, session } = &self.workers[worker];
        let in_worker = || run(&mut session.lock(), inputs, output);
        thread.run(in_worker).map_err(|error| failure("cannot run the network", &error))
    }
}

fn session(environment: &Environment, source: &Source, threads: usize) -> ort::Result<Session> {
    let mut builder = Session::builder(environment)?
        .with_intra_threads(threads)?
        // Otherwise waiting threads would spin and take the processor from everything else.
        .with_intra_op_spinning(false)?
        // Texts differ in length, so a memory plan for one length is of no use.
        .with_memory_pattern(false)?;
    match source {
        Source::Bundled(bytes) => builder.commit_from_memory(bytes),
        Source::File(path) => builder.commit_from_file(path),
    }
}

fn run(session: &mut Session, inputs: Vec<(&str, Vec<i64>)>, output: &str) -> ort::Result<Output> {
    let mut values: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(inputs.len());
    for (name, row) in inputs {
        values.push((name.into(), Tensor::from_array(([1, row.len()], row))?.into()));
    }
    let outputs = session.run(values)?;
    let (shape, values) = outputs[output].try_extract_tensor::<f32>()?;
    let shape = shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
    Ok(Output { shape, values: values.to_vec() })
}

fn failure(what: &'static str, error: &ort::Error) -> Error {
    Error::model(what, error.to_string())
}
