//! The disk: an object store over local files that syncs each file and its folders before a write returns.
//!
//! For `file://` LanceDB bypasses any object store and never syncs: after a power cut its newest files are empty and
//! the table cannot be opened. With its scheme `file-object-store` all bytes go through the store given here, and a
//! commit still creates a file that must not exist yet. With a custom scheme commits would lack that check. Measured
//! cost: 13.6 ms instead of 12.0 ms for an upsert of twenty rows.

use std::sync::Arc;

use async_trait::async_trait;
use lance_io::object_store::{
    DEFAULT_LOCAL_IO_PARALLELISM, ObjectStore, ObjectStoreParams, ObjectStoreProvider, ObjectStoreRegistry,
};
use lancedb::Session;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use url::Url;

/// The object store that LanceDB writes through.
pub use object_store::ObjectStore as Disk;

/// LanceDB's URL scheme for local files through an object store.
pub const SCHEME: &str = "file-object-store";

/// LanceDB's default is 1 GiB, for servers with few tables.
const METADATA_CACHE_BYTES: usize = 16 << 20;
/// As for LanceDB's own local files: reads closer together than this are joined.
const BLOCK_BYTES: usize = 4096;
const READ_ATTEMPTS: usize = 3;

/// Returns a store of local files that has every write on disk before it returns.
pub fn synced() -> Arc<dyn Disk> {
    Arc::new(LocalFileSystem::new().with_fsync(true))
}

/// Creates a session: caches over the disk shared by all tables, with `index_bytes` for indexes.
pub fn session(disk: Arc<dyn Disk>, index_bytes: usize) -> Arc<Session> {
    let registry = ObjectStoreRegistry::default();
    registry.insert(SCHEME, Arc::new(Provider(disk)));
    Arc::new(Session::new(index_bytes, METADATA_CACHE_BYTES, Arc::new(registry)))
}

/// Returns the URL of a folder with an absolute path.
pub fn url(folder: &std::path::Path) -> Option<Url> {
    let file = Url::from_file_path(folder).ok()?;
    Url::parse(&format!("{SCHEME}://{}", file.path())).ok()
}

#[derive(Debug)]
struct Provider(Arc<dyn Disk>);

#[async_trait]
impl ObjectStoreProvider for Provider {
    async fn new_store(&self, base: Url, params: &ObjectStoreParams) -> lance_core::Result<ObjectStore> {
        let block = params.block_size.unwrap_or(BLOCK_BYTES);
        let (constant_size_parts, lists_in_order) = (false, false);
        Ok(ObjectStore::new(
            self.0.clone(),
            base,
            Some(block),
            None,
            constant_size_parts,
            lists_in_order,
            DEFAULT_LOCAL_IO_PARALLELISM,
            READ_ATTEMPTS,
            params.storage_options(),
        ))
    }

    fn extract_path(&self, url: &Url) -> lance_core::Result<Path> {
        Path::from_url_path(url.path()).map_err(|error| lance_core::Error::invalid_input(error.to_string()))
    }

    /// Returns the same prefix for every table, so that one store serves all of them.
    fn calculate_object_store_prefix(
        &self,
        url: &Url,
        _: Option<&std::collections::HashMap<String, String>>,
    ) -> lance_core::Result<String> {
        Ok(url.scheme().to_owned())
    }
}
