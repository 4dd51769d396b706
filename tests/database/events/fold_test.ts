/** Random calls: what the events say, put together, is what the tables hold. */

import { assertEquals, assertGreater } from "../../support/assert.ts";
import { createAgent, createOperator } from "../../support/fixtures/tenant.ts";
import {
  createEventWorld,
  echo,
  type EventWorld,
  inbound,
  textCall,
} from "../../support/fixtures/event_world.ts";
import { readStory, type Story, tellStory } from "../../support/fixtures/contact_story.ts";
import { createSeededRandom, type SeededRandom } from "../../support/seeded_random.ts";

const phones = ["5511987654321", "551187654321", "5521912345678", "5531912345678"];
const hidden = ["111111111111111@lid", "222222222222222@lid"];

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
    for (const event of await world.news()) tellStory(story, event);
    assertEquals(
      story,
      await readStory(world.database.admin),
      `seed ${random.seed}, call ${round}`,
    );
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
    for (const event of await world.news()) tellStory(story, event);
    assertEquals(
      story,
      await readStory(world.database.admin),
      `seed ${random.seed}, round ${round}`,
    );
    assertGreater(story.size, 0);
  }
});
