/** What a call costs less for a known contact, and its settlement: it reads as any other. */

import { assert, assertEquals } from "../../support/assert.ts";
import { readCallerView } from "../../support/database/caller_view.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createAgent, createTenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

const instanceId = "00000000-0000-4000-8000-000000000001";
const phone = "5511987654321";
const immediate = { queued: false, intervalSeconds: 30, delaySeconds: 0, leaseSeconds: 30 };

function sendingCall(fields: Json = {}): Json {
  return {
    ...{ instanceId, phone, idempotency: null, assignment: null, agent: null },
    message: { messageType: "text", message: "Olá" },
    delivery: immediate,
    ...fields,
  };
}

/** An answer, without what differs between two calls of one kind. */
function comparable(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+[-+]\d{2}:\d{2}/g, "<instant>");
}

const calls: Readonly<Record<string, Json>> = {
  "an immediate message": { message: { messageType: "text", message: "1", sentBy: "operator" } },
  "an immediate message with a key": { idempotency: { scope: "s", key: "k", fingerprint: "f" } },
  "a message that pauses no agent": {
    message: { messageType: "text", message: "1", pausesAgent: false },
  },
  "a queued message": {
    delivery: { ...immediate, queued: true },
    message: { messageType: "text", message: "1", delayTypingMs: 1_500 },
  },
  "a delayed message": { delivery: { ...immediate, delaySeconds: 60 } },
  "a deferred message": { delivery: { ...immediate, isDeferred: true } },
  "a message for an instant": {
    delivery: {
      ...{ ...immediate, queued: true },
      timing: { sendAt: "+1 hour", expiresAt: "+2 hours", cancelKey: "c" },
    },
  },
};

/** An instant from now, for one that is written as "+1 hour". */
function inHours(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(
      /"\+(\d) hours?"/g,
      (_, hours) => JSON.stringify(new Date(Date.now() + Number(hours) * 3_600_000)),
    ),
  );
}

for (const [name, fields] of Object.entries(calls)) {
  Deno.test(`${name} is answered and stored alike to a phone, which one statement finds, and to a contact's id`, async () => {
    const seen: unknown[] = [];
    for (const isByPhone of [true, false]) {
      await using database = await createTestDatabase();
      await createTenant(database.admin, { instanceId });
      await createAgent(database.admin, instanceId);
      const first = sendingCall({ message: { messageType: "text", message: "0" } });
      const { contactId } = await callFunction<Json>(database.sql, "accept_message", first);
      await database.admin`
        update messaging.dispatch set hold_until = now() + interval '9 days',
          operator_hold_until = now() + interval '10 days'`;
      const answer = await callFunction(database.sql, "accept_message", {
        ...sendingCall(inHours(fields) as Json),
        ...(isByPhone ? {} : { phone: null, contactId }),
      });
      assert(JSON.stringify(answer).includes("aiAgentPausedUntil"));
      seen.push([comparable(answer), await readCallerView(database.admin, instanceId)]);
    }
    assertEquals(seen[0], seen[1]);
  });
}

/** Settles one immediate send with an answer that shows an address, and returns what is stored then. */
async function settleWithAddress(database: TestDatabase, waId: string): Promise<boolean> {
  const { messageId, claimToken } = await callFunction<Json>(
    database.sql,
    "accept_message",
    sendingCall(),
  );
  const result = { messageId, claimToken, outcome: "accepted", providerMessageId: "w", waId };
  const [row] = await database.admin<{ isNew: boolean }[]>`
    select messaging.shows_new_address(
      ${JSON.stringify([result])}::text::jsonb, clock_timestamp()) as "isNew"`;
  const { settled } = await callFunction<{ settled: string[] }>(database.sql, "settle_messages", {
    results: [result],
  });
  assertEquals(settled, [messageId]);
  return row?.isNew === true;
}

Deno.test("an answer's address is recorded when it is new, older than a day, or no longer the newest", async () => {
  await using database = await createTestDatabase();
  await createTenant(database.admin, { instanceId });
  const provenSince = async (): Promise<readonly string[]> => {
    const rows = await database.admin<{ address: string }[]>`
      select address from messaging.contact_addresses
      where proven_at > now() - interval '1 hour' order by proven_at`;
    return rows.map(({ address }) => address);
  };
  assertEquals(await settleWithAddress(database, "551187654321"), true);
  assertEquals(await settleWithAddress(database, "551187654321"), false, "nothing new");
  assertEquals(await settleWithAddress(database, "5511987654321"), true, "spelled otherwise");
  assertEquals(await provenSince(), ["5511987654321"]);
  await database
    .admin`update messaging.contact_addresses set proven_at = now() - interval '2 days'`;
  assertEquals(await settleWithAddress(database, "5511987654321"), true, "proven two days ago");
  assertEquals(await settleWithAddress(database, "4915112345678"), true, "another number");
  assertEquals(await settleWithAddress(database, "5511987654321"), true, "no longer the newest");
  assertEquals(await provenSince(), ["4915112345678", "5511987654321"]);
  const messages = await database.admin<{ status: string; queued: number }[]>`
    select distinct status, (select count(*)::integer from messaging.message_queue) as queued
    from messaging.messages`;
  assertEquals([...messages], [{ status: "sent", queued: 0 }]);
});
