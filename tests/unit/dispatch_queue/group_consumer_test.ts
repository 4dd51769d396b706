import { GroupConsumer } from "../../../functions/dispatch-queue/group_consumer.ts";
import type { DispatchingServices } from "../../../shared/messages/dispatch.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("instances with a pace whose provider hangs leave room to others", async () => {
  const asked: Record<string, number> = {};
  // Gives as many messages as it is asked for; none of them ever leaves.
  const rpc = (_name: string, { instanceId, maxMessages }: {
    readonly instanceId: string;
    readonly maxMessages: number;
  }): Promise<unknown> => {
    asked[instanceId] = maxMessages;
    const messages = Array.from({ length: maxMessages }, (_, place) => ({
      ...{ messageId: `${instanceId}-${place}`, instanceId },
      ...{ isContactBlocked: false, isOptedOut: false, delayTypingMs: 0 },
    }));
    return Promise.resolve({
      messages,
      departuresInMs: Object.fromEntries(messages.map(({ messageId }) => [messageId, 0])),
      messagesPerSecond: 80,
      feedsBatches: false,
    });
  };
  const services = {
    database: { rpc },
    openProvider: () => new Promise(() => {}),
    providerTimeoutMs: 20_000,
  } as unknown as DispatchingServices;
  const consumer = new GroupConsumer(services, 10_000, {
    onOutcome: () => {},
    onChange: () => {},
  });
  for (const instanceId of ["a", "b", "c", "a"]) {
    consumer.notice([instanceId]);
    await new Promise((resolve) => setTimeout(resolve));
  }
  assertEquals(asked, { a: 500, b: 250, c: 200 });
});
