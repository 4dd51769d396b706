/** What `callApp` finds in the answers that all tests of functions see. */

import { Hono } from "hono";
import { assertEquals, assertRejects } from "../../support/assert.ts";
import { callApp } from "../../support/stack/app_calls.ts";

/** An app that answers every call alike. */
function createAnswering(answer: () => Response): Hono {
  return new Hono().all("*", answer);
}

const path = "/batches-api/batches";
const batchId = "b0000000-0000-4000-8000-000000000001";
const stored = { success: true, batchId, status: "draft", added: 0, duplicates: [], errors: [] };

Deno.test("an answer with a status that the document does not know of its operation is found", async () => {
  const call = (status: number, init: RequestInit): Promise<Response> =>
    callApp(createAnswering(() => new Response(null, { status })), path, init);
  await assertRejects(() => call(418, { method: "POST" }), Error, "answers 418");
  await assertRejects(() => call(202, { method: "POST" }), Error, "answers 202");
  await assertRejects(() => call(201, { method: "GET" }), Error, "answers 201");
  assertEquals((await call(503, { method: "POST" })).status, 503);
});

Deno.test("each of two successes of an operation is held to its own contract", async () => {
  const call = (status: number, body: unknown): Promise<Response> =>
    callApp(createAnswering(() => Response.json(body, { status })), path, { method: "POST" });
  assertEquals((await call(201, stored)).status, 201);
  await assertRejects(() => call(200, stored), Error, "contract");
  await assertRejects(() => call(201, { ...stored, more: 1 }), Error, "lacks");
  await assertRejects(() => call(400, { success: false, error: "gone" }), Error, "gone");
});
