//! Stores the version number of the last commit of rows, in an object of our own beside LanceDB's.
//!
//! LanceDB opens the newest manifest that it finds. Without this object a lost manifest would go unnoticed: the table would open
//! one version older, with fewer rows. The object is written after each commit of rows, not after maintenance. If a crash leaves
//! an older number or none, only the check is weaker.

use annals_objects::{Objects, is_missing};
use object_store::Result;
use object_store::path::Path;

const NAME: &str = "head";

/// Stores the version that a commit made, in place of the one before.
pub(crate) async fn save(objects: &Objects, table: &Path, version: u64) -> Result<()> {
    objects.put(&table.clone().join(NAME), version.to_string().into_bytes()).await
}

/// Returns the stored version; `None` if there is none, or if it is not a number.
pub(crate) async fn load(objects: &Objects, table: &Path) -> Result<Option<u64>> {
    match objects.get(&table.clone().join(NAME)).await {
        Ok(number) => Ok(std::str::from_utf8(&number).ok().and_then(|number| number.parse().ok())),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
