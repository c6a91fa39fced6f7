//! The data folder of this process as the host of calls.

use std::path::Path;
use std::sync::Arc;

use annals_core::{Error, Result};
use annals_service::Service;
use annals_service::calls::Host;
use annals_service::jobs::AlarmClock;
use async_trait::async_trait;

use crate::folder::{Folder, clock_is_synchronised};

/// An open folder, with scheduled jobs if this process is the service.
pub(crate) struct FolderHost {
    pub folder: Folder,
    pub alarm_clock: Option<Arc<AlarmClock>>,
}

#[async_trait]
impl Host for FolderHost {
    fn service(&self) -> &Service {
        self.folder.service()
    }

    fn jobs(&self) -> Option<&AlarmClock> {
        self.alarm_clock.as_deref()
    }

    fn clock_is_synchronised(&self) -> Option<bool> {
        clock_is_synchronised()
    }

    fn fill_random(&self, bytes: &mut [u8]) -> std::result::Result<(), getrandom::Error> {
        getrandom::fill(bytes)
    }

    async fn copy_catalog(&self, to: &Path) -> Result<i64> {
        if to.exists() {
            return Err(Error::invalid("to", "must be a new file"));
        }
        self.folder.catalog().copy_to(to).await
    }
}
