//! Runs the conformance suites of the ports on each database.

macro_rules! suites {
    ($fresh:expr) => { suites! {
        $fresh;
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
    } };
    ($fresh:expr; $($port:ident: $suite:ident),* $(,)?) => { $(
        #[tokio::test]
        async fn $port() {
            let Some(mut fresh) = $fresh() else { return };
            annals_testkit::$suite(async || fresh()).await;
        }
    )* };
}

mod sqlite {
    use crate::SqliteCatalog;
    use crate::fixture::Folder;

    /// Returns a function that opens a catalog in a new folder, for one case of a suite.
    fn folders() -> Option<impl FnMut() -> SqliteCatalog> {
        let mut folders = Vec::new();
        Some(move || {
            let folder = Folder::new();
            let catalog = folder.open();
            folders.push(folder);
            catalog
        })
    }

    suites! { folders }
}

mod postgres {
    use crate::PostgresCatalog;
    use crate::fixture::open_schema;
    use annals_testkit::postgres_server::Schema;

    /// Returns a function that opens a catalog in a new schema, if there is a server.
    fn schemas() -> Option<impl FnMut() -> PostgresCatalog> {
        let mut next = Some(Schema::new()?);
        let mut schemas = Vec::new();
        Some(move || {
            let schema = next.take().or_else(Schema::new).unwrap();
            let catalog = open_schema(&schema);
            schemas.push(schema);
            catalog
        })
    }

    suites! { schemas }
}
