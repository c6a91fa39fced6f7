/**
 * A `Session` of the OpenAI Agents SDK: `run(agent, "Hello", { session: new AnnalsSession(new Annals(), "ann", "chat-1") })`.
 *
 * Items are turns of the conversation of that name, through the routes under `/compat/openai`, and come back exactly as they were added:
 * what the SDK sent is restored from a note that travels in the item. Items of one call, up to 999, are added together or not at all; of
 * more, those that were added are removed if a later part fails. Removing needs a key with the scope `admin`, and forgets.
 */

import type { AgentInputItem, Session } from "@openai/agents-core";

import { path } from "./connection.js";
import { type Annals, ProblemError } from "./index.js";

// The service's limits of a request and of a page.
const BATCH = 999;
const PAGE = 100;
const NOTE = "annals_item";

type Fields = Record<string, unknown>;
interface Items {
  data: Array<Fields & { id: string }>;
  has_more: boolean;
  last_id: string;
}

/** The items of one session, in order. */
export class AnnalsSession implements Session {
  private readonly conversations: string;
  private readonly path: string;

  constructor(
    private readonly annals: Annals,
    agent: string,
    private readonly sessionId: string,
  ) {
    this.conversations = path("compat", "openai", agent, "v1", "conversations");
    this.path = this.conversations + path(sessionId);
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
      const page = await this.annals.connection.ask<Items>("GET", `${this.path}/items`, { query }).catch(unless(404));
      found.push(...(page?.data ?? []));
      if (!page?.has_more) break;
      after = page.last_id;
    }
    return found;
  }

  private async addSome(items: Fields[]): Promise<string[]> {
    const ask = { body: { items }, headers: { "idempotency-key": crypto.randomUUID() } };
    const add = () => this.annals.connection.ask<Items>("POST", `${this.path}/items`, ask);
    let page = await add().catch(unless(404));
    if (!page) {
      await this.begin();
      page = await add();
    }
    return page.data.map((item) => item.id);
  }

  private async begin(): Promise<void> {
    const ask = this.annals.connection.ask("POST", this.conversations, { body: { id: this.sessionId } });
    // Another process may have begun it meanwhile.
    await ask.catch(unless(409));
  }

  private async remove(path: string): Promise<void> {
    await this.annals.connection.ask("DELETE", path).catch(unless(404));
  }
}

function unless(status: number): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof ProblemError && error.status === status)) throw error;
  };
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
