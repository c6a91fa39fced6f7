//! The socket in the data folder, on which its owner answers calls of other processes of the same user.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use tokio::net::{UnixListener, UnixStream};

const NAME: &str = "annals.sock";

/// Returns the path of the owner's socket.
pub(crate) fn place(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Listens for other processes of the same user.
pub(crate) fn listen(data: &Path) -> Result<UnixListener> {
    let place = place(data);
    let bind = || {
        // A killed owner leaves its socket behind. This process holds the folder's lock, so there is no other owner.
        match std::fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&place)?;
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind().map_err(|cause| Error::storage(format!("cannot listen at {}", place.display()), cause))
}

/// Connects to the owner of the folder, if there is one.
pub(crate) async fn owner(data: &Path) -> Option<UnixStream> {
    UnixStream::connect(place(data)).await.ok()
}
