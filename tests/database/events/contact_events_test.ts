/** Which calls record contact.created and contact.updated, and what they say. */

import { assert, assertEquals } from "../../support/assert.ts";
import { createOperator } from "../../support/fixtures/tenant.ts";
import {
  createEventWorld,
  echo,
  type EventWorld,
  immediate,
  inbound,
  phone,
  textCall,
} from "../../support/fixtures/event_world.ts";

/** The same mobile without its ninth digit: another spelling of the same contact. */
const otherSpelling = "551187654321";
const lid = "111111111111111@lid";

async function createAssignment(world: EventWorld): Promise<Record<string, unknown>> {
  const assignTo = await createOperator(world.database.admin, world.tenant.workspaceId, {
    ...{ name: "Ana", email: "ana@example.com" },
  });
  return { assignTo, portfolio: false };
}

/** Every path that makes a contact whose phone is `of`. */
const creating: Readonly<Record<string, (world: EventWorld, of: string) => Promise<unknown>>> = {
  "contacts-api create": (world, of) =>
    world.call("save_contact", { phone: of, fields: {}, tags: null }),
  "contacts-api tags": (world, of) =>
    world.call("change_contact_tags", { phone: of, addTags: ["vip"], removeTags: [] }),
  "conversations-api note": (world, of) =>
    world.call("note_conversation", { phone: of, note: "n" }),
  "conversations-api status": (world, of) =>
    world.call("set_conversation_status", { phone: of, status: "open" }),
  "conversations-api agent-pause": (world, of) =>
    world.call("set_agent_pause", { phone: of, paused: false }),
  "an assignment": async (world, of) =>
    await world.call(
      "accept_message",
      textCall({ phone: of, message: null, assignment: await createAssignment(world) }),
    ),
  "an immediate send": (world, of) => world.call("accept_message", textCall({ phone: of })),
  "a queued send": (world, of) =>
    world.call("accept_message", textCall({ phone: of, delivery: { ...immediate, queued: true } })),
  "two sends in one group": (world, of) =>
    world.call("accept_messages", {
      calls: [of, of === phone ? otherSpelling : of].map((spelling) => ({
        ...{ instanceId: world.tenant.instanceId, idempotency: null },
        ...textCall({ phone: spelling }),
      })),
    }),
  "an inbound message": (world, of) => world.receive(inbound(`IN-${of}`, { address: of })),
  "two inbound messages in one webhook": (world, of) =>
    world.receive(inbound("A", { address: of }), inbound("B", { address: of })),
  "two grouped webhooks": async (world, of) => {
    const [row] = await world.database.sql`
      select sealed_provider_config as sealed from messaging.instances`;
    const calls = ["A", "B"].map((id) => ({
      ...{ instanceId: world.tenant.instanceId, payload: "{}" },
      sealedProviderConfig: row?.["sealed"],
      events: [inbound(id, { address: of })],
    }));
    await world.call("record_provider_event_calls", { calls });
  },
  "an echo": (world, of) => world.receive(echo("E", { address: of })),
};

for (const [path, create] of Object.entries(creating)) {
  Deno.test(`${path} to an unknown phone tells contact.created once, and nothing for a known one`, async () => {
    await using world = await createEventWorld();
    await create(world, phone);
    const [contact] = await world.database.admin`select id from messaging.contacts`;
    const made = (await world.news()).filter(({ type }) => type.startsWith("contact."));
    assertEquals(made, [{
      type: "contact.created",
      data: { contactId: contact?.["id"], phone, name: null },
    }]);
    await world.call("note_conversation", { phone: otherSpelling, note: "n" });
    assertEquals(await world.news(), []);
  });
}

Deno.test("calls of every path at once tell one contact.created", async () => {
  await using world = await createEventWorld();
  // A group that waits long for a lock is rolled back, and called again.
  const createAgain = (create: typeof creating[string]): Promise<unknown> =>
    create(world, phone).catch((error) =>
      error.code === "55P03" ? createAgain(create) : Promise.reject(error)
    );
  await Promise.all(Object.values(creating).map(createAgain));
  const contacts = await world.database.admin`select from messaging.contacts`;
  const created = (await world.news()).filter(({ type }) => type === "contact.created");
  assertEquals([contacts.length, created.length], [1, 1]);
});

Deno.test("the event of a contact that is created with fields and tags has its name, and is the only one", async () => {
  await using world = await createEventWorld();
  const { contactId } = await world.call("save_contact", {
    ...{ phone, fields: { name: "João", email: "joao@example.com" }, tags: ["vip"] },
  });
  assertEquals(await world.news(), [{
    type: "contact.created",
    data: { contactId, phone, name: "João" },
  }]);
});

Deno.test("the event of a contact that writes first has its profile name, and is the only one", async () => {
  for (const path of ["alone", "with others"]) {
    await using world = await createEventWorld();
    const message = inbound("IN1", { contactName: "João" });
    await (path === "alone"
      ? world.receive(message)
      : world.receive(message, inbound("IN2", { contactName: "João" })));
    const [contact] = await world.database
      .admin`select id, is_profile_name from messaging.contacts`;
    assertEquals(await world.news(), [{
      type: "contact.created",
      data: { contactId: contact?.["id"], phone, name: "João" },
    }], path);
    assertEquals(contact?.["is_profile_name"], true);
  }
});

Deno.test("contact.updated names the fields that a call has changed, tags among them, and no others", async () => {
  await using world = await createEventWorld();
  const save = (fields: object, tags: readonly string[] | null = null): Promise<unknown> =>
    world.call("save_contact", { phone, fields, tags });
  const fields = { name: "João", email: "joao@example.com", customLabels: { crm: "1" } };
  await save(fields, ["vip"]);
  const created = await world.news();
  await save(fields, ["VIP"]);
  assertEquals(await world.news(), [], "the same again");
  await save({ customLabels: { crm: "1", gone: null }, isFavorite: false });
  assertEquals(await world.news(), [], "the same labels and flags");
  await save({ ...fields, name: "José", isBlocked: true, notes: null }, ["vip", "novo"]);
  const { contactId } = created[0]?.data ?? {};
  assertEquals(await world.news(), [{
    type: "contact.updated",
    data: { contactId, phone, name: "José", fieldsUpdated: ["isBlocked", "name", "tags"] },
  }]);
});

Deno.test("adding and removing tags is contact.updated where the contact's tags change", async () => {
  await using world = await createEventWorld();
  const change = async (addTags: string[], removeTags: string[]): Promise<unknown[]> => {
    await world.call("change_contact_tags", { phone, addTags, removeTags });
    return (await world.news()).map(({ type, data }) => [type, data.fieldsUpdated]);
  };
  assertEquals(await change(["vip"], []), [["contact.created", undefined]]);
  assertEquals(await change(["vip"], ["outra"]), []);
  const updated = [["contact.updated", ["tags"]]];
  assertEquals(await change(["novo"], []), updated);
  assertEquals(await change([], ["vip"]), updated);
  assertEquals(await change([], ["vip"]), []);
});

Deno.test("a profile name that a webhook tells is contact.updated once, and never again", async () => {
  const ways: Readonly<
    Record<string, (world: EventWorld, id: string, name: string) => Promise<void>>
  > = {
    "alone": (world, id, contactName) => world.receive(inbound(id, { contactName })),
    "with others": (world, id, contactName) =>
      world.receive(inbound(id, { contactName }), inbound(`${id}b`, { contactName })),
  };
  for (const [way, write] of Object.entries(ways)) {
    await using world = await createEventWorld();
    await world.call("note_conversation", { phone, note: "n" });
    await world.news();
    await write(world, "IN1", "João");
    const [contact] = await world.database.admin`select id from messaging.contacts`;
    assertEquals(await world.news(), [{
      type: "contact.updated",
      data: { contactId: contact?.["id"], phone, name: "João", fieldsUpdated: ["name"] },
    }], way);
    await write(world, "IN2", "Outro");
    assertEquals(await world.news(), [], way);
  }
});

Deno.test("a changed number is contact.updated, and so is writing from the former one again", async () => {
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  await world.receive(inbound("IN1"));
  await world.news();
  const newAddress = "5521912345678";
  const change = { kind: "number_change", eventId: "S1", oldAddress: phone, newAddress };
  const told = async (): Promise<unknown[]> =>
    (await world.news()).map(({ type, data }) => [type, data.phone, data.fieldsUpdated]);
  await world.receive(change);
  assertEquals(await told(), [["contact.updated", newAddress, ["phone"]]]);
  await world.receive(change);
  assertEquals(await told(), [], "the same event again");
  await world.receive(inbound("IN2", { address: newAddress }));
  assertEquals(await told(), [], "the number is known");
  await world.receive(inbound("IN3"));
  assertEquals(await told(), [["contact.updated", phone, ["phone"]]]);
});

Deno.test("a number that the provider's answer proves again is contact.updated", async () => {
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  await world.receive(inbound("IN1"));
  const newAddress = "5521912345678";
  await world.receive({ kind: "number_change", eventId: "S1", oldAddress: phone, newAddress });
  await world.news();
  const { messageId, claimToken } = await world.call("accept_message", textCall());
  const result = { messageId, claimToken, outcome: "accepted", providerMessageId: "P1" };
  await world.call("settle_messages", { results: [{ ...result, waId: phone }] });
  assertEquals(
    (await world.news()).map(({ type, data }) => [type, data.phone, data.fieldsUpdated]),
    [["contact.updated", phone, ["phone"]]],
  );
});

Deno.test("the phone that a hidden contact shows is contact.updated", async () => {
  await using world = await createEventWorld();
  await world.receive(inbound("IN1", { address: lid }));
  const [created] = await world.news();
  assertEquals(
    [created?.type, created?.data],
    ["contact.created", { contactId: created?.data.contactId, phone: null, name: null, lid }],
  );
  await world.receive(inbound("IN2", { address: phone, otherAddresses: [lid] }));
  assertEquals(await world.news(), [{
    type: "contact.updated",
    data: { contactId: created?.data.contactId, phone, name: null, lid, fieldsUpdated: ["phone"] },
  }]);
});

Deno.test("a merge tells contact.merged, then what the survivor has gained", async () => {
  await using world = await createEventWorld();
  await world.call("save_contact", { phone, fields: { name: "João" }, tags: ["vip"] });
  await world.receive(inbound("IN1", { address: lid, contactName: "J" }));
  const gone = (await world.news()).at(-1)?.data.contactId;
  await world.database
    .admin`update messaging.contacts set email = 'j@example.com' where id = ${gone}`;
  await world.receive(inbound("IN2", { address: phone, otherAddresses: [lid] }));
  const [kept] = await world.database.admin`select id from messaging.contacts`;
  const contactId = kept?.["id"];
  assert(contactId !== gone);
  assertEquals(await world.news(), [
    {
      type: "contact.merged",
      data: { contactId: gone, phone: null, name: "J", lid, mergedInto: contactId },
    },
    {
      type: "contact.updated",
      data: { contactId, phone, name: "João", lid, fieldsUpdated: ["email"] },
    },
  ]);
});

Deno.test("a contact's events tell by what the person is known beside a phone, from the first on", async () => {
  await using world = await createEventWorld({ provider: "whatsapp_cloud" });
  const known = { userId: "BR.13491208655302741918", username: "ana.silva", lid };
  const otherAddresses = [known.userId, `username:${known.username}`, lid, "BR.ENT.99"];
  for (const address of [phone, known.userId]) {
    await world.receive(inbound(`IN-${address}`, {
      ...{ address, contactName: "Ana" },
      otherAddresses: otherAddresses.filter((other) => other !== address),
    }));
    const [created] = await world.news();
    const { contactId } = created?.data ?? {};
    const person = { contactId, phone: address === phone ? phone : null, name: "Ana", ...known };
    assertEquals(created, { type: "contact.created", data: person });
    await world.call("save_contact", { contactId, fields: { email: "a@example.com" }, tags: null });
    await world.call("set_contact_consent", { contactId, marketing: "denied", source: "api" });
    assertEquals(
      (await world.news()).map(({ type, data: { consent: _, ...data } }) => [type, data]),
      [
        ["contact.updated", { ...person, fieldsUpdated: ["email"] }],
        ["contact.consent_changed", person],
      ],
    );
    await world.database.admin`delete from messaging.contacts`;
  }
  const { contactId } = await world.call("save_contact", {
    ...{ userId: known.userId, fields: {}, tags: null },
  });
  assertEquals(await world.news(), [{
    type: "contact.created",
    data: { contactId, phone: null, name: null, userId: known.userId },
  }]);
});
