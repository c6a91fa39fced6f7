//! The data folders of the agent, one for each age, each filled from a copy of the previous one. They are kept, so that later
//! runs need not fill them again. A folder that a killed run left half filled is filled from the start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_core::{Agent, Embedder, Error, Message, Result};

use super::life::{self, Life};
use crate::stores::Stores;

/// Maximum number of days that are ingested and rolled up together.
const AT_ONCE: usize = 30;

/// The folders of all ages, with the data and the embedder to fill them.
pub(crate) struct Folders<'a> {
    /// The folder that contains the folders of all ages.
    pub root: &'a Path,
    pub life: &'a Life,
    pub agent: &'a Agent,
    pub embedder: Arc<dyn Embedder>,
}

impl Folders<'_> {
    /// Returns the folder of the agent at the age of `days`. If it does not exist, fills a copy of the folder at the age of
    /// `before`, or an empty folder.
    pub(crate) async fn at(&self, days: usize, before: Option<usize>) -> Result<PathBuf> {
        let (there, filling) = (self.folder(days), self.root.join("filling"));
        if there.exists() {
            return Ok(there);
        }
        let prepare = || {
            if filling.exists() {
                std::fs::remove_dir_all(&filling)?;
            }
            match before {
                Some(before) => copy(&self.folder(before), &filling),
                None => std::fs::create_dir_all(&filling),
            }
        };
        prepare().map_err(|error| Error::storage(format!("preparing {}", filling.display()), error))?;
        self.fill(&filling, before.unwrap_or(0), days).await?;
        let done = std::fs::rename(&filling, &there);
        done.map_err(|error| Error::storage(format!("moving {}", filling.display()), error))?;
        Ok(there)
    }

    fn folder(&self, days: usize) -> PathBuf {
        self.root.join(format!("day-{days}"))
    }

    async fn fill(&self, path: &Path, from: usize, to: usize) -> Result<()> {
        let stores = Stores::open(path, self.embedder.clone()).await?;
        let mut days = self.life.days().skip(from);
        let mut age = from;
        while age < to {
            let number = AT_ONCE.min(to - age);
            let messages: Vec<Message> = days.by_ref().take(number).flatten().collect();
            age += number;
            stores.ingest(self.agent, &messages, life::age(age)).await?;
        }
        stores.compact(self.agent).await
    }
}

/// Copies a folder recursively.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use annals_core::{Grain, Role, Timestamp};
    use annals_testkit::WordEmbedder;

    use super::*;

    fn life() -> Life {
        let message = |number: usize| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: Some("Ann".into()),
            content: format!("On trip {number} we walked to the old harbour and had soup."),
            at: Timestamp::UNIX_EPOCH,
        };
        Life::new((0..40).map(message), 100).unwrap()
    }

    async fn memories(path: &Path, agent: &Agent) -> [u64; 6] {
        Stores::open(path, Arc::new(WordEmbedder::new())).await.unwrap().memories(agent).await.unwrap()
    }

    #[tokio::test]
    async fn folder_continues_from_the_previous_age() {
        let (root, life, agent) = (tempfile::tempdir().unwrap(), life(), Agent::new("a").unwrap());
        let folders =
            Folders { root: root.path(), life: &life, agent: &agent, embedder: Arc::new(WordEmbedder::new()) };
        // Simulates a run that was killed.
        std::fs::create_dir_all(root.path().join("filling/tables/left")).unwrap();
        let week = folders.at(7, None).await.unwrap();
        let month = folders.at(35, Some(7)).await.unwrap();
        let (week, older) = (memories(&week, &agent).await, memories(&month, &agent).await);
        let turns = |days| life.days().take(days).map(|day| day.len() as u64).sum::<u64>();
        assert_eq!((week[..4].to_vec(), older[..4].to_vec()), (vec![turns(7), 7, 1, 0], vec![turns(35), 35, 5, 1]));
        assert_eq!(Grain::ALL[3], Grain::Monthly);
        assert!(!month.join("tables/left").exists());
        assert_eq!(folders.at(35, Some(7)).await.unwrap(), month, "what is there is not filled again");
    }
}
