// The client against a running service, at ANNALS_URL with ANNALS_KEY.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Annals, isNotFound, ProblemError, UnreachableError } from "annals-memory";

const annals = new Annals();
const agent = () => annals.agent(`ts-${crypto.randomUUID()}`);

test("a message is found, is part of a context, and is forgotten", async () => {
  const ann = agent();
  const message = { role: "user", name: "Ann", id: "1", content: "I moved from Oslo to Bern." };
  const stored = await ann.ingest([message], { conversation: "chat-1", wait: "searchable" });
  assert.deepEqual([stored.accepted, stored.duplicate], [1, 0]);
  assert.equal((await ann.ingest([message], { conversation: "chat-1" })).duplicate, 1);
  const [found] = (await ann.search("Where does Ann live?", { grains: ["working"], limit: 1 })).results;
  assert.equal(found?.text, message.content);
  const context = await ann.context("What is the weather like at home?", { speaker: "Ann", budget_tokens: 500 });
  assert.match(context.text, /Bern/);
  assert.equal((await ann.memory(found.id)).memory.message, "1");
  assert.equal((await ann.conversations()).conversations[0]?.turns, 1);
  assert.match(await ann.export(), /I moved from Oslo/);
  assert.equal((await ann.forget({ conversation: "chat-1" })).done, false);
  assert.equal((await ann.forget({ conversation: "chat-1", dry_run: false })).done, true);
  assert.equal((await ann.search("Bern")).results.length, 0);
});

test("facts, blocks and documents are written and read", async () => {
  const ann = agent();
  await ann.enterFact({ subject: "Ann", predicate: "lives_in", object: "Bern" });
  assert.equal((await ann.facts("Ann")).facts[0]?.object, "Bern");
  assert.equal((await ann.writeBlocks({ persona: "Be brief." })).blocks[0]?.text, "Be brief.");
  const written = await ann.putDocument("notes.work", "trips/plan.md", { text: "Bread.", expected_version: 0 });
  assert.equal((await ann.document("notes.work", "trips/plan.md")).text, "Bread.");
  await assert.rejects(ann.putDocument("notes.work", "trips/plan.md", { text: "x", expected_version: 7 }), { status: 409 });
  await ann.deleteDocument("notes.work", "trips/plan.md", { expected_version: written.version });
  await assert.rejects(ann.document("notes.work", "trips/plan.md"), isNotFound);
});

test("faults, wrong keys and silence are errors", async () => {
  const ann = agent();
  await ann.changeSettings({ time_zone: "Europe/Lisbon" });
  const fault = await ann.search("x", { limit: 5000 }).catch((error) => error);
  assert.ok(fault instanceof ProblemError);
  assert.deepEqual([fault.status, fault.code, fault.faults[0]?.field], [400, "invalid", "limit"]);
  assert.ok(fault.requestId);
  await assert.rejects(new Annals({ key: "annals_wrong" }).agents(), { status: 401, code: "unauthorized" });
  const nobody = new Annals({ url: "http://127.0.0.1:9", retries: 0 });
  await assert.rejects(nobody.agents(), (error) => error instanceof UnreachableError);
});

test("a busy service is asked again, as often as given", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    const status = requests < 3 ? 503 : 200;
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify(status === 200 ? { agents: ["ann"] } : { code: "busy", detail: "busy" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  assert.deepEqual((await new Annals({ url, retries: 2 }).agents()).agents, ["ann"]);
  requests = 0;
  await assert.rejects(new Annals({ url, retries: 1 }).agents(), { status: 503, code: "busy", retryAfter: 0 });
  assert.equal(requests, 2);
  server.close();
  server.closeAllConnections();
});
