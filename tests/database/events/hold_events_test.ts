/** What records instance.held. */

import type { Sql } from "postgres";
import { assertEquals } from "../../support/assert.ts";
import { callFunction, settleClaim } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { openSessions } from "../../support/database/sessions.ts";
import {
  createEventWorld,
  type EventWorld,
  immediate,
  phone,
  textCall,
} from "../../support/fixtures/event_world.ts";

type Json = Readonly<Record<string, unknown>>;

/** Further instances of the same workspace. */
async function createInstances(admin: Sql, count: number): Promise<void> {
  await admin`
    insert into messaging.instances (workspace_id, name, provider, sealed_provider_config, embed_key,
      connected_phone, connected_phone_key, time_zone)
    select workspace_id, name, provider, sealed_provider_config, 'emb_' || n, connected_phone,
      connected_phone_key, time_zone
    from (select * from messaging.instances limit 1) as i, generate_series(1, ${count}) as n`;
  await admin`
    insert into messaging.pacing (instance_id) select id from messaging.instances on conflict do nothing`;
  await admin`
    insert into messaging.dispatch (instance_id) select id from messaging.instances on conflict do nothing`;
}

const until = "2099-01-02T12:00:00.000-03:00";

Deno.test("an operator's hold tells instance.held with its end and reason, and again when they change", async () => {
  await using world = await createEventWorld();
  const hold = async (end: string | null, reason: string | null): Promise<unknown> => {
    await world.call("hold_queue", { until: end, reason });
    return (await world.news()).map(({ type, data }) => [type, data]);
  };
  const held = (heldUntil: string | null, reason: string | null): unknown => [
    ["instance.held", {
      ...{ heldUntil, reason, holdReason: reason, heldBy: "operator_hold", holdCode: null },
    }],
  ];
  assertEquals(await hold(until, "manutenção"), held(until, "manutenção"));
  assertEquals(await hold(until, "manutenção"), [], "the same hold again");
  assertEquals(await hold(until, null), held(until, null));
  assertEquals(await hold(null, null), held(null, null));
  await world.call("release_queue", {});
  assertEquals(await world.news(), [], "a release");
  assertEquals(await hold(until, null), held(until, null), "after a release");
});

Deno.test("holding every instance tells each of them, however many there are", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await createInstances(admin, 10_000);
  await world.call("hold_queue", { instanceId: null, until, reason: "r" });
  const [told] = await admin`
    select count(distinct instance_id)::int as instances, count(*)::int as events
    from messaging.events where type = 'instance.held'`;
  assertEquals(told, { instances: 10_001, events: 10_001 });
});

Deno.test("while every instance is being held, a reader waits for it rather than pass over it", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await createInstances(admin, 101);
  const read = async (): Promise<readonly string[]> => {
    const { items } = await world.call("read_events", { after: "oldest", types: null, limit: 10 });
    return items.map(({ type }: { type: string }) => type);
  };
  const { one } = await openSessions(world.database);
  await one.unsafe("begin");
  await callFunction(one, "hold_queue", {
    instanceId: null,
    until,
    reason: null,
    idempotency: null,
  });
  await world.call("note_conversation", { phone, note: "n" });
  assertEquals(await read(), []);
  await one.unsafe("commit");
  assertEquals(await read(), ["instance.held", "contact.created"]);
});

/** An immediate send that the provider refuses. @returns what was told of the instance. */
async function refuse(
  world: EventWorld,
  refusal: Json,
): Promise<readonly unknown[]> {
  const claim = await world.call("accept_message", textCall());
  await settleClaim(world.database.sql, claim, {
    ...{ outcome: "rejected", retryable: false, error: { code: "190", message: "expired" } },
    ...refusal,
  });
  return (await world.news())
    .filter(({ type }) => type === "instance.held")
    .map(({ data }) => {
      const { heldUntil, ...others } = data;
      return [Math.ceil((Date.parse(heldUntil) - Date.now()) / 10_000) * 10, others];
    });
}

Deno.test("a provider that refuses the whole instance tells instance.held when a hold begins or grows", async () => {
  await using world = await createEventWorld();
  const refused = { scope: "instance" };
  const reason = "provider_refused";
  const hold = { reason, heldBy: "instance_held", holdReason: reason, holdCode: "190" };
  assertEquals(await refuse(world, { scope: "message" }), []);
  assertEquals(await refuse(world, refused), [[10, hold]]);
  assertEquals(await refuse(world, refused), [], "held already, for as long");
  await letTimePass(world.database.admin, 11);
  assertEquals(await refuse(world, refused), [[300, hold]], "again within ten minutes");
  const rateLimit = { scope: "instance", retryable: true, retryAfterMs: 600_000 };
  assertEquals(await refuse(world, rateLimit), [[600, hold]], "for longer");
});

Deno.test("a refusal during an operator's longer hold tells nothing: the instance is held as before", async () => {
  await using world = await createEventWorld();
  await world.call("hold_queue", { until: null, reason: null });
  await world.news();
  assertEquals(await refuse(world, { scope: "instance" }), []);
});

Deno.test("a refusal of credentials that have been replaced holds and tells nothing", async () => {
  await using world = await createEventWorld();
  const sealedProviderConfig = "v1.former";
  assertEquals(await refuse(world, { scope: "instance", sealedProviderConfig }), []);
});

Deno.test("the alert address is told of a hold every ten minutes at most, and not of one that is over in a minute", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
  const busyFor = (seconds: number): Json => ({
    ...{ scope: "instance", retryable: true, retryAfterMs: seconds * 1_000 },
  });
  const tell = async (refusal: Json): Promise<number> => {
    await refuse(world, refusal);
    return (await admin`
      select from messaging.outbox where kind = 'instance_held_email'`).length;
  };
  assertEquals(await tell(busyFor(50)), 0);
  assertEquals(await tell(busyFor(70)), 1);
  await letTimePass(admin, 580);
  assertEquals(await tell(busyFor(70)), 1);
  await letTimePass(admin, 21);
  assertEquals(await tell(busyFor(70)), 2);
  await letTimePass(admin, 601);
  assertEquals(await tell({ scope: "instance" }), 3, "a short one that comes again");
});

Deno.test("a hold that begins soon after the e-mail of another one has its own", async () => {
  await using world = await createEventWorld();
  const { admin } = world.database;
  await admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
  await refuse(world, { scope: "instance" });
  await admin`update messaging.dispatch set paired_phone = '5521977776666'`;
  for (let look = 0; look < 2; look++) {
    await admin`
      select messaging.hold_wrong_phone(i, clock_timestamp()) from messaging.instances i`;
  }
  const emails = await admin`
    select payload->>'heldBy' as "heldBy" from messaging.outbox
    where kind = 'instance_held_email' order by created_at, id`;
  assertEquals(emails.map(({ heldBy }) => heldBy), ["instance_held", "wrong_phone"]);
});

Deno.test("an e-mail of a hold tells how much waits for its end, without what is on its way", async () => {
  await using world = await createEventWorld();
  const { admin, sql } = world.database;
  await admin`update messaging.workspaces set alert_email = 'alerta@example.com'`;
  const queued = { ...immediate, queued: true };
  for (let count = 0; count < 3; count++) {
    await world.call("accept_message", textCall({ delivery: queued }));
  }
  const { messages } = await callFunction<{ messages: unknown[] }>(sql, "claim_due_messages", {
    ...{ maxMessages: 1, leaseSeconds: 30 },
  });
  assertEquals(messages.length, 1);
  await refuse(world, { scope: "instance" });
  const [email] = await admin`
    select payload from messaging.outbox where kind = 'instance_held_email'`;
  assertEquals(email?.["payload"].waiting, 2);
});
