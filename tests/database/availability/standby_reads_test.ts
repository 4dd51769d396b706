import { standbyRpcs } from "../../../shared/database/standby_reads.ts";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { callFunction, enqueueText } from "../../support/database/queue_calls.ts";
import { createTenant } from "../../support/fixtures/tenant.ts";

Deno.test("what a standby may answer writes nothing", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  const { instanceId } = await createTenant(admin);
  await enqueueText(admin, instanceId);
  const [conversation] = await admin<{ id: string }[]>`select id from messaging.conversations`;
  const endpointId = crypto.randomUUID();
  await callFunction(admin, "create_event_endpoint", {
    ...{ instanceId, endpointId, url: "https://example.com/hook", types: null },
    ...{ description: null, sealedSecret: "sealed", idempotency: null },
  });
  const feed = { instanceId, after: "oldest", types: null, limit: 10 };
  // The first reading makes the feed's stream: on the primary.
  await callFunction(admin, "read_events", feed);
  const request = {
    ...{ instanceId, phone: "5511987654321", limit: 10, after: null },
    ...{ startsAt: 0, endsAt: 4_000_000_000, conversationId: conversation?.id ?? null },
    endpointId,
  };
  const outcomes = [];
  for (const name of standbyRpcs) {
    const session = await admin.reserve();
    await session`begin read only`;
    const call = callFunction(session, name, name === "read_events" ? feed : request);
    outcomes.push([name, await call.then(() => "read", (error) => String(error.code))]);
    await session`rollback`;
    session.release();
  }
  assertEquals(
    outcomes.filter(([, outcome]) => outcome !== "read"),
    // A batch of no recipients cannot be; the function is declared stable, so it cannot write either.
    [["list_batch_recipients", "MI027"]],
  );
});
