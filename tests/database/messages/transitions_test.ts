import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { enqueueText } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

const statuses = [
  "queued",
  "sending",
  "unconfirmed",
  "sent",
  "delivered",
  "read",
  "failed",
  "canceled",
  "expired",
] as const;
const events = ["sent", "delivered", "read", "failed"] as const;
type Status = typeof statuses[number];
type Event = typeof events[number];
/** How the event's provider message id compares with the message's. */
const ids = ["unknown", "same", "other"] as const;

/** What may change a message, as docs/echoes.md promises it; the SQL holds its own table. */
function isForward(
  from: Status,
  event: Event,
  id: typeof ids[number],
  isClaimed: boolean,
): boolean {
  const hasArrived = event === "delivered" || event === "read";
  switch (from) {
    case "read":
      return false;
    case "delivered":
      return event === "read";
    case "failed":
      return hasArrived;
    case "canceled":
    case "expired":
      return hasArrived || event === "sent" && id !== "same";
    case "sent":
      return hasArrived || event === "failed" && id !== "other";
    case "queued":
      return hasArrived || (event === "sent" || isClaimed) && id !== "same";
    case "sending":
    case "unconfirmed":
      return hasArrived || id !== "same";
  }
}

Deno.test("an event moves a message forward or not at all, in every state and by every id", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  const { messageId } = await enqueueText(admin, instanceId);
  for (const from of statuses) {
    for (const event of events) {
      for (const id of ids) {
        for (const isClaimed of [false, true]) {
          await putInto(admin, messageId, from, isClaimed);
          const eventId = { unknown: null, same: "KNOWN", other: "NEW" }[id];
          const [row] = await admin`
            select messaging.advance_message(
              ${messageId}, ${eventId}, ${event}, now(), '{"code": "x"}'
            ) as moved`;
          const [message] = await admin`
            select status from messaging.messages where id = ${messageId}`;
          const isExpected = isForward(from, event, id, isClaimed);
          assertEquals(
            { moved: row?.["moved"], status: message?.["status"] },
            { moved: isExpected, status: isExpected ? event : from },
            `${event} of ${from}, ${id} id, ${isClaimed ? "claimed" : "not claimed"}`,
          );
        }
      }
    }
  }
});

Deno.test("the table of transitions names known states only", async () => {
  await using database = await createTestDatabase();
  const [row] = await database.admin`
    select prosrc as body from pg_proc where proname = 'message_transition'`;
  const pairs = [...String(row?.["body"]).matchAll(/when '(\w+) > (\w+)'/g)];
  assert(pairs.length > 0);
  for (const [pair, from, event] of pairs) {
    assert(statuses.some((status) => status === from), pair);
    assert(events.some((name) => name === event), pair);
  }
});

async function putInto(
  admin: Sql,
  messageId: string,
  status: Status,
  isClaimed: boolean,
): Promise<void> {
  await admin`
    update messaging.messages
    set status = ${status}, provider_message_id = 'KNOWN', sent_at = now(), delivered_at = null,
      read_at = null, failed_at = null, canceled_at = null, unconfirmed_at = null
    where id = ${messageId}`;
  await admin`delete from messaging.message_queue`;
  await admin`
    insert into messaging.message_queue (
      message_id, instance_id, lane, scheduled_at, claim_token, lease_until
    )
    select m.id, m.instance_id, 'paced', now(), claim.token, claim.ends_at
    from messaging.messages m
    left join (values (gen_random_uuid(), now() + interval '1 day')) as claim(token, ends_at)
      on ${isClaimed}
    where m.id = ${messageId}`;
}
