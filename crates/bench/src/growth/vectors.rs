//! An embedder that keeps every vector in a file, so that a text is embedded once and a second run is quick.
//!
//! The file is a row of records: the SHA-256 of model and text, then the vector's numbers, little endian. What a run that was
//! killed left half written at its end is cut off. Texts are not in it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_core::{Digest, Embedder, Error, Result};
use async_trait::async_trait;

/// Bytes of a key.
const KEY: usize = 32;

/// An embedder and a file with its vectors.
pub struct Kept<E> {
    inner: E,
    kept: Mutex<Vectors>,
}

struct Vectors {
    by_text: HashMap<Digest, Vec<f32>>,
    file: File,
}

impl<E: Embedder> Kept<E> {
    /// Takes up the vectors in the file, which is made if there is none.
    pub fn open(inner: E, path: &Path) -> Result<Kept<E>> {
        let kept = Vectors::read(path, inner.dimension());
        let kept = kept.map_err(|error| Error::storage(format!("reading {}", path.display()), error))?;
        Ok(Kept { inner, kept: Mutex::new(kept) })
    }

    fn key(&self, text: &str) -> Digest {
        Digest::of([self.inner.model(), text])
    }

    fn kept(&self) -> MutexGuard<'_, Vectors> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Vectors {
    fn read(path: &Path, dimension: usize) -> std::io::Result<Vectors> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut record = vec![0; KEY + 4 * dimension];
        let whole = file.metadata()?.len() / record.len() as u64;
        let mut by_text = HashMap::new();
        let mut reader = BufReader::new(&file);
        for _ in 0..whole {
            reader.read_exact(&mut record)?;
            let (key, vector) = record.split_at(KEY);
            let numbers = vector.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            by_text.insert(Digest(key.try_into().expect("it was split there")), numbers.collect());
        }
        file.set_len(whole * record.len() as u64)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Vectors { by_text, file })
    }

    fn add(&mut self, vectors: Vec<(Digest, Vec<f32>)>) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        for (key, vector) in &vectors {
            bytes.extend(key.0);
            bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        self.file.write_all(&bytes)?;
        self.by_text.extend(vectors);
        Ok(())
    }
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
        let keys: Vec<Digest> = texts.iter().map(|text| self.key(text)).collect();
        let missing: HashMap<Digest, String> = {
            let kept = self.kept();
            keys.iter().copied().zip(texts).filter(|(key, _)| !kept.by_text.contains_key(key)).collect()
        };
        let (new_keys, new_texts): (Vec<_>, Vec<_>) = missing.into_iter().unzip();
        let vectors = self.inner.embed(new_texts).await?;
        let mut kept = self.kept();
        let added = kept.add(new_keys.into_iter().zip(vectors).collect());
        added.map_err(|error| Error::storage("keeping vectors", error))?;
        Ok(keys.iter().map(|key| kept.by_text[key].clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::WordEmbedder;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[tokio::test]
    async fn a_text_is_embedded_once_whatever_comes_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let first = Kept::open(WordEmbedder::new(), &path).unwrap();
        let vectors = first.embed(texts(&["one", "two", "one"])).await.unwrap();
        assert_eq!(first.inner.embedded(), 2);
        assert_eq!(vectors, WordEmbedder::new().embed(texts(&["one", "two", "one"])).await.unwrap());

        // Killed while it wrote.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"half a record").unwrap();
        let second = Kept::open(WordEmbedder::new(), &path).unwrap();
        assert_eq!(second.embed(texts(&["two", "three", "one"])).await.unwrap()[0], vectors[1]);
        assert_eq!(second.inner.embedded(), 1);
        let third = Kept::open(WordEmbedder::new(), &path).unwrap();
        assert_eq!(
            third.embed(texts(&["three", "two", "one"])).await.unwrap()[1..],
            [vectors[1].clone(), vectors[0].clone()]
        );
        assert_eq!(third.inner.embedded(), 0);
    }
}
