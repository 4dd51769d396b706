import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { waitUntil } from "../../support/wait_until.ts";
import {
  findFiles,
  findTraces,
  liveFully,
  neighbour,
  person,
  readNeighbour,
  startErasureWorld,
  traces,
} from "./erasure_world.ts";

Deno.test("a person with a full life is gone from every column of every table, and from the log", async () => {
  await using world = await startErasureWorld();
  const { sql, stack } = world;
  const { contactId } = await liveFully(world);
  const before = await findTraces(sql);
  for (const word of traces.filter((word) => !["98765-4321", "araticum"].includes(word))) {
    assert(before.some((found) => found.endsWith(`: ${word}`)), `the life left no ${word}`);
  }
  for (
    const table of [
      ...["messages", "contacts", "events", "provider_events", "outbox", "idempotency_keys"],
      ...["internal_notes", "agent_sessions", "event_deliveries"],
      ...[
        "consent_log",
        "contact_search",
        "contact_addresses",
        "tags",
        "media",
        "batch_recipients",
      ],
    ]
  ) {
    assert(before.some((found) => found.startsWith(`messaging.${table}:`)), `no trace in ${table}`);
  }
  assertEquals([findFiles(world).length, stack.storage.files.size], [2, 3]);
  const neighbourBefore = await readNeighbour(sql);
  const providerCalls = stack.provider.requests.length;

  const erasure = await world.erase(contactId);
  assertEquals([erasure.status, erasure.contactId], ["done", contactId]);
  assert(
    Object.values(erasure.counts).every((count) => Number(count) > 0),
    Deno.inspect(erasure.counts),
  );
  assertEquals(await findTraces(sql), []);
  // The dispatcher deletes the files, after their rows.
  await waitUntil(async () => {
    await stack.dispatch({ durationMs: 100 });
    return stack.storage.files.size === 0;
  }, { what: "the person's files to go" });
  const log = JSON.stringify(stack.logLines).toLowerCase();
  assertEquals(traces.filter((word) => log.includes(word.toLowerCase())), []);

  const neighbourAfter = await readNeighbour(sql);
  const { provider_events: payloadsBefore, ...rowsBefore } = neighbourBefore;
  const { provider_events: payloadsAfter, ...rowsAfter } = neighbourAfter;
  assertEquals(rowsAfter, rowsBefore);
  assertEquals(payloadsAfter?.length, payloadsBefore?.length, "also those that held both");
  assert(payloadsAfter?.some((payload) => payload.includes("bom dia")));

  const { status, body } = await world.call("GET", `contacts-api/contacts/${contactId}`);
  assertEquals([status, body.error, body.success], [410, "contact_erased", false]);
  await stack.dispatch({ durationMs: 300 });
  assertEquals(stack.provider.requests.length, providerCalls, "what waited is never sent");
  const feed = await world.call("GET", "events-api/events?after=oldest&limit=1000");
  const told = feed.body.items.filter((event: { data: { contactId?: string } }) =>
    event.data.contactId === contactId
  );
  assertEquals(told.map(({ type, data }: { type: string; data: unknown }) => [type, data]), [
    ["contact.erased", { contactId }],
  ]);
  assert(JSON.stringify(feed.body).includes(neighbour.phone));
  assert(!traces.some((word) => JSON.stringify(feed.body).includes(word)));
  assertMatch(erasure.erasureId, /^[0-9a-f-]{36}$/);
  assertEquals(person.phone.length, 13);
});
