/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** The life of the trigger in a running n8n, and the test of the credentials. */

import { assert, assertEquals } from "../../../tests/support/assert.ts";
import type { LocalStack } from "../../../tests/support/stack/local_stack.ts";
import { waitUntil } from "../../../tests/support/wait_until.ts";
import { writeWorkflow } from "./every_operation.ts";
import type { N8nServer } from "./n8n_program.ts";
import { deliver, type Relay } from "./relay.ts";
import type { Demo } from "./prepared_service.ts";

/** A running n8n, and what stands before it and sees what the service calls. */
export interface ServedN8n {
  readonly server: N8nServer;
  readonly front: Relay;
}

// deno-lint-ignore no-explicit-any -- asserts on whatever n8n answers
type Post = (path: string, body: unknown) => Promise<any>;

const phone = "5511977770099";
const first = "$('first').first().json";

/** Answers each text of a person in words that hold it. */
export const triggeredWorkflow = writeWorkflow("triggered", [{
  name: "answer",
  parameters: {
    resource: "message",
    operation: "send",
    contactBy: "contactId",
    contactId: `={{ ${first}.data.contact.contactId }}`,
    messageType: "text",
    message: `={{ 'you said ' + ${first}.data.message }}`,
  },
}], {
  type: "n8n-nodes-messaging-integration.messagingIntegrationTrigger",
  typeVersion: 1,
  parameters: { events: ["message.received"] },
  webhookId: "9f1b2c3d-0000-4000-8000-000000000001",
});

/** Follows an endpoint from the activation of the workflow to its end. */
export async function followTrigger(
  { server, front }: ServedN8n,
  stack: LocalStack,
  demo: Demo,
): Promise<void> {
  const readEndpoints = async (): Promise<{ url: string; types: string[]; endpointId: string }[]> =>
    (await stack.call(demo, "events-api/endpoints")).body.items;
  await waitUntil(async () => (await readEndpoints()).length === 1, { what: "the endpoint" });
  const [endpoint] = await readEndpoints();
  assert(endpoint !== undefined && endpoint.url.startsWith(front.origin), endpoint?.url);
  assertEquals(endpoint.types, ["message.received"]);

  const countAnswers = async (text: string): Promise<number> =>
    (await stack.readSimulator(`messages?to=${phone}&limit=100`))
      .filter((message) => message["text"] === `you said ${text}`).length;
  await writeAs(stack, phone, "first");
  await waitUntil(async () => await countAnswers("first") === 1, {
    what: "the workflow's answer",
    timeoutMs: 60_000,
  });
  const [delivery] = front.calls;
  assert(delivery !== undefined && front.calls.length === 1, `${front.calls.length} deliveries`);

  const statuses = [];
  const forged = new TextEncoder().encode(
    new TextDecoder().decode(delivery.body).replace("first", "forged"),
  );
  const unsigned = new Headers(delivery.headers);
  unsigned.delete("webhook-signature");
  const old = new Headers(delivery.headers);
  old.set("webhook-timestamp", "1700000000");
  for (const change of [{}, { body: forged }, { headers: unsigned }, { headers: old }]) {
    const answer = await deliver({ ...delivery, ...change });
    await answer.body?.cancel();
    statuses.push(answer.status);
  }
  assertEquals(statuses, [409, 401, 401, 401]);

  // The service delivers the event again, signed anew: believed, and of no consequence.
  const { body: { items: [known] } } = await stack.call(
    demo,
    `events-api/endpoints/${endpoint.endpointId}/deliveries`,
  );
  await stack.call(demo, `events-api/deliveries/${known.deliveryId}/resend`, {});
  await waitUntil(() => front.calls.length === 2, {
    what: "the second delivery",
    timeoutMs: 60_000,
  });
  await writeAs(stack, phone, "last");
  await waitUntil(async () => await countAnswers("last") === 1, {
    what: "the next event's answer",
    timeoutMs: 60_000,
  });
  assertEquals([await countAnswers("first"), await countAnswers("forged")], [1, 0]);

  const post = await openEditor(server);
  const other = `mia_${"0".repeat(43)}`;
  assertEquals(
    [
      await testCredentials(post, stack.origin, demo.token),
      await testCredentials(post, `${stack.origin}/`, demo.token),
      await testCredentials(post, stack.origin, other),
    ],
    ["OK", "OK", "Error"],
  );
  await post("workflows/triggered/deactivate", {});
  await waitUntil(async () => (await readEndpoints()).length === 0, {
    what: "the endpoint's end",
    timeoutMs: 60_000,
  });
}

/** A person writes to the demo. */
export async function writeAs(stack: LocalStack, waId: string, text: string): Promise<void> {
  const { items: [demo] } = await (await fetch(`${stack.origin}/simulator/webhooks`)).json();
  const { provider, instance } = demo;
  const answer = await fetch(`${stack.origin}/simulator/replies`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      provider,
      instance,
      waId,
      content: { messageType: "text", text },
    }),
  });
  assertEquals(answer.ok, true, await answer.text());
}

/** Calls the server as its owner's editor does. */
async function openEditor({ origin }: N8nServer): Promise<Post> {
  let cookie = "";
  const post: Post = async (path, body) => {
    const answer = await fetch(`${origin}/rest/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, "browser-id": "test" },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    assert(answer.ok, `${path}: ${answer.status} ${text}`);
    cookie ||= answer.headers.getSetCookie().map((set) => set.split(";")[0] ?? "").join("; ");
    return JSON.parse(text).data;
  };
  await post("owner/setup", {
    ...{ email: "owner@example.com", firstName: "A", lastName: "B", password: "Correct-horse-1" },
  });
  return post;
}

/** The test of the credentials: n8n's answer for a token. */
async function testCredentials(post: Post, baseUrl: string, token: string): Promise<string> {
  const { status } = await post("credentials/test", {
    credentials: {
      id: "messagingCredential",
      name: "Messaging",
      type: "messagingIntegrationApi",
      data: { baseUrl, token, instanceId: "demo" },
    },
  });
  return status;
}
