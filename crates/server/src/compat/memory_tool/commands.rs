//! The six commands. Each makes its checks in the same order as the SDK's file tool, because the first fault is the answer.

use annals_core::ports::{Content, Document, Expected};

use super::files::{Files, put, remove, text};
use super::path::resolve;
use super::{Command, Refusal, Result, refused, texts};

impl Files<'_> {
    /// Carries out a command, and returns the text of its result.
    pub(super) async fn execute(&self, command: &Command) -> Result<String> {
        match command.command.as_str() {
            "view" => self.view(&command.path, command.view_range.as_deref()).await,
            "create" => self.create(&command.path, &command.file_text).await,
            "str_replace" => self.str_replace(&command.path, &command.old_str, &command.new_str).await,
            "insert" => self.insert(&command.path, command.insert_line, &command.insert_text).await,
            "delete" => self.delete(&command.path).await,
            "rename" => self.rename(&command.old_path, &command.new_path).await,
            other => refused(format!("Unknown command: {other}")),
        }
    }

    async fn view(&self, path: &str, range: Option<&[i64]>) -> Result<String> {
        let key = resolve(path)?;
        if let Some(file) = self.file(&key).await? {
            let content = text(file.content);
            if content.matches('\n').count() >= texts::MAX_LINES {
                return refused(format!("File {path} exceeds maximum line limit of 999,999 lines."));
            }
            return Ok(texts::view(path, &content, range));
        }
        if !self.is_directory(&key).await? {
            return refused(format!("The path {path} does not exist. Please provide a valid path."));
        }
        Ok(self.tree(&key).await?.listing(path))
    }

    async fn create(&self, path: &str, content: &str) -> Result<String> {
        let key = resolve(path)?;
        if self.exists(&key).await? {
            return refused(format!("File {path} already exists"));
        }
        let mut changes = self.make_directories(path, &key).await?;
        changes.push(put(&key, Content::Text(content.to_owned()), Expected::Absent));
        self.change(changes).await?;
        Ok(format!("File created successfully at: {path}"))
    }

    async fn str_replace(&self, path: &str, old: &str, new: &str) -> Result<String> {
        let (key, file, content) = self.read(path).await?;
        let (changed, result) = texts::str_replace(path, &content, old, new).map_err(Refusal::Tool)?;
        self.change(vec![put(&key, Content::Text(changed), Expected::Version(file.version))]).await?;
        Ok(result)
    }

    async fn insert(&self, path: &str, line: i64, inserted: &str) -> Result<String> {
        let (key, file, content) = self.read(path).await?;
        let changed = texts::insert(&content, line, inserted).map_err(Refusal::Tool)?;
        self.change(vec![put(&key, Content::Text(changed), Expected::Version(file.version))]).await?;
        Ok(format!("The file {path} has been edited."))
    }

    /// Returns a file that is to be edited: its key, its document and its content.
    async fn read(&self, path: &str) -> Result<(String, Document, String)> {
        let key = resolve(path)?;
        if let Some(file) = self.file(&key).await? {
            let content = text(file.content.clone());
            return Ok((key, file, content));
        }
        if self.is_directory(&key).await? {
            return refused(format!("The path {path} is not a file."));
        }
        refused(format!("The path {path} does not exist. Please provide a valid path."))
    }

    async fn delete(&self, path: &str) -> Result<String> {
        let key = resolve(path)?;
        if key.is_empty() {
            return refused("Cannot delete the /memories directory itself");
        }
        let found = match self.file(&key).await? {
            Some(file) => vec![file],
            None => self.all_below(&key).await?,
        };
        if found.is_empty() {
            return refused(format!("The path {path} does not exist"));
        }
        self.change(found.iter().map(remove).collect()).await?;
        Ok(format!("Successfully deleted {path}"))
    }

    async fn rename(&self, from: &str, to: &str) -> Result<String> {
        let (old, new) = (resolve(from)?, resolve(to)?);
        if old.is_empty() {
            return refused("Cannot rename the /memories directory itself");
        }
        if self.exists(&new).await? {
            return refused(format!("The destination {to} already exists"));
        }
        if new.starts_with(&format!("{old}/")) {
            return refused(format!("Cannot move {from} into itself"));
        }
        let mut changes = self.make_directories(to, &new).await?;
        let moved = match self.file(&old).await? {
            Some(file) => vec![file],
            None => self.all_below(&old).await?,
        };
        if moved.is_empty() {
            // The SDK's file tool creates the directories first, and they stay.
            self.change(changes).await?;
            return refused(format!("The path {from} does not exist"));
        }
        for file in &moved {
            let key = format!("{new}{}", &file.key[old.len()..]);
            changes.push(remove(file));
            changes.push(put(&key, file.content.clone(), Expected::Absent));
        }
        self.change(changes).await?;
        Ok(format!("Successfully renamed {from} to {to}"))
    }
}
