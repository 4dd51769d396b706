import { assert, assertEquals } from "../../support/assert.ts";
import { callFunction } from "../../support/database/queue_calls.ts";
import {
  createEventWorld,
  type EventWorld,
  immediate,
  inbound,
  phone,
  textCall,
} from "../../support/fixtures/event_world.ts";
import { filledDescription, fillRow } from "../../support/fixtures/filled_rows.ts";

type Claim = Readonly<Record<"messageId" | "claimToken", string>>;

const described = {
  metadata: { order: "4711" },
  message: { messageType: "text", message: "Olá", cardId: "card-1" },
};

/** What follows from the outcome of a send, and so is not filled before it. */
const { channel_status: _, ...description } = filledDescription();

Deno.test("the event of a message is the record that messages-api answers, on every path", async () => {
  await using world = await createEventWorld();
  const accept = async (): Promise<Claim> => {
    const claim: Claim = await world.call("accept_message", textCall(described));
    await fillRow(world.database.admin, "messages", claim.messageId, description);
    return claim;
  };

  await settle(world, [await accept()]);
  await expectRecords(world, ["message.sent"]);
  await settle(world, [await accept(), await accept()]);
  await expectRecords(world, ["message.sent", "message.sent"]);
  const refused = await accept();
  await settle(world, [refused], { outcome: "rejected", error: { code: "x", message: "no" } });
  await expectRecords(world, ["message.failed"]);
  const last = await accept();
  await settle(world, [last]);
  await world.news();
  for (const status of ["delivered", "read"]) {
    await world.receive({ kind: "status", providerMessageId: last.messageId, status });
    await expectRecords(world, [`message.${status}`]);
  }
  const waiting: Claim = await world.call(
    "accept_message",
    textCall({ ...described, delivery: { ...immediate, queued: true, delaySeconds: 60 } }),
  );
  await fillRow(world.database.admin, "messages", waiting.messageId, description);
  await world.call("cancel_message", { messageId: waiting.messageId });
  await expectRecords(world, ["message.canceled"]);
  await world.receive(inbound("in-1"));
  await expectRecords(world, ["message.received"]);
  for (const further of [[], [inbound("in-0")]]) {
    const id = `in-${further.length + 2}`;
    await world.receive(inbound(id, everyFact), ...further);
    await expectRecords(world, ["message.received", ...further.map(() => "message.received")]);
    await world.receive({ kind: "message_edit", providerMessageId: id, message: "outra" });
    await expectRecords(world, ["message.edited"]);
    await world.receive({ kind: "message_deletion", providerMessageId: id });
    await expectRecords(world, ["message.deleted"]);
  }
  await world.receive(inbound("echo-1", { origin: "echo", quotedProviderMessageId: "in-1" }));
  await expectRecords(world, ["message.sent"]);
});

/** What an inbound message may have beside its words. */
const everyFact = {
  ...{ messageType: "option_list", content: { choice: { id: "o1", title: "oi" } } },
  ...{ quotedProviderMessageId: "not-stored", isGroup: true, chatName: "Turma" },
  author: { name: "Bia", phone: "5511933334444", lid: "77@lid" },
  otherAddresses: ["88@lid", "BR.1A", "username:ana"],
};

Deno.test("a message and its event name their person by all that is known of it, phone or no phone", async () => {
  await using world = await createEventWorld();
  const hidden = { address: "BR.9Z", otherAddresses: ["username:bia.lima"], contactName: "Bia" };
  await world.receive(inbound("in-1", everyFact));
  await world.receive(inbound("in-2", hidden));
  const events = (await world.news({ ofMessages: true }))
    .filter(({ type }) => type === "message.received");
  const [shown, unseen] = events.map(({ data: { contact: { contactId: _, ...known } } }) => known);
  assertEquals(shown, {
    ...{ phone, name: null, userId: "BR.1A", username: "ana", lid: "88@lid" },
  });
  assertEquals(unseen, {
    ...{ phone: null, name: "Bia", userId: "BR.9Z", username: "bia.lima", lid: null },
  });
});

Deno.test("an event keeps the words, the name and the number of its moment", async () => {
  await using world = await createEventWorld();
  await world.receive(inbound("in-1", { contactName: "Ana" }));
  await settle(world, [await world.call("accept_message", textCall())]);
  await settle(world, [
    await world.call("accept_message", textCall()),
    await world.call("accept_message", textCall()),
  ]);
  await world.database.admin`
    update messaging.messages set message = 'changed', status = 'read', read_at = now()
    where direction = 'outbound'`;
  await world.database.admin`update messaging.contacts set name = 'Bia'`;
  await world.database.admin`
    update messaging.contact_addresses set address = '5511900000000', changed_by = 'change-1'`;
  const events = (await world.news({ ofMessages: true }))
    .filter(({ type }) => ["message.received", "message.sent"].includes(type));
  assertEquals(
    events.map(({ data }) => [data.status, data.message, data.contact.name, data.contact.phone]),
    [["received", "oi", "Ana", phone], ...Array(3).fill(["sent", "Olá", "Ana", phone])],
  );
  await settle(world, [await world.call("accept_message", textCall())]);
  await settle(world, [
    await world.call("accept_message", textCall()),
    await world.call("accept_message", textCall()),
  ]);
  const later = await world.news({ ofMessages: true });
  assertEquals(later.map(({ data }) => data.contact.phone), Array(3).fill("5511900000000"));
});

Deno.test("the event of a received message names the message that it answers, on every path", async () => {
  await using world = await createEventWorld();
  const quote = (id: string, quoted: string) => inbound(id, { quotedProviderMessageId: quoted });
  await world.receive(inbound("in-1"));
  await world.receive(quote("in-2", "in-1"));
  await world.receive(quote("in-3", "in-2"), quote("in-4", "in-3"));
  await world.receive(quote("in-5", "unknown"));
  const events = (await world.news({ ofMessages: true }))
    .filter(({ type }) => type === "message.received");
  const ids = events.map(({ data }) => data.messageId);
  assertEquals(
    events.map(({ data }) => data.quotedMessageId),
    [null, ids[0], ids[1], ids[2], null],
  );
});

/** Requires that each event since the last look holds what reading its message answers now. */
async function expectRecords(world: EventWorld, types: readonly string[]): Promise<void> {
  const events = (await world.news({ ofMessages: true }))
    .filter(({ type }) => type.startsWith("message."));
  assertEquals(events.map(({ type }) => type), types);
  for (const { data } of events) {
    const [row] = await world.database.admin<{ record: Readonly<Record<string, unknown>> }[]>`
      select messaging.describe_message(m) as record from messaging.messages m
      where m.id = ${data.messageId}`;
    assert(row !== undefined);
    const shown = Object.keys(row.record).map((key) => [key, data[key]]);
    assertEquals(Object.fromEntries(shown), row.record);
    assertEquals(data.contact.contactId, data.contactId);
  }
}

async function settle(
  world: EventWorld,
  claims: readonly Claim[],
  result: Readonly<Record<string, unknown>> = { outcome: "accepted" },
): Promise<void> {
  const results = claims.map(({ messageId, claimToken }) => ({
    ...{ messageId, claimToken, providerMessageId: messageId, error: null },
    ...result,
  }));
  const { settled } = await callFunction<{ settled: string[] }>(
    world.database.sql,
    "settle_messages",
    { results, idempotency: null, response: null },
  );
  assertEquals(settled.length, claims.length);
}
