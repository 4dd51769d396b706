/** The dry run is the truth: it tells what the start right after gives, and changes nothing. */

import type { Sql } from "postgres";
import { countStoredRows } from "../../support/database/stored_rows.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { enqueueText } from "../../support/database/queue_calls.ts";
import {
  callBatches,
  changeBatch,
  createBatch,
  greeting,
  listRecipients,
  type Members,
  phoneOf,
  readRecipients,
} from "../../support/fixtures/batch_calls.ts";
import { protect } from "../../support/fixtures/protected_tenant.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

const seeds = Array.from({ length: 48 }, (_, seed) => seed);
const zones = [
  ...["America/Sao_Paulo", "America/New_York", "Europe/Berlin"],
  ...["Asia/Kolkata", "Pacific/Auckland", "UTC"],
] as const;

const pick = <Item>(random: SeededRandom, items: readonly Item[]): Item =>
  items[Math.floor(random.between(0, items.length))] as Item;
const whole = (random: SeededRandom, from: number, below: number): number =>
  Math.floor(random.between(from, below));
const daysAhead = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** A tenant with a random calendar and, half of the time, random limits. */
async function createRandomTenant(
  stack: MessagingStack,
  random: SeededRandom,
  isProtected: boolean,
): Promise<Tenant> {
  const start = whole(random, 0, 12);
  const tenant = await stack.createTenant({
    timeZone: pick(random, zones),
    window: {
      start: `${String(start).padStart(2, "0")}:${pick(random, ["00", "30"])}`,
      end: pick(random, [`${start + 2}:15`, `${start + 9}:00`, "24:00"]).padStart(5, "0"),
      days: pick(random, [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6, 7], [2, 6], [7, 1, 3]]),
    },
    holidays: [2, 3, 9].map((days) => daysAhead(days).slice(0, 10)),
  });
  if (!isProtected) return tenant;
  await protect(stack.admin, tenant.instanceId, {
    ...pick(random, [{}, { dailyLimit: whole(random, 3, 12) }]),
    ...pick(random, [{}, { newContactsPerDay: whole(random, 1, 6) }]),
    ...pick(random, [{}, { jitterSeconds: whole(random, 1, 90) }]),
    ...pick(random, [{}, {
      warmUp: { startPerDay: whole(random, 2, 5), rampDays: 4, startedAt: daysAhead(0) },
    }]),
  });
  return tenant;
}

/** People of the list whom something is known of: blocked, opted out, or written to before. */
async function createRandomPeople(sql: Sql, tenant: Tenant, random: SeededRandom): Promise<void> {
  for (let index = 0; index < 30; index++) {
    const kind = pick(random, ["none", "none", "known", "blocked", "denied"]);
    if (kind === "none") continue;
    await sql`
      insert into messaging.contacts (
        instance_id, phone, identity_key, origin, is_blocked, consent_marketing, last_inbound_at
      ) values (
        ${tenant.instanceId}, ${phoneOf(index)}, ${phoneOf(index)}, 'api', ${kind === "blocked"},
        ${kind === "denied" ? "denied" : "unknown"},
        ${kind === "known" ? new Date(Date.now() - 3_600_000) : null}
      ) on conflict on constraint contacts_identity do update
      set is_blocked = excluded.is_blocked, consent_marketing = excluded.consent_marketing,
        last_inbound_at = excluded.last_inbound_at`;
  }
}

/** A list with people twice, in two spellings, and with entries that cannot be filled. */
function createRandomList(random: SeededRandom): Members[] {
  return listRecipients(30).flatMap((recipient): Members[] => {
    const kind = whole(random, 0, 12);
    if (kind === 0) {
      return [recipient, { ...recipient, phone: String(recipient["phone"]).replace("9", "") }];
    }
    if (kind === 1) return [{ ...recipient, variables: {} }];
    if (kind === 2) return [{ ...recipient, phone: "12" }];
    return [recipient];
  });
}

/** What a dry run says of each recipient, in the form in which the started batch is read. */
const told = ({ items }: Json): Json =>
  items.map(({ index, reason, scheduledFor }: Json) => ({ index, reason, scheduledFor }));

/** Enqueues the messages of all whom the dry run sends to, and reads the slots that they really get. */
async function enqueueAll(sql: Sql, batchId: string, items: Json): Promise<Json> {
  const slots: Json = [];
  for (const { index, outcome } of items) {
    if (outcome === "skip") continue;
    const [row] = await sql`
      select messaging.place_batch_message(i, b, ${index}::integer) as id
      from messaging.batches b join messaging.instances i on i.id = b.instance_id
      join messaging.batch_recipients r on r.batch_id = b.id and r.index = ${index}
      where b.id = ${batchId} and r.status = 'pending'`;
    const [message] = await sql`
      select m.scheduled_for as slot from messaging.batch_recipients r
      join messaging.messages m on m.id = r.message_id
      where r.batch_id = ${batchId} and r.index = ${index}`;
    assert(
      row !== undefined || index === items.find((item: Json) => item.outcome === "send").index,
    );
    slots.push([index, message?.["slot"].getTime()]);
  }
  return slots;
}

async function checkSeed(stack: MessagingStack, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const isProtected = seed % 2 === 0;
  const tenant = await createRandomTenant(stack, random, isProtected);
  // Slots behind a startAt, or behind a queue that reaches far, do not depend on the instant of the call.
  const hasStart = isProtected || random.between(0, 1) < 0.5;
  for (let number = whole(random, hasStart ? 0 : 1, 6); number > 0; number--) {
    const intervalSeconds = whole(random, 10, 100);
    const seconds = whole(random, 40_000, 86_400);
    await delayNextSlot(stack.admin, tenant.instanceId, seconds, intervalSeconds);
    await enqueueText(stack.admin, tenant.instanceId, {
      phone: pick(random, ["5511900000000", phoneOf(whole(random, 0, 30))]),
      intervalSeconds,
    });
  }
  await createRandomPeople(stack.admin, tenant, random);
  const hasNeighbour = seed % 5 === 1;
  if (hasNeighbour) {
    const neighbour = await createBatch(stack, tenant, {
      recipients: listRecipients(7, 100),
      intervalSeconds: 40,
      ...(hasStart ? { startAt: daysAhead(1.01) } : {}),
    });
    await changeBatch(stack, tenant, neighbour, "start");
  }
  const body = {
    message: greeting,
    validation: "permissive",
    purpose: pick(random, ["marketing", "service"]),
    intervalSeconds: whole(random, 10, 3_600),
    recipients: createRandomList(random),
    ...(hasStart ? { startAt: daysAhead(random.between(1.1, 5)) } : {}),
    ...(random.between(0, 1) < 0.3 ? { expiresAt: daysAhead(random.between(5.1, 7)) } : {}),
  };

  const before = await countStoredRows(stack.admin);
  const asked = await callBatches(stack, tenant, "POST", "/batches", { ...body, dryRun: true });
  assertEquals(asked.status, 200, JSON.stringify(asked.body));
  assertEquals(
    await countStoredRows(stack.admin),
    before,
    `seed ${seed}: the dry run stored something`,
  );
  const batchId = await createBatch(stack, tenant, body);
  const dry = await callBatches(stack, tenant, "POST", `/batches/${batchId}/dry-run`);
  assertEquals(told(dry.body), told(asked.body), `seed ${seed}: draft and creating call`);
  const sent = dry.body.items.filter(({ outcome }: Json) => outcome === "send");
  assertEquals(dry.body.summary.send, sent.length);
  const slots = sent.map(({ scheduledFor }: Json) => Date.parse(scheduledFor));
  // Known contacts pass those for whom a day has no place.
  const last = dry.body.summary.lastScheduledFor;
  assertEquals(last === null ? -Infinity : Date.parse(last), Math.max(...slots));

  await changeBatch(stack, tenant, batchId, "start");
  const items = await readRecipients(stack, tenant, batchId, { limit: "1000" });
  assertEquals(told({ items }), told(dry.body), `seed ${seed}: dry run and start`);
  if (hasNeighbour) return;
  assertEquals(
    await enqueueAll(stack.admin, batchId, dry.body.items),
    sent.map(({ index, scheduledFor }: Json) => [index, Date.parse(scheduledFor)]),
    `seed ${seed}: dry run and enqueue`,
  );
}

Deno.test("a dry run's slots and reasons are what the start right after gives, to the millisecond", async () => {
  await using stack = await startMessagingStack();
  for (const seed of seeds) await checkSeed(stack, seed);
});

Deno.test("a dry run of a part goes on where the part before ended", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const batchId = await createBatch(stack, tenant, {
    recipients: listRecipients(7),
    startAt: daysAhead(1),
  });
  const ask = (body: Members) =>
    callBatches(stack, tenant, "POST", `/batches/${batchId}/dry-run`, body);
  const { body: whole } = await ask({});
  const [first, second] = [await ask({ limit: 4 }), await ask({ fromIndex: 4, limit: 4 })];
  assertEquals([first.body.nextIndex, second.body.nextIndex, whole.nextIndex], [4, null, null]);
  assertEquals([...first.body.items, ...second.body.items], whole.items);
  assertEquals([first.body.summary.send, second.body.summary.send], [4, 3]);
  const tooMany = await ask({ limit: 10_001 });
  assertEquals([tooMany.status, tooMany.body.issues[0].path], [400, "limit"]);
});

Deno.test("a dry run says why each kind of recipient gets nothing, however strict the call is", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const insert = async (index: number, columns: Members): Promise<void> => {
    await stack.admin`
      insert into messaging.contacts ${
      stack.admin({
        instance_id: tenant.instanceId,
        phone: phoneOf(index),
        identity_key: phoneOf(index),
        origin: "api",
        ...columns,
      } as Record<string, string>)
    }`;
  };
  await insert(1, { is_blocked: true });
  await insert(2, { consent_marketing: "denied" });
  await insert(3, { last_inbound_at: new Date(Date.now() - 25 * 3_600_000) });
  const [good = {}, ...others] = listRecipients(4);
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    message: greeting,
    purpose: "marketing",
    dryRun: true,
    intervalSeconds: 3_600,
    expiresAt: new Date(Date.now() + 5_400_000).toISOString(),
    recipients: [
      ...[good, good, ...others],
      ...[{ phone: "12" }, { phone: phoneOf(8) }, ...listRecipients(2, 20)],
    ],
  });
  assertEquals([status, body.success], [200, true]);
  assertEquals(body.items.map(({ reason }: Json) => reason), [
    ...[null, "duplicate_contact", "blocked", "opted_out", "window_closed"],
    ...["invalid_phone", "missing_variables", null, "expires_before_slot"],
  ]);
  assertEquals(body.summary.skip, {
    duplicate_contact: 1,
    blocked: 1,
    opted_out: 1,
    window_closed: 1,
    invalid_phone: 1,
    missing_variables: 1,
    expires_before_slot: 1,
  });
  const gateway = await stack.createTenant();
  const hidden = await callBatches(stack, gateway, "POST", "/batches", {
    message: { messageType: "text", message: "Oi" },
    dryRun: true,
    recipients: [{ userId: "BR.1234567890" }],
  });
  assertEquals(hidden.body.items[0].reason, "recipient_needs_phone");
});
