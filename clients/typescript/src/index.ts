/**
 * Client of Annals, long-term memory for AI agents: one method per operation, with the names and fields of `/docs`.
 *
 *     const ann = new Annals({ url: "http://127.0.0.1:7411" }).agent("ann");
 *     await ann.ingest([{ role: "user", name: "Ann", content: "I moved to Bern." }], { conversation: "chat-1", wait: "searchable" });
 *     console.log((await ann.context("What is the weather like at home?", { speaker: "Ann" })).text);
 *
 * Fields that are left out have the service's defaults. Dates are texts such as `2026-03-04`, in the agent's time zone.
 */

import { type Ask, Connection, type Options, path } from "./connection.js";
import type * as wire from "./types.js";

export { AnnalsError, type Fault, isNotFound, ProblemError, UnreachableError } from "./errors.js";
export type { Options } from "./connection.js";
export type * from "./types.js";

export interface IngestOptions {
  conversation?: string;
  revise?: boolean;
  wait?: wire.Progress;
  timeout_seconds?: number;
  idempotencyKey?: string;
}

export interface Page {
  limit?: number;
  cursor?: string;
}

export interface TimelineOptions extends Page {
  grains?: wire.GrainWord[];
  from?: string;
  to?: string;
}

export interface FactsOptions extends Page {
  to?: string;
  depth?: number;
  direction?: "out" | "in" | "both";
  predicate?: string;
  as_of?: string;
  history?: boolean;
}

/** A service. */
export class Annals {
  readonly connection: Connection;

  constructor(options: Options = {}) {
    this.connection = new Connection(options);
  }

  /** Returns the memory of an agent. The first message creates it. */
  agent(name: string): Agent {
    return new Agent(this.connection, name);
  }

  /** Lists the agents that the key may use. */
  agents(page: Page = {}): Promise<wire.AgentsAnswer> {
    return this.connection.ask("GET", "/v1/agents", { query: { ...page } });
  }

  /** Returns the progress of stored messages or of an upload. */
  operation(id: string): Promise<wire.OperationState> {
    return this.connection.ask("GET", path("v1", "operations", id));
  }

  /** Lists the tools that the key may use, ready for a model's request. */
  tools(format: "openai" | "anthropic" | "mcp" = "openai"): Promise<Array<Record<string, unknown>>> {
    return this.connection.ask("GET", "/v1/tools", { query: { format } });
  }
}

/** The memory of one agent. */
export class Agent {
  constructor(
    private readonly connection: Connection,
    readonly name: string,
  ) {}

  /** Stores messages. They are kept when this resolves; `wait: "searchable"` also waits until searches find them. */
  ingest(messages: wire.MessageIn[], options: IngestOptions = {}): Promise<wire.Ingested> {
    const { wait, timeout_seconds, idempotencyKey = crypto.randomUUID(), ...fields } = options;
    const headers = { "idempotency-key": idempotencyKey };
    return this.ask("POST", ["messages"], { body: { messages, ...fields }, headers, query: { wait, timeout_seconds } });
  }

  /** Searches turns, statements, summaries and passages. The dates are hard filters. */
  search(query: string | undefined, options: Omit<Partial<wire.SearchRequest>, "query"> = {}): Promise<wire.SearchAnswer> {
    return this.ask("POST", ["search"], { body: { query, ...options } });
  }

  /** Returns what belongs before a prompt: `text` is ready to use, `known` says whether memory holds anything about it. */
  context(prompt: string, options: Omit<Partial<wire.ContextRequest>, "prompt"> = {}): Promise<wire.ContextAnswer> {
    return this.ask("POST", ["context"], { body: { prompt, ...options } });
  }

  /** Lists memories in order of time, oldest first. */
  timeline(options: TimelineOptions = {}): Promise<wire.TimelineAnswer> {
    return this.ask("GET", ["timeline"], { query: { ...options } });
  }

  /** Lists the conversations. */
  conversations(page: Page = {}): Promise<wire.ConversationsAnswer> {
    return this.ask("GET", ["conversations"], { query: { ...page } });
  }

  /** Returns a memory in full, with its sentences and former texts. */
  memory(id: string): Promise<wire.MemoryAnswer> {
    return this.ask("GET", ["memories", id]);
  }

  /** Lists what a memory was made of. */
  sources(id: string): Promise<wire.SourcesAnswer> {
    return this.ask("GET", ["memories", id, "sources"]);
  }

  /** Corrects a memory, or pins it. */
  correct(id: string, change: wire.CorrectRequest): Promise<wire.MemoryAnswer> {
    return this.ask("PATCH", ["memories", id], { body: change });
  }

  /** Finds facts. `depth` walks on from `about`; `to` asks how both are connected. */
  facts(about?: string, options: FactsOptions = {}): Promise<wire.FactsAnswer> {
    return this.ask("GET", ["facts"], { query: { about, ...options } });
  }

  /** Enters a fact by hand; `verb: "retract"` ends it. */
  enterFact(fact: wire.FactEntry): Promise<wire.FactsAnswer> {
    return this.ask("POST", ["facts"], { body: fact });
  }

  /** Lists the short texts that are part of every context. */
  blocks(): Promise<wire.BlocksView> {
    return this.ask("GET", ["blocks"]);
  }

  /** Writes blocks by name. An empty text removes one; others stay as they are. */
  writeBlocks(texts: Record<string, string>): Promise<wire.BlocksView> {
    const blocks = Object.entries(texts).map(([name, text]) => ({ name, text }));
    return this.ask("PUT", ["blocks"], { body: { blocks } });
  }

  /** Lists documents without their contents. */
  documents(options: Page & { collection?: string; key_prefix?: string } = {}): Promise<wire.DocumentsAnswer> {
    return this.ask("GET", ["documents"], { query: { ...options } });
  }

  /** Returns a document. */
  document(collection: string, key: string): Promise<wire.DocumentView> {
    return this.ask("GET", ["documents", collection, key]);
  }

  /** Stores a text or a JSON value. With `expected_version` only if that is stored; 0 is none. */
  putDocument(collection: string, key: string, document: wire.PutDocument): Promise<wire.DocumentView> {
    return this.ask("PUT", ["documents", collection, key], { body: document });
  }

  /** Removes a document. */
  deleteDocument(collection: string, key: string, options: { expected_version?: number } = {}): Promise<void> {
    return this.ask("DELETE", ["documents", collection, key], { query: { ...options } });
  }

  /** Searches documents. Each is answered once, with its best passage. */
  searchDocuments(
    query: string,
    options: { collection?: string; limit?: number } = {},
  ): Promise<wire.DocumentSearchAnswer> {
    return this.ask("POST", ["documents", "search"], { body: { query, ...options } });
  }

  /** Lists the collections that hold documents. */
  collections(): Promise<wire.CollectionsAnswer> {
    return this.ask("GET", ["collections"]);
  }

  /** Forgets with proof: ids, a conversation, a subject or a range. Only `dry_run: false` erases; it cannot be undone. */
  forget(selection: Partial<wire.ForgetRequest>): Promise<wire.ForgetAnswer> {
    return this.ask("POST", ["forget"], { body: selection });
  }

  /** Gives the agent another name. Its former names keep leading to it, so this object stays usable. */
  rename(name: string): Promise<wire.SettingsView> {
    return this.ask("POST", ["rename"], { body: { name } });
  }

  /** Forgets the whole agent. Only `dry_run: false` erases; it cannot be undone. */
  delete(options: { dry_run: boolean } = { dry_run: true }): Promise<wire.ForgetAnswer> {
    return this.ask("DELETE", [], { query: { ...options } });
  }

  /** Returns time zone, language, plan, engine, prompts, budget and masking. */
  settings(): Promise<wire.SettingsView> {
    return this.ask("GET", ["settings"]);
  }

  /** Changes settings, all or none. An unknown agent is created with them. */
  changeSettings(change: Partial<wire.SettingsChange>): Promise<wire.SettingsView> {
    return this.ask("PUT", ["settings"], { body: change });
  }

  /** Returns what is stored, waiting and failed. */
  status(): Promise<wire.StatusView> {
    return this.ask("GET", ["status"]);
  }

  /** Runs a tool that a model called. `text` goes back to the model. */
  callTool(name: string, args: Record<string, unknown>): Promise<wire.ToolAnswer> {
    return this.ask("POST", ["tools", name], { body: args });
  }

  /** Returns all data, one JSON record a line. */
  export(): Promise<string> {
    return this.ask("GET", ["export"]);
  }

  private ask<T>(method: string, segments: string[], ask: Ask = {}): Promise<T> {
    return this.connection.ask(method, path("v1", "agents", this.name, ...segments), ask);
  }
}
