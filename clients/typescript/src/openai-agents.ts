/**
 * A `Session` of the OpenAI Agents SDK: `run(agent, "Hello", { session: new AnnalsSession(new Annals(), "ann", "chat-1") })`.
 *
 * Items are turns of the conversation of that name, through the routes under `/compat/openai`, and come back exactly as they were added:
 * what the SDK sent is restored from a note that travels in the item. Twenty items are added at once, all or none; of more, those that
 * were added are removed if a later part fails. Removing needs a key with the scope `admin`, and forgets.
 */

import type { AgentInputItem, Session } from "@openai/agents-core";

import { path } from "./connection.js";
import { type Annals, isNotFound } from "./index.js";

// The service's limits of a request and of a page.
const BATCH = 20;
const PAGE = 100;
// The first turn of a session, which is no item: items can only be added to a conversation that exists.
const BEGIN = "begin-";
const NOTE = "annals_item";

type Fields = Record<string, unknown>;
interface Items {
  data: Array<Fields & { id: string }>;
  has_more: boolean;
  last_id: string;
}

/** The items of one session, in order. */
export class AnnalsSession implements Session {
  private readonly path: string;

  constructor(
    private readonly annals: Annals,
    private readonly agent: string,
    private readonly sessionId: string,
  ) {
    this.path = path("compat", "openai", agent, "v1", "conversations", sessionId);
  }

  async getSessionId(): Promise<string> {
    return this.sessionId;
  }

  /** Returns the latest `limit` items, oldest first; all without a limit. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return (await this.newest(limit)).reverse().map(restored);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const added: string[] = [];
    try {
      for (let start = 0; start < items.length; start += BATCH) {
        added.push(...(await this.addSome(items.slice(start, start + BATCH).map(noted))));
      }
    } catch (error) {
      for (const id of added.reverse()) await this.remove(`${this.path}/items/${id}`);
      throw error;
    }
  }

  /** Removes the last item and returns it. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const [last] = await this.newest(1);
    if (last) await this.remove(`${this.path}/items/${last.id}`);
    return last && restored(last);
  }

  async clearSession(): Promise<void> {
    await this.remove(this.path);
  }

  private async newest(limit = Infinity): Promise<Items["data"]> {
    const found: Items["data"] = [];
    let after: string | undefined;
    while (found.length < limit) {
      const query = { order: "desc", limit: Math.min(PAGE, limit - found.length), after };
      const page = await this.annals.connection.ask<Items>("GET", `${this.path}/items`, { query }).catch(unlessNotFound);
      found.push(...(page?.data ?? []).filter((item) => !item.id.startsWith(BEGIN)));
      if (!page?.has_more) break;
      after = page.last_id;
    }
    return found;
  }

  private async addSome(items: Fields[]): Promise<string[]> {
    const ask = { body: { items }, headers: { "idempotency-key": crypto.randomUUID() } };
    const add = () => this.annals.connection.ask<Items>("POST", `${this.path}/items`, ask);
    let page = await add().catch(unlessNotFound);
    if (!page) {
      await this.begin();
      page = await add();
    }
    return page.data.map((item) => item.id);
  }

  private begin(): Promise<unknown> {
    // The id is new each time: the place of a message that was forgotten stays empty.
    const id = `${BEGIN}${crypto.randomUUID()}`;
    const message = { role: "system", id, content: `The session ${this.sessionId} begins.` } as const;
    return this.annals.agent(this.agent).ingest([message], { conversation: this.sessionId });
  }

  private async remove(path: string): Promise<void> {
    await this.annals.connection.ask("DELETE", path).catch(unlessNotFound);
  }
}

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Returns an item to store, with a note of what the service will change: id, fields that it adds, and the short form of a text. */
function noted(item: AgentInputItem): Fields {
  const { id, ...fields } = item as Fields;
  return { ...fields, [NOTE]: { id, fields: Object.keys(item), text: typeof fields["content"] === "string" } };
}

/** Returns an item as it was added. Items that came by another way stay as the service answers them. */
function restored(stored: Fields): AgentInputItem {
  const note = stored[NOTE] as { id?: string; fields: string[]; text: boolean } | undefined;
  if (!note) return stored as unknown as AgentInputItem;
  const values: Fields = { ...stored, id: note.id };
  const item = Object.fromEntries(note.fields.map((name) => [name, values[name]]));
  if (note.text && Array.isArray(item["content"])) item["content"] = item["content"][0].text;
  return item as unknown as AgentInputItem;
}
