import { runDispatch } from "../../../functions/dispatch-queue/dispatch.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { startSlowProvider } from "../../support/doubles/slow_provider.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

/** More than the calls that one run has under way. */
const hangingCount = 260;
const text = { phone: "5511987654321", messageType: "text", delayMessage: 60 };

Deno.test("a tenant with more due messages than a run takes, whose provider hangs, leaves it places for another's", async () => {
  await using stack = await startMessagingStack();
  await using hanging = startSlowProvider(() => 0);
  const tenant = await stack.createTenant({ baseUrl: hanging.baseUrl });
  const neighbour = await stack.createTenant();
  for (let number = 0; number < hangingCount; number++) {
    const { status } = await stack.send(tenant, { ...text, message: `${number}` });
    assertEquals(status, 200);
  }
  // The last in the queue: behind all that hangs.
  assertEquals((await stack.send(neighbour, { ...text, message: "Olá" })).status, 200);
  await letTimePass(stack.admin, 61);

  const { promise } = Promise.withResolvers<never>();
  hanging.holdNextOnes(hangingCount);
  const run = runDispatch(
    { ...stack.services, providerTimeoutMs: 600_000, deliverAgentReply: () => promise },
    { durationMs: 600_000, maxMessages: hangingCount + 1 },
  );
  let releasing: ReturnType<typeof setInterval> | undefined;
  try {
    await waitUntil(() => stack.provider.requests.length === 1, {
      what: "the neighbour's message",
    });
    // Calls that began earlier may arrive later.
    await waitUntil(() => hanging.requests.length >= 50, { what: "the calls that hang" });
    const held = hanging.requests.length;
    assert(held < 100, `${held} calls hang`);
  } finally {
    // What hung leaves its places to the rest, which hang as well until they are released.
    releasing = setInterval(() => hanging.release(), 20);
  }
  const report = await run.finally(() => clearInterval(releasing));
  assertEquals(report.accepted, hangingCount + 1);
  const texts = new Set(hanging.requests.map(({ json }) => json["message"]));
  assertEquals([texts.size, hanging.requests.length], [hangingCount, hangingCount]);
});
