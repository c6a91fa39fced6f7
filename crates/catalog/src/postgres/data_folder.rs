//! Stores the id of the data folder that belongs to the catalog. Tables and facts in a folder are valid only for the
//! state of the catalog from which they were projected.

use crate::PostgresCatalog;
use crate::db::{Sql, params};

impl PostgresCatalog {
    /// Returns the id of the data folder that was used last with the catalog; `None` if there was none yet.
    pub async fn data_folder(&self) -> annals_core::Result<Option<String>> {
        let read = "SELECT id FROM data_folder";
        self.thread
            .read("reading which data folder follows the catalog", move |db| {
                db.query_optional(Sql::Once(read), &[], |row| row.get(0))
            })
            .await
    }

    /// Saves the id of the data folder that is used from now on.
    pub async fn set_data_folder(&self, id: &str) -> annals_core::Result<()> {
        let id = id.to_owned();
        self.thread
            .write("saving which data folder follows the catalog", move |db| {
                db.execute(Sql::Once("DELETE FROM data_folder"), &[])?;
                db.execute(Sql::Once("INSERT INTO data_folder (id) VALUES (?1)"), params![id])?;
                Ok(())
            })
            .await
    }
}
