/** Which phone a contact shows while its number and its hidden identity change. */

import { assertEquals } from "../../support/assert.ts";
import {
  createEventWorld,
  type EventWorld,
  inbound,
  phone,
  textCall,
} from "../../support/fixtures/event_world.ts";

const newPhone = "5511912345678";
const lid = "111111111111111@lid";

/** A change of the number, or of the user id. */
function change(oldAddress: string, newAddress: string): Record<string, unknown> {
  return {
    ...{ kind: "number_change", eventId: `${oldAddress} ${newAddress}`, oldAddress, newAddress },
    ...{ isUserId: newAddress.startsWith("BR."), otherAddresses: [] },
  };
}

/** The phone as the list, and the events of messages that it receives one by one and two at once, show it. */
async function shownPhones(world: EventWorld): Promise<Set<unknown>> {
  const { items } = await world.call("list_contacts", { limit: 10, after: null });
  assertEquals(items.length, 1);
  const [{ contactId, phone: listed }] = items;
  await world.news();
  for (const count of [1, 2]) {
    const results = [];
    for (let number = 0; number < count; number++) {
      const call = textCall({ phone: undefined, contactId });
      const { messageId, claimToken } = await world.call("accept_message", call);
      const providerMessageId = crypto.randomUUID();
      results.push({ messageId, claimToken, outcome: "accepted", providerMessageId });
    }
    await world.call("settle_messages", { results });
  }
  const sent = (await world.news({ ofMessages: true })).filter(({ type }) =>
    type === "message.sent"
  );
  assertEquals(sent.length, 3);
  return new Set([listed, ...sent.map(({ data }) => data.contact.phone)]);
}

Deno.test("a user id that changes is no phone of the contact", async () => {
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  await world.receive(inbound("1", { address: "BR.1" }), change("BR.1", "BR.2"));
  assertEquals(await shownPhones(world), new Set([null]));
  assertEquals((await world.call("list_contacts", { q: "BR.2", limit: 1, after: null })).items, []);
});

Deno.test("a contact with a phone keeps showing it when the user id changes, whichever it wrote from", async () => {
  for (const last of [phone, "BR.1"]) {
    await using world = await createEventWorld({ provider: "whatsapp_cloud" });
    await world.receive(inbound("1", { address: phone, otherAddresses: ["BR.1"] }));
    await world.receive(inbound("2", { address: last, otherAddresses: [] }));
    await world.receive(change("BR.1", "BR.2"), inbound("3", { address: "BR.2" }));
    assertEquals(await shownPhones(world), new Set([phone]), last);
  }
});

Deno.test("an announced number is shown also to who then writes under a hidden identity", async () => {
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  await world.receive(inbound("1", { otherAddresses: [lid] }), change(phone, newPhone));
  assertEquals(await shownPhones(world), new Set([newPhone]));
  await world.receive(inbound("2", { address: lid }));
  assertEquals(await shownPhones(world), new Set([newPhone]));
  await world.receive(inbound("3"));
  assertEquals(await shownPhones(world), new Set([phone]), "written from the earlier one");
});
