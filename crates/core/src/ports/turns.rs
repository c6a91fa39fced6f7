//! Port `Turns`: stores messages, and recognises those that are stored already.

use async_trait::async_trait;

use crate::{Agent, IngestReceipt, MemoryId, Message, Period, Result, Timestamp, TurnKey};

/// A message with its id and local day, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Id of the memory.
    pub id: MemoryId,
    /// The conversation, and the id of the message within it.
    pub key: TurnKey,
    /// The local day on which it was said.
    pub day: Period,
    /// The message to store. If the settings ask for it, the caller has masked credentials in it.
    pub message: Message,
    /// Number of credentials that the caller masked. It is added to the receipt and not stored with the turn.
    pub masked: u64,
    /// The origin of the text and the instant. Not stored with the turn.
    pub origin: Origin,
    /// JSON that belongs to the turn and is stored, exported and erased with it, such as the item of another program's
    /// interface. Not part of what identifies the message.
    pub attachment: Option<String>,
}

/// The origin of a turn's text and instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The client sent both.
    #[default]
    Client,
    /// The client sent the text without an instant. `at` is the time of arrival and not part of the content sent.
    Untimed,
    /// A person corrects the text of a stored turn. If the client sends its original message again, it is still
    /// recognised.
    Correction,
}

/// What happens to a turn whose key is stored with other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// The request is refused with [`crate::Error::Conflict`].
    Refuse,
    /// The turn replaces the stored one, which stays as a former version.
    Revise,
}

impl OnConflict {
    /// Returns `Revise` if `revise` is set, as requests spell it.
    pub fn revise_if(revise: bool) -> OnConflict {
        if revise { OnConflict::Revise } else { OnConflict::Refuse }
    }
}

/// Result of comparing a message with the turn stored under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// No turn is stored under the key.
    New,
    /// The message equals what the client sent last, or the text to which a person corrected the turn.
    Same,
    /// The message differs from what the client sent last.
    Different,
    /// The message differs from what the client sent last, and a person has corrected the turn since.
    DifferentFromCorrected,
}

/// The messages of agents.
#[async_trait]
pub trait Turns: Send + Sync {
    /// Stores turns, all or none. Turns that are stored already, or were pruned, count as duplicates; with `Revise`, a
    /// pruned turn with other content is stored as late input, if what was pruned is known (a restored archive has only ids). Forgotten turns are counted and not stored. Each new or revised turn makes its day
    /// dirty as of `now`; a revised turn that moved to another day also makes the former day dirty.
    ///
    /// Turns of one conversation never share an instant. A turn with a taken instant gets the next free microsecond. A turn
    /// without an instant is placed after the stored turns that are less than a millisecond ahead of its arrival. So the order of
    /// arrival decides between equal instants in every order by time. Content means what the client sent last ([`Origin`]). A
    /// new turn is stored with its attachment. A revision replaces the attachment, or keeps the stored one if it has none.
    async fn ingest(
        &self,
        agent: &Agent,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> Result<IngestReceipt>;

    /// Compares messages with the turns stored under their keys. Results are in input order.
    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>>;

    /// Returns the accepted request with that id.
    async fn operation(&self, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>>;

    /// Returns the attachments of turns, in input order; `None` for a turn without one, or that does not exist.
    async fn attachments(&self, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Option<String>>>;

    /// Replaces the attachment of a turn and changes nothing else. Returns whether the turn exists.
    async fn attach(&self, agent: &Agent, id: &MemoryId, attachment: &str) -> Result<bool>;
}
