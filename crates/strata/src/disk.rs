//! Connects LanceDB to the objects: creates a session whose reads and writes all go through one store.
//!
//! For `file://` LanceDB bypasses any object store and never syncs: after a power cut its newest files are empty and
//! the table cannot be opened. With its scheme `file-object-store` all bytes go through the store given here, and a
//! commit still creates a file that must not exist yet. With a custom scheme commits would lack that check. Measured
//! cost: 13.6 ms instead of 12.0 ms for an upsert of twenty rows.

use std::sync::Arc;

use annals_objects::Objects;
use async_trait::async_trait;
use lance_io::object_store::{
    DEFAULT_CLOUD_IO_PARALLELISM, DEFAULT_LOCAL_IO_PARALLELISM, ObjectStore, ObjectStoreParams, ObjectStoreProvider,
    ObjectStoreRegistry,
};
use lancedb::Session;
use object_store::path::Path;
use url::Url;

/// LanceDB's URL scheme for local files through an object store.
const LOCAL: &str = "file-object-store";
/// LanceDB's URL scheme for any other store. The scheme determines how LanceDB commits: with this one, as with `s3`, by
/// creating an object that must not exist yet. But for `s3` LanceDB has a provider of its own, which would look for
/// credentials.
const REMOTE: &str = "memory";

/// Size of the cache of table metadata. LanceDB's default is 1 GiB, for servers with few tables.
const METADATA_CACHE_BYTES: usize = 16 << 20;
/// Reads closer together than this are joined. The values are those of LanceDB's own stores.
const LOCAL_BLOCK_BYTES: usize = 4 << 10;
const REMOTE_BLOCK_BYTES: usize = 64 << 10;
const READ_ATTEMPTS: usize = 3;

/// Creates a session over the objects. Its caches are shared by all tables; the cache of indexes has `index_bytes`.
pub(crate) fn session(objects: &Objects, index_bytes: usize) -> Arc<Session> {
    let registry = ObjectStoreRegistry::default();
    registry.insert(scheme(objects), Arc::new(Provider(objects.clone())));
    Arc::new(Session::new(index_bytes, METADATA_CACHE_BYTES, Arc::new(registry)))
}

/// Returns the URL below which LanceDB finds the objects below a name; `None` if the name has no URL.
pub(crate) fn url(objects: &Objects, name: &Path) -> Option<Url> {
    let file = Url::from_file_path(format!("/{}", objects.full_name(name))).ok()?;
    Url::parse(&format!("{}://{}", scheme(objects), file.path())).ok()
}

fn scheme(objects: &Objects) -> &'static str {
    if objects.are_local() { LOCAL } else { REMOTE }
}

#[derive(Debug)]
struct Provider(Objects);

#[async_trait]
impl ObjectStoreProvider for Provider {
    async fn new_store(&self, base: Url, params: &ObjectStoreParams) -> lance_core::Result<ObjectStore> {
        let (block, parallelism) = match self.0.are_local() {
            true => (LOCAL_BLOCK_BYTES, DEFAULT_LOCAL_IO_PARALLELISM),
            false => (REMOTE_BLOCK_BYTES, DEFAULT_CLOUD_IO_PARALLELISM),
        };
        let (constant_size_parts, lists_in_order) = (false, false);
        Ok(ObjectStore::new(
            self.0.store(),
            base,
            Some(params.block_size.unwrap_or(block)),
            None,
            constant_size_parts,
            lists_in_order,
            parallelism,
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
