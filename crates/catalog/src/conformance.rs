//! Runs the conformance suites of the ports.

use crate::SqliteCatalog;
use crate::fixture::Folder;

/// Returns a catalog in a new folder, for one case of a suite.
fn fresh(folders: &mut Vec<Folder>) -> SqliteCatalog {
    let folder = Folder::new();
    let catalog = folder.open();
    folders.push(folder);
    catalog
}

macro_rules! keeps_the_promises_of {
    ($($port:ident: $suite:ident),* $(,)?) => { $(
        #[tokio::test]
        async fn $port() {
            let mut folders = Vec::new();
            annals_testkit::$suite(async || fresh(&mut folders)).await;
        }
    )* };
}

keeps_the_promises_of! {
    catalog: catalog_suite,
    journal: journal_suite,
    seals: seals_suite,
    replies: replies_suite,
    batches: batches_suite,
    erasure: erasure_suite,
    archive: archive_suite,
    blocks: blocks_suite,
    documents: documents_suite,
    requests: requests_suite,
    keys: keys_suite,
    accesses: accesses_suite,
}
