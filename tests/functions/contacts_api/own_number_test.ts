/** The instance's own number is nobody's: no call makes a contact of it (decisions, section 3). */

import { assertEquals } from "../../support/assert.ts";
import { callBatches } from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

Deno.test("a call about the instance's own number, in any spelling, is refused by its phone and makes no contact", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [own, shorter] = ["5511987654321", "551187654321"];
  await stack.admin`
    update messaging.instances set connected_phone = ${own}, connected_phone_key = ${own}`;
  const text = { messageType: "text", message: "oi" };
  const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["/send-message", text],
    ["/send-message", { ...text, queued: true }],
    ["/contacts-api/create", { name: "Nós" }],
    ["/contacts-api/tags", { addTags: ["vip"] }],
    ["/conversations-api/note", { note: "oi" }],
    ["/contacts-api/update", { phone: shorter, name: "Nós" }],
    ["/send-message", { ...text, phone: shorter }],
  ];
  for (const [path, body] of calls) {
    const { status, body: told } = await stack.request(path, {
      method: "POST",
      headers: { "X-Client-Token": tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({ instanceId: tenant.instanceId, phone: own, ...body }),
    });
    const issues = [{ path: "phone", message: "must not be the instance's own number" }];
    assertEquals([status, told.error, told.issues], [400, "invalid_request", issues], path);
  }
  const together = await Promise.all(
    ["5511955550001", own, "5511955550002"].map((phone) => stack.send(tenant, { phone, ...text })),
  );
  assertEquals(together.map(({ status }) => status), [200, 400, 200]);
  const list = await callBatches(stack, tenant, "POST", "/batches", {
    message: text,
    validation: "permissive",
    recipients: [{ phone: own, cardId: "c1" }, { phone: "5511955550003" }],
  });
  assertEquals([list.status, list.body.added, list.body.errors?.[0]?.index], [201, 1, 0]);
  const [row] = await stack.admin`
    select count(*)::int as own from messaging.contacts where identity_key = ${own}`;
  assertEquals(row?.["own"], 0);
});
