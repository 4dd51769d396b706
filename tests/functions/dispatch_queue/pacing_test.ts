import {
  assert,
  assertEquals,
  assertGreaterOrEqual,
  assertLessOrEqual,
} from "../../support/assert.ts";
import { dispatchDueMessages } from "../../../shared/messages/dispatch.ts";
import { acceptMessage } from "../../support/doubles/http_double.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { alwaysOpen, createAgent, type Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { delayNextSlot } from "../../support/fixtures/queue_slots.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };

Deno.test("a backlog leaves one message per interval, in order, never two in flight", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await queue(stack, tenant, ["1", "2", "3", "4"], { startsInSeconds: 60, intervalSeconds: 600 });
  await letTimePass(stack.admin, 3_600);
  let inFlight = 0;
  stack.provider.answer = async (request) => {
    inFlight += 1;
    assertEquals(inFlight, 1, "two in flight");
    await new Promise((resolve) => setTimeout(resolve, 30));
    inFlight -= 1;
    return acceptMessage(request);
  };
  assertEquals(await sentTexts(stack), ["1"]);
  // A minute is left for a slow machine.
  await letTimePass(stack.admin, 540);
  assertEquals(await sentTexts(stack), ["1"], "the interval is kept after an outage");
  for (const expected of [["1", "2"], ["1", "2", "3"], ["1", "2", "3", "4"]]) {
    // An interval counts from the call or from a little later, as far as the claim took.
    await letTimePass(stack.admin, 660);
    assertEquals(await sentTexts(stack), expected);
  }
});

Deno.test("in a backlog a message keeps its own interval, whatever is queued behind it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await queue(stack, tenant, ["1"], { startsInSeconds: 60, intervalSeconds: 10 });
  await queue(stack, tenant, ["2"], { intervalSeconds: 3_600 });
  await letTimePass(stack.admin, 10_000);
  assertEquals(await sentTexts(stack), ["1"]);
  await queue(stack, tenant, ["3"], { intervalSeconds: 10 });
  await letTimePass(stack.admin, 15);
  assertEquals(await sentTexts(stack), ["1"], "2 waits an hour after 1");
  await letTimePass(stack.admin, 3_600);
  assertEquals(await sentTexts(stack), ["1", "2"]);
  // An interval counts from the call or from a little later, as far as the claim took.
  await letTimePass(stack.admin, 20);
  assertEquals(await sentTexts(stack), ["1", "2", "3"]);
});

Deno.test("what is overdue when the window has closed waits until it opens", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await queue(stack, tenant, ["1", "2"], { startsInSeconds: 60 });
  // The day after the day after tomorrow, as it is when the window closes: midnight may pass meanwhile.
  const [opening] = await stack.admin<{ at: Date }[]>`
    update messaging.instances set window_start = '00:00', window_end = '00:00:01',
      window_days = array[extract(isodow from (now() at time zone time_zone)::date + 3)::int]
    returning ((now() at time zone time_zone)::date + 3)::timestamp at time zone time_zone as at`;
  await letTimePass(stack.admin, 600);
  assertEquals(await sentTexts(stack), []);
  const [dispatch] = await stack.admin<{ at: Date }[]>`
    select next_due_at as at from messaging.dispatch`;
  assertEquals(dispatch?.at, opening?.at);
  await stack.admin`
    update messaging.instances set window_end = '24:00', window_days = ${[...alwaysOpen.days]}`;
  await letTimePass(stack.admin, 72 * 3_600);
  assertEquals(await sentTexts(stack), ["1"], "opened, still one per interval");
});

Deno.test("an interval counts from the call of the provider, however long after the claim that is", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await queue(stack, tenant, ["1", "2"], { startsInSeconds: 60, intervalSeconds: 10 });
  await letTimePass(stack.admin, 120);
  let readyAtMs = 0;
  // As on a machine that has no time for the message. When the call arrives is left to the machine.
  const openProvider: typeof stack.services.openProvider = async (instance) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    const provider = await stack.services.openProvider(instance);
    readyAtMs = Date.now();
    return provider;
  };
  await dispatchDueMessages({ ...stack.services, openProvider }, 1);
  const [dispatch] = await stack.admin<{ dueAt: Date }[]>`
    select next_due_at as "dueAt" from messaging.dispatch`;
  // A machine that pauses between the claim and the call makes it later, never sooner. Two clocks may
  // round by a few milliseconds.
  assertGreaterOrEqual((dispatch?.dueAt.getTime() ?? 0) - readyAtMs, 10_000 - 20);
});

Deno.test("pace counts from when a message leaves, which is after its typing", async () => {
  await using stack = await startMessagingStack();
  const typing = { zapi: 15, evolution: 20, whatsapp_cloud: 0 };
  for (const [provider, seconds] of Object.entries(typing)) {
    const tenant = await stack.createTenant({ provider: provider as keyof typeof typing });
    await queue(stack, tenant, ["1"], {
      ...{ startsInSeconds: 60, intervalSeconds: 10, delayTyping: 40_000 },
    });
    await queue(stack, tenant, ["2"], { intervalSeconds: 10 });
    await letTimePass(stack.admin, 600);
    const [before] = await stack.admin<{ now: Date }[]>`select clock_timestamp() as now`;
    await stack.database.rpc("claim_due_messages", { maxMessages: 10, leaseSeconds: 30 });
    const [dispatch] = await stack.admin`
      select extract(epoch from paced_from - ${before?.now ?? null}) as longest,
        extract(epoch from paced_from - clock_timestamp()) as shortest
      from messaging.dispatch where instance_id = ${tenant.instanceId}`;
    // Measured from before the claim the pause is long enough; measured from after it, not too long.
    assertGreaterOrEqual(Number(dispatch?.["longest"]), seconds, provider);
    assertLessOrEqual(Number(dispatch?.["shortest"]), seconds, provider);
  }
});

Deno.test("typing that a message type does not show holds nothing up, and none begins before the window", async () => {
  await using stack = await startMessagingStack();
  const image = { messageType: "image", mediaUrl: "https://files.example.com/a.jpg" };
  const cases = [
    { provider: "zapi", content: image, typingMs: 0 },
    { provider: "zapi", content: {}, typingMs: 15_000 },
    { provider: "evolution", content: image, typingMs: 20_000 },
  ] as const;
  for (const { provider, content, typingMs } of cases) {
    const tenant = await stack.createTenant({ provider });
    const { message: _, ...target } = text;
    const { body } = await stack.send(tenant, {
      ...{ ...("mediaUrl" in content ? target : text), ...content },
      ...{ queued: true, delayMessage: 60, delayTyping: 40_000 },
    });
    const [row] = await stack.admin`
      select delay_typing_ms from messaging.messages where id = ${body.messageId}`;
    assertEquals(row?.["delay_typing_ms"], typingMs);
    await stack.messages(tenant, "DELETE", `/messages/${body.messageId}`);
  }
  const tenant = await stack.createTenant({ provider: "evolution" });
  await queue(stack, tenant, ["1"], { startsInSeconds: 60, delayTyping: 20_000 });
  await letTimePass(stack.admin, 60);
  // The window opens in ten minutes, in a time zone where midnight is not near.
  await stack.admin`
    update messaging.instances set time_zone = case
        when (now() at time zone 'UTC')::time < '12:00' then 'Etc/GMT-6' else 'Etc/GMT+6'
      end where id = ${tenant.instanceId}`;
  await stack.admin`
    update messaging.instances set window_end = '23:59',
      window_start = (now() at time zone time_zone)::time + interval '10 minutes'
    where id = ${tenant.instanceId}`;
  await stack.admin`update messaging.dispatch set next_due_at = now()`;
  assertEquals(await sentTexts(stack), []);
  const [dispatch] = await stack.admin`
    select next_due_at = (
      (now() at time zone time_zone)::date + window_start
    ) at time zone time_zone as is_opening
    from messaging.dispatch join messaging.instances on id = instance_id
    where instance_id = ${tenant.instanceId}`;
  assertEquals(dispatch?.["is_opening"], true);
});

Deno.test("a message whose typing would outlast the window waits until that opens", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ provider: "evolution" });
  await queue(stack, tenant, ["1"], { startsInSeconds: 60, delayTyping: 20_000 });
  await letTimePass(stack.admin, 60);
  // The window closes in ten seconds, in a time zone where midnight is not near.
  await stack.admin`
    update messaging.instances set time_zone = case
        when (now() at time zone 'UTC')::time < '12:00' then 'Etc/GMT-6' else 'Etc/GMT+6'
      end`;
  await stack.admin`
    update messaging.instances set window_start = '00:00',
      window_end = (now() at time zone time_zone)::time + interval '10 seconds'`;
  assertEquals(await sentTexts(stack), []);
  const [dispatch] = await stack.admin`
    select next_due_at = (
      ((now() at time zone time_zone)::date + 1)::timestamp at time zone time_zone
    ) as is_next_day
    from messaging.dispatch join messaging.instances on id = instance_id`;
  assertEquals(dispatch?.["is_next_day"], true);
});

Deno.test("a window that never opens holds its own instance alone", async () => {
  await using stack = await startMessagingStack();
  const [stuck, free] = [await stack.createTenant(), await stack.createTenant()];
  await queue(stack, stuck, ["stuck"], { startsInSeconds: 60 });
  await queue(stack, free, ["free"], { startsInSeconds: 60 });
  await stack.admin`
    insert into messaging.holidays (instance_id, day)
    select ${stuck.instanceId}, current_date + ahead from generate_series(-3, 1200) ahead`;
  await letTimePass(stack.admin, 120);
  assertEquals(await sentTexts(stack), ["free"]);
});

Deno.test("scheduled messages go when due, unpaced, outside the window too, several at once", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant({ window: { start: "00:00", end: "00:01", days: [7] } });
  for (const message of ["1", "2", "3"]) {
    const answer = await stack.send(tenant, { ...text, message, delayMessage: 120 });
    assertEquals([answer.body.mode, answer.body.heldBy, answer.body.status], [
      "scheduled",
      "delay",
      "queued",
    ]);
  }
  assertEquals(await sentTexts(stack), []);
  await letTimePass(stack.admin, 121);
  assertEquals((await sentTexts(stack)).sort(), ["1", "2", "3"]);
});

Deno.test("a contact blocked while a message waits does not get it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [paced] = await queue(stack, tenant, ["1"], { startsInSeconds: 60 });
  const unpaced = await stack.send(tenant, { ...text, delayMessage: 60 });
  await stack.admin`update messaging.contacts set is_blocked = true`;
  await letTimePass(stack.admin, 61);
  assertEquals(await sentTexts(stack), []);
  for (const messageId of [paced, unpaced.body.messageId]) {
    const state = await stack.messages(tenant, "GET", `/messages/${messageId}`);
    assertEquals([state.body.status, state.body.lastError.code], ["failed", "contact_blocked"]);
  }
});

Deno.test("a queued message goes to the address proven while it waited", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await queue(stack, tenant, ["1"], { startsInSeconds: 60 });
  await stack.admin`
    insert into messaging.contact_addresses (instance_id, address, contact_id)
    select instance_id, '551187654321', id from messaging.contacts`;
  await letTimePass(stack.admin, 61);
  await stack.dispatch();
  assertEquals(stack.provider.requests[0]?.json["phone"], "551187654321");
});

Deno.test("the agent is paused again when a queued or scheduled message really leaves, unless it is the agent's own", async () => {
  await using stack = await startMessagingStack();
  for (
    const [delivery, sentBy, isPaused] of [
      [{ queued: true }, "api", true],
      [{}, undefined, true],
      [{ queued: true }, "ai_agent", false],
    ] as const
  ) {
    const tenant = await stack.createTenant();
    await createAgent(stack.admin, tenant.instanceId);
    await stack.send(tenant, { ...text, ...delivery, delayMessage: 3_600, sentBy });
    await letTimePass(stack.admin, 3_601);
    const rows = await stack.admin`
      select 1 from messaging.agent_pauses
      where instance_id = ${tenant.instanceId} and paused_until > now()`;
    assertEquals(rows.length, 0, "the first pause is over");
    // A queued one is given its slot first.
    for (const _ of [1, 2]) await stack.dispatch();
    const pauses = await stack.admin`
      select 1 from messaging.agent_pauses
      where instance_id = ${tenant.instanceId} and paused_until > now() + interval '29 minutes'`;
    assertEquals(pauses.length === 1, isPaused, String(sentBy));
  }
  assertEquals(stack.provider.requests.length, 3);
});

Deno.test("where nothing waits nothing is known to be due, and a run need not look again at once", async () => {
  await using stack = await startMessagingStack();
  const claim = { maxMessages: 1, leaseSeconds: 30 };
  const { nextDueInMs } = await stack.database.rpc(
    "claim_due_messages",
    claim,
  );
  assertEquals(nextDueInMs, null);
});

Deno.test("a run sleeps until what is due next and sends it without another call", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const sentAt = performance.now();
  await stack.send(tenant, { ...text, delayMessage: 0.6 });
  const report = await stack.dispatchOnce({ durationMs: 180_000, maxMessages: 1 });
  assertEquals(report.accepted, 1);
  const waitedMs = (stack.provider.requests[0]?.receivedAtMs ?? 0) - sentAt;
  // Not before it is due, and long before the run's time is over.
  assert(waitedMs > 590 && waitedMs < 60_000, `${waitedMs}`);
});

Deno.test("two runs at once over 30 instances send every message once, one at a time per instance", async () => {
  await using stack = await startMessagingStack();
  const tenants = await Promise.all(Array.from({ length: 30 }, () => stack.createTenant()));
  await Promise.all(
    tenants.map((tenant) =>
      // Long enough that no second message is due before time passes, however slow the machine.
      queue(stack, tenant, ["1", "2"], { startsInSeconds: 60, intervalSeconds: 600 })
    ),
  );
  const inFlight = new Set<string>();
  stack.provider.answer = async (request) => {
    const instance = request.path.split("/")[2] ?? "";
    assert(!inFlight.has(instance), "two in flight on one instance");
    inFlight.add(instance);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inFlight.delete(instance);
    return acceptMessage(request);
  };
  for (const expected of [30, 60]) {
    await letTimePass(stack.admin, 660);
    await Promise.all([stack.dispatch({ durationMs: 400 }), stack.dispatch({ durationMs: 400 })]);
    assertEquals(stack.provider.requests.length, expected);
  }
  const sent = stack.provider.requests.map((request) =>
    `${request.path} ${request.json["message"]}`
  );
  assertEquals(new Set(sent).size, 60);
});

async function queue(
  stack: MessagingStack,
  tenant: Tenant,
  messages: readonly string[],
  { startsInSeconds, ...rest }: Readonly<Record<string, unknown>> & {
    /** When the first slot comes. */
    readonly startsInSeconds?: number;
    readonly intervalSeconds?: number;
  },
): Promise<string[]> {
  const ids: string[] = [];
  if (startsInSeconds !== undefined) {
    await delayNextSlot(stack.admin, tenant.instanceId, startsInSeconds, rest.intervalSeconds);
  }
  for (const message of messages) {
    const answer = await stack.send(tenant, { ...text, message, queued: true, ...rest });
    assertEquals(answer.status, 200, JSON.stringify(answer.body));
    ids.push(answer.body.messageId);
  }
  return ids;
}

/** The texts that have reached the provider, after one more run. */
async function sentTexts(stack: MessagingStack): Promise<unknown[]> {
  await stack.dispatch();
  return stack.provider.requests.map((request) => request.json["message"]);
}

Deno.test("delayed messages have a share of each claim, however many instances are due", async () => {
  await using stack = await startMessagingStack();
  for (let count = 0; count < 6; count++) {
    await queue(stack, await stack.createTenant(), ["paced"], { startsInSeconds: 60 });
  }
  const tenant = await stack.createTenant();
  for (const message of ["a", "b", "c"]) {
    await stack.send(tenant, { ...text, message, delayMessage: 60 });
  }
  await letTimePass(stack.admin, 61);
  const claim = async (maxMessages: number): Promise<string[]> => {
    const { messages } = await stack.database.rpc(
      "claim_due_messages",
      { maxMessages, leaseSeconds: 30 },
    );
    return messages.map(({ message }) => message === "paced" ? "paced" : "delayed").sort();
  };
  assertEquals(await claim(4), ["delayed", "paced", "paced", "paced"]);
  assertEquals(await claim(1), ["paced"]);
  assertEquals(await claim(8), ["delayed", "delayed", "paced", "paced"]);
});
