import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import { createAgentClient } from "../agents/agent_client.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;

const confirmation =
  "Pronto, você não receberá mais mensagens promocionais. Para voltar a receber, responda VOLTAR.";

/** The consent of the contact, and who told it. */
async function readConsent({ stack }: WebhookClient, { instanceId }: Tenant): Promise<unknown[]> {
  const contacts = await stack.admin`
    select consent_marketing, consent_source from messaging.contacts
    where instance_id = ${instanceId} and phone = ${phone}`;
  return [contacts[0]?.["consent_marketing"], contacts[0]?.["consent_source"]];
}

async function readChanges({ stack }: WebhookClient): Promise<unknown[]> {
  const events = await stack.admin`
    select data from messaging.events where type = 'contact.consent_changed' order by sequence`;
  return events.map(({ data }) => data.consent.marketing);
}

/** The texts that the contact was sent. */
async function confirmations({ stack }: WebhookClient): Promise<unknown[]> {
  await stack.dispatch();
  return stack.provider.requests.map(({ json }) => json["message"]);
}

for (
  const [words, marketing] of [
    ["SAIR", "denied"],
    ["  sair \n", "denied"],
    ["Páre", "unknown"],
    ["*Descadastrar!*", "denied"],
    ["stop.", "denied"],
    ["STOP?", "unknown"],
    ["We have got to STOP this", "unknown"],
    ["quero sair", "unknown"],
    // An appointment, not a subscription.
    ["CANCELAR", "unknown"],
    ["SAIR\nPARAR", "unknown"],
    ["VOLTAR", "granted"],
    ["stárt", "granted"],
    // Marks that nobody sees: of direction, joiners, blanks without width.
    ["\u2068STOP\u2069", "denied"],
    ["S\u2060AI\u00adR\u{e0001}", "denied"],
    ["\u2066\u2069", "unknown"],
    [".", "unknown"],
  ] as const
) {
  Deno.test(`a keyword decides as the whole message alone: ${JSON.stringify(words)} is ${marketing}`, async () => {
    await using client = await createWebhookClient();
    const [plain, general] = [await client.createTenant(), await client.createTenant()];
    await client.receive(plain, { messageId: "IN1", text: { message: words } });
    // Two events in one payload take the general path.
    const official = await client.createTenant({ provider: "whatsapp_cloud" });
    await client.cloud(
      official,
      cloudPayload({ messages: [cloudText("W1", "oi"), cloudText("W2", words)] }),
    );
    const source = marketing === "unknown" ? null : "keyword";
    assertEquals(await readConsent(client, plain), [marketing, source]);
    assertEquals(await readConsent(client, official), [marketing, source]);
    assertEquals((await readConsent(client, general))[0], undefined);
  });
}

Deno.test("a keyword is confirmed once, by the system and without a pause of the agent, until the contact has come back", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const write = (messageId: string, message: string): Promise<unknown> =>
    client.receive(tenant, { messageId, text: { message } });
  await write("IN1", "SAIR");
  await write("IN1", "SAIR");
  await write("IN2", "parar");
  assertEquals(await confirmations(client), [confirmation]);
  const sent = (await client.messages(tenant)).filter((row) => row["direction"] === "outbound");
  assertEquals(sent.map((row) => [row["status"], row["sent_by"]]), [["sent", "system"]]);
  assertEquals((await client.stack.admin`select from messaging.agent_pauses`).length, 0);
  assertEquals(await readChanges(client), ["denied"]);
  await write("IN3", "Voltar");
  assertEquals((await confirmations(client)).length, 1, "a return is not confirmed");
  await write("IN4", "SAIR");
  assertEquals(await confirmations(client), [confirmation, confirmation]);
  assertEquals(await readChanges(client), ["denied", "granted", "denied"]);
});

Deno.test("no confirmation goes to a blocked contact, nor on the official channel to one who wrote a day ago", async () => {
  await using client = await createWebhookClient();
  const blocked = await client.createTenant();
  await client.receive(blocked, { messageId: "IN1", text: { message: "oi" } });
  await client.stack.admin`update messaging.contacts set is_blocked = true`;
  await client.receive(blocked, { messageId: "IN2", text: { message: "SAIR" } });
  assertEquals(await readConsent(client, blocked), ["denied", "keyword"]);
  const stored = await client.messages(blocked);
  assertEquals(stored.map(({ direction }) => direction), ["inbound", "inbound"]);
  for (const [hours, sent] of [[25, 0], [23, 1]] as const) {
    const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
    const timestamp = `${Math.floor(Date.now() / 1_000) - hours * 3_600}`;
    await client.cloud(
      tenant,
      cloudPayload({ messages: [cloudText(`W${hours}`, "SAIR", { timestamp })] }),
    );
    assertEquals(await readConsent(client, tenant), ["denied", "keyword"]);
    assertEquals((await confirmations(client)).length, sent, `${hours} hours`);
  }
});

Deno.test("a list of messages has the confirmation after the word that it confirms", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  await client.receive(tenant, { messageId: "IN1", text: { message: "SAIR" } });
  const { body } = await client.stack.messages(tenant, "GET", "/messages");
  assertEquals(body.items.map(({ message }: Json) => message), ["SAIR", confirmation]);
});

Deno.test("keywords and confirmation are the instance's own; a null confirmation is none", async () => {
  await using client = await createWebhookClient();
  const { admin } = client.stack;
  const own = await client.createTenant();
  await admin`update messaging.instances
    set opt_out_keywords = '{"Não quero mais"}', opt_out_confirmation = 'Ok.'
    where id = ${own.instanceId}`;
  await client.receive(own, { messageId: "IN1", text: { message: "SAIR" } });
  assertEquals(await readConsent(client, own), ["unknown", null]);
  await client.receive(own, { messageId: "IN2", text: { message: "nao quero mais" } });
  assertEquals(await readConsent(client, own), ["denied", "keyword"]);
  assertEquals(await confirmations(client), ["Ok."]);
  const silent = await client.createTenant();
  await admin`update messaging.instances set opt_out_confirmation = null
    where id = ${silent.instanceId}`;
  await client.receive(silent, { messageId: "IN1", text: { message: "SAIR" } });
  assertEquals(await readConsent(client, silent), ["denied", "keyword"]);
  assertEquals((await confirmations(client)).length, 1);
});

Deno.test("neither a group, nor what we write ourselves, nor a caption is a keyword", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant();
  const messages: readonly Json[] = [
    { messageId: "IN1", fromMe: true, fromApi: false, text: { message: "SAIR" } },
    { messageId: "IN2", phone: "12036-group", isGroup: true, text: { message: "SAIR" } },
    { messageId: "IN3", image: { imageUrl: "https://a.example/a.jpg", caption: "SAIR" } },
  ];
  for (const message of messages) await client.receive(tenant, message);
  assertEquals((await client.messages(tenant)).length, 3);
  const log = await client.stack.admin`select from messaging.consent_log`;
  assertEquals([log.length, await readChanges(client)], [0, []]);
});

Deno.test("the agent neither answers a keyword nor sees it as a question later", async () => {
  await using client = await createAgentClient();
  await client.write("IN1", "SAIR");
  await client.answer();
  assertEquals(client.model.requests.length, 0);
  await client.write("IN2", "vocês abrem hoje?");
  await client.answer();
  assertEquals(client.asked(), [["vocês abrem hoje?"]]);
  assertEquals(client.sent(), [confirmation, "Posso ajudar?"]);
  const history = await client.webhooks.history(client.tenant);
  const shown = history.body.conversation.map((item: Json) => item["content"]);
  assertEquals(shown[0], "SAIR", "people still read it");
});

/** A webhook of the field user_preferences, as Meta documents it. */
function preference(value: string, timestamp: number, category = "marketing_messages"): Json {
  return {
    object: "whatsapp_business_account",
    entry: [{
      id: "102290129340398",
      changes: [{
        field: "user_preferences",
        value: {
          messaging_product: "whatsapp",
          contacts: [{ profile: { name: "Ana" }, wa_id: phone }],
          user_preferences: [{ wa_id: phone, detail: "…", category, value, timestamp }],
        },
      }],
    }],
  };
}

Deno.test("the channel's preference denies and grants marketing, and the later one counts, whichever comes first", async () => {
  await using client = await createWebhookClient();
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  const now = Math.floor(Date.now() / 1_000);
  await client.cloud(tenant, preference("stop", now - 60));
  assertEquals(await readConsent(client, tenant), ["denied", "user_preferences"]);
  await client.cloud(tenant, preference("resume", now - 30));
  await client.cloud(tenant, preference("stop", now - 60));
  await client.cloud(tenant, preference("stop", now - 45));
  assertEquals(await readConsent(client, tenant), ["granted", "user_preferences"]);
  await client.cloud(tenant, preference("stop", now, "utility_messages"));
  assertEquals(await readChanges(client), ["denied", "granted"]);
  assertEquals(await confirmations(client), [], "the channel has confirmed it itself");
});

Deno.test("131050 denies marketing, as the answer of a call and as a later status", async () => {
  await using client = await createWebhookClient();
  const { stack } = client;
  const error = { code: 131050, message: "(#131050) stopped", title: "stopped" };
  const byAnswer = await client.createTenant({ provider: "whatsapp_cloud" });
  const text = { phone, messageType: "text", message: "Olá" };
  stack.provider.answer = () => Response.json({ error }, { status: 400 });
  assertEquals((await stack.send(byAnswer, text)).status, 502);
  assertEquals(await readConsent(client, byAnswer), ["denied", "131050"]);
  const byStatus = await client.createTenant({ provider: "whatsapp_cloud" });
  stack.provider.answer = () =>
    Response.json({ messaging_product: "whatsapp", messages: [{ id: "wamid.1" }] });
  const { body } = await stack.send(byStatus, text);
  const status = {
    ...{ id: "wamid.1", status: "failed", recipient_id: phone, errors: [error] },
    ...{ timestamp: `${Math.floor(Date.now() / 1_000)}`, biz_opaque_callback_data: body.messageId },
  };
  await client.cloud(byStatus, cloudPayload({ statuses: [status] }));
  assertEquals(await readConsent(client, byStatus), ["denied", "131050"]);
  assertEquals(await readChanges(client), ["denied", "denied"]);
});
