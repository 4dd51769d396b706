import { assertEquals, assertLessOrEqual } from "../../support/assert.ts";
import { acceptMessage, startHttpDouble } from "../../support/doubles/http_double.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { waitUntil } from "../../support/wait_until.ts";

const text = { messageType: "text", message: "Olá" };

Deno.test("300 sends of an instance that hang at a shared host leave another instance's sends their time", async () => {
  await using stack = await startMessagingStack({ providerTimeoutMs: 600_000 });
  const ending = Promise.withResolvers<void>();
  let hangingId = "none yet";
  let hangs = 0;
  await using host = startHttpDouble(async (request) => {
    if (request.path.includes(hangingId)) {
      hangs += 1;
      await ending.promise;
    }
    return acceptMessage(request);
  });
  const hanging = await stack.createTenant({ baseUrl: host.baseUrl });
  const neighbour = await stack.createTenant({ baseUrl: host.baseUrl });
  hangingId = `/${hanging.gatewayInstanceId}/`;

  const sends = Array.from(
    { length: 300 },
    (_, place) => stack.send(hanging, { ...text, phone: String(5_511_900_000_000 + place) }),
  );
  try {
    await waitUntil(() => hangs >= 125, { what: "the calls that hang" });
    for (const phone of ["5511987654321", "5511987654322", "5511987654323"]) {
      const { status, body } = await stack.send(neighbour, { ...text, phone });
      assertEquals([status, body.status], [200, "sent"]);
    }
    assertLessOrEqual(hangs, 125);
  } finally {
    ending.resolve();
    await Promise.all(sends);
  }
});
