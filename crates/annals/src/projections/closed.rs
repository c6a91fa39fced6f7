//! The mark of a memory that nothing may use: `annals adopt` has not finished copying it, or has moved it elsewhere.
//!
//! The mark is an object beside tables and facts, so all nodes of a cluster find it. Without it, a half-copied memory would be
//! used, or a service that starts by itself would go on in the memory that everybody else has left.

use annals_core::{Error, Result};
use annals_objects::is_missing;
use object_store::path::Path as Name;

use super::{Projections, failed, read};

/// The object. Its text begins with one of the words below; for a memory that was moved, its new place follows.
const MARK: &str = "closed";
const COPYING: &str = "copying";
const MOVED: &str = "moved";

/// Why nothing may use a memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Closed {
    /// It is being copied from elsewhere.
    Copying,
    /// It was moved to the data folder `to`.
    Moved { to: String },
}

impl Closed {
    fn text(&self) -> String {
        match self {
            Closed::Copying => COPYING.to_owned(),
            Closed::Moved { to } => format!("{MOVED} {to}"),
        }
    }

    fn of(text: &str) -> Closed {
        match text.strip_prefix(MOVED) {
            Some(to) => Closed::Moved { to: to.trim().to_owned() },
            None => Closed::Copying,
        }
    }
}

impl Projections {
    /// Returns why nothing may use this memory; `None` if it may be used.
    pub(crate) async fn closed(&self) -> Result<Option<Closed>> {
        Ok(read(&self.root, &Name::from(MARK)).await?.map(|text| Closed::of(&text)))
    }

    /// Lets nothing use this memory from now on.
    pub(crate) async fn close(&self, closed: &Closed) -> Result<()> {
        self.root.put(&Name::from(MARK), closed.text().into_bytes()).await.map_err(failed)
    }

    /// Lets this memory be used again.
    pub(crate) async fn reopen(&self) -> Result<()> {
        match self.root.delete(&Name::from(MARK)).await {
            Err(error) if !is_missing(&error) => Err(failed(error)),
            _ => self.root.sync_deletions(&Name::default()).await.map_err(failed),
        }
    }

    /// Returns the error for whoever wants to use this memory while it is closed.
    pub(crate) fn refused_as(&self, closed: &Closed) -> Error {
        let location = self.location();
        let reason = match closed {
            Closed::Copying => "`annals adopt` has not finished copying a memory here; run it again".to_owned(),
            Closed::Moved { to } => format!(
                "`annals adopt --live` has moved this memory to {to}; to use it here nevertheless, delete {location}/{MARK}"
            ),
        };
        Error::storage(format!("opening {location}"), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mark_is_read_as_it_was_written() {
        for closed in [Closed::Copying, Closed::Moved { to: "/srv/new folder".into() }] {
            assert_eq!(Closed::of(&closed.text()), closed);
        }
    }
}
