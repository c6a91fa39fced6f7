/**
 * LangGraph.js's store: `graph.compile({ store: new AnnalsStore(new Annals(), "ann") })`.
 *
 * Items are documents of the agent, so search, context, forgetting and export see them. A batch reads before it writes and keeps the
 * last write of each key. Relies on the routes under `/compat/langgraph`.
 */

import {
  BaseStore,
  InvalidNamespaceError,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";

import { path } from "./connection.js";
import type { Annals } from "./index.js";

interface Stored {
  namespace: string[];
  key: string;
  value: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  score?: number;
}

/** The items of one agent. */
export class AnnalsStore extends BaseStore {
  private readonly prefix: string;

  constructor(
    private readonly annals: Annals,
    agent: string,
  ) {
    super();
    this.prefix = path("compat", "langgraph", agent, "store");
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    operations.forEach(check);
    const results = await Promise.all(operations.map((op) => (isPut(op) ? undefined : this.read(op))));
    const last = new Map(operations.filter(isPut).map((op) => [JSON.stringify([op.namespace, op.key]), op]));
    for (const op of last.values()) await this.write(op);
    return results as OperationResults<Op>;
  }

  private read(op: Exclude<Operation, PutOperation>): Promise<unknown> {
    if ("namespacePrefix" in op) return this.find(op);
    return "key" in op ? this.one(op) : this.namespaces(op);
  }

  private async one({ namespace, key }: GetOperation): Promise<Item | null> {
    const query = { namespace: namespace.join("."), key };
    const found = await this.annals.connection.ask<Stored | null>("GET", `${this.prefix}/items`, { query });
    return found ? item(found) : null;
  }

  private async find({ namespacePrefix, ...rest }: SearchOperation): Promise<SearchItem[]> {
    const body = { namespace_prefix: namespacePrefix, ...rest };
    const found = await this.annals.connection.ask<{ items: Stored[] }>("POST", `${this.prefix}/items/search`, { body });
    return found.items.map((one) => (one.score === undefined ? item(one) : { ...item(one), score: one.score }));
  }

  private async namespaces(op: ListNamespacesOperation): Promise<string[][]> {
    const ends: Record<string, string[]> = {};
    for (const { matchType, path } of op.matchConditions ?? []) {
      if (ends[matchType]) throw new Error(`namespaces can be listed by one ${matchType} at a time`);
      ends[matchType] = path;
    }
    const body = { ...ends, max_depth: op.maxDepth, limit: op.limit, offset: op.offset };
    const url = `${this.prefix}/namespaces`;
    return (await this.annals.connection.ask<{ namespaces: string[][] }>("POST", url, { body })).namespaces;
  }

  private write({ namespace, key, value, index }: PutOperation): Promise<void> {
    const body = value === null ? { namespace, key } : { namespace, key, value, index };
    return this.annals.connection.ask(value === null ? "DELETE" : "PUT", `${this.prefix}/items`, { body });
  }
}

/** Refuses labels that would name another namespace: the service joins labels with dots. */
function check(op: Operation): void {
  const paths = "namespace" in op ? [op.namespace] : "namespacePrefix" in op ? [op.namespacePrefix] : [];
  const wrong = paths.flat().find((label) => label === "" || label.includes("."));
  if (wrong !== undefined) throw new InvalidNamespaceError(`the label "${wrong}" is empty or has a dot`);
}

function isPut(op: Operation): op is PutOperation {
  return "value" in op;
}

function item({ namespace, key, value, created_at, updated_at }: Stored): Item {
  return { namespace, key, value, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
}
