// The adapters against a running service, beside the frameworks' own stores in memory.
import assert from "node:assert/strict";
import { test } from "node:test";

import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { MemorySession } from "@openai/agents-core";
import { Annals } from "annals-memory";
import { memoryTool } from "annals-memory/anthropic";
import { AnnalsStore } from "annals-memory/langgraph";
import { AnnalsSession } from "annals-memory/openai-agents";

const annals = new Annals();
const agent = () => `ts-${crypto.randomUUID()}`;

/** Asks both, and expects the same answer. */
async function same(ask, ours, theirs) {
  assert.deepEqual(await ask(ours), await ask(theirs), String(ask));
}

test("LangGraph's store answers as InMemoryStore does", async () => {
  const both = [new AnnalsStore(annals, agent()), new InMemoryStore()];
  for (const store of both) {
    await store.put(["users", "ann"], "tea", { text: "green", rating: 4 });
    await store.put(["users", "bob"], "note", { text: "Bob broke his arm", rating: 2 });
    await store.put(["docs"], "gone", { a: 1 });
    await store.delete(["docs"], "gone");
    await store.batch([
      { namespace: ["users", "ann"], key: "cup", value: { n: 1 } },
      { namespace: ["users", "ann"], key: "cup", value: { n: 2 } },
    ]);
  }
  const plain = (item) => item && [item.namespace, item.key, item.value];
  const sorted = (items) => items.map(plain).map((item) => JSON.stringify(item)).sort();
  await same(async (store) => plain(await store.get(["users", "ann"], "tea")), ...both);
  await same(async (store) => plain(await store.get(["users", "ann"], "cup")), ...both);
  await same(async (store) => await store.get(["docs"], "gone"), ...both);
  await same(async (store) => sorted(await store.search(["users"])), ...both);
  await same(async (store) => sorted(await store.search(["users"], { filter: { rating: { $gt: 3 } } })), ...both);
  await same(async (store) => (await store.search(["users"], { limit: 2 })).length, ...both);
  await same(async (store) => (await store.listNamespaces({ prefix: ["users"] })).sort(), ...both);
  await same(async (store) => (await store.listNamespaces({ suffix: ["bob"], maxDepth: 1 })).sort(), ...both);
  await assert.rejects(both[0].batch([{ namespace: ["users.ann"], key: "tea" }]), /has a dot/);
  const [found] = await both[0].search(["users"], { query: "a broken arm", limit: 1 });
  assert.equal(found?.key, "note");
  assert.ok(found.updatedAt instanceof Date);
});

test("a session of the Agents SDK answers as MemorySession does", async () => {
  const both = [new AnnalsSession(annals, agent(), "chat-1"), new MemorySession({ sessionId: "chat-1" })];
  const items = [
    { role: "user", content: "How is the weather in Lucerne?" },
    { type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "thinks" }] },
    { type: "function_call", callId: "call_1", name: "get_weather", arguments: '{"city":"Lucerne"}', status: "completed" },
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "It rains." }] },
  ];
  await same((session) => session.getItems(), ...both);
  await same((session) => session.popItem(), ...both);
  for (const session of both) await session.addItems(items);
  await same((session) => session.getItems(), ...both);
  await same((session) => session.getItems(2), ...both);
  await same((session) => session.getItems(0), ...both);
  await same((session) => session.popItem(), ...both);
  for (const session of both) await session.addItems(Array.from({ length: 45 }, (_, n) => ({ role: "user", content: `note ${n}` })));
  await same((session) => session.getItems(), ...both);
  for (const session of both) await session.clearSession();
  await same((session) => session.getItems(), ...both);
  for (const session of both) await session.addItems(items);
  await same((session) => session.getItems(), ...both);
  await same((session) => session.getSessionId(), ...both);
});

test("Claude's memory tool creates, views and refuses", async () => {
  const tool = betaMemoryTool(memoryTool(annals, agent()));
  const made = await tool.run({ command: "create", path: "/memories/a.txt", file_text: "one\ntwo" });
  assert.equal(made, "File created successfully at: /memories/a.txt");
  const view = await tool.run({ command: "view", path: "/memories/a.txt" });
  assert.match(view, /^Here's the content of \/memories\/a\.txt with line numbers:\n {5}1\tone/);
  await assert.rejects(tool.run({ command: "view", path: "/etc/passwd" }), /must start with \/memories/);
});
