//! An embedder that keeps every vector in a file, so that a hundred thousand texts are embedded once, not in every run.
//!
//! The file is a line with the model and its dimension, then a record for each text: its digest and 32-bit little-endian numbers.
//! An incomplete last record, left by an interruption, is dropped. The whole file is held in memory, and locked while it is open.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use annals_core::{Digest, Embedder, Error, Result};
use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

/// Bytes of a digest.
const KEY: usize = 32;

/// An embedder that keeps its vectors in a file.
pub(crate) struct Kept<E> {
    inner: E,
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    vectors: HashMap<Digest, Vec<f32>>,
    file: File,
}

impl<E: Embedder> Kept<E> {
    /// Reads the file, or creates it. Fails if it belongs to another model, or if another process has it open.
    pub(crate) fn open(path: &Path, inner: E) -> Result<Kept<E>> {
        let head = format!("{} {}\n", inner.model(), inner.dimension());
        let state = load(path, head.as_bytes(), inner.dimension()).map_err(|error| failed(path, error))?;
        let state =
            state.ok_or_else(|| Error::invalid("vectors", format!("{} is not of this model", path.display())))?;
        Ok(Kept { inner, path: path.to_owned(), state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn keep(&self, keys: Vec<Digest>, vectors: Vec<Vec<f32>>) -> std::io::Result<()> {
        let record = |(key, vector): (&Digest, &Vec<f32>)| {
            let numbers = vector.iter().flat_map(|number| number.to_le_bytes());
            key.0.iter().copied().chain(numbers).collect::<Vec<u8>>()
        };
        let records: Vec<u8> = keys.iter().zip(&vectors).flat_map(record).collect();
        let mut state = self.state();
        state.file.write_all(&records)?;
        state.vectors.extend(keys.into_iter().zip(vectors));
        Ok(())
    }
}

/// Returns `None` if the file belongs to another model.
fn load(path: &Path, head: &[u8], dimension: usize) -> std::io::Result<Option<State>> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    // Without the lock, a record that another process is writing would look incomplete.
    file.try_lock()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        file.write_all(head)?;
        return Ok(Some(State { vectors: HashMap::new(), file }));
    }
    let Some(records) = bytes.strip_prefix(head) else { return Ok(None) };
    let records = records.chunks_exact(KEY + 4 * dimension);
    let whole = bytes.len() - records.remainder().len();
    let vectors = records.filter_map(record).collect();
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::End(0))?;
    Ok(Some(State { vectors, file }))
}

fn record(bytes: &[u8]) -> Option<(Digest, Vec<f32>)> {
    let (key, numbers) = bytes.split_first_chunk::<KEY>()?;
    let (numbers, _) = numbers.as_chunks::<4>();
    Some((Digest(*key), numbers.iter().copied().map(f32::from_le_bytes).collect()))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::storage(format!("keeping vectors in {}", path.display()), error)
}

#[async_trait]
impl<E: Embedder> Embedder for Kept<E> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn split(&self, text: &str) -> Vec<Range<usize>> {
        self.inner.split(text)
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<Digest> = texts.iter().map(|text| Digest::of([text])).collect();
        let missing: HashMap<Digest, String> = {
            let state = self.state();
            let missing = keys.iter().copied().zip(texts);
            missing.filter(|(key, _)| !state.vectors.contains_key(key)).collect()
        };
        let (missing, texts): (Vec<Digest>, Vec<String>) = missing.into_iter().unzip();
        if !missing.is_empty() {
            let vectors = self.inner.embed(texts).await?;
            self.keep(missing, vectors).map_err(|error| failed(&self.path, error))?;
        }
        let state = self.state();
        Ok(keys.iter().map(|key| state.vectors[key].clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// An embedder that makes the vector of a text from its length, and counts the texts.
    struct Counting(AtomicUsize, &'static str);

    #[async_trait]
    impl Embedder for Counting {
        fn model(&self) -> &str {
            self.1
        }

        fn dimension(&self) -> usize {
            2
        }

        fn split(&self, text: &str) -> Vec<Range<usize>> {
            std::iter::once(0..text.len()).collect()
        }

        async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(texts.iter().map(|text| vec![text.len() as f32, 0.5]).collect())
        }
    }

    async fn embed(path: &Path, texts: &[&str]) -> (Vec<f32>, usize) {
        let kept = Kept::open(path, Counting(AtomicUsize::new(0), "m")).unwrap();
        let vectors = kept.embed(texts.iter().map(|text| (*text).to_owned()).collect()).await.unwrap();
        (vectors.iter().map(|vector| vector[0]).collect(), kept.inner.0.into_inner())
    }

    #[tokio::test]
    async fn text_is_embedded_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        assert_eq!(embed(&path, &["a", "bb", "a"]).await, (vec![1.0, 2.0, 1.0], 2));
        assert_eq!(embed(&path, &["bb", "ccc"]).await, (vec![2.0, 3.0], 1));
    }

    #[tokio::test]
    async fn incomplete_record_is_embedded_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        embed(&path, &["a", "bb"]).await;
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(file.metadata().unwrap().len() - 3).unwrap();
        let (vectors, embedded) = embed(&path, &["a", "bb", "ccc"]).await;
        assert_eq!((vectors, embedded), (vec![1.0, 2.0, 3.0], 2));
        assert_eq!(embed(&path, &["a", "bb", "ccc"]).await.1, 0);
    }

    #[tokio::test]
    async fn second_open_of_the_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let open = || Kept::open(&path, Counting(AtomicUsize::new(0), "m"));
        let first = open();
        assert!(first.is_ok() && open().is_err());
        drop(first);
        assert!(open().is_ok());
    }

    #[tokio::test]
    async fn vectors_of_another_model_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        embed(&path, &["a"]).await;
        let other = Kept::open(&path, Counting(AtomicUsize::new(0), "n"));
        assert!(other.is_err_and(|error| error.to_string().contains("not of this model")));
    }
}
