//! Checks the bucket that keeps tables and facts.

use std::path::Path;

use super::Finding;
use super::round_trip::message_of;
use crate::config::Config;
use crate::projections::Projections;

const ABOUT: &str = "bucket";

/// Reports whether the bucket does what tables rely on. Returns nothing if tables and facts are in the data folder.
pub(crate) async fn look(data: &Path, config: &Config) -> Option<Finding> {
    let url = config.objects.url.as_ref()?;
    let checked = match Projections::untied(data, &config.objects, None) {
        Ok(projections) => projections.check().await,
        Err(error) => Err(error),
    };
    Some(match checked {
        Ok(()) => {
            Finding::ok(ABOUT, format!("{url} creates, replaces, copies, lists and deletes objects as tables need it"))
        }
        Err(error) => {
            let remedy = "check [objects], the credentials in the environment (AWS_…), and that they may read, write, list and delete";
            Finding::wrong(ABOUT, message_of(&error), remedy)
        }
    })
}
