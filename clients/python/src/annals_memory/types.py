"""Requests and answers as the service sends them. Written by clients/generate.py from docs/openapi.json."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import NotRequired, TypedDict


# Agents that the caller may use, ordered by name.
AgentsAnswer = TypedDict(
    "AgentsAnswer",
    {
        "agents": "list[str]",  # Current names of the agents.
        "next_cursor": "NotRequired[str | None]",  # Cursor of the next page. Absent on the last page.
    },
)


# Who wrote a summary.
AuthorView = TypedDict(
    "AuthorView",
    {
        "engine": "str",  # The engine with its version.
        "model": "NotRequired[str | None]",  # The model. Null for the built-in engine.
        "prompt": "NotRequired[str | None]",  # The prompt with the beginning of its digest. Null for the built-in engine.
    },
)


# A short text that is part of every context, such as persona, human or project.
BlockView = TypedDict(
    "BlockView",
    {
        "name": "str",  # Name of the block: 1 to 64 bytes.
        "text": "str",  # Content of the block: at most 16 KiB. An empty text removes the block.
        "updated_at": "NotRequired[str | None]",  # When the block was last written. Ignored in requests.
    },
)


# Blocks to write. Blocks that are not listed stay unchanged.
BlocksRequest = TypedDict(
    "BlocksRequest",
    {
        "blocks": "list[BlockView]",  # Blocks to write. One with an empty text is removed. Of several with one name, the last counts.
    },
)


# Blocks of an agent, ordered by name.
BlocksView = TypedDict(
    "BlocksView",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "blocks": "list[BlockView]",  # All blocks of the agent.
    },
)


# The configured token budgets per UTC day. Reranking has a budget of its own of the same size.
BudgetView = TypedDict(
    "BudgetView",
    {
        "agent": "int",  # Tokens that an agent may use if its settings have no budget.
        "process": "int",  # Tokens that all agents may use together.
        "workspace": "int",  # Tokens that all agents of a workspace may use together.
    },
)


# A collection and the number of its documents.
CollectionView = TypedDict(
    "CollectionView",
    {
        "collection": "str",  # Path of the collection: labels joined with dots.
        "documents": "int",  # Number of documents in this collection, not counting collections below it.
    },
)


# The collections of an agent that contain documents.
CollectionsAnswer = TypedDict(
    "CollectionsAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "collections": "list[CollectionView]",  # The collections, ordered by path.
    },
)


# Context within the token budget.
ContextAnswer = TypedDict(
    "ContextAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "hint": "NotRequired[str | None]",  # What to try, if something was left out or nothing was found.
        "incomplete_because": "NotRequired[str | None]",  # Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are searchable.
        "items": "list[ContextItemView]",  # The pieces of the text, in the same order.
        "known": "bool",  # Whether memory holds anything relevant to the prompt. If not, the text contains at most a few lines that resemble the prompt and facts about the speaker, besides blocks, documents and the current conversation.
        "not_reranked_because": "NotRequired[str | None]",  # Why the rerank model did not order the results although it was called. The results then keep the order that they have without the model.
        "omitted": "int",  # Number of further matches that did not fit into the budget.
        "reranked": "NotRequired[bool | None]",  # Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none may read this agent's memories, or there was nothing to order.
        "text": "str",  # Text to insert into a prompt as it is: lines with short ids below their days, fenced as data so that a model does not take them for instructions.
        "tokens": "int",  # Estimated number of tokens of the text.
        "words_alone_because": "NotRequired[str | None]",  # Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if vectors were compared everywhere.
    },
)


# One piece of the context: a block, fact, memory or part of a document.
ContextItemView = TypedDict(
    "ContextItemView",
    {
        "dates": "NotRequired[str | None]",  # Days that the piece covers; of a fact, the days on which it was said. Absent for blocks and documents of the request.
        "id": "str",  # Id of the memory, fact or document, or name of the block.
        "kind": "str",  # `block`, `fact`, `turn`, `statement`, `summary` or `document`.
        "score": "float",  # Relevance to the prompt: higher is better, comparable within one answer only.
        "short": "NotRequired[str]",  # Id within the text. Only the parts of one document of the request share an id. Absent for a block.
        "text": "str",  # The text. A summary has one line per sentence.
        "tokens": "int",  # Estimated number of tokens that the piece takes in the text.
    },
)


# A request for the context of a prompt.
ContextRequest = TypedDict(
    "ContextRequest",
    {
        "budget_tokens": "NotRequired[int]",  # Maximum number of tokens of the returned text: 64 to 100,000.
        "conversation": "NotRequired[str | None]",  # Name of the conversation that the prompt belongs to. The last turns of it are considered as well, whether or not they match.
        "documents": "NotRequired[list[DocumentIn]]",  # Your own texts, with at most 512 KiB together. Their parts compete with memories for the budget. They are not stored.
        "from": "NotRequired[str | None]",  # First local day of the memories to consider, inclusive.
        "max_days_ago": "NotRequired[int | None]",  # Excludes memories older than this many local days ago.
        "min_days_ago": "NotRequired[int | None]",  # Excludes memories newer than this many local days ago. 0 is today.
        "period": "NotRequired[str | None]",  # One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition.
        "prompt": "str",  # The prompt to answer, or the last message of the conversation. Memories, facts and documents are searched with it.
        "speaker": "NotRequired[str | None]",  # Name of the person who asks. Facts about them are considered as well.
        "to": "NotRequired[str | None]",  # Last local day of the memories to consider, inclusive.
    },
)


# A conversation with stored turns.
ConversationEntry = TypedDict(
    "ConversationEntry",
    {
        "conversation": "str",  # Name of the conversation, as its messages give it.
        "first": "str",  # When the first of these turns was said.
        "last": "str",  # When the last of these turns was said.
        "title": "NotRequired[str | None]",  # Title of the conversation, if it was imported with one.
        "turns": "int",  # Number of turns of the conversation that are stored.
    },
)


# A conversation, ranked by its turns.
ConversationView = TypedDict(
    "ConversationView",
    {
        "best": "str",  # Id of the turn of the conversation that matches best.
        "conversation": "str",  # Name of the conversation.
        "score": "float",  # Relevance to the query: higher is better, comparable within one answer only.
    },
)


# Conversations, ordered by name.
ConversationsAnswer = TypedDict(
    "ConversationsAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "conversations": "list[ConversationEntry]",  # The conversations of this page.
        "next_cursor": "NotRequired[str | None]",  # Cursor of the next page, if there is one.
    },
)


# A new text for a memory, a pin, or both. At least one is required.
CorrectRequest = TypedDict(
    "CorrectRequest",
    {
        "pinned": "NotRequired[bool | None]",  # Whether the memory is pinned, so that retention keeps it.
        "text": "NotRequired[str | None]",  # Text that replaces the present one.
    },
)


# Tokens that one agent used on one UTC day for one purpose and model. Single calls and batches are counted apart.
CostView = TypedDict(
    "CostView",
    {
        "agent": "str",  # Current name of the agent. Empty for the costs of agents that have been deleted since.
        "batch": "NotRequired[bool]",  # Whether the answers came in batches, at half the price.
        "cache_read": "NotRequired[int]",  # Of `tokens_in`, those that the provider read from its prompt cache.
        "cache_written": "NotRequired[int]",  # Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them.
        "calls": "int",  # Number of calls that were answered.
        "cost": "NotRequired[float | None]",  # Cost of these tokens. Null if the model has no price.
        "day": "str",  # UTC day on which the tokens were used.
        "model": "str",  # Name of the model, as in the prices.
        "purpose": "str",  # What the tokens were used for: `extraction`, `rerank`, or the grain of a summary.
        "tokens_in": "int",  # Tokens of the requests.
        "tokens_out": "int",  # Tokens of the answers.
    },
)


# Costs of a range of days.
CostsAnswer = TypedDict(
    "CostsAnswer",
    {
        "budget": "NotRequired[BudgetView | None]",
        "built_in": "NotRequired[int | None]",  # Number of stored summaries that the built-in engine wrote and nobody corrected. They cost nothing. Null if there are more than twenty agents, because counting takes too long.
        "cost": "float",  # Total cost of the models that have a price.
        "costs": "list[CostView]",  # The costs by agent, day, purpose and model.
        "currency": "str",  # Currency of the prices; empty if there are none.
        "from": "str",  # First UTC day of the costs, inclusive.
        "to": "str",  # Last UTC day of the costs, inclusive.
        "tokens_in": "int",  # Tokens of all requests in `costs`.
        "tokens_out": "int",  # Tokens of all answers in `costs`.
        "unpriced": "list[str]",  # Models with tokens in `costs` and without a price. `cost` does not include them.
    },
)


# Time span that a memory covers.
CoverView = TypedDict(
    "CoverView",
    {
        "end": "str",  # First instant after the span.
        "from": "str",  # First local day, inclusive.
        "start": "str",  # Beginning of the span.
        "to": "str",  # Last local day, inclusive.
    },
)


# A day with turns.
DayView = TypedDict(
    "DayView",
    {
        "day": "str",  # The day in the agent's time zone.
        "turns": "int",  # Number of turns that were said on this day.
    },
)


# A text of your own, from which the context may quote.
DocumentIn = TypedDict(
    "DocumentIn",
    {
        "id": "str",  # Id of the text, which the answer repeats in `items`: at most 1,024 bytes.
        "text": "str",  # The text itself. Long texts are split into parts.
        "title": "NotRequired[str | None]",  # Title of the text, which is compared with the prompt together with every part: at most 1,024 bytes.
    },
)


# A document that matches, with its best passage.
DocumentResult = TypedDict(
    "DocumentResult",
    {
        "document": "DocumentView",  # The document, without its content.
        "passage": "PassageView",  # Position of the best passage.
        "score": "float",  # Relevance to the query: higher is better, comparable within one answer only.
        "text": "str",  # Text of the best passage, below the passage's title.
    },
)


# Documents that match, best first.
DocumentSearchAnswer = TypedDict(
    "DocumentSearchAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "results": "list[DocumentResult]",  # The documents, each once, best first.
    },
)


# A search for documents.
DocumentSearchRequest = TypedDict(
    "DocumentSearchRequest",
    {
        "collection": "NotRequired[str | None]",  # Only documents of this collection and of those below it.
        "limit": "NotRequired[int]",  # Maximum number of documents: 1 to 100.
        "query": "str",  # A question or words. Documents are found by their meaning and by their words.
    },
)


# A stored document.
DocumentView = TypedDict(
    "DocumentView",
    {
        "collection": "str",  # Path of the collection: labels joined with dots.
        "created_at": "str",  # When the document was first written. Replacing it keeps this time.
        "expires_at": "NotRequired[str | None]",  # When the document expires. Absent if it never does.
        "key": "str",  # Key of the document, unique within the collection.
        "passages": "int",  # Number of passages into which the document is split for searches.
        "text": "NotRequired[str | None]",  # Text of the document. Absent in lists and searches, and if the document is a JSON value.
        "updated_at": "str",  # When the document was last written.
        "value": "NotRequired[Any]",  # JSON value of the document. Absent in lists and searches, and if the document is a text.
        "version": "int",  # Number of writes since the document was created, the first included.
    },
)


# A page of documents, in order of collection and key.
DocumentsAnswer = TypedDict(
    "DocumentsAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "documents": "list[DocumentView]",  # The documents of this page, without their contents.
        "next_cursor": "NotRequired[str | None]",  # Cursor of the next page, if there is one.
    },
)


# What writes the summaries of an agent and extracts its facts.
EngineWord = Literal["auto", "extractive"]


# Estimated cost of the model calls for one purpose: extracting facts from waiting messages, or summaries of a grain.
EstimateView = TypedDict(
    "EstimateView",
    {
        "calls": "int",  # Estimated number of calls.
        "cost": "NotRequired[float | None]",  # Estimated cost of these calls. Null if the model has no price.
        "cost_in_batch": "NotRequired[float | None]",  # Estimated cost of these calls in a roll-up by batches. The same as `cost` for facts, which are not extracted in batches. Null if the model has no price.
        "model": "str",  # Name of the model that would be called.
        "purpose": "str",  # `extraction`, or the grain of the summaries.
        "tokens_in": "int",  # Estimated tokens of the requests.
        "tokens_out": "int",  # Estimated tokens of the answers.
    },
)


# A fact entered by hand.
FactEntry = TypedDict(
    "FactEntry",
    {
        "at": "NotRequired[str | None]",  # When the fact starts or stops holding: a moment, or the beginning of a day. Default: now.
        "object": "NotRequired[str | None]",  # The value. A retraction without a value ends all facts with this subject and predicate.
        "predicate": "str",  # Property or relation that the fact states.
        "subject": "str",  # Person or thing that the fact is about.
        "verb": "NotRequired[Verb]",  # Whether the fact starts or stops holding.
    },
)


# A fact: subject, predicate, object, and the time for which it holds.
FactView = TypedDict(
    "FactView",
    {
        "confidence": "float",  # Confidence of the extractor, from 0 to 1. A fact entered by hand has 1.
        "depth": "NotRequired[int | None]",  # Only in walks: 1 for a fact of the entity itself, 2 for a fact of an entity that such a fact leads to, and so on.
        "id": "str",  # Id of the fact, to which `superseded_by` of another fact refers.
        "object": "str",  # Person, thing or value to which the predicate relates the subject.
        "predicate": "str",  # Property or relation that the fact states.
        "properties": "dict[str, Any]",  # Further details, such as the kind of the object or who said it. The keys depend on the predicate and the extractor.
        "recorded_at": "str",  # When the fact was first recorded.
        "said": "MentionedView",  # Time span of the messages that state the fact.
        "source_ids": "list[str]",  # Ids of the turns that state the fact. Ids of manual entries start with `u-`.
        "subject": "str",  # Person or thing that the fact is about.
        "superseded_by": "NotRequired[str | None]",  # Id of the fact that replaced this one. Null if none did.
        "valid_from": "str",  # When the fact starts to hold.
        "valid_to": "NotRequired[str | None]",  # When the fact stopped holding. Null while it holds.
    },
)


# Matching facts, ordered by the moment from which they hold. Facts of a walk are ordered by depth first, facts of a path in the order of the path.
FactsAnswer = TypedDict(
    "FactsAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "connected": "NotRequired[bool | None]",  # Only for paths: whether the two persons or things are connected. A path without facts means that both are names of the same person or thing.
        "facts": "list[FactView]",  # The facts of this page.
        "next_cursor": "NotRequired[str | None]",  # Cursor of the next page, if there is one.
    },
)


# A period that failed in the last roll-up, or has to wait.
FailureView = TypedDict(
    "FailureView",
    {
        "attempts": "int",  # Number of failed attempts since the last success.
        "error": "str",  # Why the last attempt failed, or what the period waits for.
        "not_before": "NotRequired[str | None]",  # Earliest time of the next attempt.
        "period": "str",  # Label of the period, as in `2026-W10`.
    },
)


# One fault of a request.
FaultView = TypedDict(
    "FaultView",
    {
        "field": "str",  # Name of the field.
        "file": "NotRequired[str | None]",  # The file, if the fault is in one of several.
        "line": "NotRequired[int | None]",  # The line of the file or input, counted from 1, if there is one.
        "reason": "str",  # What is wrong with the field.
    },
)


# What was erased, or would be erased.
ForgetAnswer = TypedDict(
    "ForgetAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "blocks": "list[str]",  # Names of blocks that contain the subject.
        "cut": "list[str]",  # Periods with sealed summaries that lose the sentences that came from the erased memories.
        "dead_letters": "int",  # Number of erased dead letters: records of memories that could not be indexed or read for facts.
        "documents": "list[str]",  # Documents, as collection/key: those that name the subject, were written on these days, or hold one of the passages.
        "done": "bool",  # Whether the erasure was carried out. False for a dry run.
        "former_texts": "NotRequired[list[str]]",  # Only for a subject: ids of memories that stay, but lose former texts that name the subject.
        "lost": "list[str]",  # Periods with sealed summaries that a model wrote. They cannot be cut, so they are erased completely. If the whole agent is deleted, all periods with summaries.
        "not_rewritten": "NotRequired[str | None]",  # Why the summaries in `rebuilt` could not be written yet; the next roll-up writes them. Null if they were written, and for a dry run.
        "operations": "list[str]",  # Operations of the fact log: those extracted from the turns, and those that name the subject anywhere.
        "partly_named": "NotRequired[list[PartlyNamed]]",  # Only for a subject of several words: other memories that name only a part of it, such as the surname. They are not erased.
        "prompts": "NotRequired[list[str]]",  # Only for a subject: names of the agent's own prompts that contain it. They are not changed: edit them.
        "proof": "NotRequired[ProofView | None]",
        "pruned": "list[str]",  # Ids of matching turns that retention pruned earlier. What was derived from them is erased. If they are sent again, they are not stored.
        "rebuilt": "list[str]",  # Periods with summaries that are written again from what is left.
        "statements": "list[str]",  # Ids of statements that were extracted from the turns, or that name the subject.
        "turns": "list[str]",  # Ids of the turns that are erased.
        "unfollowed": "list[str]",  # Only for a subject: other names that may be its own and were not followed. Only other people said that they belong to the subject, or somebody speaks under a longer name that contains that of the subject.
        "unread": "int",  # Only for a subject: number of pruned turns that are not erased, because nothing that is left of them names the subject. The text of these turns was pruned, so it cannot be searched.
        "unresolved": "int",  # Number of pruned turns that cannot be checked against the request. They were pruned by an earlier version or in another folder, so only their ids are known.
        "unresolved_in": "list[str]",  # Sealed summaries that may still contain something from the turns in `unresolved`. Check them, and correct them.
    },
)


# What to forget: exactly one of ids, conversation, subject, or a range of days.
ForgetRequest = TypedDict(
    "ForgetRequest",
    {
        "conversation": "NotRequired[str | None]",  # A whole conversation, by name.
        "dry_run": "NotRequired[bool]",  # Only reports what would be erased. This is the default. `false` erases it, which cannot be undone.
        "from": "NotRequired[str | None]",  # First day of the messages and documents to forget, inclusive.
        "ids": "NotRequired[list[str]]",  # Ids of memories: turns, statements and manual entries. The id of a passage selects its whole document. Summaries are derived from other memories and are written again.
        "subject": "NotRequired[str | None]",  # A person or thing. Forgets everything that names it in text, facts, conversation or id, and everything that it said.
        "to": "NotRequired[str | None]",  # Last day of the messages and documents to forget, inclusive.
    },
)


# What a source contains that can be imported.
FoundItems = TypedDict(
    "FoundItems",
    {
        "blocks": "int",  # Number of blocks of core memory in the source.
        "conversations": "int",  # Number of conversations with a message.
        "days": "int",  # Number of local days with a message.
        "documents": "int",  # Number of notes and documents in the source.
        "facts": "int",  # Number of facts in the source.
        "first_day": "NotRequired[str | None]",  # The first of these days.
        "last_day": "NotRequired[str | None]",  # The last of these days.
        "messages": "int",  # Number of messages in the source.
        "people": "dict[str, int]",  # Number of messages of each named person.
        "roles": "dict[str, int]",  # Number of messages of each role.
        "statements": "int",  # Number of statements from other memory programs.
    },
)


# Status of one grain of summaries.
GrainStatus = TypedDict(
    "GrainStatus",
    {
        "grain": "str",  # Name of the grain: `daily`, `weekly`, `monthly`, `quarterly` or `yearly`.
        "last_period": "NotRequired[str | None]",  # Label of the last period that was rolled up. Null if none was.
        "next_close": "NotRequired[str | None]",  # When the next period of this grain closes.
        "stale": "int",  # Number of closed periods with a summary that is missing or older than its input.
    },
)


# Grain of a memory, from fine to coarse.
GrainWord = Literal["working", "daily", "weekly", "monthly", "quarterly", "yearly"]


# State and version of the service.
Health = TypedDict(
    "Health",
    {
        "status": "str",  # `ok`, or `standing by` for a node of a cluster that forwards requests to another one.
        "version": "str",  # The version of Annals.
    },
)


# Numbers of imported items of one type.
ImportCounts = TypedDict(
    "ImportCounts",
    {
        "forgotten": "int",  # Number of items that were forgotten earlier and stay forgotten.
        "known": "int",  # Number of items that were stored already.
        "new": "int",  # Number of items that were not stored before and are now.
        "revised": "int",  # Number of items that replaced stored items with other content.
    },
)


# Result of an import from another program.
ImportReport = TypedDict(
    "ImportReport",
    {
        "agent": "str",  # Name of the agent that the items are imported for.
        "found": "FoundItems",  # Counts of what the source contains.
        "from": "str",  # Kind of the source, as in the request.
        "skipped": "list[SkippedView]",  # Items of the source that were not imported, grouped by kind.
        "stored": "NotRequired[StoredItems | None]",
    },
)


# Progress of an import of an upload.
ImportStatus = Literal["waiting", "running", "done", "failed", "interrupted"]


# An import of an upload. The reports of the last 100 imports are kept until the service stops; otherwise only whether an import succeeded is known. The same upload may be sent again, which adds only what is missing.
ImportView = TypedDict(
    "ImportView",
    {
        "agent": "str",  # Name of the agent that the upload is imported for.
        "bytes": "int",  # Size of the upload in bytes; 0 after a restart of the service.
        "bytes_read": "int",  # Bytes that were read so far.
        "dry_run": "bool",  # Whether the import is a dry run, which only reports.
        "error": "NotRequired[str | None]",  # Why the import failed. Null otherwise.
        "from": "str",  # Kind of the source, as in the request: `chatgpt`, for example.
        "operation_id": "str",  # Id for `GET /v1/operations/{id}`.
        "report": "NotRequired[ImportReport | None]",
        "status": "ImportStatus",  # Progress at the time of the answer.
    },
)


# Messages of one or more conversations.
IngestRequest = TypedDict(
    "IngestRequest",
    {
        "conversation": "NotRequired[str | None]",  # Conversation of the messages that name none.
        "messages": "list[MessageIn]",  # The messages in order: 1 to 1,000.
        "revise": "NotRequired[bool]",  # Replaces stored messages that have the same id but other content. Otherwise such messages are refused.
    },
)


# Answer to a request that stores messages.
Ingested = TypedDict(
    "Ingested",
    {
        "accepted": "int",  # Number of new messages.
        "duplicate": "int",  # Number of messages that were already stored.
        "forgotten": "int",  # Number of messages that were not stored, because a message with their `id` in their conversation, or with their content and time, was forgotten. The content does not matter: to store something else, choose another id.
        "ignored_fields": "NotRequired[dict[str, int]]",  # Unknown fields of messages, which were ignored, each with the number of messages that contained it.
        "masked": "int",  # Number of credentials that were masked before storage.
        "operation_id": "str",  # Id for `GET /v1/operations/{id}`, which returns the progress.
        "revised": "int",  # Number of stored messages with content that this request replaced.
        "status": "Progress",  # Progress at the time of this answer.
    },
)


# Kind of a memory.
KindWord = Literal["turn", "fact", "summary", "passage"]


# One memory in full.
MemoryAnswer = TypedDict(
    "MemoryAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "memory": "MemoryView",  # The memory with its present text.
        "sentences": "list[SentenceView]",  # Sentences of a summary, each with the turns that it comes from. Empty for other memories.
        "versions": "list[VersionView]",  # Former texts, oldest first. Empty if the text was never corrected or revised.
    },
)


# A memory: a turn, a statement or a passage of a document in working memory, or the summary of a period.
MemoryView = TypedDict(
    "MemoryView",
    {
        "conversation": "NotRequired[str | None]",  # Name of the conversation of a turn.
        "cover": "CoverView",  # Time span that the memory covers.
        "date": "str",  # First local day that the memory covers.
        "days_outside": "NotRequired[int | None]",  # Number of days that the memory covers outside the requested range.
        "document": "NotRequired[PassageOf | None]",
        "grain": "GrainWord",  # `working` for a turn, statement or passage, otherwise the grain of the summary.
        "id": "str",  # Id of the memory. It stays the same when the memory is written again.
        "kind": "KindWord",  # What the memory is: a turn, a statement (`fact`), a summary, or a passage of a document.
        "message": "NotRequired[str | None]",  # Id of a turn's message: the client's own, or a generated one.
        "parts": "NotRequired[list[PartView]]",  # The summands of the score, if requested with `explain`.
        "period": "str",  # Label of the period. For a turn, statement or passage, its day.
        "pinned": "bool",  # Whether the memory is pinned, so that retention keeps it.
        "role": "NotRequired[RoleWord | None]",
        "score": "NotRequired[float | None]",  # Relevance to the query: higher is better, comparable within one answer only.
        "source_ids": "list[str]",  # What the memory was made from: memory ids for a summary or statement, the message id for a turn.
        "speaker": "NotRequired[str | None]",  # Speaker of a turn, by name or role; for a statement, the first of the people that it is about.
        "text": "str",  # Present text of the memory, after corrections.
        "ungrounded": "NotRequired[list[str]]",  # The sentences of a summary that its sources do not support: a model wrote a name, number or date in them that the sources do not contain, or the opposite of what they say.
    },
)


# Time span from the first to the last message that states a fact.
MentionedView = TypedDict(
    "MentionedView",
    {
        "from": "str",  # When the first of the messages was said.
        "to": "str",  # Just after the last of the messages was said.
    },
)


# One message. Unknown fields are counted in the answer, not refused.
MessageIn = TypedDict(
    "MessageIn",
    {
        "at": "NotRequired[str | None]",  # When it was said, with a UTC offset. Default: now.
        "content": "str",  # What was said, verbatim: at most 256 KiB.
        "conversation": "NotRequired[str | None]",  # Conversation that the message belongs to.
        "id": "NotRequired[str | None]",  # Your own id of the message, unique within the conversation. With an id, sending the message again is harmless.
        "name": "NotRequired[str | None]",  # Name of the speaker. Without a name, the speaker is known by the role.
        "role": "RoleWord",  # Role of the speaker: a person, the agent, the system or a tool.
    },
)


# A configured model, with figures since the service started.
ModelView = TypedDict(
    "ModelView",
    {
        "cached": "int",  # Tokens of questions that the server had cached.
        "model": "str",  # Name of the model, as in the configuration.
        "purposes": "list[str]",  # What the model is used for: `extraction` or grains of summaries.
        "read_per_second": "NotRequired[float | None]",  # Tokens of questions read per second.
        "requests": "int",  # Number of requests that the model has answered.
        "running": "int",  # Number of requests that the model is answering now.
        "tokens_in": "int",  # Tokens of all questions.
        "tokens_out": "int",  # Tokens of all answers.
        "window": "int",  # Context window in use: tokens of question and answer together.
        "written_per_second": "NotRequired[float | None]",  # Tokens of answers written per second.
    },
)


# A request to create an agent.
NewAgent = TypedDict(
    "NewAgent",
    {
        "agent": "str",  # Name of the agent: 1 to 128 bytes without control characters.
        "settings": "NotRequired[SettingsChange]",  # Initial settings of the agent. Those that are not named have their defaults.
    },
)


# The new name of an agent.
NewName = TypedDict(
    "NewName",
    {
        "name": "str",  # The name: 1 to 128 bytes without control characters. No other agent may have it or have had it.
    },
)


# A period that is over but not due yet, because messages of it may still arrive.
NotYetDueView = TypedDict(
    "NotYetDueView",
    {
        "due_at": "str",  # When the period becomes due, if no further message arrives.
        "period": "str",  # Label of the period, as in `2026-W10`.
    },
)


# State of an operation: of stored messages, or of an upload that is being imported.
OperationState = Union["OperationView", "ImportView"]


# How far the messages of an accepted request are processed.
OperationView = TypedDict(
    "OperationView",
    {
        "accepted": "int",  # Number of new messages.
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "duplicate": "int",  # Number of messages that were already stored.
        "forgotten": "int",  # Number of messages that were forgotten earlier and stay forgotten.
        "masked": "int",  # Number of credentials that were masked before storage.
        "operation_id": "str",  # Id of the operation, as in the answer to the request that stored the messages.
        "revised": "int",  # Number of stored messages with content that this request replaced.
        "status": "Progress",  # Progress at the time of this answer.
    },
)


# One summand of a score.
PartView = TypedDict(
    "PartView",
    {
        "name": "str",  # What the summand stands for, such as `vector` for the similarity of vectors.
        "value": "float",  # Amount that the summand adds to the score; negative for a penalty.
    },
)


# Memories that name a part of a subject, but not the whole name.
PartlyNamed = TypedDict(
    "PartlyNamed",
    {
        "ids": "list[str]",  # Ids of up to five of these turns and statements.
        "memories": "int",  # Number of turns and statements that contain this part, but not the whole name.
        "name": "str",  # The part of the name. To forget these memories too, forget this part as a subject.
    },
)


# The document that a memory is a passage of.
PassageOf = TypedDict(
    "PassageOf",
    {
        "collection": "str",  # Path of the document's collection: labels joined with dots.
        "key": "str",  # Key of the document, unique within the collection.
        "passage": "PassageView",  # Position of the passage.
    },
)


# The position of a passage in its document.
PassageView = TypedDict(
    "PassageView",
    {
        "end": "int",  # Position after the last character.
        "ordinal": "int",  # Number of the passage in its document, counted from 0.
        "start": "int",  # Position of the first character, counted from 0. For a JSON value, characters are counted in the searched values, one per line.
    },
)


# What the plan of an agent no longer keeps.
PastPlanView = TypedDict(
    "PastPlanView",
    {
        "bytes": "int",  # Size of the text of these memories in bytes.
        "grains": "dict[str, int]",  # Number of these memories per grain.
        "held": "int",  # Number of memories that are past the plan but stay for now, for example because of a pin, or because no summary covers them yet.
        "memories": "int",  # Number of memories that the next retention run prunes.
    },
)


# State of the summary of a period.
PeriodState = Literal["open", "closed", "stale", "waiting", "writing", "degraded", "failed", "pruned", "sealed", "forgotten"]


# A period that has or had input.
PeriodView = TypedDict(
    "PeriodView",
    {
        "attempts": "int",  # Number of failed attempts since the last success.
        "author": "NotRequired[AuthorView | None]",
        "corrected": "bool",  # Whether a person has corrected the summary.
        "error": "NotRequired[str | None]",  # Why the last attempt failed, or what the period waits for.
        "from": "str",  # First local day that the period covers.
        "grain": "GrainWord",  # Grain of the period: `daily` to `yearly`.
        "not_before": "NotRequired[str | None]",  # Earliest time of the next attempt.
        "outdated": "bool",  # Whether the summary was written with a prompt, model or engine other than the present one. False for a corrected summary, and for a degraded one, which is written again in any case.
        "period": "str",  # Label of the period.
        "state": "PeriodState",  # State of the summary.
        "summary": "NotRequired[str | None]",  # Id of the summary. Absent if the period has none.
        "to": "str",  # Last local day that the period covers, inclusive.
        "tokens": "int",  # Tokens paid for all versions of the summary so far; 0 if the built-in engine wrote them.
        "ungrounded": "int",  # Number of names, numbers and dates in the summary that no source contains, plus the number of sentences that contradict the sources.
    },
)


# The periods and days of an agent.
PeriodsAnswer = TypedDict(
    "PeriodsAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "days": "list[DayView]",  # Days with turns, in order.
        "first": "NotRequired[str | None]",  # First day that has or had input.
        "last": "NotRequired[str | None]",  # Last day that has or had input.
        "periods": "list[PeriodView]",  # Periods that have or had input, by grain and time.
        "time_zone": "str",  # IANA name of the time zone of the days.
        "today": "str",  # The current local day.
        "turns_pruned_until": "NotRequired[str | None]",  # Last day with pruned turns. Null if no turns were pruned.
    },
)


# A retention plan.
PlanView = TypedDict(
    "PlanView",
    {
        "keeps": "dict[str, str]",  # How long each grain is kept after the end of the time that it covers: `48h`, `30d`, `6w`, `6mo`, `4q`, `2y` or `forever`.
        "name": "str",  # Name of the plan, as the settings of an agent give it.
    },
)


# All plans, ordered by name.
PlansAnswer = TypedDict(
    "PlansAnswer",
    {
        "plans": "list[PlanView]",  # The built-in plans and the user's own.
    },
)


# The price of a model per million tokens.
PriceView = TypedDict(
    "PriceView",
    {
        "cache_write": "NotRequired[float | None]",  # Price of a million tokens of requests that the provider writes to its prompt cache. Null: the same as `input`.
        "cached_input": "NotRequired[float | None]",  # Price of a million tokens of requests that the provider reads from its prompt cache. Null: the same as `input`.
        "input": "float",  # Price of a million tokens of requests.
        "model": "str",  # Name of the model, as in the usage.
        "output": "float",  # Price of a million tokens of answers.
    },
)


# The prices of models. They are entered by people and belong to the whole service.
PricesView = TypedDict(
    "PricesView",
    {
        "currency": "str",  # The currency of all prices, in the form in which it is shown.
        "prices": "list[PriceView]",  # At most one price for each model. The cost of a model without a price is unknown.
    },
)


# A problem document. Programs branch on `code`, people read `detail`.
ProblemView = TypedDict(
    "ProblemView",
    {
        "code": "str",  # Stable code of the kind of problem.
        "detail": "str",  # What happened, for people.
        "faults": "list[FaultView]",  # Each fault with its field, if the request itself is wrong.
        "request_id": "str",  # Id of the request, which is also in the log.
        "status": "int",  # HTTP status code of the response.
        "title": "str",  # Standard phrase for the status, such as `Not Found`.
        "type": "str",  # URI reference that identifies the kind of problem.
    },
)


# How far the messages of an accepted request are processed.
Progress = Literal["accepted", "searchable", "extracted"]


# Result of the search for leftovers after an erasure.
ProofView = TypedDict(
    "ProofView",
    {
        "bytes": "int",  # Size of these files in bytes.
        "clean": "bool",  # Whether `still_in` is empty.
        "files": "int",  # Number of files read as bytes, in addition to every decoded table.
        "sentences": "int",  # Number of sentences searched for.
        "still_in": "list[str]",  # Tables and files that still contain one of the sentences. Empty if the erasure is complete.
    },
)


# A document to store: a text or a JSON value.
PutDocument = TypedDict(
    "PutDocument",
    {
        "expected_version": "NotRequired[int | None]",  # Version that must be stored now, or 0 if no document may be stored under the key. Otherwise the request fails and nothing is written.
        "indexed": "NotRequired[list[str] | None]",  # Paths of a JSON value that are searched, as in `title`, `notes[*].text` or `tags[0]`. If absent, the whole value is searched; with an empty list, nothing is.
        "lifetime_seconds": "NotRequired[int | None]",  # Seconds after which the document expires. Without it, the document never expires.
        "text": "NotRequired[str | None]",  # Text of the document. Send either `text` or `value`.
        "value": "NotRequired[Any]",  # JSON value of the document, in place of a text.
    },
)


# A range of local days. A bound that is null is open.
RangeView = TypedDict(
    "RangeView",
    {
        "from": "NotRequired[str | None]",  # First day, inclusive. Null if the range has no beginning.
        "to": "NotRequired[str | None]",  # Last day, inclusive. Null if the range has no end.
    },
)


# A change of the embedding model that is under way. Searches use the former tables until it is complete.
ReembeddingView = TypedDict(
    "ReembeddingView",
    {
        "done": "int",  # Number of changes that the new tables hold.
        "from": "list[str]",  # Models of the tables that searches use now; an empty name for a table with placeholders in place of vectors.
        "missing": "list[str]",  # Former models that cannot be opened. The memories of their tables are found by words alone.
        "seconds_left": "NotRequired[int | None]",  # Estimated seconds until the new tables are complete. Null until the service has begun.
        "to": "str",  # Name of the configured model, with which the tables are embedded again.
        "total": "int",  # Number of changes that the new tables hold when they are complete.
    },
)


# Role of a speaker.
RoleWord = Literal["user", "assistant", "system", "tool"]


# Result of a roll-up, or the plan of a dry run.
RollupAnswer = TypedDict(
    "RollupAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "currency": "NotRequired[str]",  # Dry run: currency of the costs in `estimates`; empty if there are no prices.
        "degraded": "int",  # Number of summaries that the built-in engine wrote in place of a model.
        "dry_run": "bool",  # Whether this was a dry run.
        "estimates": "NotRequired[list[EstimateView]]",  # Dry run: what models would cost, by purpose.
        "fact_operations": "int",  # Number of fact operations found in new messages.
        "failed": "list[FailureView]",  # Periods that failed. They are tried again later.
        "in_batch": "NotRequired[int]",  # Number of periods that wait for answers of a batch.
        "left": "NotRequired[int]",  # Number of periods that are due and were not begun, because the roll-up was stopped. The next roll-up writes them.
        "not_yet_due": "list[NotYetDueView]",  # Periods that are over but not due yet, because messages of them may still arrive.
        "outage": "NotRequired[str | None]",  # Why summaries or facts wait, for example because a model is unavailable. Null if nothing waits.
        "periods": "list[str]",  # Dry run: periods that would be rolled up.
        "postponed": "NotRequired[list[FailureView]]",  # Periods that failed or had to wait before and were not tried now, with the time of the next attempt.
        "removed": "int",  # Number of summaries removed because none of their sources is left.
        "unchanged": "int",  # Number of periods that were not written again, because their input was unchanged.
        "waiting": "list[str]",  # Periods that wait for an unavailable model.
        "words": "int",  # Dry run: number of words that would be read.
        "written": "dict[str, int]",  # Number of summaries written, per grain.
    },
)


# A request to write the summaries that are due.
RollupRequest = TypedDict(
    "RollupRequest",
    {
        "dry_run": "NotRequired[bool]",  # Writes nothing. Reports the periods that would be rolled up, the number of words to read, and what the models would cost.
        "refresh": "NotRequired[bool]",  # Also rewrites summaries that were written with a prompt, model or engine other than the present one.
    },
)


# Answer to a search, best results first.
SearchAnswer = TypedDict(
    "SearchAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "conversations": "list[ConversationView]",  # The conversations of the turns that were found, best first.
        "grains": "list[GrainWord]",  # The grains that were searched.
        "hint": "NotRequired[str | None]",  # Advice what else to try. Absent if enough was found, or if there is no advice.
        "incomplete_because": "NotRequired[str | None]",  # Why the newest messages were not searched. Only in answers to commands, which otherwise wait until all messages are searchable.
        "not_reranked_because": "NotRequired[str | None]",  # Why the rerank model did not order the results although it was called. The results then keep the order that they have without the model.
        "period": "NotRequired[RangeView | None]",
        "range": "RangeView",  # The days that were searched. With a period of a month or longer, the days that were searched for turns.
        "range_is_empty": "bool",  # Whether the range contains no memory of these grains at all. Another query then finds nothing either.
        "reranked": "NotRequired[bool | None]",  # Whether the configured rerank model ordered the best results. Absent if no model was called: none is configured, none may read this agent's memories, or there was nothing to order.
        "results": "list[MemoryView]",  # The memories that were found, best first, or newest first without a query.
        "said": "list[TimeExpressionView]",  # Time expressions recognised in the query. Memories of these times get a higher score. Other memories are returned too.
        "summary_range": "NotRequired[RangeView | None]",
        "time_zone": "str",  # IANA name of the time zone of the days.
        "words_alone_because": "NotRequired[str | None]",  # Why some memories were found by their words alone, for example because the embedding model does not answer. Absent if vectors were compared everywhere.
    },
)


# A search. Dates are local days of the agent's time zone, and hard filters: a memory that lies entirely outside them is never returned.
SearchRequest = TypedDict(
    "SearchRequest",
    {
        "budget_tokens": "NotRequired[int | None]",  # Maximum number of tokens of all results together. Tokens are estimated from above.
        "conversation": "NotRequired[str | None]",  # Only turns of this conversation.
        "explain": "NotRequired[bool]",  # Whether each result lists the summands of its score.
        "from": "NotRequired[str | None]",  # First day of the range, inclusive. Without it, the range has no beginning.
        "grains": "NotRequired[list[GrainWord]]",  # Grains to search. If empty: turns, and coarser grains for times of which finer memories were pruned; without a query, all.
        "ignore_times": "NotRequired[bool]",  # Treats times in the query, such as "last month", as ordinary words.
        "kinds": "NotRequired[list[KindWord]]",  # Kinds of memory to return. Empty means all; without a query, all except passages.
        "limit": "NotRequired[int]",  # Maximum number of results: 1 to 1,000.
        "max_days_ago": "NotRequired[int | None]",  # Excludes memories older than this many local days ago.
        "min_days_ago": "NotRequired[int | None]",  # Excludes memories newer than this many local days ago. 0 is today.
        "period": "NotRequired[str | None]",  # One period: `2026-03-04`, `2026-W10`, `2026-03`, `2026-Q1` or `2026`. Other bounds apply in addition. Turns are searched on its calendar days; summaries, for a month or longer, in its whole weeks.
        "query": "NotRequired[str | None]",  # A question or words. Without a query, the newest memories are returned.
        "strict": "NotRequired[bool]",  # Leaves out coarser memories that also cover days outside the range.
        "to": "NotRequired[str | None]",  # Last day of the range, inclusive. Without it, the range has no end.
    },
)


# One sentence of a summary.
SentenceView = TypedDict(
    "SentenceView",
    {
        "day": "str",  # Day that the sentence is about.
        "from": "list[str]",  # Ids of the turns that the sentence comes from.
        "grounded": "NotRequired[bool]",  # Whether these turns support it. False if a model wrote a name, number or date that they do not contain, or the opposite of what they say.
        "speaker": "NotRequired[str | None]",  # The speaker, if the sentence is in the words of one person.
        "text": "str",  # Text of the sentence.
    },
)


# Settings to change. Settings that are not named stay unchanged.
SettingsChange = TypedDict(
    "SettingsChange",
    {
        "daily_tokens": "NotRequired[int | None]",  # Maximum number of tokens per UTC day. 0 means the configured budget.
        "engine": "NotRequired[EngineWord | None]",
        "language": "NotRequired[str | None]",  # Language of texts whose own language is unclear, for word stems in text search, as a two-letter code.
        "mask": "NotRequired[bool | None]",  # Whether text that looks like a credential is masked before storage.
        "plan": "NotRequired[str | None]",  # Name of a retention plan, which says how long memories of each grain are kept.
        "prompts": "NotRequired[dict[str, str | None]]",  # Prompts by name: a text replaces the built-in prompt, `null` restores it.
        "time_zone": "NotRequired[str | None]",  # IANA name of a time zone. If the agent already has memories, the zone applies from the first midnight after today.
    },
)


# Settings of an agent.
SettingsView = TypedDict(
    "SettingsView",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "daily_tokens": "NotRequired[int | None]",  # Maximum number of tokens that may be paid for models per UTC day. Null means the configured budget.
        "engine": "EngineWord",  # What writes summaries and extracts facts: a model, or the built-in engine.
        "language": "str",  # Language of texts whose own language is unclear, for word stems in text search, as a two-letter code.
        "mask": "bool",  # Whether text that looks like a credential is masked before storage.
        "past_plan": "NotRequired[PastPlanView | None]",
        "plan": "str",  # Name of the retention plan, which says how long memories of each grain are kept.
        "prompts": "dict[str, str]",  # The agent's own prompts, by name. All others are the built-in ones.
        "time_zone": "str",  # IANA name of the current time zone.
        "time_zones": "list[ZoneView]",  # All time zones so far. The first one applies to all time before the second.
    },
)


# Items of one kind that were not imported.
SkippedView = TypedDict(
    "SkippedView",
    {
        "count": "int",  # Number of these items.
        "example": "str",  # What is wrong with the first of these items, or what it looks like; may be empty. Contains no text that a person wrote.
        "kind": "str",  # Kind of the items, in words. An option that imports them follows in parentheses.
        "location": "str",  # Location of the first of these items in the source.
    },
)


# The memories from which a memory was made.
SourcesAnswer = TypedDict(
    "SourcesAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "id": "str",  # Id of the requested memory.
        "sources": "list[MemoryView]",  # The sources that still exist, in order of time.
    },
)


# Status of an agent.
StatusView = TypedDict(
    "StatusView",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "dead": "int",  # Number of memories that could not be made searchable or read for facts. `annals dead list` shows why.
        "degraded": "list[str]",  # Periods that the built-in engine wrote in place of a model. They are written again when the model is available.
        "due": "list[str]",  # Closed periods that are due for a roll-up.
        "extraction_error": "NotRequired[str | None]",  # Why the last attempt to extract facts failed. Null if it succeeded.
        "failed": "list[FailureView]",  # Periods that failed in the last roll-up or have to wait, and when they are tried again.
        "first": "NotRequired[str | None]",  # When the agent's first message was said.
        "grains": "list[GrainStatus]",  # Per grain of summaries: what was written, what is waiting, when the next period closes.
        "in_batch": "NotRequired[list[str]]",  # Periods that wait for answers of a batch.
        "index_error": "NotRequired[str | None]",  # Why the last attempt to make changes searchable failed. The attempt is repeated with growing pauses.
        "last": "NotRequired[str | None]",  # When the agent's last message was said.
        "last_ingest": "NotRequired[str | None]",  # When messages were last stored or corrected.
        "memories": "dict[str, int]",  # Number of live memories per grain.
        "models": "NotRequired[list[ModelView]]",  # The models that write for this agent, with figures since the service started.
        "not_yet_read_for_facts": "int",  # Number of changes that are not read for facts yet.
        "not_yet_searchable": "int",  # Number of changes that searches do not find yet.
        "open": "list[str]",  # Periods that are not over yet.
        "plan": "str",  # Name of the retention plan, which says how long memories of each grain are kept.
        "reembedding": "NotRequired[ReembeddingView | None]",
        "requests_left": "NotRequired[int | None]",  # Estimated number of requests to models that the due periods and the changes not yet read for facts take, at least.
        "sealed": "int",  # Number of periods with a summary that can only be amended, because the sources were pruned.
        "seconds_left": "NotRequired[int | None]",  # Estimated seconds that these requests take. Null until a request was answered.
        "time_zone": "str",  # IANA name of the agent's time zone.
        "ungrounded": "NotRequired[list[UngroundedView]]",  # Periods with a summary that the sources do not fully support, each with the number of unsupported names, numbers, dates and negations.
        "usage": "list[UsageView]",  # Tokens of the last thirty days, by day, purpose and model.
    },
)


# Numbers of stored items.
StoredItems = TypedDict(
    "StoredItems",
    {
        "blocks": "ImportCounts",  # Counts of the blocks of core memory.
        "dead": "int",  # Number of memories that could not be made searchable.
        "documents": "ImportCounts",  # Counts of the notes and documents.
        "facts": "ImportCounts",  # Counts of the facts.
        "masked": "int",  # Number of credentials that were masked before storage.
        "messages": "ImportCounts",  # Counts of the messages.
        "replaced_corrections": "int",  # Number of corrections by hand that were replaced, because their messages changed in the source. They are kept as former versions.
        "searchable": "int",  # Number of changes that were made searchable.
        "skipped": "list[SkippedView]",  # Items that were read but could not be stored, grouped by kind.
        "statements": "ImportCounts",  # Counts of the statements from other memory programs.
    },
)


# A time expression in a query.
TimeExpressionView = TypedDict(
    "TimeExpressionView",
    {
        "days": "RangeView",  # The days that the words were taken to mean.
        "words": "str",  # The words of the query, as written.
    },
)


# Memories in order of time, oldest first, without passages of documents. Of memories that begin together, the coarsest comes first.
TimelineAnswer = TypedDict(
    "TimelineAnswer",
    {
        "agent": "str",  # Current name of the agent. Requests may also use its former names.
        "memories": "list[MemoryView]",  # The memories of this page.
        "next_cursor": "NotRequired[str | None]",  # Cursor of the next page, if there is one.
        "open": "list[str]",  # Periods with input that are not over yet, from fine to coarse. They have no summaries until their end.
        "time_zone": "str",  # IANA name of the time zone of the days.
    },
)


# Answer of a tool, for a model and for programs.
ToolAnswer = TypedDict(
    "ToolAnswer",
    {
        "structured": "dict[str, Any]",  # Answer for programs, according to the output schema of the tool, which `format=mcp` shows.
        "text": "str",  # Text for the model: return it as the content of the tool's message.
    },
)


# A summary that its sources do not fully support.
UngroundedView = TypedDict(
    "UngroundedView",
    {
        "faults": "int",  # Number of unsupported names, numbers, dates and negations.
        "period": "str",  # Label of the period, as in `2026-W10`.
    },
)


# Tokens that were used on one UTC day for one purpose and model. Single calls and batches are counted apart.
UsageView = TypedDict(
    "UsageView",
    {
        "batch": "NotRequired[bool]",  # Whether the answers came in batches, at half the price.
        "cache_read": "NotRequired[int]",  # Of `tokens_in`, those that the provider read from its prompt cache.
        "cache_written": "NotRequired[int]",  # Of `tokens_in`, those that the provider wrote to its prompt cache, if it counts them.
        "calls": "int",  # Number of calls that were answered.
        "day": "str",  # UTC day on which the tokens were used.
        "model": "str",  # Name of the model.
        "purpose": "str",  # What the tokens were used for: `extraction`, `rerank`, or the grain of a summary.
        "tokens_in": "int",  # Tokens of the requests.
        "tokens_out": "int",  # Tokens of the answers.
    },
)


# Effect of a fact entered by hand.
Verb = Literal["add", "retract"]


# A former text of a corrected or revised memory.
VersionView = TypedDict(
    "VersionView",
    {
        "replaced_at": "str",  # When the text was replaced.
        "text": "str",  # The former text.
    },
)


# A time zone, and when it starts to apply.
ZoneView = TypedDict(
    "ZoneView",
    {
        "from": "NotRequired[str | None]",  # When the zone starts to apply. Null for the first zone.
        "time_zone": "str",  # IANA name of the zone.
    },
)
