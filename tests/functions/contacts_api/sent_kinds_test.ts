/** What of each kind of sent message a person is given with an export, and what an erasure leaves. */

import { assertEquals } from "../../support/assert.ts";
import { oneOfEachType, toRequest } from "../../support/fixtures/one_of_each_type.ts";
import { findTraces, person, startErasureWorld } from "./erasure_world.ts";

const { template: _, reaction: _reaction, payment_status: _status, ...sendable } = oneOfEachType;
const parts = ["location", "contacts", "optionList", "buttons", "linkButton", "payment"] as const;
/** Words that only the parts of these messages hold. */
const words = [
  "Av. Paulista",
  "ana@example.com",
  "8h às 12h",
  "example.com/pedido",
  "Oferta.pdf",
  "ped-812",
];

Deno.test("an export has the parts of each kind that was sent, as its record, and an erasure leaves none of them", async () => {
  await using world = await startErasureWorld();
  const { succeed, receive, erase, sql } = world;
  await receive({
    contacts: [{ profile: { name: person.name }, wa_id: person.phone }],
    messages: [{
      ...{ from: person.phone, id: "wamid.IN", timestamp: `${Math.floor(Date.now() / 1_000)}` },
      ...{ type: "text", text: { body: "oi" } },
    }],
  });
  for (const content of Object.values(sendable)) {
    await succeed("POST", "send-message", { phone: person.phone, ...toRequest(content) });
  }
  const { items: [{ contactId }] } = await succeed("GET", "contacts-api/contacts");
  const { messages } = await succeed("GET", `contacts-api/contacts/${contactId}/export`);
  const seen = new Set<string>();
  for (const message of messages) {
    const record = await succeed("GET", `messages-api/messages/${message.messageId}`);
    for (const part of parts) {
      assertEquals(message[part], record[part], `${message.messageType} ${part}`);
      if (message[part] !== undefined) seen.add(part);
    }
  }
  assertEquals([...seen].sort(), [...parts].sort());
  assertEquals((await findTraces(sql, words)).length > 0, true);
  await erase(contactId);
  assertEquals(await findTraces(sql, words), []);
});
