/** Which deliveries a worker is given, and what the outcomes of its calls make of them and of their endpoints. */

import type { Sql } from "postgres";
import { assert, assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

type Json = Readonly<Record<string, unknown>>;

interface Claim {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly endpointId: string;
}

interface World extends AsyncDisposable {
  readonly sql: Sql;
  readonly instanceId: string;
  addEndpoint(): Promise<string>;
  record(count: number): Promise<void>;
  claim(changes?: Json): Promise<readonly Claim[]>;
  /** Settles a claim with this answer, with no answer, or by these members. @returns how many are settled. */
  settle(...outcomes: readonly (readonly [Claim | undefined, number | Json])[]): Promise<number>;
  /** The deliveries in the order of their events. */
  // deno-lint-ignore no-explicit-any -- rows of the table
  deliveries(): Promise<readonly any[]>;
  // deno-lint-ignore no-explicit-any -- a row of the table
  endpoint(id: string): Promise<any>;
}

async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  const { admin: sql } = database;
  const { instanceId } = await createTenant(sql);
  return {
    ...{ sql, instanceId },
    addEndpoint: async () => {
      const [row] = await sql`
        insert into messaging.event_endpoints (id, instance_id, url, sealed_secret, told_through)
        select gen_random_uuid(), ${instanceId}, 'https://receiver.example.com', 'v1.old.x',
          messaging.last_event(${instanceId}::uuid)
        returning id`;
      return row?.["id"];
    },
    record: async (count) => {
      await sql`
        insert into messaging.events (instance_id, type, data)
        select ${instanceId}, 'agent.paused', '{}' from generate_series(1, ${count})`;
    },
    claim: async (changes = {}) => {
      const { deliveries } = await callFunction<{ deliveries: Claim[] }>(
        sql,
        "claim_event_deliveries",
        {
          ...{ maxDeliveries: 100, leaseSeconds: 3_600, perEndpoint: 10, perFailingEndpoint: 2 },
          ...{ places: {}, ...changes },
        },
      );
      return deliveries;
    },
    settle: async (...outcomes) => {
      const results = outcomes.map(([claim, outcome]) => ({
        ...{ deliveryId: claim?.deliveryId, claimToken: claim?.claimToken, error: null },
        ...{ durationMs: 5, answer: null, retryAfterMs: null },
        ...(typeof outcome === "number" ? { status: outcome } : outcome),
      }));
      const { settled } = await callFunction<{ settled: number }>(
        ...[sql, "settle_event_deliveries", { results }] as const,
      );
      return settled;
    },
    deliveries: async () => await sql`select * from messaging.event_deliveries order by sequence`,
    endpoint: async (id) =>
      (await sql`select * from messaging.event_endpoints where id = ${id}`)[0],
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

Deno.test("endpoints take turns, one that fails gets few, and one that is being called what it has room for", async () => {
  await using world = await createWorld();
  const [one, two] = [await world.addEndpoint(), await world.addEndpoint()];
  await world.record(10);
  const claim = async (changes: Json): Promise<number[]> => {
    const claims = await world.claim(changes);
    return [one, two].map((id) => claims.filter(({ endpointId }) => endpointId === id).length);
  };
  assertEquals(await claim({ perEndpoint: 4, maxDeliveries: 6 }), [3, 3]);
  assertEquals(await claim({ perEndpoint: 4, places: { [one]: 1 } }), [1, 4]);
  await world.sql`
    update messaging.event_endpoints set failing_since = now() where id = ${two}`;
  assertEquals(await claim({}), [6, 2]);
  assertEquals(await claim({}), [0, 1]);
});

Deno.test("an outcome without its claim changes nothing", async () => {
  await using world = await createWorld();
  await world.addEndpoint();
  await world.record(1);
  const [claim] = await world.claim();
  assert(claim !== undefined);
  const foreign = { ...claim, claimToken: crypto.randomUUID() };
  assertEquals(await world.settle([foreign, 500]), 0);
  assertEquals(await world.settle([foreign, 410]), 0);
  const [kept] = await world.deliveries();
  assertEquals([kept.status, kept.attempts, kept.claim_token], ["pending", [], claim.claimToken]);
  assertEquals((await world.endpoint(claim.endpointId)).is_active, true);
  assertEquals([await world.settle([claim, 200]), await world.settle([claim, 500])], [1, 0]);
  const [settled] = await world.deliveries();
  assertEquals([settled.status, settled.attempts.length], ["delivered", 1]);
});

Deno.test("an endpoint fails from the first failure after its last success on, whatever comes with a success", async () => {
  await using world = await createWorld();
  const id = await world.addEndpoint();
  const call = async (...statuses: readonly number[]): Promise<Date | null> => {
    await world.sql`delete from messaging.event_deliveries`;
    await world.record(statuses.length);
    const claims = await world.claim();
    assertEquals(claims.length, statuses.length);
    await world.settle(...statuses.map((status, place) => [claims[place], status] as const));
    return (await world.endpoint(id)).failing_since;
  };
  assertEquals(await call(500, 200), null);
  const since = await call(500, 503);
  assert(since !== null);
  assertEquals(await call(500), since);
  assertEquals(await call(404, 299), null);
  assert(await call(300) !== null);
});

Deno.test("of a delivery's attempts the last twenty are kept, each with its beginning, error and answer", async () => {
  await using world = await createWorld();
  await world.addEndpoint();
  await world.record(1);
  await world.sql`select messaging.fan_out_events(10)`;
  await world.sql`
    update messaging.event_deliveries
    set attempts = (select jsonb_agg(jsonb_build_object('status', n)) from generate_series(1, 19) n)`;
  const attempt = async (outcome: Json): Promise<Json[]> => {
    await world.sql`update messaging.event_deliveries set next_attempt_at = now()`;
    const [claim] = await world.claim();
    await world.settle([claim, outcome]);
    const [delivery] = await world.deliveries();
    return delivery.attempts;
  };
  const before = Date.now();
  const silent = { status: null, error: "timeout", answer: null, durationMs: 60_000 };
  const first = await attempt(silent);
  const { at, ...told } = first.at(-1) ?? {};
  assertEquals([first.length, first[0]?.["status"], told], [20, 1, silent]);
  // The clocks of the test and of Postgres are one machine's, and may differ by a moment.
  assert(Math.abs(Date.parse(String(at)) + 60_000 - before) < 30_000, String(at));
  const second = await attempt({ status: 500, answer: "out of order" });
  assertEquals([second.length, second[0]?.["status"], second.at(-1)?.["answer"]], [
    ...[20, 2, "out of order"],
  ]);
});

Deno.test("what is being sent while its endpoint is deactivated ends with its outcome, and disables nothing", async () => {
  await using world = await createWorld();
  const endpointId = await world.addEndpoint();
  await world.record(3);
  const [failing, fine, gone] = await world.claim();
  await callFunction(world.sql, "update_event_endpoint", {
    ...{ instanceId: world.instanceId, endpointId, changes: { isActive: false } },
  });
  assertEquals(await world.settle([failing, 500], [fine, 200], [gone, 410]), 3);
  assertEquals(
    (await world.deliveries()).map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    [["failed", null], ["delivered", null], ["failed", null]],
  );
  const { disabled_reason, disabled_at } = await world.endpoint(endpointId);
  assertEquals([disabled_reason, disabled_at !== null], [null, true]);
  const told = await world.sql`select from messaging.events where type = 'endpoint.disabled'`;
  assertEquals(told.length, 0);
});

Deno.test("an endpoint that is disabled is told with what an e-mail needs, to the instance's workspace", async () => {
  await using world = await createWorld();
  const endpointId = await world.addEndpoint();
  await world.sql`update messaging.event_endpoints set description = 'CRM'`;
  const [instance] = await world.sql`select name, workspace_id from messaging.instances`;
  await createTenant(world.sql);
  await world.sql`update messaging.workspaces set alert_email = 'ops@example.com'`;
  await world.record(1);
  const [claim] = await world.claim();
  await world.settle([claim, 410]);
  const emails = await world.sql`
    select workspace_id, payload from messaging.outbox where kind = 'endpoint_disabled_email'`;
  assertEquals(emails.map((email) => ({ ...email })), [{
    workspace_id: instance?.["workspace_id"],
    payload: {
      ...{ instanceId: world.instanceId, instanceName: instance?.["name"], endpointId },
      ...{ description: "CRM", url: "https://receiver.example.com", reason: "gone" },
      alertEmail: "ops@example.com",
    },
  }]);
  const { instanceId } = world;
  const again = await callFunction<Json>(world.sql, "update_event_endpoint", {
    ...{ instanceId, endpointId, changes: { isActive: true } },
  });
  assertEquals([again["disabledReason"], again["disabledAt"]], [null, null]);
});

Deno.test("a delivery whose event is gone fails, and cannot be sent again", async () => {
  await using world = await createWorld();
  await world.addEndpoint();
  await world.record(1);
  await world.sql`select messaging.fan_out_events(10)`;
  await world.sql`delete from messaging.events`;
  assertEquals(await world.claim(), []);
  const [delivery] = await world.deliveries();
  assertEquals([delivery.status, delivery.next_attempt_at], ["failed", null]);
  const [refusal] = await Promise.allSettled([
    callFunction(world.sql, "resend_event_delivery", {
      ...{ instanceId: world.instanceId, deliveryId: delivery.id, idempotency: null },
    }),
  ]);
  assertEquals((refusal as PromiseRejectedResult).reason?.code, "MI025");
});

Deno.test("a pending delivery that shall be sent again is due at once, at its place in the schedule, and not beside its call", async () => {
  await using world = await createWorld();
  await world.addEndpoint();
  await world.record(1);
  const resend = async (): Promise<void> => {
    const [{ id }] = await world.deliveries() as [{ id: string }];
    await callFunction(world.sql, "resend_event_delivery", {
      ...{ instanceId: world.instanceId, deliveryId: id, idempotency: null },
    });
  };
  const [first] = await world.claim();
  await resend();
  assertEquals(await world.claim(), [], "it is under way");
  assertEquals(await world.settle([first, { status: 500, retryAfterMs: 3_600_000 }]), 1);
  assertEquals(await world.claim(), []);
  await resend();
  const [second] = await world.claim();
  assertEquals(await world.settle([second, 500]), 1);
  const [delivery] = await world.deliveries();
  assertEquals([delivery.status, delivery.tries], ["pending", 2]);
});

Deno.test("secrets are sealed anew where they are as they were read, and a deleted endpoint has none", async () => {
  await using world = await createWorld();
  const [kept, deleted] = [await world.addEndpoint(), await world.addEndpoint()];
  await world.sql`
    update messaging.event_endpoints
    set sealed_previous_secret = 'v1.old.y', previous_secret_until = now() + interval '1 day'`;
  const { instanceId } = world;
  await callFunction(world.sql, "delete_event_endpoint", { instanceId, endpointId: deleted });
  const row = await world.endpoint(deleted);
  assertEquals(
    [row.sealed_secret, row.sealed_previous_secret, row.previous_secret_until],
    ["", null, null],
  );
  const list = (...keyIds: readonly string[]): Promise<Json> =>
    callFunction(world.sql, "list_endpoint_secrets_under_old_keys", { keyIds, limit: 10 });
  const item = {
    ...{ endpointId: kept, sealedSecret: "v1.old.x", sealedPreviousSecret: "v1.old.y" },
  };
  assertEquals(await list("new", "old"), { items: [item], total: 1, unreadable: [] });
  assertEquals(await list("new"), { items: [], total: 0, unreadable: [kept] });
  const replace = async (changes: Json = {}): Promise<unknown> => {
    const sealed = { sealedSecret: "v1.new.x", sealedPreviousSecret: "v1.new.y" };
    const former = { formerSecret: "v1.old.x", formerPreviousSecret: "v1.old.y" };
    const items = [{ endpointId: kept, ...sealed, ...former, ...changes }];
    return await callFunction(world.sql, "replace_endpoint_secrets", { items });
  };
  assertEquals(await replace({ formerSecret: "v1.old.z" }), { replaced: 0 });
  assertEquals(await replace({ formerPreviousSecret: null }), { replaced: 0 });
  assertEquals(await replace(), { replaced: 1 });
  assertEquals(await list("new", "old"), { items: [], total: 0, unreadable: [] });
});

Deno.test("deliveries go after 30 days, and those of a deleted endpoint at once, with it at last", async () => {
  await using world = await createWorld();
  const sweep = async (hours = 0): Promise<number> => {
    const [row] = await world.sql`
      select messaging.purge_event_deliveries(2, now() + make_interval(hours => ${hours})) as rows`;
    return row?.["rows"];
  };
  const endpointId = await world.addEndpoint();
  await world.record(3);
  await world.sql`select messaging.fan_out_events(10)`;
  await world.sql`
    update messaging.event_deliveries set created_at = now() - interval '29 days 23 hours'`;
  assertEquals([await sweep(), await sweep(2), await sweep(2)], [0, 2, 1]);
  assertEquals((await world.deliveries()).length, 0);

  await world.record(3);
  await world.sql`select messaging.fan_out_events(10)`;
  await callFunction(world.sql, "delete_event_endpoint", {
    ...{ instanceId: world.instanceId, endpointId },
  });
  assertEquals([await sweep(), (await world.endpoint(endpointId))?.id], [2, endpointId]);
  assertEquals([await sweep(), await world.endpoint(endpointId)], [1, undefined]);
});

Deno.test("an endpoint at another address, or active again, has not failed yet", async () => {
  await using world = await createWorld();
  const endpointId = await world.addEndpoint();
  const fails = async (changes: Json): Promise<boolean> => {
    await world.sql`update messaging.event_endpoints set failing_since = now()`;
    await callFunction(world.sql, "update_event_endpoint", {
      ...{ instanceId: world.instanceId, endpointId, changes },
    });
    return (await world.endpoint(endpointId)).failing_since !== null;
  };
  assertEquals(await fails({ url: "https://receiver.example.com" }), true);
  assertEquals(await fails({ description: "CRM", isActive: true }), true);
  assertEquals(await fails({ url: "https://other.example.com" }), false);
  assertEquals(await fails({ isActive: false }), true);
  assertEquals(await fails({ isActive: true }), false);
});
