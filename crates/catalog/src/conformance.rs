//! The promises of the port.

use crate::fixture::Folder;

#[tokio::test]
async fn keeps_the_promises_of_the_port() {
    let mut folders = Vec::new();
    annals_testkit::catalog_suite(async || {
        let folder = Folder::new();
        let catalog = folder.open();
        folders.push(folder);
        catalog
    })
    .await;
}
