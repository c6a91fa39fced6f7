// Requests and answers as the service sends them. Written by clients/generate.py from docs/openapi.json.

/** Agents that the caller may use, ordered by name. */
export interface AgentsAnswer {
  /** Current names of the agents. */
  agents: Array<string>;
  /** Cursor of the next page. Absent on the last page. */
  next_cursor?: string | null;
}

/** Who wrote a summary. */
export interface AuthorView {
  /** The engine with its version. */
  engine: string;
  /** The model. Null for the built-in engine. */
  model?: string | null;
  /** The prompt with the beginning of its digest. Null for the built-in engine. */
  prompt?: string | null;
}

/** A short text that is part of every context, such as persona, human or project. */
export interface BlockView {
  /** Name of the block: 1 to 64 bytes. */
  name: string;
  /** Content of the block: at most 16 KiB. An empty text removes the block. */
  text: string;
  /** When the block was last written. Ignored in requests. */
  updated_at?: string | null;
}

/** Blocks to write. Blocks that are not listed stay unchanged. */
export interface BlocksRequest {
  /** Blocks to write. One with an empty text is removed. Of several with one name, the last counts. */
  blocks: Array<BlockView>;
}

/** Blocks of an agent, ordered by name. */
export interface BlocksView {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** All blocks of the agent. */
  blocks: Array<BlockView>;
}

/** The configured token budgets per UTC day. Reranking has a budget of its own of the same size. */
export interface BudgetView {
  /** Tokens that an agent may use if its settings have no budget. */
  agent: number;
  /** Tokens that all agents may use together. */
  process: number;
  /** Tokens that all agents of a workspace may use together. */
  workspace: number;
}

/** A collection and the number of its documents. */
export interface CollectionView {
  /** Path of the collection: labels joined with dots. */
  collection: string;
  /** Number of documents in this collection, not counting collections below it. */
  documents: number;
}

/** The collections of an agent that contain documents. */
export interface CollectionsAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The collections, ordered by path. */
  collections: Array<CollectionView>;
}

/** Context within the token budget. */
export interface ContextAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** What to try, if something was left out or nothing was found. */
  hint?: string | null;
  /** Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are searchable. */
  incomplete_because?: string | null;
  /** The pieces of the text, in the same order. */
  items: Array<ContextItemView>;
  /** Whether memory holds anything relevant to the prompt. If not, the text contains at most a few lines that resemble the prompt and facts about the speaker, besides blocks, documents and the current conversation. */
  known: boolean;
  /** Why the rerank model did not order the results although it was called. The results then keep the order that they have without the model. */
  not_reranked_because?: string | null;
  /** Number of further matches that did not fit into the budget. */
  omitted: number;
  /** Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none may read this agent's memories, or there was nothing to order. */
  reranked?: boolean | null;
  /** Text to insert into a prompt as it is: lines with short ids below their days, fenced as data so that a model does not take them for instructions. */
  text: string;
  /** Estimated number of tokens of the text. */
  tokens: number;
  /** Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if vectors were compared everywhere. */
  words_alone_because?: string | null;
}

/** One piece of the context: a block, fact, memory or part of a document. */
export interface ContextItemView {
  /** Days that the piece covers; of a fact, the days on which it was said. Absent for blocks and documents of the request. */
  dates?: string | null;
  /** Id of the memory, fact or document, or name of the block. */
  id: string;
  /** `block`, `fact`, `turn`, `statement`, `summary` or `document`. */
  kind: string;
  /** Relevance to the prompt: higher is better, comparable within one answer only. */
  score: number;
  /** Id within the text. Only the parts of one document of the request share an id. Absent for a block. */
  short?: string;
  /** The text. A summary has one line per sentence. */
  text: string;
  /** Estimated number of tokens that the piece takes in the text. */
  tokens: number;
}

/** A request for the context of a prompt. */
export interface ContextRequest {
  /** Maximum number of tokens of the returned text: 64 to 100,000. */
  budget_tokens?: number;
  /** Name of the conversation that the prompt belongs to. The last turns of it are considered as well, whether or not they match. */
  conversation?: string | null;
  /** Your own texts, with at most 512 KiB together. Their parts compete with memories for the budget. They are not stored. */
  documents?: Array<DocumentIn>;
  /** First local day of the memories to consider, inclusive. */
  from?: string | null;
  /** Excludes memories older than this many local days ago. */
  max_days_ago?: number | null;
  /** Excludes memories newer than this many local days ago. 0 is today. */
  min_days_ago?: number | null;
  /** One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition. */
  period?: string | null;
  /** The prompt to answer, or the last message of the conversation. Memories, facts and documents are searched with it. */
  prompt: string;
  /** Name of the person who asks. Facts about them are considered as well. */
  speaker?: string | null;
  /** Last local day of the memories to consider, inclusive. */
  to?: string | null;
}

/** A conversation with stored turns. */
export interface ConversationEntry {
  /** Name of the conversation, as its messages give it. */
  conversation: string;
  /** When the first of these turns was said. */
  first: string;
  /** When the last of these turns was said. */
  last: string;
  /** Title of the conversation, if it was imported with one. */
  title?: string | null;
  /** Number of turns of the conversation that are stored. */
  turns: number;
}

/** A conversation, ranked by its turns. */
export interface ConversationView {
  /** Id of the turn of the conversation that matches best. */
  best: string;
  /** Name of the conversation. */
  conversation: string;
  /** Relevance to the query: higher is better, comparable within one answer only. */
  score: number;
}

/** Conversations, ordered by name. */
export interface ConversationsAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The conversations of this page. */
  conversations: Array<ConversationEntry>;
  /** Cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** A new text for a memory, a pin, or both. At least one is required. */
export interface CorrectRequest {
  /** Whether the memory is pinned, so that retention keeps it. */
  pinned?: boolean | null;
  /** Text that replaces the present one. */
  text?: string | null;
}

/** Tokens that one agent used on one UTC day for one purpose and model. Single calls and batches are counted apart. */
export interface CostView {
  /** Current name of the agent. Empty for the costs of agents that have been deleted since. */
  agent: string;
  /** Whether the answers came in batches, at half the price. */
  batch?: boolean;
  /** Of `tokens_in`, those that the provider read from its prompt cache. */
  cache_read?: number;
  /** Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them. */
  cache_written?: number;
  /** Number of calls that were answered. */
  calls: number;
  /** Cost of these tokens. Null if the model has no price. */
  cost?: number | null;
  /** UTC day on which the tokens were used. */
  day: string;
  /** Name of the model, as in the prices. */
  model: string;
  /** What the tokens were used for: `extraction`, `rerank`, or the grain of a summary. */
  purpose: string;
  /** Tokens of the requests. */
  tokens_in: number;
  /** Tokens of the answers. */
  tokens_out: number;
}

/** Costs of a range of days. */
export interface CostsAnswer {
  budget?: BudgetView | null;
  /** Number of stored summaries that the built-in engine wrote and nobody corrected. They cost nothing. Null if there are more than twenty agents, because counting takes too long. */
  built_in?: number | null;
  /** Total cost of the models that have a price. */
  cost: number;
  /** The costs by agent, day, purpose and model. */
  costs: Array<CostView>;
  /** Currency of the prices; empty if there are none. */
  currency: string;
  /** First UTC day of the costs, inclusive. */
  from: string;
  /** Last UTC day of the costs, inclusive. */
  to: string;
  /** Tokens of all requests in `costs`. */
  tokens_in: number;
  /** Tokens of all answers in `costs`. */
  tokens_out: number;
  /** Models with tokens in `costs` and without a price. `cost` does not include them. */
  unpriced: Array<string>;
}

/** Time span that a memory covers. */
export interface CoverView {
  /** First instant after the span. */
  end: string;
  /** First local day, inclusive. */
  from: string;
  /** Beginning of the span. */
  start: string;
  /** Last local day, inclusive. */
  to: string;
}

/** A day with turns. */
export interface DayView {
  /** The day in the agent's time zone. */
  day: string;
  /** Number of turns that were said on this day. */
  turns: number;
}

/** A text of your own, from which the context may quote. */
export interface DocumentIn {
  /** Id of the text, which the answer repeats in `items`: at most 1,024 bytes. */
  id: string;
  /** The text itself. Long texts are split into parts. */
  text: string;
  /** Title of the text, which is compared with the prompt together with every part: at most 1,024 bytes. */
  title?: string | null;
}

/** A document that matches, with its best passage. */
export interface DocumentResult {
  /** The document, without its content. */
  document: DocumentView;
  /** Position of the best passage. */
  passage: PassageView;
  /** Relevance to the query: higher is better, comparable within one answer only. */
  score: number;
  /** Text of the best passage, below the passage's title. */
  text: string;
}

/** Documents that match, best first. */
export interface DocumentSearchAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The documents, each once, best first. */
  results: Array<DocumentResult>;
}

/** A search for documents. */
export interface DocumentSearchRequest {
  /** Only documents of this collection and of those below it. */
  collection?: string | null;
  /** Maximum number of documents: 1 to 100. */
  limit?: number;
  /** A question or words. Documents are found by their meaning and by their words. */
  query: string;
}

/** A stored document. */
export interface DocumentView {
  /** Path of the collection: labels joined with dots. */
  collection: string;
  /** When the document was first written. Replacing it keeps this time. */
  created_at: string;
  /** When the document expires. Absent if it never does. */
  expires_at?: string | null;
  /** Key of the document, unique within the collection. */
  key: string;
  /** Number of passages into which the document is split for searches. */
  passages: number;
  /** Text of the document. Absent in lists and searches, and if the document is a JSON value. */
  text?: string | null;
  /** When the document was last written. */
  updated_at: string;
  /** JSON value of the document. Absent in lists and searches, and if the document is a text. */
  value?: unknown;
  /** Number of writes since the document was created, the first included. */
  version: number;
}

/** A page of documents, in order of collection and key. */
export interface DocumentsAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The documents of this page, without their contents. */
  documents: Array<DocumentView>;
  /** Cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** What writes the summaries of an agent and extracts its facts. */
export type EngineWord = "auto" | "extractive";

/** Estimated cost of the model calls for one purpose: extracting facts from waiting messages, or summaries of a grain. */
export interface EstimateView {
  /** Estimated number of calls. */
  calls: number;
  /** Estimated cost of these calls. Null if the model has no price. */
  cost?: number | null;
  /** Estimated cost of these calls in a roll-up by batches. The same as `cost` for facts, which are not extracted in batches. Null if the model has no price. */
  cost_in_batch?: number | null;
  /** Name of the model that would be called. */
  model: string;
  /** `extraction`, or the grain of the summaries. */
  purpose: string;
  /** Estimated tokens of the requests. */
  tokens_in: number;
  /** Estimated tokens of the answers. */
  tokens_out: number;
}

/** A fact entered by hand. */
export interface FactEntry {
  /** When the fact starts or stops holding: a moment, or the beginning of a day. Default: now. */
  at?: string | null;
  /** The value. A retraction without a value ends all facts with this subject and predicate. */
  object?: string | null;
  /** Property or relation that the fact states. */
  predicate: string;
  /** Person or thing that the fact is about. */
  subject: string;
  /** Whether the fact starts or stops holding. */
  verb?: Verb;
}

/** A fact: subject, predicate, object, and the time for which it holds. */
export interface FactView {
  /** Confidence of the extractor, from 0 to 1. A fact entered by hand has 1. */
  confidence: number;
  /** Only in walks: 1 for a fact of the entity itself, 2 for a fact of an entity that such a fact leads to, and so on. */
  depth?: number | null;
  /** Id of the fact, to which `superseded_by` of another fact refers. */
  id: string;
  /** Person, thing or value to which the predicate relates the subject. */
  object: string;
  /** Property or relation that the fact states. */
  predicate: string;
  /** Further details, such as the kind of the object or who said it. The keys depend on the predicate and the extractor. */
  properties: Record<string, unknown>;
  /** When the fact was first recorded. */
  recorded_at: string;
  /** Time span of the messages that state the fact. */
  said: MentionedView;
  /** Ids of the turns that state the fact. Ids of manual entries start with `u-`. */
  source_ids: Array<string>;
  /** Person or thing that the fact is about. */
  subject: string;
  /** Id of the fact that replaced this one. Null if none did. */
  superseded_by?: string | null;
  /** When the fact starts to hold. */
  valid_from: string;
  /** When the fact stopped holding. Null while it holds. */
  valid_to?: string | null;
}

/** Matching facts, ordered by the moment from which they hold. Facts of a walk are ordered by depth first, facts of a path in the order of the path. */
export interface FactsAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Only for paths: whether the two persons or things are connected. A path without facts means that both are names of the same person or thing. */
  connected?: boolean | null;
  /** The facts of this page. */
  facts: Array<FactView>;
  /** Cursor of the next page, if there is one. */
  next_cursor?: string | null;
}

/** A period that failed in the last roll-up, or has to wait. */
export interface FailureView {
  /** Number of failed attempts since the last success. */
  attempts: number;
  /** Why the last attempt failed, or what the period waits for. */
  error: string;
  /** Earliest time of the next attempt. */
  not_before?: string | null;
  /** Label of the period, as in `2026-W10`. */
  period: string;
}

/** One fault of a request. */
export interface FaultView {
  /** Name of the field. */
  field: string;
  /** The file, if the fault is in one of several. */
  file?: string | null;
  /** The line of the file or input, counted from 1, if there is one. */
  line?: number | null;
  /** What is wrong with the field. */
  reason: string;
}

/** What was erased, or would be erased. */
export interface ForgetAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Names of blocks that contain the subject. */
  blocks: Array<string>;
  /** Periods with sealed summaries that lose the sentences that came from the erased memories. */
  cut: Array<string>;
  /** Number of erased dead letters: records of memories that could not be indexed or read for facts. */
  dead_letters: number;
  /** Documents, as collection/key: those that name the subject, were written on these days, or hold one of the passages. */
  documents: Array<string>;
  /** Whether the erasure was carried out. False for a dry run. */
  done: boolean;
  /** Only for a subject: ids of memories that stay, but lose former texts that name the subject. */
  former_texts?: Array<string>;
  /** Periods with sealed summaries that a model wrote. They cannot be cut, so they are erased completely. If the whole agent is deleted, all periods with summaries. */
  lost: Array<string>;
  /** Why the summaries in `rebuilt` could not be written yet; the next roll-up writes them. Null if they were written, and for a dry run. */
  not_rewritten?: string | null;
  /** Operations of the fact log: those extracted from the turns, and those that name the subject anywhere. */
  operations: Array<string>;
  /** Only for a subject of several words: other memories that name only a part of it, such as the surname. They are not erased. */
  partly_named?: Array<PartlyNamed>;
  /** Only for a subject: names of the agent's own prompts that contain it. They are not changed: edit them. */
  prompts?: Array<string>;
  proof?: ProofView | null;
  /** Ids of matching turns that retention pruned earlier. What was derived from them is erased. If they are sent again, they are not stored. */
  pruned: Array<string>;
  /** Periods with summaries that are written again from what is left. */
  rebuilt: Array<string>;
  /** Ids of statements that were extracted from the turns, or that name the subject. */
  statements: Array<string>;
  /** Ids of the turns that are erased. */
  turns: Array<string>;
  /** Only for a subject: other names that may be its own and were not followed. Only other people said that they belong to the subject, or somebody speaks under a longer name that contains that of the subject. */
  unfollowed: Array<string>;
  /** Only for a subject: number of pruned turns that are not erased, because nothing that is left of them names the subject. The text of these turns was pruned, so it cannot be searched. */
  unread: number;
  /** Number of pruned turns that cannot be checked against the request. They were pruned by an earlier version or in another folder, so only their ids are known. */
  unresolved: number;
  /** Sealed summaries that may still contain something from the turns in `unresolved`. Check them, and correct them. */
  unresolved_in: Array<string>;
}

/** What to forget: exactly one of ids, conversation, subject, or a range of days. */
export interface ForgetRequest {
  /** A whole conversation, by name. */
  conversation?: string | null;
  /** Only reports what would be erased. This is the default. `false` erases it, which cannot be undone. */
  dry_run?: boolean;
  /** First day of the messages and documents to forget, inclusive. */
  from?: string | null;
  /** Ids of memories: turns, statements and manual entries. The id of a passage selects its whole document. Summaries are derived from other memories and are written again. */
  ids?: Array<string>;
  /** A person or thing. Forgets everything that names it in text, facts, conversation or id, and everything that it said. */
  subject?: string | null;
  /** Last day of the messages and documents to forget, inclusive. */
  to?: string | null;
}

/** What a source contains that can be imported. */
export interface FoundItems {
  /** Number of blocks of core memory in the source. */
  blocks: number;
  /** Number of conversations with a message. */
  conversations: number;
  /** Number of local days with a message. */
  days: number;
  /** Number of notes and documents in the source. */
  documents: number;
  /** Number of facts in the source. */
  facts: number;
  /** The first of these days. */
  first_day?: string | null;
  /** The last of these days. */
  last_day?: string | null;
  /** Number of messages in the source. */
  messages: number;
  /** Number of messages of each named person. */
  people: Record<string, number>;
  /** Number of messages of each role. */
  roles: Record<string, number>;
  /** Number of statements from other memory programs. */
  statements: number;
}

/** Status of one grain of summaries. */
export interface GrainStatus {
  /** Name of the grain: `daily`, `weekly`, `monthly`, `quarterly` or `yearly`. */
  grain: string;
  /** Label of the last period that was rolled up. Null if none was. */
  last_period?: string | null;
  /** When the next period of this grain closes. */
  next_close?: string | null;
  /** Number of closed periods with a summary that is missing or older than its input. */
  stale: number;
}

/** Grain of a memory, from fine to coarse. */
export type GrainWord = "working" | "daily" | "weekly" | "monthly" | "quarterly" | "yearly";

/** State and version of the service. */
export interface Health {
  /** `ok`, or `standing by` for a node of a cluster that forwards requests to another one. */
  status: string;
  /** The version of Annals. */
  version: string;
}

/** Numbers of imported items of one type. */
export interface ImportCounts {
  /** Number of items that were forgotten earlier and stay forgotten. */
  forgotten: number;
  /** Number of items that were stored already. */
  known: number;
  /** Number of items that were not stored before and are now. */
  new: number;
  /** Number of items that replaced stored items with other content. */
  revised: number;
}

/** Result of an import from another program. */
export interface ImportReport {
  /** Name of the agent that the items are imported for. */
  agent: string;
  /** Counts of what the source contains. */
  found: FoundItems;
  /** Kind of the source, as in the request. */
  from: string;
  /** Items of the source that were not imported, grouped by kind. */
  skipped: Array<SkippedView>;
  stored?: StoredItems | null;
}

/** Progress of an import of an upload. */
export type ImportStatus = "waiting" | "running" | "done" | "failed" | "interrupted";

/** An import of an upload. The reports of the last 100 imports are kept until the service stops; otherwise only whether an import succeeded is known. The same upload may be sent again, which adds only what is missing. */
export interface ImportView {
  /** Name of the agent that the upload is imported for. */
  agent: string;
  /** Size of the upload in bytes; 0 after a restart of the service. */
  bytes: number;
  /** Bytes that were read so far. */
  bytes_read: number;
  /** Whether the import is a dry run, which only reports. */
  dry_run: boolean;
  /** Why the import failed. Null otherwise. */
  error?: string | null;
  /** Kind of the source, as in the request: `chatgpt`, for example. */
  from: string;
  /** Id for `GET /v1/operations/{id}`. */
  operation_id: string;
  report?: ImportReport | null;
  /** Progress at the time of the answer. */
  status: ImportStatus;
}

/** Messages of one or more conversations. */
export interface IngestRequest {
  /** Conversation of the messages that name none. */
  conversation?: string | null;
  /** The messages in order: 1 to 1,000. */
  messages: Array<MessageIn>;
  /** Replaces stored messages that have the same id but other content. Otherwise such messages are refused. */
  revise?: boolean;
}

/** Answer to a request that stores messages. */
export interface Ingested {
  /** Number of new messages. */
  accepted: number;
  /** Number of messages that were already stored. */
  duplicate: number;
  /** Number of messages that were not stored, because a message with their `id` in their conversation, or with their content and time, was forgotten. The content does not matter: to store something else, choose another id. */
  forgotten: number;
  /** Unknown fields of messages, which were ignored, each with the number of messages that contained it. */
  ignored_fields?: Record<string, number>;
  /** Number of credentials that were masked before storage. */
  masked: number;
  /** Id for `GET /v1/operations/{id}`, which returns the progress. */
  operation_id: string;
  /** Number of stored messages with content that this request replaced. */
  revised: number;
  /** Progress at the time of this answer. */
  status: Progress;
}

/** Kind of a memory. */
export type KindWord = "turn" | "fact" | "summary" | "passage";

/** One memory in full. */
export interface MemoryAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The memory with its present text. */
  memory: MemoryView;
  /** Sentences of a summary, each with the turns that it comes from. Empty for other memories. */
  sentences: Array<SentenceView>;
  /** Former texts, oldest first. Empty if the text was never corrected or revised. */
  versions: Array<VersionView>;
}

/** A memory: a turn, a statement or a passage of a document in working memory, or the summary of a period. */
export interface MemoryView {
  /** Name of the conversation of a turn. */
  conversation?: string | null;
  /** Time span that the memory covers. */
  cover: CoverView;
  /** First local day that the memory covers. */
  date: string;
  /** Number of days that the memory covers outside the requested range. */
  days_outside?: number | null;
  document?: PassageOf | null;
  /** `working` for a turn, statement or passage, otherwise the grain of the summary. */
  grain: GrainWord;
  /** Id of the memory. It stays the same when the memory is written again. */
  id: string;
  /** What the memory is: a turn, a statement (`fact`), a summary, or a passage of a document. */
  kind: KindWord;
  /** Id of a turn's message: the client's own, or a generated one. */
  message?: string | null;
  /** The summands of the score, if requested with `explain`. */
  parts?: Array<PartView>;
  /** Label of the period. For a turn, statement or passage, its day. */
  period: string;
  /** Whether the memory is pinned, so that retention keeps it. */
  pinned: boolean;
  role?: RoleWord | null;
  /** Relevance to the query: higher is better, comparable within one answer only. */
  score?: number | null;
  /** What the memory was made from: memory ids for a summary or statement, the message id for a turn. */
  source_ids: Array<string>;
  /** Speaker of a turn, by name or role; for a statement, the first of the people that it is about. */
  speaker?: string | null;
  /** Present text of the memory, after corrections. */
  text: string;
  /** The sentences of a summary that its sources do not support: a model wrote a name, number or date in them that the sources do not contain, or the opposite of what they say. */
  ungrounded?: Array<string>;
}

/** Time span from the first to the last message that states a fact. */
export interface MentionedView {
  /** When the first of the messages was said. */
  from: string;
  /** Just after the last of the messages was said. */
  to: string;
}

/** One message. Unknown fields are counted in the answer, not refused. */
export interface MessageIn {
  /** When it was said, with a UTC offset. Default: now. */
  at?: string | null;
  /** What was said, verbatim: at most 256 KiB. */
  content: string;
  /** Conversation that the message belongs to. */
  conversation?: string | null;
  /** Your own id of the message, unique within the conversation. With an id, sending the message again is harmless. */
  id?: string | null;
  /** Name of the speaker. Without a name, the speaker is known by the role. */
  name?: string | null;
  /** Role of the speaker: a person, the agent, the system or a tool. */
  role: RoleWord;
}

/** A configured model, with figures since the service started. */
export interface ModelView {
  /** Tokens of questions that the server had cached. */
  cached: number;
  /** Name of the model, as in the configuration. */
  model: string;
  /** What the model is used for: `extraction` or grains of summaries. */
  purposes: Array<string>;
  /** Tokens of questions read per second. */
  read_per_second?: number | null;
  /** Number of requests that the model has answered. */
  requests: number;
  /** Number of requests that the model is answering now. */
  running: number;
  /** Tokens of all questions. */
  tokens_in: number;
  /** Tokens of all answers. */
  tokens_out: number;
  /** Context window in use: tokens of question and answer together. */
  window: number;
  /** Tokens of answers written per second. */
  written_per_second?: number | null;
}

/** A request to create an agent. */
export interface NewAgent {
  /** Name of the agent: 1 to 128 bytes without control characters. */
  agent: string;
  /** Initial settings of the agent. Those that are not named have their defaults. */
  settings?: SettingsChange;
}

/** The new name of an agent. */
export interface NewName {
  /** The name: 1 to 128 bytes without control characters. No other agent may have it or have had it. */
  name: string;
}

/** A period that is over but not due yet, because messages of it may still arrive. */
export interface NotYetDueView {
  /** When the period becomes due, if no further message arrives. */
  due_at: string;
  /** Label of the period, as in `2026-W10`. */
  period: string;
}

/** State of an operation: of stored messages, or of an upload that is being imported. */
export type OperationState = OperationView | ImportView;

/** How far the messages of an accepted request are processed. */
export interface OperationView {
  /** Number of new messages. */
  accepted: number;
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Number of messages that were already stored. */
  duplicate: number;
  /** Number of messages that were forgotten earlier and stay forgotten. */
  forgotten: number;
  /** Number of credentials that were masked before storage. */
  masked: number;
  /** Id of the operation, as in the answer to the request that stored the messages. */
  operation_id: string;
  /** Number of stored messages with content that this request replaced. */
  revised: number;
  /** Progress at the time of this answer. */
  status: Progress;
}

/** One summand of a score. */
export interface PartView {
  /** What the summand stands for, such as `vector` for the similarity of vectors. */
  name: string;
  /** Amount that the summand adds to the score; negative for a penalty. */
  value: number;
}

/** Memories that name a part of a subject, but not the whole name. */
export interface PartlyNamed {
  /** Ids of up to five of these turns and statements. */
  ids: Array<string>;
  /** Number of turns and statements that contain this part, but not the whole name. */
  memories: number;
  /** The part of the name. To forget these memories too, forget this part as a subject. */
  name: string;
}

/** The document that a memory is a passage of. */
export interface PassageOf {
  /** Path of the document's collection: labels joined with dots. */
  collection: string;
  /** Key of the document, unique within the collection. */
  key: string;
  /** Position of the passage. */
  passage: PassageView;
}

/** The position of a passage in its document. */
export interface PassageView {
  /** Position after the last character. */
  end: number;
  /** Number of the passage in its document, counted from 0. */
  ordinal: number;
  /** Position of the first character, counted from 0. For a JSON value, characters are counted in the searched values, one per line. */
  start: number;
}

/** What the plan of an agent no longer keeps. */
export interface PastPlanView {
  /** Size of the text of these memories in bytes. */
  bytes: number;
  /** Number of these memories per grain. */
  grains: Record<string, number>;
  /** Number of memories that are past the plan but stay for now, for example because of a pin, or because no summary covers them yet. */
  held: number;
  /** Number of memories that the next retention run prunes. */
  memories: number;
}

/** State of the summary of a period. */
export type PeriodState = "open" | "closed" | "stale" | "waiting" | "writing" | "degraded" | "failed" | "pruned" | "sealed" | "forgotten";

/** A period that has or had input. */
export interface PeriodView {
  /** Number of failed attempts since the last success. */
  attempts: number;
  author?: AuthorView | null;
  /** Whether a person has corrected the summary. */
  corrected: boolean;
  /** Why the last attempt failed, or what the period waits for. */
  error?: string | null;
  /** First local day that the period covers. */
  from: string;
  /** Grain of the period: `daily` to `yearly`. */
  grain: GrainWord;
  /** Earliest time of the next attempt. */
  not_before?: string | null;
  /** Whether the summary was written with a prompt, model or engine other than the present one. False for a corrected summary, and for a degraded one, which is written again in any case. */
  outdated: boolean;
  /** Label of the period. */
  period: string;
  /** State of the summary. */
  state: PeriodState;
  /** Id of the summary. Absent if the period has none. */
  summary?: string | null;
  /** Last local day that the period covers, inclusive. */
  to: string;
  /** Tokens paid for all versions of the summary so far; 0 if the built-in engine wrote them. */
  tokens: number;
  /** Number of names, numbers and dates in the summary that no source contains, plus the number of sentences that contradict the sources. */
  ungrounded: number;
}

/** The periods and days of an agent. */
export interface PeriodsAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Days with turns, in order. */
  days: Array<DayView>;
  /** First day that has or had input. */
  first?: string | null;
  /** Last day that has or had input. */
  last?: string | null;
  /** Periods that have or had input, by grain and time. */
  periods: Array<PeriodView>;
  /** IANA name of the time zone of the days. */
  time_zone: string;
  /** The current local day. */
  today: string;
  /** Last day with pruned turns. Null if no turns were pruned. */
  turns_pruned_until?: string | null;
}

/** A retention plan. */
export interface PlanView {
  /** How long each grain is kept after the end of the time that it covers: `48h`, `30d`, `6w`, `6mo`, `4q`, `2y` or `forever`. */
  keeps: Record<string, string>;
  /** Name of the plan, as the settings of an agent give it. */
  name: string;
}

/** All plans, ordered by name. */
export interface PlansAnswer {
  /** The built-in plans and the user's own. */
  plans: Array<PlanView>;
}

/** The price of a model per million tokens. */
export interface PriceView {
  /** Price of a million tokens of requests that the provider writes to its prompt cache. Null: the same as `input`. */
  cache_write?: number | null;
  /** Price of a million tokens of requests that the provider reads from its prompt cache. Null: the same as `input`. */
  cached_input?: number | null;
  /** Price of a million tokens of requests. */
  input: number;
  /** Name of the model, as in the usage. */
  model: string;
  /** Price of a million tokens of answers. */
  output: number;
}

/** The prices of models. They are entered by people and belong to the whole service. */
export interface PricesView {
  /** The currency of all prices, in the form in which it is shown. */
  currency: string;
  /** At most one price for each model. The cost of a model without a price is unknown. */
  prices: Array<PriceView>;
}

/** A problem document. Programs branch on `code`, people read `detail`. */
export interface ProblemView {
  /** Stable code of the kind of problem. */
  code: string;
  /** What happened, for people. */
  detail: string;
  /** Each fault with its field, if the request itself is wrong. */
  faults: Array<FaultView>;
  /** Id of the request, which is also in the log. */
  request_id: string;
  /** HTTP status code of the response. */
  status: number;
  /** Standard phrase for the status, such as `Not Found`. */
  title: string;
  /** URI reference that identifies the kind of problem. */
  type: string;
}

/** How far the messages of an accepted request are processed. */
export type Progress = "accepted" | "searchable" | "extracted";

/** Result of the search for leftovers after an erasure. */
export interface ProofView {
  /** Size of these files in bytes. */
  bytes: number;
  /** Whether `still_in` is empty. */
  clean: boolean;
  /** Number of files read as bytes, in addition to every decoded table. */
  files: number;
  /** Number of sentences searched for. */
  sentences: number;
  /** Tables and files that still contain one of the sentences. Empty if the erasure is complete. */
  still_in: Array<string>;
}

/** A document to store: a text or a JSON value. */
export interface PutDocument {
  /** Version that must be stored now, or 0 if no document may be stored under the key. Otherwise the request fails and nothing is written. */
  expected_version?: number | null;
  /** Paths of a JSON value that are searched, as in `title`, `notes[*].text` or `tags[0]`. If absent, the whole value is searched; with an empty list, nothing is. */
  indexed?: Array<string> | null;
  /** Seconds after which the document expires. Without it, the document never expires. */
  lifetime_seconds?: number | null;
  /** Text of the document. Send either `text` or `value`. */
  text?: string | null;
  /** JSON value of the document, in place of a text. */
  value?: unknown;
}

/** A range of local days. A bound that is null is open. */
export interface RangeView {
  /** First day, inclusive. Null if the range has no beginning. */
  from?: string | null;
  /** Last day, inclusive. Null if the range has no end. */
  to?: string | null;
}

/** A change of the embedding model that is under way. Searches use the former tables until it is complete. */
export interface ReembeddingView {
  /** Number of changes that the new tables hold. */
  done: number;
  /** Models of the tables that searches use now; an empty name for a table with placeholders in place of vectors. */
  from: Array<string>;
  /** Former models that cannot be opened. The memories of their tables are found by words alone. */
  missing: Array<string>;
  /** Estimated seconds until the new tables are complete. Null until the service has begun. */
  seconds_left?: number | null;
  /** Name of the configured model, with which the tables are embedded again. */
  to: string;
  /** Number of changes that the new tables hold when they are complete. */
  total: number;
}

/** Role of a speaker. */
export type RoleWord = "user" | "assistant" | "system" | "tool";

/** Result of a roll-up, or the plan of a dry run. */
export interface RollupAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Dry run: currency of the costs in `estimates`; empty if there are no prices. */
  currency?: string;
  /** Number of summaries that the built-in engine wrote in place of a model. */
  degraded: number;
  /** Whether this was a dry run. */
  dry_run: boolean;
  /** Dry run: what models would cost, by purpose. */
  estimates?: Array<EstimateView>;
  /** Number of fact operations found in new messages. */
  fact_operations: number;
  /** Periods that failed. They are tried again later. */
  failed: Array<FailureView>;
  /** Number of periods that wait for answers of a batch. */
  in_batch?: number;
  /** Number of periods that are due and were not begun, because the roll-up was stopped. The next roll-up writes them. */
  left?: number;
  /** Periods that are over but not due yet, because messages of them may still arrive. */
  not_yet_due: Array<NotYetDueView>;
  /** Why summaries or facts wait, for example because a model is unavailable. Null if nothing waits. */
  outage?: string | null;
  /** Dry run: periods that would be rolled up. */
  periods: Array<string>;
  /** Periods that failed or had to wait before and were not tried now, with the time of the next attempt. */
  postponed?: Array<FailureView>;
  /** Number of summaries removed because none of their sources is left. */
  removed: number;
  /** Number of periods that were not written again, because their input was unchanged. */
  unchanged: number;
  /** Periods that wait for an unavailable model. */
  waiting: Array<string>;
  /** Dry run: number of words that would be read. */
  words: number;
  /** Number of summaries written, per grain. */
  written: Record<string, number>;
}

/** A request to write the summaries that are due. */
export interface RollupRequest {
  /** Writes nothing. Reports the periods that would be rolled up, the number of words to read, and what the models would cost. */
  dry_run?: boolean;
  /** Also rewrites summaries that were written with a prompt, model or engine other than the present one. */
  refresh?: boolean;
}

/** Answer to a search, best results first. */
export interface SearchAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The conversations of the turns that were found, best first. */
  conversations: Array<ConversationView>;
  /** The grains that were searched. */
  grains: Array<GrainWord>;
  /** Advice what else to try. Absent if enough was found, or if there is no advice. */
  hint?: string | null;
  /** Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are searchable. */
  incomplete_because?: string | null;
  /** Why the rerank model did not order the results although it was called. The results then keep the order that they have without the model. */
  not_reranked_because?: string | null;
  period?: RangeView | null;
  /** The days that were searched. With a period of a month or longer, the days that were searched for turns. */
  range: RangeView;
  /** Whether the range contains no memory of these grains at all. Another query then finds nothing either. */
  range_is_empty: boolean;
  /** Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none may read this agent's memories, or there was nothing to order. */
  reranked?: boolean | null;
  /** The memories that were found, best first, or newest first without a query. */
  results: Array<MemoryView>;
  /** Time expressions recognised in the query. Memories of these times get a higher score. Other memories are returned too. */
  said: Array<TimeExpressionView>;
  summary_range?: RangeView | null;
  /** IANA name of the time zone of the days. */
  time_zone: string;
  /** Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if vectors were compared everywhere. */
  words_alone_because?: string | null;
}

/** A search. Dates are local days of the agent's time zone, and hard filters: a memory that lies entirely outside them is never returned. */
export interface SearchRequest {
  /** Maximum number of tokens of all results together. Tokens are estimated from above. */
  budget_tokens?: number | null;
  /** Only turns of this conversation. */
  conversation?: string | null;
  /** Whether each result lists the summands of its score. */
  explain?: boolean;
  /** First day of the range, inclusive. Without it, the range has no beginning. */
  from?: string | null;
  /** Grains to search. If empty: turns, and coarser grains for times of which finer memories were pruned; without a query, all. */
  grains?: Array<GrainWord>;
  /** Treats times in the query, such as "last month", as ordinary words. */
  ignore_times?: boolean;
  /** Kinds of memory to return. Empty means all; without a query, all except passages. */
  kinds?: Array<KindWord>;
  /** Maximum number of results: 1 to 1,000. */
  limit?: number;
  /** Excludes memories older than this many local days ago. */
  max_days_ago?: number | null;
  /** Excludes memories newer than this many local days ago. 0 is today. */
  min_days_ago?: number | null;
  /** One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition. Turns are searched on its calendar days; summaries, for a month or longer, in its whole weeks. */
  period?: string | null;
  /** A question or words. Without a query, the newest memories are returned. */
  query?: string | null;
  /** Leaves out coarser memories that also cover days outside the range. */
  strict?: boolean;
  /** Last day of the range, inclusive. Without it, the range has no end. */
  to?: string | null;
}

/** One sentence of a summary. */
export interface SentenceView {
  /** Day that the sentence is about. */
  day: string;
  /** Ids of the turns that the sentence comes from. */
  from: Array<string>;
  /** Whether these turns support it. False if a model wrote a name, number or date that they do not contain, or the opposite of what they say. */
  grounded?: boolean;
  /** The speaker, if the sentence is in the words of one person. */
  speaker?: string | null;
  /** Text of the sentence. */
  text: string;
}

/** Settings to change. Settings that are not named stay unchanged. */
export interface SettingsChange {
  /** Maximum number of tokens per UTC day. 0 means the configured budget. */
  daily_tokens?: number | null;
  engine?: EngineWord | null;
  /** Language of texts whose own language is unclear, for word stems in text search, as a two-letter code. */
  language?: string | null;
  /** Whether text that looks like a credential is masked before storage. */
  mask?: boolean | null;
  /** Name of a retention plan, which says how long memories of each grain are kept. */
  plan?: string | null;
  /** Prompts by name: a text replaces the built-in prompt, `null` restores it. */
  prompts?: Record<string, string | null>;
  /** IANA name of a time zone. If the agent already has memories, the zone applies from the first midnight after today. */
  time_zone?: string | null;
}

/** Settings of an agent. */
export interface SettingsView {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Maximum number of tokens that may be paid for models per UTC day. Null means the configured budget. */
  daily_tokens?: number | null;
  /** What writes summaries and extracts facts: a model, or the built-in engine. */
  engine: EngineWord;
  /** Language of texts whose own language is unclear, for word stems in text search, as a two-letter code. */
  language: string;
  /** Whether text that looks like a credential is masked before storage. */
  mask: boolean;
  past_plan?: PastPlanView | null;
  /** Name of the retention plan, which says how long memories of each grain are kept. */
  plan: string;
  /** The agent's own prompts, by name. All others are the built-in ones. */
  prompts: Record<string, string>;
  /** IANA name of the current time zone. */
  time_zone: string;
  /** All time zones so far. The first one applies to all time before the second. */
  time_zones: Array<ZoneView>;
}

/** Items of one kind that were not imported. */
export interface SkippedView {
  /** Number of these items. */
  count: number;
  /** What is wrong with the first of these items, or what it looks like; may be empty. Contains no text that a person wrote. */
  example: string;
  /** Kind of the items, in words. An option that imports them follows in parentheses. */
  kind: string;
  /** Location of the first of these items in the source. */
  location: string;
}

/** The memories from which a memory was made. */
export interface SourcesAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Id of the requested memory. */
  id: string;
  /** The sources that still exist, in order of time. */
  sources: Array<MemoryView>;
}

/** Status of an agent. */
export interface StatusView {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** Number of memories that could not be made searchable or read for facts. `annals dead list` shows why. */
  dead: number;
  /** Periods that the built-in engine wrote in place of a model. They are written again when the model is available. */
  degraded: Array<string>;
  /** Closed periods that are due for a roll-up. */
  due: Array<string>;
  /** Why the last attempt to extract facts failed. Null if it succeeded. */
  extraction_error?: string | null;
  /** Periods that failed in the last roll-up or have to wait, and when they are tried again. */
  failed: Array<FailureView>;
  /** When the agent's first message was said. */
  first?: string | null;
  /** Per grain of summaries: what was written, what is waiting, when the next period closes. */
  grains: Array<GrainStatus>;
  /** Periods that wait for answers of a batch. */
  in_batch?: Array<string>;
  /** Why the last attempt to make changes searchable failed. The attempt is repeated with growing pauses. */
  index_error?: string | null;
  /** When the agent's last message was said. */
  last?: string | null;
  /** When messages were last stored or corrected. */
  last_ingest?: string | null;
  /** Number of live memories per grain. */
  memories: Record<string, number>;
  /** The models that write for this agent, with figures since the service started. */
  models?: Array<ModelView>;
  /** Number of changes that are not read for facts yet. */
  not_yet_read_for_facts: number;
  /** Number of changes that searches do not find yet. */
  not_yet_searchable: number;
  /** Periods that are not over yet. */
  open: Array<string>;
  /** Name of the retention plan, which says how long memories of each grain are kept. */
  plan: string;
  reembedding?: ReembeddingView | null;
  /** Estimated number of requests to models that the due periods and the changes not yet read for facts take, at least. */
  requests_left?: number | null;
  /** Number of periods with a summary that can only be amended, because the sources were pruned. */
  sealed: number;
  /** Estimated seconds that these requests take. Null until a request was answered. */
  seconds_left?: number | null;
  /** IANA name of the agent's time zone. */
  time_zone: string;
  /** Periods with a summary that the sources do not fully support, each with the number of unsupported names, numbers, dates and negations. */
  ungrounded?: Array<UngroundedView>;
  /** Tokens of the last thirty days, by day, purpose and model. */
  usage: Array<UsageView>;
}

/** Numbers of stored items. */
export interface StoredItems {
  /** Counts of the blocks of core memory. */
  blocks: ImportCounts;
  /** Number of memories that could not be made searchable. */
  dead: number;
  /** Counts of the notes and documents. */
  documents: ImportCounts;
  /** Counts of the facts. */
  facts: ImportCounts;
  /** Number of credentials that were masked before storage. */
  masked: number;
  /** Counts of the messages. */
  messages: ImportCounts;
  /** Number of corrections by hand that were replaced, because their messages changed in the source. They are kept as former versions. */
  replaced_corrections: number;
  /** Number of changes that were made searchable. */
  searchable: number;
  /** Items that were read but could not be stored, grouped by kind. */
  skipped: Array<SkippedView>;
  /** Counts of the statements from other memory programs. */
  statements: ImportCounts;
}

/** A time expression in a query. */
export interface TimeExpressionView {
  /** The days that the words were taken to mean. */
  days: RangeView;
  /** The words of the query, as written. */
  words: string;
}

/** Memories in order of time, oldest first, without passages of documents. Of memories that begin together, the coarsest comes first. */
export interface TimelineAnswer {
  /** Current name of the agent. Requests may also use its former names. */
  agent: string;
  /** The memories of this page. */
  memories: Array<MemoryView>;
  /** Cursor of the next page, if there is one. */
  next_cursor?: string | null;
  /** Periods with input that are not over yet, from fine to coarse. They have no summaries until their end. */
  open: Array<string>;
  /** IANA name of the time zone of the days. */
  time_zone: string;
}

/** Answer of a tool, for a model and for programs. */
export interface ToolAnswer {
  /** Answer for programs, according to the output schema of the tool, which `format=mcp` shows. */
  structured: Record<string, unknown>;
  /** Text for the model: return it as the content of the tool's message. */
  text: string;
}

/** A summary that its sources do not fully support. */
export interface UngroundedView {
  /** Number of unsupported names, numbers, dates and negations. */
  faults: number;
  /** Label of the period, as in `2026-W10`. */
  period: string;
}

/** Tokens that were used on one UTC day for one purpose and model. Single calls and batches are counted apart. */
export interface UsageView {
  /** Whether the answers came in batches, at half the price. */
  batch?: boolean;
  /** Of `tokens_in`, those that the provider read from its prompt cache. */
  cache_read?: number;
  /** Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them. */
  cache_written?: number;
  /** Number of calls that were answered. */
  calls: number;
  /** UTC day on which the tokens were used. */
  day: string;
  /** Name of the model. */
  model: string;
  /** What the tokens were used for: `extraction`, `rerank`, or the grain of a summary. */
  purpose: string;
  /** Tokens of the requests. */
  tokens_in: number;
  /** Tokens of the answers. */
  tokens_out: number;
}

/** Effect of a fact entered by hand. */
export type Verb = "add" | "retract";

/** A former text of a corrected or revised memory. */
export interface VersionView {
  /** When the text was replaced. */
  replaced_at: string;
  /** The former text. */
  text: string;
}

/** A time zone, and when it starts to apply. */
export interface ZoneView {
  /** When the zone starts to apply. Null for the first zone. */
  from?: string | null;
  /** IANA name of the zone. */
  time_zone: string;
}
