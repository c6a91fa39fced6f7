//! Items of imports from other programs, and the report of an import.
//!
//! A command reads the files, and sends the items to the process that owns the data folder, which stores them. The service
//! reads uploads itself.

use std::collections::BTreeMap;

use annals_core::{Message, Role, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// One item from another program, with its location in the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportItem {
    /// Location of the item, as the report shows it: `conversations.json: line 12`.
    pub location: String,
    pub item: ItemIn,
}

/// An item that an importer has read.
///
/// An id identifies an item of the source and is the same in every later export. If the id is stored with other content, the
/// source was edited, and the new content replaces the stored one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ItemIn {
    /// Title and summary of a conversation.
    Conversation {
        /// Id of the conversation, which the messages repeat.
        id: String,
        /// Title of the conversation, if the source has one.
        title: Option<String>,
        /// Summary of the conversation, if the source has made one.
        summary: Option<String>,
    },
    /// A message of a conversation.
    Message {
        /// Id of the conversation.
        conversation: String,
        /// Id of the message, unique within the conversation.
        id: String,
        role: Role,
        /// Name of the speaker, if the source names one.
        name: Option<String>,
        content: String,
        /// When the message was said.
        at: Timestamp,
    },
    /// A statement that another memory program extracted.
    Statement {
        id: String,
        /// The person or thing that the statement is about, if the source names one.
        about: Option<String>,
        text: String,
        /// From when it holds, if the source has a date.
        at: Option<Timestamp>,
    },
    /// A fact, or an observation about a person or thing.
    Fact {
        id: String,
        /// The person or thing that the fact is about.
        subject: String,
        /// The predicate, as the source writes it.
        predicate: String,
        /// The value, or the thing to which the predicate relates the subject.
        object: String,
        /// Whether the fact relates two things, even if its predicate is a word for a type or an observation.
        is_relation: bool,
        /// From when it holds, if the source has a date.
        at: Option<Timestamp>,
    },
    /// A block of core memory.
    Block {
        name: String,
        text: String,
        /// When it was written, if the source has a date.
        at: Option<Timestamp>,
    },
    /// A note or document that is not part of a conversation.
    Document {
        id: String,
        /// Heading of the document; empty if it has none.
        title: String,
        text: String,
        /// When it was written, if the source has a date.
        at: Option<Timestamp>,
    },
}

impl From<Message> for ItemIn {
    fn from(message: Message) -> ItemIn {
        let Message { conversation, client_id, role, name, content, at } = message;
        ItemIn::Message { conversation, id: client_id.unwrap_or_default(), role, name, content, at }
    }
}

/// How items are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemsRequest {
    /// The kind of source, such as `chatgpt`. Documents are stored in a collection of this name.
    pub from: String,
    /// IANA time zone for the agent. If absent, the agent's stays as it is.
    pub time_zone: Option<String>,
    /// Also imports items that were forgotten.
    #[serde(default)]
    pub unforget: bool,
}

/// Numbers of imported items of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ImportCounts {
    /// Number of items that were not stored before and are now.
    pub new: u64,
    /// Number of items that were stored already.
    pub known: u64,
    /// Number of items that replaced stored items with other content.
    pub revised: u64,
    /// Number of items that were forgotten earlier and stay forgotten.
    pub forgotten: u64,
}

impl ImportCounts {
    /// Returns the number of all items.
    pub fn total(&self) -> u64 {
        self.new + self.known + self.revised + self.forgotten
    }
}

/// Numbers of stored items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct StoredItems {
    /// Counts of the messages.
    pub messages: ImportCounts,
    /// Counts of the statements from other memory programs.
    pub statements: ImportCounts,
    /// Counts of the facts.
    pub facts: ImportCounts,
    /// Counts of the blocks of core memory.
    pub blocks: ImportCounts,
    /// Counts of the notes and documents.
    pub documents: ImportCounts,
    /// Number of credentials that were masked before storage.
    pub masked: u64,
    /// Number of corrections by hand that were replaced, because their messages changed in the source. They are kept as former
    /// versions.
    pub replaced_corrections: u64,
    /// Number of changes that were made searchable.
    pub searchable: u64,
    /// Number of memories that could not be made searchable.
    pub dead: u64,
    /// Items that were read but could not be stored, grouped by kind.
    pub skipped: Vec<SkippedView>,
}

/// What a source contains that can be imported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct FoundItems {
    /// Number of conversations with a message.
    pub conversations: u64,
    /// Number of messages in the source.
    pub messages: u64,
    /// Number of messages of each role.
    pub roles: BTreeMap<String, u64>,
    /// Number of messages of each named person.
    pub people: BTreeMap<String, u64>,
    /// Number of local days with a message.
    pub days: u64,
    /// The first of these days.
    pub first_day: Option<String>,
    /// The last of these days.
    pub last_day: Option<String>,
    /// Number of statements from other memory programs.
    pub statements: u64,
    /// Number of facts in the source.
    pub facts: u64,
    /// Number of blocks of core memory in the source.
    pub blocks: u64,
    /// Number of notes and documents in the source.
    pub documents: u64,
}

impl FoundItems {
    /// Returns whether a source holds nothing that can be imported.
    pub fn is_empty(&self) -> bool {
        self.messages + self.statements + self.facts + self.blocks + self.documents == 0
    }
}

/// Items of one kind that were not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct SkippedView {
    /// Kind of the items, in words. An option that imports them follows in parentheses.
    #[schema(example = "tool call (--tools)")]
    pub kind: String,
    /// Number of these items.
    pub count: u64,
    /// What is wrong with the first of these items, or what it looks like; may be empty. Contains no text that a person wrote.
    pub example: String,
    /// Location of the first of these items in the source.
    #[schema(example = "conversations.json: line 12")]
    pub location: String,
}

/// Result of an import from another program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ImportReport {
    /// Name of the agent that the items are imported for.
    pub agent: String,
    /// Kind of the source, as in the request.
    #[schema(example = "chatgpt")]
    pub from: String,
    /// Counts of what the source contains.
    pub found: FoundItems,
    /// What was stored. Null for a dry run.
    pub stored: Option<StoredItems>,
    /// Items of the source that were not imported, grouped by kind.
    pub skipped: Vec<SkippedView>,
}

/// Options of an upload to import.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadRequest {
    /// Kind of the upload: `chatgpt`, `claude`, `claude-code`, `codex`, `openclaw`, `markdown`, `letta`, `mem0`, `mcp-memory`,
    /// `slack`, `whatsapp` or `csv`.
    #[param(example = "chatgpt")]
    pub from: String,
    /// Only reports what would be imported and what is skipped. Default: false.
    #[serde(default)]
    pub dry_run: bool,
    /// Your name: the speaker of your messages.
    #[serde(default)]
    pub me: Option<String>,
    /// Names of the assistants in a chat of several people, separated by commas.
    #[serde(default)]
    pub assistants: Option<String>,
    /// IANA time zone of the agent, and of times that the source writes without an offset. Default: the agent's.
    #[serde(default)]
    #[param(example = "Europe/Lisbon")]
    pub time_zone: Option<String>,
    /// Branches of a conversation that are imported: `active` or `all`. Default: `active`.
    #[serde(default)]
    pub branches: Option<String>,
    /// Imports calls and results of tools, too.
    #[serde(default)]
    pub tools: bool,
    /// Imports the thinking of models, too.
    #[serde(default)]
    pub thinking: bool,
    /// The columns of a CSV file: `content=Text,at=Date`.
    #[serde(default)]
    pub columns: Option<String>,
    /// Order of day and month in dates such as 03/04/2026: `dmy`, `mdy` or `ymd`.
    #[serde(default)]
    pub date_order: Option<String>,
    /// Name of the uploaded file. Some sources need it, because their files are recognised by name, such as daily notes.
    #[serde(default)]
    pub file_name: Option<String>,
    /// Also imports items that were forgotten.
    #[serde(default)]
    pub unforget: bool,
}

/// Progress of an import of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportStatus {
    /// The import waits for other imports to end.
    Waiting,
    /// The upload is being read and stored.
    Running,
    /// The import has ended; `report` says what is stored.
    Done,
    /// The import ended early; `error` says why. Items read before the end are stored, and sending the same upload again
    /// completes the import.
    Failed,
    /// The service has restarted, and the import had not succeeded before. Items read before are stored, and sending the same
    /// upload again completes it.
    Interrupted,
}

/// An import of an upload. The reports of the last 100 imports are kept until the service stops; otherwise only whether an
/// import succeeded is known. The same upload may be sent again, which adds only what is missing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, ToSchema)]
pub struct ImportView {
    /// Id for `GET /v1/operations/{id}`.
    pub operation_id: String,
    /// Name of the agent that the upload is imported for.
    pub agent: String,
    /// Kind of the source, as in the request: `chatgpt`, for example.
    pub from: String,
    /// Whether the import is a dry run, which only reports.
    pub dry_run: bool,
    /// Progress at the time of the answer.
    pub status: ImportStatus,
    /// Size of the upload in bytes; 0 after a restart of the service.
    pub bytes: u64,
    /// Bytes that were read so far.
    pub bytes_read: u64,
    /// What was found and stored. Null until the import has ended, and after a restart of the service.
    pub report: Option<ImportReport>,
    /// Why the import failed. Null otherwise.
    pub error: Option<String>,
}
