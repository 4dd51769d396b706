/** Random calls: what the events say, put together, is what the tables hold. */

import { assertEquals, assertGreater } from "../../support/assert.ts";
import { createAgent, createOperator } from "../../support/fixtures/tenant.ts";
import {
  createEventWorld,
  echo,
  type EventWorld,
  inbound,
  type RecordedEvent,
  textCall,
} from "../../support/fixtures/event_world.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";

/** What the events say of a contact. */
interface Known {
  name: string | null;
  phone: string | null;
  assignedTo: string | null;
  portfolio: boolean;
  status: string;
  pausedUntil: number | null;
}

type Story = Map<string, Known>;

const phones = ["5511987654321", "551187654321", "5521912345678", "5531912345678"];
const hidden = ["111111111111111@lid", "222222222222222@lid"];

/** Tells a story on with one event, as a receiver would. */
function tell(story: Story, { type, data }: RecordedEvent): void {
  const known = story.get(data.contactId);
  if (type === "contact.created") {
    assertEquals(known, undefined, "a contact is created once");
    const { name, phone } = data;
    story.set(data.contactId, {
      ...{ name, phone, assignedTo: null, portfolio: false, status: "open", pausedUntil: null },
    });
    return;
  }
  if (known === undefined) throw new Error(`${type} of an unknown contact`);
  const changes: Readonly<Record<string, () => unknown>> = {
    "contact.updated": () => Object.assign(known, { name: data.name, phone: data.phone }),
    "contact.merged": () => story.delete(data.contactId),
    "conversation.assigned": () => {
      assertEquals(data.previousAssignedTo, known.assignedTo);
      Object.assign(known, { assignedTo: data.assignedTo, portfolio: data.portfolio });
    },
    "conversation.status_changed": () => Object.assign(known, { status: data.status }),
    "agent.paused": () => Object.assign(known, { pausedUntil: Date.parse(data.pausedUntil) }),
    "agent.resumed": () => Object.assign(known, { pausedUntil: null }),
  };
  changes[type]?.();
}

async function readTables({ database }: EventWorld): Promise<Story> {
  const rows = await database.admin<(Known & { id: string })[]>`
    select c.id, c.name, messaging.contact_display_phone(c) as phone,
      v.assigned_to as "assignedTo", coalesce(v.status, 'open') as status,
      exists (
        select from messaging.portfolios p where p.contact_id = c.id and p.operator_id = v.assigned_to
      ) as portfolio,
      floor(extract(epoch from a.paused_until) * 1000)::float8 as "pausedUntil"
    from messaging.contacts c
    left join messaging.conversations v on v.contact_id = c.id
    left join messaging.agent_pauses a on a.contact_id = c.id`;
  return new Map(rows.map(({ id, ...known }) => [id, known]));
}

function pick<Item>(random: SeededRandom, items: readonly Item[]): Item {
  return items[Math.floor(random.between(0, items.length))] as Item;
}

/** One random call of the API, webhook or group of calls. */
async function callAtRandom(
  world: EventWorld,
  random: SeededRandom,
  operators: readonly string[],
): Promise<unknown> {
  const phone = pick(random, phones);
  const id = crypto.randomUUID();
  const choice = <Item>(...items: readonly Item[]): Item => pick(random, items);
  const sent = textCall({ phone, message: { messageType: "text", message: "x", sentBy: "a" } });
  return await choice(
    () =>
      world.call("save_contact", {
        ...{ phone, fields: { name: choice("A", "B", null) }, tags: choice(null, ["vip"]) },
      }),
    () => world.call("change_contact_tags", { phone, addTags: ["x"], removeTags: ["vip"] }),
    () => world.call("set_conversation_status", { phone, status: choice("open", "closed") }),
    () => world.call("set_agent_pause", { phone, paused: choice(true, false), minutes: 10 }),
    () => world.call("accept_message", sent),
    () =>
      world.call(
        "accept_message",
        textCall({
          ...{ phone, message: null },
          assignment: { assignTo: pick(random, operators), portfolio: choice(true, false) },
        }),
      ),
    () =>
      world.call("accept_messages", {
        calls: [sent, { ...sent, phone: pick(random, phones) }].map((call) => ({
          ...{ ...call, instanceId: world.tenant.instanceId, idempotency: null },
        })),
      }),
    () => world.receive(inbound(id, { address: phone, contactName: choice("C", undefined) })),
    () => world.receive(inbound(id, { address: pick(random, hidden), contactName: "H" })),
    () => world.receive(inbound(id, { address: phone, otherAddresses: [pick(random, hidden)] })),
    () => world.receive(echo(id, { address: choice(phone, pick(random, hidden)) })),
    () =>
      world.receive({
        ...{ kind: "number_change", eventId: id, oldAddress: phone },
        newAddress: pick(random, phones),
      }),
  )();
}

Deno.test("after random calls the events, put together, are what the tables hold", async () => {
  const random = createSeededRandom();
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  const { admin } = world.database;
  await createAgent(admin, world.tenant.instanceId);
  const operators = await Promise.all(
    ["Ana", "Bruno"].map((name) =>
      createOperator(admin, world.tenant.workspaceId, { name, email: `${name}@example.com` })
    ),
  );
  const story: Story = new Map();
  for (let round = 1; round <= 300; round++) {
    await callAtRandom(world, random, operators);
    for (const event of await world.news()) tell(story, event);
    assertEquals(story, await readTables(world), `seed ${random.seed}, call ${round}`);
  }
});

Deno.test("the same after calls at once, which meet each other", async () => {
  const random = createSeededRandom();
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  const { admin } = world.database;
  await createAgent(admin, world.tenant.instanceId);
  const operators = [
    await createOperator(admin, world.tenant.workspaceId, { name: "Ana", email: "a@example.com" }),
  ];
  const story: Story = new Map();
  for (let round = 1; round <= 20; round++) {
    // Calls that meet a merge or a deadlock are repeated by the product; here they may fail.
    await Promise.allSettled(
      Array.from({ length: 8 }, () => callAtRandom(world, random, operators)),
    );
    for (const event of await world.news()) tell(story, event);
    assertEquals(story, await readTables(world), `seed ${random.seed}, round ${round}`);
    assertGreater(story.size, 0);
  }
});
