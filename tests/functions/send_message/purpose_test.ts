import { assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };
const marketing = { ...text, purpose: "marketing" };

/** The contact of the phone says it, whether it is known yet or not. */
async function say(
  stack: MessagingStack,
  { instanceId }: Tenant,
  said: "granted" | "denied",
): Promise<void> {
  await stack.database.rpc("set_contact_consent", {
    ...{ instanceId, phone, marketing: said, source: "api", idempotency: null },
  });
}

Deno.test("marketing to a contact that has denied it is 409 contact_opted_out, sent, queued or scheduled, by either spelling", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await say(stack, tenant, "denied");
  for (const how of [{}, { queued: true }, { delayMessage: 60 }, { phone: "551187654321" }]) {
    const { status, body } = await stack.send(tenant, { ...marketing, ...how });
    assertEquals([status, body.success, body.error], [409, false, "contact_opted_out"]);
  }
  assertEquals((await stack.admin`select from messaging.messages`).length, 0);
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("a message without marketing goes to a contact that has denied marketing, and marketing goes to all others", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const sent = async (purpose?: string): Promise<number> =>
    (await stack.send(tenant, { ...text, ...(purpose === undefined ? {} : { purpose }) })).status;
  assertEquals(await sent("marketing"), 200, "nothing is known");
  await say(stack, tenant, "granted");
  assertEquals(await sent("marketing"), 200);
  await say(stack, tenant, "denied");
  for (const purpose of [undefined, "service", "utility", "authentication"]) {
    assertEquals(await sent(purpose), 200, purpose);
  }
  const stored = await stack.admin`select purpose from messaging.messages order by created_at`;
  assertEquals(stored.map((row) => row["purpose"]), [
    ...["marketing", "marketing", null, null, "utility", "authentication"],
  ]);
  assertEquals((await stack.send(tenant, { ...text, purpose: "spam" })).status, 400);
});

Deno.test("marketing that waits while the contact denies it fails with contact_opted_out, without a call, and the next one leaves", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const waiting: string[] = [];
  for (const how of [{ queued: true, intervalSeconds: 10 }, {}]) {
    const message = { ...marketing, ...how, delayMessage: 60 };
    waiting.push((await stack.send(tenant, message)).body.messageId);
  }
  const other = { ...text, phone: "5511912345678", queued: true, intervalSeconds: 10 };
  const next = await stack.send(tenant, { ...other, delayMessage: 60 });
  await say(stack, tenant, "denied");
  await letTimePass(stack.admin, 120);
  // Each is given its slot first.
  for (let passes = 0; passes < 4; passes++) {
    await stack.dispatch();
    await letTimePass(stack.admin, 60);
  }
  for (const messageId of waiting) {
    const { body } = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals([body.status, body.lastError?.code], ["failed", "contact_opted_out"]);
    const events = await stack.admin`
      select type from messaging.events where (message).id = ${messageId}`;
    assertEquals(events.map(({ type }) => type), ["message.failed"]);
  }
  assertEquals(
    (await stack.messages(tenant, "GET", `/messages/${next.body.messageId}`)).body.status,
    "sent",
  );
  assertEquals(stack.provider.requests.length, 1);
  const again = await stack.messages(tenant, "POST", `/messages/${waiting[0]}/retry`);
  assertEquals([again.status, again.body.error], [409, "contact_opted_out"]);
});

Deno.test("a message's record tells the purpose that its call named, and service where it named none", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const purpose of ["marketing", "utility", "authentication", "service", undefined]) {
    const { body } = await stack.send(tenant, { ...text, purpose });
    const read = await stack.messages(tenant, "GET", `/messages/${body.messageId}`);
    assertEquals([read.status, read.body.purpose], [200, purpose ?? "service"]);
  }
});
