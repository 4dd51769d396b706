/** What remains of who had denied marketing: enough to be denied again. Of others nothing remains. */

import { reseal } from "../../support/stack/reseal.ts";
import { connectDatabase } from "../../../shared/database/connect_database.ts";
import { listIdentities } from "../../../shared/database/denial_hashes.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { testCredentialsKey } from "../../support/fixtures/tenant.ts";
import {
  type ErasureWorld,
  neighbour,
  person,
  sender,
  startErasureWorld,
  text,
} from "./erasure_world.ts";

const { phone, shortPhone, userId } = person;

async function createDenier(world: ErasureWorld): Promise<string> {
  await world.receive({
    contacts: [sender(person, { user_id: userId })],
    messages: [text(`wamid.${crypto.randomUUID()}`, phone, "oi", { from_user_id: userId })],
  });
  const { contactId } = await world.succeed("POST", "contacts-api/consent", {
    ...{ phone, marketing: "denied" },
  });
  return contactId;
}

async function readConsent(world: ErasureWorld, contactId: string): Promise<unknown> {
  const { body } = await world.call("GET", `contacts-api/contacts/${contactId}`);
  return [body.consent.marketing, body.consent.source];
}

const marketing = { messageType: "text", message: "oferta", purpose: "marketing" };

/** Ways in which a person comes back; each returns the new contact's id. */
const returns: Readonly<Record<string, (world: ErasureWorld) => Promise<string>>> = {
  "an import": async ({ succeed }) =>
    (await succeed("POST", "contacts-api/create", { phone: shortPhone })).contactId,
  "an import by user id": async ({ succeed }) =>
    (await succeed("POST", "contacts-api/create", { userId })).contactId,
  "a sending call": async ({ succeed }) =>
    (await succeed("POST", "send-message", { phone, messageType: "text", message: "oi" }))
      .contactId,
  "a queued call": async ({ succeed }) =>
    (await succeed("POST", "send-message", {
      ...{ phone: shortPhone, messageType: "text", message: "oi", delayMessage: 600 },
    })).contactId,
  "a tag": async ({ succeed }) =>
    (await succeed("POST", "contacts-api/tags", { phone, addTags: ["vip"] })).contactId,
  "a note": async ({ succeed }) =>
    (await succeed("POST", "conversations-api/note", { phone: shortPhone, note: "ligou" }))
      .contactId,
  "a batch": async (world) => {
    await world.succeed("POST", "batches-api/batches", {
      ...{ name: "Novidades", message: { messageType: "text", message: "oi" } },
      recipients: [{ phone: shortPhone }],
    });
    return await readContactId(world);
  },
  "a message of theirs": async (world) => {
    await world.receive({
      contacts: [sender(person)],
      messages: [text("wamid.BACK", phone, "voltei")],
    });
    return await readContactId(world);
  },
  "a message without their number": async (world) => {
    const contact = { profile: { name: "J" }, user_id: userId };
    const message = { ...text("wamid.BACK", phone, "voltei"), from: undefined };
    await world.receive({
      contacts: [contact],
      messages: [{ ...message, from_user_id: userId }],
    });
    return await readContactId(world);
  },
  "a new user id that shows the number later": async (world) => {
    const contact = { profile: { name: "J" }, user_id: "BR.ANOTHER1" };
    const message = { ...text("wamid.B1", phone, "voltei"), from: undefined };
    await world.receive({
      contacts: [contact],
      messages: [{ ...message, from_user_id: "BR.ANOTHER1" }],
    });
    await world.receive({
      contacts: [{ ...contact, wa_id: phone }],
      messages: [text("wamid.B2", phone, "sou eu", { from_user_id: "BR.ANOTHER1" })],
    });
    return await readContactId(world);
  },
};

async function readContactId({ sql }: ErasureWorld): Promise<string> {
  const rows = await sql`select id from messaging.contacts`;
  assertEquals(rows.length, 1);
  return rows[0]?.["id"];
}

for (const [way, comeBack] of Object.entries(returns)) {
  Deno.test(`a person who had denied marketing is denied again, by ${way}`, async () => {
    await using world = await startErasureWorld();
    const former = await createDenier(world);
    await world.erase(former);
    const contactId = await comeBack(world);
    assert(contactId !== former);
    assertEquals(await readConsent(world, contactId), ["denied", "erasure"]);
    const refused = await world.call("POST", "send-message", { contactId, ...marketing });
    assertEquals([refused.status, refused.body.error], [409, "contact_opted_out"]);
    const { body } = await world.call("GET", "events-api/events?after=oldest&limit=1000");
    const told = body.items.filter((
      { type, data }: { type: string; data: { contactId: string } },
    ) => type === "contact.consent_changed" && data.contactId === contactId);
    assertEquals(told.length, 1);
    const log = await world.sql`select marketing, source from messaging.consent_log`;
    assertEquals(log.map((row) => ({ ...row })), [{ marketing: "denied", source: "erasure" }]);
  });
}

Deno.test("marketing is refused by the very call that brings a denier back", async () => {
  await using world = await startErasureWorld();
  await world.erase(await createDenier(world));
  const refused = await world.call("POST", "send-message", { phone, ...marketing });
  assertEquals([refused.status, refused.body.error], [409, "contact_opted_out"]);
  assertEquals(world.stack.provider.requests.length, 0);
});

Deno.test("of a person who had not denied nothing remains, also where the denial was taken back", async () => {
  await using world = await startErasureWorld();
  const { succeed, sql } = world;
  const first = await succeed("POST", "contacts-api/create", { phone: neighbour.phone });
  await world.erase(first.contactId);
  assertEquals((await sql`select from messaging.kept_denials`).length, 0);
  await world.erase(await createDenier(world));
  assert((await sql`select from messaging.kept_denials`).length >= 2, "of each identity");
  const again = await createDenier(world);
  await succeed("POST", "contacts-api/consent", { contactId: again, marketing: "granted" });
  await world.erase(again);
  assertEquals((await sql`select from messaging.kept_denials`).length, 0);
  const { contactId } = await succeed("POST", "contacts-api/create", { phone });
  assertEquals(await readConsent(world, contactId), ["unknown", null]);
});

Deno.test("another instance's person of the same number is not concerned", async () => {
  await using world = await startErasureWorld();
  await world.erase(await createDenier(world));
  const other = await world.stack.createTenant();
  const created = await world.call("POST", "contacts-api/create", { phone }, { tenant: other });
  const read = await world.call(
    "GET",
    `contacts-api/contacts/${created.body.contactId}`,
    undefined,
    { tenant: other },
  );
  assertEquals(read.body.consent.marketing, "unknown");
});

Deno.test("many calls that bring people back at once each get their own answer", async () => {
  await using world = await startErasureWorld();
  await world.erase(await createDenier(world));
  const phones = [phone, ...Array.from({ length: 20 }, (_, place) => `55119120000${10 + place}`)];
  const answers = await Promise.all(
    phones.map((to) =>
      world.succeed("POST", "send-message", { phone: to, messageType: "text", message: "oi" })
    ),
  );
  const consents = await Promise.all(
    answers.map(({ contactId }) => readConsent(world, contactId)),
  );
  assertEquals(consents.map((consent) => (consent as string[])[0]), [
    "denied",
    ...Array.from({ length: 20 }, () => "unknown"),
  ]);
});

Deno.test("the hashes stay valid after the credential keys are rotated, and tell nothing without the key", async () => {
  await using world = await startErasureWorld();
  const { sql, stack } = world;
  await world.erase(await createDenier(world));
  const [before] = await sql`select sealed_key from messaging.denial_key`;
  const newKey = btoa("n".repeat(32));
  assertEquals((await reseal(stack, `${newKey},${testCredentialsKey}`)).remaining, 0);
  const [after] = await sql`select sealed_key from messaging.denial_key`;
  assert(before?.["sealed_key"] !== after?.["sealed_key"]);
  const databaseUrl = stack.testDatabase.url;
  const config = { kind: "direct", databaseUrl, promotion: "hold" } as const;
  const database = await connectDatabase(config, newKey);
  try {
    const saved = await database.rpc("save_contact", {
      ...{ instanceId: world.tenant.instanceId, phone, fields: {}, idempotency: null },
    });
    assert("contactId" in saved);
    assertEquals(await readConsent(world, saved.contactId), ["denied", "erasure"]);
  } finally {
    await database.close();
  }
});

Deno.test("the identities of a call are found wherever the call names a person", () => {
  const call = {
    ...{ phone: shortPhone, message: { message: "5521900000000", phone: null } },
    events: [{ address: "12@lid", otherAddresses: [phone, "BR.1"], newAddress: "5511900000001" }],
  };
  assertEquals(listIdentities(call).sort(), ["12@lid", "5511900000001", phone, "BR.1"].sort());
});
