//! Sums up an import for `--dry-run` and for the report at the end. Conversations are counted by hash, and names up to a limit.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use annals_core::{Date, Message, Role};
use jiff::tz::TimeZone;

use crate::item::{Imported, Item};
use crate::skipped::Skipped;

/// Maximum number of distinct names; the names of further people are not counted.
const MAX_PEOPLE: usize = 1000;
/// Maximum number of people that are displayed.
const SHOWN: usize = 10;

/// The counts of imported items and of skipped parts.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Messages by role.
    pub messages: BTreeMap<&'static str, u64>,
    /// Messages by the name of the speaker, without messages that have no name. Has at most `MAX_PEOPLE` names.
    pub people: BTreeMap<String, u64>,
    /// The local days with a message.
    pub days: BTreeSet<Date>,
    pub facts: u64,
    pub statements: u64,
    pub blocks: u64,
    /// Number of notes and documents.
    pub documents: u64,
    pub skipped: Skipped,
    /// Hashes of the ids of conversations with a message.
    conversations: HashSet<u64>,
}

impl Summary {
    /// Returns the number of conversations with a message.
    pub fn conversations(&self) -> usize {
        self.conversations.len()
    }

    /// Returns the number of messages of a role.
    pub fn of_role(&self, role: Role) -> u64 {
        self.messages.get(role.as_str()).copied().unwrap_or_default()
    }

    pub fn total_messages(&self) -> u64 {
        self.messages.values().sum()
    }

    /// Counts a message, the local day of its time in `zone`, its conversation and its speaker.
    pub fn add_message(&mut self, message: &Message, zone: &TimeZone) {
        let mut hasher = DefaultHasher::new();
        message.conversation.hash(&mut hasher);
        self.conversations.insert(hasher.finish());
        *self.messages.entry(message.role.as_str()).or_default() += 1;
        self.days.insert(message.at.to_zoned(zone.clone()).date());
        self.add_name(message.name.as_deref());
    }

    pub(crate) fn add(&mut self, imported: &Imported, zone: &TimeZone) {
        match &imported.item {
            Item::Message(message) => self.add_message(message, zone),
            Item::Statement { .. } => self.statements += 1,
            Item::Fact { .. } => self.facts += 1,
            Item::Block { .. } => self.blocks += 1,
            Item::Document { .. } => self.documents += 1,
            Item::Conversation { .. } => {}
        }
    }

    /// Returns the names of the people with the most messages, each with the number of messages, and the number of further
    /// people.
    fn shown_people(&self) -> String {
        let mut people: Vec<(&String, &u64)> = self.people.iter().collect();
        people.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
        let mut shown: Vec<String> = people.iter().take(SHOWN).map(|(name, count)| format!("{name} {count}")).collect();
        if people.len() > SHOWN {
            shown.push(format!("{} more", people.len() - SHOWN));
        }
        shown.join(", ")
    }

    fn add_name(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        if let Some(count) = self.people.get_mut(name) {
            *count += 1;
        } else if self.people.len() < MAX_PEOPLE {
            self.people.insert(name.to_owned(), 1);
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles: Vec<String> = self.messages.iter().map(|(role, count)| format!("{count} {role}")).collect();
        writeln!(f, "conversations  {}", self.conversations())?;
        writeln!(f, "messages       {} ({})", self.total_messages(), roles.join(", "))?;
        if let (Some(first), Some(last)) = (self.days.first(), self.days.last()) {
            writeln!(f, "days           {} ({first} to {last})", self.days.len())?;
        }
        let others = [
            ("people", self.shown_people()),
            ("statements", number(self.statements)),
            ("facts", number(self.facts)),
            ("blocks", number(self.blocks)),
            ("documents", number(self.documents)),
        ];
        for (name, value) in others.iter().filter(|(_, value)| !value.is_empty()) {
            writeln!(f, "{name:<14} {value}")?;
        }
        writeln!(f, "skipped        {}", self.skipped.total())?;
        for (_, kind, counted) in self.skipped.iter() {
            let example = if counted.example.is_empty() { String::new() } else { format!(": {}", counted.example) };
            writeln!(f, "  {:>7}  {kind}, first in {}{example}", counted.count, counted.location)?;
        }
        Ok(())
    }
}

fn number(count: u64) -> String {
    if count == 0 { String::new() } else { count.to_string() }
}
