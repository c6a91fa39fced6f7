//! The socket in the data folder, on which its owner answers calls of other processes of the same user.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use annals_core::{Error, Result};
use tokio::net::{UnixListener, UnixStream};

const NAME: &str = "annals.sock";

/// Returns the path of the owner's socket.
pub(crate) fn socket(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Listens on the socket in the data folder, which only this user may connect to.
pub(crate) fn listen(data: &Path) -> Result<UnixListener> {
    let socket = socket(data);
    let bind = || {
        // A killed owner leaves its socket behind. This process holds the folder's lock, so there is no other owner.
        match std::fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&socket)?;
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    };
    bind().map_err(|cause| Error::storage(format!("cannot listen at {}", socket.display()), cause))
}

/// Connects to the owner of the folder, if there is one.
pub(crate) async fn owner(data: &Path) -> Option<UnixStream> {
    UnixStream::connect(socket(data)).await.ok()
}
