import type { Sql } from "postgres";
import { assert, assertEquals, assertGreater } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  callFunction,
  type Claimed,
  claimMessages,
  enqueueText,
  settleClaim,
} from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const instanceCount = 20;
/** Bursts end, so that later calls cannot hide an instance that a burst has stalled. */
const burstCount = 20;
/** A slow machine does less in a burst. */
const mostBursts = 2_000;
const burstMs = 60;

Deno.test("concurrent enqueues, claims, settles, cancels and retries deadlock nowhere, send everything once and leave nothing stalled", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const instances = await Promise.all(
    Array.from({ length: instanceCount }, async () => (await createTenant(admin)).instanceId),
  );
  const world = new World(database.connect({ max: 20 }), instances);
  const isEnough = (): boolean => world.accepted.size > 100 && world.canceled.size > 5;
  for (let burst = 0; burst < burstCount || !isEnough() && burst < mostBursts; burst++) {
    const deadline = performance.now() + burstMs;
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (performance.now() < deadline) await work();
    };
    await Promise.all([
      ...Array.from({ length: 8 }, () => repeat(() => world.enqueue())),
      ...Array.from({ length: 6 }, () => repeat(() => world.dispatch(4))),
      ...Array.from({ length: 2 }, () => repeat(() => world.cancel())),
      repeat(() => world.retry()),
      repeat(() => world.keepUp()),
    ]);
    // Not stalled is what is due by now: a claim that finds a head locked makes its instance due at the claim's
    // instant, which is later than the head's slot (see postpone_dispatch).
    const stalled = await admin`
      select d.instance_id, d.next_due_at, head.scheduled_at
      from messaging.dispatch d
      cross join lateral messaging.head_of_queue(d.instance_id, '-infinity') as head
      where d.in_flight is not null
        or d.next_due_at > greatest(
          messaging.next_due_at(d, head.scheduled_at, head.interval_seconds, head.follows_pace),
          clock_timestamp()
        )`;
    assertEquals(stalled.map((row) => ({ ...row })), [], `after burst ${burst}`);
    const unseen = await admin`
      select q.message_id, q.scheduled_at, d.queue_from
      from messaging.message_queue q
      join messaging.dispatch d on d.instance_id = q.instance_id
      where q.lane = 'paced' and q.claim_token is null and q.scheduled_at < d.queue_from`;
    assertEquals(unseen.map((row) => ({ ...row })), [], `after burst ${burst}`);
  }
  assertGreater(world.accepted.size, 100);
  assertGreater(world.canceled.size, 5);

  for (let round = 0; round < 12; round++) {
    await letTimePass(admin, 1_000);
    while (await world.dispatch(100, false) > 0);
  }
  const left = await admin`
    select m.status, count(*)::int from messaging.message_queue q
    join messaging.messages m on m.id = q.message_id group by m.status`;
  assertEquals(left.map((row) => ({ ...row })), []);
  const dispatch = await admin`
    select 1 from messaging.dispatch where in_flight is not null or next_due_at <> 'infinity'`;
  assertEquals(dispatch.length, 0);
  const states = await admin<
    { id: string; status: string }[]
  >`select id, status from messaging.messages`;
  for (const { id, status } of states) {
    const expected = world.canceled.has(id)
      ? "canceled"
      : world.acceptedTimes(id) > 0
      ? "sent"
      : null;
    assert(expected === null ? status === "failed" : status === expected, `${id} is ${status}`);
    assert(world.acceptedTimes(id) <= 1, `${id} was sent ${world.acceptedTimes(id)} times`);
    assert(!(world.canceled.has(id) && world.acceptedTimes(id) > 0), `${id} was canceled and sent`);
  }
});

/** Random operations of the product on the queue, with their results. */
class World {
  readonly accepted = new Map<string, number>();
  readonly canceled = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #known: { instanceId: string; messageId: string }[] = [];
  readonly #failed: { instanceId: string; messageId: string }[] = [];

  constructor(private readonly sql: Sql, private readonly instances: readonly string[]) {}

  acceptedTimes(messageId: string): number {
    return this.accepted.get(messageId) ?? 0;
  }

  async enqueue(): Promise<void> {
    const instanceId = pick(this.instances) ?? "";
    // Without an interval the claims collide as often as possible.
    const { messageId } = await enqueueText(this.sql, instanceId, {
      intervalSeconds: 0,
      phone: `55119${Math.floor(10_000_000 + Math.random() * 50)}`,
    });
    this.#known.push({ instanceId, messageId });
    if (this.#known.length > 40) this.#known.shift();
  }

  async dispatch(maxMessages: number, fails = true): Promise<number> {
    const claims = await claimMessages(this.sql, maxMessages);
    for (const claim of claims) {
      assert(!this.#inFlight.has(claim.instanceId), "two in flight on one instance");
      this.#inFlight.add(claim.instanceId);
    }
    await Promise.all(claims.map((claim) => this.#settle(claim, fails)));
    return claims.length;
  }

  async #settle(claim: Claimed, fails: boolean): Promise<void> {
    const dice = fails ? Math.random() : 1;
    const error = { code: "e", message: "m" };
    this.#inFlight.delete(claim.instanceId);
    if (dice < 0.05) {
      const refusal = { outcome: "rejected", error, retryable: true, scope: "message" };
      assertEquals(await settleClaim(this.sql, claim, refusal), [claim.messageId]);
    } else if (dice < 0.1) {
      const refusal = { outcome: "rejected", error, retryable: false, scope: "message" };
      assertEquals(await settleClaim(this.sql, claim, refusal), [claim.messageId]);
      this.#failed.push(claim);
    } else {
      assertEquals(await settleClaim(this.sql, claim), [claim.messageId]);
      this.accepted.set(claim.messageId, this.acceptedTimes(claim.messageId) + 1);
    }
  }

  async cancel(): Promise<void> {
    const message = pick(this.#known);
    if (message === undefined) return await pause();
    const canceled = await this.#attempt("cancel_message", message, "MI011");
    if (canceled) this.canceled.add(message.messageId);
    await pause();
  }

  async retry(): Promise<void> {
    const message = this.#failed.shift();
    if (message === undefined) return await pause();
    await this.#attempt("retry_message", message, "MI012");
  }

  async keepUp(): Promise<void> {
    await callFunction(this.sql, "expire_claims", { maxMessages: 500 });
    await callFunction(this.sql, "retry_unconfirmed", { maxMessages: 500 });
    await pause();
  }

  async #attempt(
    name: string,
    { instanceId, messageId }: { instanceId: string; messageId: string },
    refusal: string,
  ): Promise<boolean> {
    try {
      await callFunction(this.sql, name, { instanceId, messageId });
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === refusal) return false;
      throw error;
    }
  }
}

function pick<T>(list: readonly T[]): T | undefined {
  return list[Math.floor(Math.random() * list.length)];
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
