import { callApp } from "../../support/stack/app_calls.ts";
import { createConversationsApiApp } from "../../../functions/conversations-api/app.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { type AgentClient, createAgentClient } from "../agents/agent_client.ts";
import { phone } from "../provider_webhook/webhook_client.ts";

interface PauseAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

async function callPause(
  { webhooks, tenant }: AgentClient,
  method: "GET" | "POST",
  fields: Readonly<Record<string, unknown>> = {},
  token = tenant.token,
): Promise<PauseAnswer> {
  const { services } = webhooks.stack;
  const app = createConversationsApiApp(services);
  const all = { instanceId: tenant.instanceId, phone, ...fields };
  const path = "/conversations-api/agent-pause";
  const headers = { "X-Client-Token": token, "Content-Type": "application/json" };
  const response = method === "GET"
    ? await callApp(app, `${path}?${new URLSearchParams(all as Record<string, string>)}`, {
      headers,
    })
    : await callApp(app, path, { method, headers, body: JSON.stringify(all) });
  return { status: response.status, body: await response.json() };
}

function minutesFromNow(instant: string): number {
  return (Date.parse(instant) - Date.now()) / 60_000;
}

Deno.test("GET agent-pause of an unknown phone is no pause, and creates nothing", async () => {
  await using client = await createAgentClient();
  const { status, body } = await callPause(client, "GET");
  assertEquals([status, body], [200, {
    success: true,
    contactId: null,
    paused: false,
    aiAgentPausedUntil: null,
  }]);
  const contacts = await client.webhooks.stack.admin`select from messaging.contacts`;
  assertEquals(contacts.length, 0);
});

Deno.test("POST agent-pause silences the agent for so many minutes, 30 by default, and ends it at once", async () => {
  await using client = await createAgentClient();
  const paused = await callPause(client, "POST", { paused: true });
  assertEquals([paused.status, paused.body.success, paused.body.paused], [200, true, true]);
  const half = minutesFromNow(paused.body.aiAgentPausedUntil);
  assert(half > 28 && half <= 30, `${half} minutes`);
  const longer = await callPause(client, "POST", { paused: true, minutes: 120 });
  const shorter = await callPause(client, "POST", { paused: true, minutes: 5 });
  assert(minutesFromNow(longer.body.aiAgentPausedUntil) > 115);
  assert(minutesFromNow(shorter.body.aiAgentPausedUntil) <= 5);
  assertEquals((await callPause(client, "GET")).body, shorter.body);
  await client.write("IN1", "oi");
  await client.answer();
  assertEquals(client.model.requests.length, 0);

  const resumed = await callPause(client, "POST", { paused: false });
  assertEquals(resumed.body, {
    success: true,
    contactId: shorter.body.contactId,
    paused: false,
    aiAgentPausedUntil: null,
  });
  assertEquals((await callPause(client, "GET")).body, resumed.body);
  await client.write("IN2", "alguém?");
  await client.answer();
  assertEquals(client.sent(), ["Posso ajudar?"]);
});

Deno.test("a pause that is over reads as none, and both spellings of a phone are one contact", async () => {
  await using client = await createAgentClient();
  await callPause(client, "POST", { paused: true, phone: "551177776666" });
  assertEquals((await callPause(client, "GET")).body.paused, true);
  await client.webhooks.stack.admin`update messaging.agent_pauses set paused_until = now()`;
  const { paused, aiAgentPausedUntil } = (await callPause(client, "GET")).body;
  assertEquals([paused, aiAgentPausedUntil], [false, null]);
});

Deno.test("a person's message through the API is a pause that GET agent-pause tells", async () => {
  await using client = await createAgentClient();
  const { stack } = client.webhooks;
  const sent = await stack.send(client.tenant, { phone, messageType: "text", message: "oi" });
  assertEquals(
    (await callPause(client, "GET")).body.aiAgentPausedUntil,
    sent.body.aiAgentPausedUntil,
  );
});

Deno.test("agent-pause refuses what is out of range, and who may not", async () => {
  await using client = await createAgentClient();
  for (
    const fields of [
      {},
      { paused: "yes" },
      { paused: true, minutes: 0 },
      { paused: true, minutes: 43_201 },
      { paused: true, minutes: -1.5 },
      { paused: true, minutes: "30" },
    ]
  ) {
    const { status, body } = await callPause(client, "POST", fields);
    assertEquals([fields, status, body.error], [fields, 400, "invalid_request"]);
  }
  for (const method of ["GET", "POST"] as const) {
    const badPhone = await callPause(client, method, { paused: true, phone: "12" });
    assertEquals([badPhone.status, badPhone.body.error], [400, "invalid_phone"]);
    const nobody = await callPause(client, method, { paused: true }, "no-token");
    assertEquals([nobody.status, nobody.body.error], [401, "invalid_client_token"]);
    const instanceId = crypto.randomUUID();
    const pause = method === "GET" ? {} : { paused: true };
    const elsewhere = await callPause(client, method, { ...pause, instanceId });
    assertEquals([elsewhere.status, elsewhere.body.error], [404, "Instance not found"]);
  }
});
