//! Copies an object from one store to another. A large object is copied in parts, so that it need not fit into memory.

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{GetResult, ObjectMeta, ObjectStoreExt, Result, WriteMultipart};

use crate::{Objects, is_missing};

/// Size of a part in bytes, and of the largest object that is copied at once. S3 takes up to 10,000 parts of at least 5 MiB.
const PART: usize = 8 << 20;

/// Number of parts that are sent at the same time.
const PARTS_AT_ONCE: usize = 2;

impl Objects {
    /// Copies an object of another store to the same name, durably. Replaces a former object atomically. Returns what the other
    /// store says of the version that was copied; `None` if it has no such object.
    pub async fn copy_from(&self, other: &Objects, name: &Path) -> Result<Option<ObjectMeta>> {
        let object = match other.store.get(&other.full_name(name)).await {
            Err(error) if is_missing(&error) => return Ok(None),
            object => object?,
        };
        let version = ObjectMeta { location: name.clone(), ..object.meta.clone() };
        if version.size <= PART as u64 {
            self.put(name, object.bytes().await?).await?;
        } else {
            self.put_in_parts(name, object).await?;
        }
        Ok(Some(version))
    }

    async fn put_in_parts(&self, name: &Path, object: GetResult) -> Result<()> {
        let upload = self.store.put_multipart(&self.full_name(name)).await?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
        match write(&mut upload, object).await {
            Ok(()) => upload.finish().await.map(|_| ()),
            Err(error) => {
                // The error of the copy says more than one of the end of the upload.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }
}

async fn write(upload: &mut WriteMultipart, object: GetResult) -> Result<()> {
    let mut pieces = object.into_stream();
    while let Some(piece) = pieces.try_next().await? {
        upload.wait_for_capacity(PARTS_AT_ONCE).await?;
        upload.put(piece);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::memory::InMemory;

    use super::*;

    #[tokio::test]
    async fn copy_equals_the_object_whatever_its_size() {
        let folder = tempfile::TempDir::new().unwrap();
        let local = Objects::local(folder.path()).unwrap();
        let memory = Objects::over(Arc::new(InMemory::new()), "memory".into());
        let name = Path::from("a/x");
        assert!(local.copy_from(&memory, &name).await.unwrap().is_none());
        for size in [0, 1, PART, PART + 1, 2 * PART + 7] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            memory.put(&name, content.clone()).await.unwrap();
            let version = local.copy_from(&memory, &name).await.unwrap().unwrap();
            assert_eq!((version.location, version.size), (name.clone(), size as u64));
            assert!(local.get(&name).await.unwrap() == content, "{size} bytes into files");
            memory.delete(&name).await.unwrap();
            memory.copy_from(&local, &name).await.unwrap();
            assert!(memory.get(&name).await.unwrap() == content, "{size} bytes out of files");
        }
    }
}
