/** Who is no contact: our own number, the channel's bots, and what names nobody. */

import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  evolutionMessage,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;

const lid = "103899771998284@lid";

/** The contacts of an instance, each with its phone, and the addresses that find it. */
async function readPeople(
  { stack }: WebhookClient,
  { instanceId }: Tenant,
): Promise<readonly Json[]> {
  const rows = await stack.admin`
    select c.phone, array(
      select a.address from messaging.contact_addresses a where a.contact_id = c.id order by a.address
    ) as addresses
    from messaging.contacts c where c.instance_id = ${instanceId} order by c.phone`;
  return rows.map((row) => ({ ...row }));
}

Deno.test("every server's address of a known person finds the one contact", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const chats: readonly Json[] = [
    { remoteJid: `${phone}@s.whatsapp.net` },
    { remoteJid: `${phone}@hosted`, remoteJidAlt: `${lid.slice(0, -4)}@hosted.lid` },
    { remoteJid: lid },
    { remoteJid: `${phone}:99@hosted` },
    { remoteJid: `${lid.slice(0, -4)}:99@hosted.lid` },
    { remoteJid: "null@s.whatsapp.net", remoteJidAlt: `${phone}@c.us` },
  ];
  for (const [place, key] of chats.entries()) {
    const message = evolutionMessage({ conversation: "oi" }, { ...key, id: `IN${place}` });
    assertEquals((await client.evolution(tenant, message)).body.recorded, 1, JSON.stringify(key));
  }
  assertEquals(await readPeople(client, tenant), [{ phone, addresses: [lid, phone] }]);
});

Deno.test("what names nobody and the channel's own bots make no contact and are answered by no agent", async () => {
  await using client = await createWebhookClient();
  const evolution = await client.createTenant({ provider: "evolution" });
  const zapi = await client.createTenant();
  const nobodies = [
    ...["null@s.whatsapp.net", "undefined@c.us", "abc@lid", "867051314767696@bot", "0@c.us"],
    "13135550002@s.whatsapp.net",
  ];
  for (const [place, nobody] of nobodies.entries()) {
    for (const fromMe of [false, true]) {
      const id = `IN${place}${fromMe}`;
      const message = evolutionMessage({ conversation: "oi" }, { remoteJid: nobody, id, fromMe });
      const received = { messageId: id, phone: nobody, fromMe, text: { message: "oi" } };
      for (
        const answer of [
          await client.evolution(evolution, message),
          await client.receive(zapi, received),
        ]
      ) assertEquals([nobody, answer.status, answer.body.recorded], [nobody, 200, 0]);
    }
  }
  for (const tenant of [evolution, zapi]) assertEquals(await readPeople(client, tenant), []);
});

Deno.test("our own number is never a contact's: a note to self, our profile and our entry make none", async () => {
  await using client = await createWebhookClient();
  const zapi = await client.createTenant();
  const evolution = await client.createTenant({ provider: "evolution" });
  const official = await client.createTenant({ provider: "whatsapp_cloud" });
  const own = zapi.connectedPhone;
  const ownJid = `${own}@s.whatsapp.net`;
  const note = { text: { message: "nota" } };
  const profile = { event: "contacts.update", data: { remoteJid: ownJid, pushName: "Loja" } };
  const entry = { type: "contact", contact: { full_name: "Eu", phone_number: own }, action: "add" };
  const field = "smb_app_state_sync";
  const book = { state_sync: [{ ...entry, metadata: { timestamp: "1794000000" } }] };
  const answers = [
    await client.receive(zapi, {
      ...note,
      messageId: "N1",
      phone: own,
      fromMe: true,
      chatLid: lid,
    }),
    await client.receive(zapi, { ...note, messageId: "N2", phone: own }),
    await client.receive(zapi, {
      ...{ ...note, messageId: "N3", phone: lid, chatLid: lid, fromMe: true },
      senderLid: lid,
    }),
    ...await Promise.all([true, false].map((fromMe) => {
      const key = { remoteJid: ownJid, remoteJidAlt: lid, id: `N${fromMe}`, fromMe };
      return client.evolution(evolution, evolutionMessage({ conversation: "nota" }, key));
    })),
    await client.evolution(evolution, profile),
    await client.cloud(
      official,
      cloudPayload({ messages: [{ ...cloudText("N4", "nota"), from: own }] }),
    ),
    await client.cloud(official, {
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field, value: book }] }],
    }),
  ];
  assertEquals(
    answers.map(({ status, body }) => [status, body.recorded]),
    answers.map(() => [200, 0]),
  );
  for (const tenant of [zapi, evolution, official]) {
    assertEquals(await readPeople(client, tenant), []);
    assertEquals((await client.messages(tenant)).length, 0);
  }
});

Deno.test("our own number beside a person's addresses does not become the person's, known or new", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "evolution" });
  const senderPn = `${tenant.connectedPhone}@s.whatsapp.net`;
  for (const id of ["IN1", "IN2"]) {
    const key = { remoteJid: `${phone}@s.whatsapp.net`, senderPn, senderLid: lid, id };
    const message = evolutionMessage({ conversation: "oi" }, key);
    assertEquals((await client.evolution(tenant, message)).body.recorded, 1);
  }
  assertEquals(await readPeople(client, tenant), [{ phone, addresses: [lid, phone] }]);
});
