//! Finds messages that are stored in another conversation than the one in which an import has them.
//!
//! Some sources have ids that are unique across conversations, and move messages: a session that is resumed begins with the
//! lines of another one, and a message of an active branch may belong to another branch in a later export. Such a message stays
//! in the conversation in which it was stored first.

use std::collections::HashMap;

use annals_core::ports::{Select, Store};
use annals_core::{Agent, Digest, Grain, Kind, Result, TurnKey};

/// Number of conversations that one query lists.
const PAGE: usize = 200;

/// The sets of conversations within which a message may move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Families {
    /// A conversation and its branches, `ID` and `ID#LEAF`.
    Branches,
    /// All conversations of the source.
    Sessions,
}

/// An index of stored messages that finds moved messages of a source. Holds the ids of one family of conversations at a time,
/// 16 bytes each.
pub(super) struct MovedMessages {
    /// `None` if no message can have moved, because the source was never imported, or because its ids are unique within a
    /// conversation only.
    families: Option<Families>,
    prefix: String,
    /// The family of conversations that `names` and `stored` are of.
    family: Option<String>,
    names: Vec<String>,
    stored: HashMap<u128, usize>,
}

impl MovedMessages {
    pub(super) async fn new(store: &dyn Store, agent: &Agent, from: &str) -> Result<MovedMessages> {
        let prefix = format!("{from}:");
        let families = match from {
            "chatgpt" | "claude" => Some(Families::Branches),
            "claude-code" | "codex" => Some(Families::Sessions),
            _ => None,
        };
        let first = store.conversations(agent, Some(&prefix), 1).await?;
        let was_imported = first.first().is_some_and(|first| first.name.starts_with(&prefix));
        Ok(MovedMessages {
            families: families.filter(|_| was_imported),
            prefix,
            family: None,
            names: Vec::new(),
            stored: HashMap::new(),
        })
    }

    /// Returns the conversation in which the message is stored, if it is not the one in `key`. The caller must have checked
    /// that no message is stored under `key`.
    pub(super) async fn conversation_of(
        &mut self,
        store: &dyn Store,
        agent: &Agent,
        key: &TurnKey,
    ) -> Result<Option<String>> {
        let Some(families) = self.families else { return Ok(None) };
        let family = match families {
            Families::Branches => key.conversation.split('#').next().unwrap_or_default().to_owned(),
            Families::Sessions => self.prefix.clone(),
        };
        if self.family.as_ref() != Some(&family) {
            self.load(store, agent, families, &family).await?;
            self.family = Some(family);
        }
        let index = self.stored.get(&short(&key.id));
        Ok(index.map(|index| self.names[*index].clone()).filter(|name| *name != key.conversation))
    }

    async fn load(&mut self, store: &dyn Store, agent: &Agent, families: Families, family: &str) -> Result<()> {
        self.names = names(store, agent, families, family).await?;
        self.stored.clear();
        for (index, name) in self.names.iter().enumerate() {
            let select =
                Select { kinds: vec![Kind::Turn], conversation: Some(name.clone()), ..Select::all(Grain::Working) };
            for memory in store.list(agent, &select).await? {
                self.stored.extend(memory.message().map(|id| (short(id), index)));
            }
        }
        Ok(())
    }
}

/// Returns the names of the stored conversations of a family. In a family of branches, the conversation without a branch comes
/// first, even if it is not stored.
async fn names(store: &dyn Store, agent: &Agent, families: Families, family: &str) -> Result<Vec<String>> {
    let is_member = |name: &str| match families {
        Families::Branches => name.strip_prefix(family).is_some_and(|rest| rest.starts_with('#')),
        Families::Sessions => name.starts_with(family),
    };
    let mut found = if families == Families::Branches { vec![family.to_owned()] } else { Vec::new() };
    let mut after = family.to_owned();
    loop {
        let page = store.conversations(agent, Some(&after), PAGE).await?;
        let Some(last) = page.last().map(|last| last.name.clone()) else { return Ok(found) };
        let is_end = page.len() < PAGE || !last.starts_with(family);
        found.extend(page.into_iter().map(|entry| entry.name).filter(|name| is_member(name)));
        if is_end {
            return Ok(found);
        }
        after = last;
    }
}

fn short(id: &str) -> u128 {
    let mut half = [0; 16];
    half.copy_from_slice(&Digest::of([id]).0[..16]);
    u128::from_le_bytes(half)
}
