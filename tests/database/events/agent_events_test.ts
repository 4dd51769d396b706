/** Which calls record agent.paused and agent.resumed, and what they say. */

import { assert, assertAlmostEquals, assertEquals } from "../../support/assert.ts";
import { claimMessages, settleClaim } from "../../support/database/queue_calls.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import {
  createEventWorld,
  echo,
  type EventWorld,
  immediate,
  inbound,
  phone,
  type RecordedEvent,
  textCall,
} from "../../support/fixtures/event_world.ts";

interface Agency extends EventWorld {
  readonly contactId: string;
}

/** A known contact of an instance with an active agent. */
async function createAgency(): Promise<Agency> {
  const world = await createEventWorld();
  await createAgent(world.database.admin, world.tenant.instanceId);
  const { contactId } = await world.call("note_conversation", { phone, note: "n" });
  await world.news();
  return { ...world, contactId };
}

/** Asserts that one pause was told, which ends `minutes` from now. */
function assertPaused(agency: Agency, events: readonly RecordedEvent[], minutes = 30): void {
  assertEquals(events.map(({ type }) => type), ["agent.paused"]);
  const { contactId, pausedUntil, ...others } = events[0]?.data;
  assertEquals([contactId, others], [agency.contactId, {}]);
  assert(pausedUntil.endsWith("-03:00"), pausedUntil);
  assertAlmostEquals(Date.parse(pausedUntil) - Date.now(), minutes * 60_000, 60_000);
}

const byPerson = { messageType: "text", message: "Olá", sentBy: "operator" };

/** A person's send, by each path that accepts one. */
const sends: Readonly<Record<string, (agency: Agency) => Promise<unknown>>> = {
  "an immediate send": (agency) => agency.call("accept_message", textCall({ message: byPerson })),
  "a queued send": (agency) =>
    agency.call(
      "accept_message",
      textCall({ message: byPerson, delivery: { ...immediate, queued: true } }),
    ),
  "two sends in one group": (agency) =>
    agency.call("accept_messages", {
      calls: [1, 2].map(() => ({
        ...{ instanceId: agency.tenant.instanceId, idempotency: null },
        ...textCall({ message: byPerson }),
      })),
    }),
  "an echo": (agency) => agency.receive(echo(crypto.randomUUID())),
};

for (const [path, send] of Object.entries(sends)) {
  Deno.test(`${path} of a person tells agent.paused, and again when it renews the pause`, async () => {
    await using agency = await createAgency();
    await send(agency);
    assertPaused(agency, await agency.news());
    await send(agency);
    assertPaused(agency, await agency.news());
  });
}

Deno.test("a queued message of a person tells agent.paused again when it leaves", async () => {
  await using agency = await createAgency();
  const delivery = { ...immediate, delaySeconds: 600 };
  await agency.call("accept_message", textCall({ message: byPerson, delivery }));
  assertPaused(agency, await agency.news());
  await letTimePass(agency.database.admin, 601);
  const [claim] = await claimMessages(agency.database.sql);
  assert(claim !== undefined);
  await settleClaim(agency.database.sql, claim);
  assertPaused(agency, await agency.news());
});

Deno.test("no agent, or the agent's own message, no agent.paused", async () => {
  await using world = await createEventWorld();
  await world.call("accept_message", textCall({ message: byPerson }));
  assertEquals((await world.news()).map(({ type }) => type), ["contact.created"]);
  await using agency = await createAgency();
  await agency.call("accept_message", textCall({ message: { ...byPerson, sentBy: "ai_agent" } }));
  assertEquals(await agency.news(), []);
});

Deno.test("what a person typed before the present pause began tells nothing", async () => {
  await using agency = await createAgency();
  await agency.call("accept_message", textCall({ message: byPerson }));
  await agency.news();
  const sentAt = new Date(Date.now() - 5 * 60_000).toISOString();
  await agency.receive(echo("E1", { sentAt }));
  assertEquals(await agency.news(), []);
  await agency.receive(echo("E2", { sentAt: new Date(Date.now() - 31 * 60_000).toISOString() }));
  assertEquals(await agency.news(), []);
});

Deno.test("a longer pause is kept by a person's send, and not told again", async () => {
  for (const send of Object.values(sends)) {
    await using agency = await createAgency();
    await agency.call("set_agent_pause", { phone, paused: true, minutes: 600 });
    assertPaused(agency, await agency.news(), 600);
    await send(agency);
    assertEquals(await agency.news(), []);
  }
});

Deno.test("agent.resumed is told by the call that ends a pause, and by no other", async () => {
  await using agency = await createAgency();
  const set = async (paused: boolean): Promise<readonly RecordedEvent[]> => {
    await agency.call("set_agent_pause", { phone, paused, minutes: 10 });
    return await agency.news();
  };
  assertEquals(await set(false), [], "nothing to end");
  assertPaused(agency, await set(true), 10);
  assertPaused(agency, await set(true), 10);
  const { contactId } = agency;
  assertEquals(await set(false), [{
    type: "agent.resumed",
    data: { contactId, pausedUntil: null },
  }]);
  assertEquals(await set(false), [], "ended already");
  await set(true);
  await letTimePass(agency.database.admin, 11 * 60);
  assertEquals(await set(false), [], "a pause that has ended by time");
});

Deno.test("an agent that has used up its answers of the hour tells agent.paused", async () => {
  await using agency = await createAgency();
  const { admin } = agency.database;
  await admin`
    insert into messaging.agent_sessions (conversation_id, instance_id, agent_id, answered_at)
    select v.id, v.instance_id, a.id, array_fill(now() - interval '20 minutes', array[30])
    from messaging.conversations v, messaging.ai_agents a`;
  await agency.receive(inbound("IN1"));
  assertPaused(agency, await agency.news(), 40);
});

Deno.test("a merge tells agent.paused where the survivor's pause becomes longer", async () => {
  await using agency = await createAgency();
  const hidden = "111111111111111@lid";
  await agency.receive(echo("E1", { address: hidden }));
  await agency.news();
  await agency.receive(inbound("IN1", { address: phone, otherAddresses: [hidden] }));
  const events = await agency.news();
  assertEquals(events[0]?.type, "contact.merged");
  assertPaused(agency, events.slice(1));
});
