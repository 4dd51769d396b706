/** What the official channel tells of templates, of the business's own number and of a person's key. */

import { assertEquals } from "../../support/assert.ts";
import type { Tenant } from "../../support/fixtures/tenant.ts";
import {
  cloudPayload,
  cloudText,
  createWebhookClient,
  type Delivered,
  phone,
  type WebhookClient,
} from "./webhook_client.ts";

type Json = Readonly<Record<string, unknown>>;
// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

interface Shop {
  readonly client: WebhookClient;
  readonly tenant: Tenant;
  /** A notice of the account, with its time in seconds after the first one. */
  tell(field: string, value: Json, second?: number): Promise<Delivered>;
  /** Types and data of the instance's events that are not of messages. */
  told(): Promise<readonly unknown[]>;
}

const startSeconds = Math.floor(Date.now() / 1_000) - 3_600;

async function openShop(client: WebhookClient): Promise<Shop> {
  const tenant = await client.createTenant({ provider: "whatsapp_cloud" });
  return {
    client,
    tenant,
    tell: (field, value, second = 0) => {
      const entry = [{ id: "1", time: startSeconds + second, changes: [{ field, value }] }];
      return client.cloud(tenant, { object: "whatsapp_business_account", entry });
    },
    told: async () => {
      const { body } = await client.stack.request("/events-api/events?after=oldest", {
        headers: { "x-client-token": tenant.token },
      });
      return body.items.filter(({ type }: Body) => !/^message\.|created/.test(type))
        .map(({ type, data }: Body) => [type, data]);
    },
  };
}

const components = [
  { type: "HEADER", format: "TEXT", text: "Antes" },
  { type: "BODY", text: "Oi {{1}}", example: { body_text: [["Ana"]] } },
  { type: "BUTTONS", buttons: [{ type: "URL", text: "Ver", url: "https://a.example/{{1}}" }] },
];

interface StoredTemplate {
  readonly templateId: string;
  readonly named: Json;
  /** What an event tells of it while nothing has changed. */
  readonly asTold: Json;
}

async function addTemplate(
  client: WebhookClient,
  { workspaceId, instanceId }: Tenant,
): Promise<StoredTemplate> {
  const [row] = await client.stack.admin`
    insert into messaging.message_templates (
      workspace_id, instance_id, name, language, parameter_format, components, category,
      provider_status, provider_template_id
    ) values (
      ${workspaceId}, ${instanceId}, 'oferta', 'pt_BR', 'POSITIONAL',
      ${JSON.stringify(components)}::text::jsonb, 'UTILITY', 'APPROVED', '77'
    ) returning id`;
  const templateId = String(row?.["id"]);
  const named = { templateId, name: "oferta", language: "pt_BR" };
  const asStored = { status: "APPROVED", category: "UTILITY", quality: null, reason: null };
  return { templateId, named, asTold: { ...named, ...asStored, disablesAt: null } };
}

const ofTemplate = { message_template_id: 77, message_template_name: "oferta" };

Deno.test("a template's quality, planned end, rejection and category are told, each once", async () => {
  await using client = await createWebhookClient();
  const { tenant, tell, told } = await openShop(client);
  const { asTold } = await addTemplate(client, tenant);
  const status = "message_template_status_update";
  const quality = { ...ofTemplate, previous_quality_score: "GREEN", new_quality_score: "RED" };
  for (const _ of [1, 2]) await tell("message_template_quality_update", quality);
  const ends = new Date((startSeconds + 7 * 86_400) * 1_000).toISOString();
  const disable_info = { disable_date: Date.parse(ends) / 1_000 };
  for (const _ of [1, 2]) await tell(status, { ...ofTemplate, event: "FLAGGED", disable_info });
  await tell(status, { ...ofTemplate, event: "FLAGGED" });
  const category = { ...ofTemplate, previous_category: "UTILITY", new_category: "MARKETING" };
  for (const _ of [1, 2]) await tell("template_category_update", category);
  await tell(status, { ...ofTemplate, event: "PAUSED", reason: "ABUSIVE_CONTENT" });
  await tell(status, { ...ofTemplate, event: "APPROVED", reason: "NONE" });
  const red = { ...asTold, quality: "RED" };
  const marketing = { ...red, category: "MARKETING" };
  assertEquals(await told(), [
    ["template.status_changed", red],
    ["template.status_changed", { ...red, disablesAt: ends }],
    ["template.status_changed", { ...marketing, disablesAt: ends }],
    ["template.status_changed", { ...marketing, status: "PAUSED", reason: "ABUSIVE_CONTENT" }],
    ["template.status_changed", marketing],
  ]);
});

Deno.test("a change of category is announced once, and ends when it has happened", async () => {
  await using client = await createWebhookClient();
  const { tenant, tell, told } = await openShop(client);
  const { named, asTold, templateId } = await addTemplate(client, tenant);
  const announced = { ...ofTemplate, new_category: "UTILITY", correct_category: "MARKETING" };
  const at = new Date((startSeconds + 86_400) * 1_000).toISOString();
  for (const second of [0, 7]) await tell("template_category_update", announced, second);
  const readChange = async (): Promise<unknown> => {
    const [row] = await client.stack.admin`
      select messaging.describe_message_template(t)->'categoryChange' as change
      from messaging.message_templates t where t.id = ${templateId}`;
    return row?.["change"];
  };
  assertEquals(await readChange(), { to: "MARKETING", at: at.replace("Z", "+00:00") });
  const done = { ...ofTemplate, previous_category: "UTILITY", new_category: "MARKETING" };
  await tell("template_category_update", done, 90);
  assertEquals(await readChange(), null);
  assertEquals(await told(), [
    ["template.category_warning", { ...named, from: "UTILITY", to: "MARKETING", at }],
    ["template.status_changed", { ...asTold, category: "MARKETING" }],
  ]);
});

Deno.test("words that somebody gave a template elsewhere become its words", async () => {
  await using client = await createWebhookClient();
  const { tenant, tell, told } = await openShop(client);
  const { templateId } = await addTemplate(client, tenant);
  const { body } = await tell("message_template_components_update", {
    ...{ ...ofTemplate, message_template_element: "Oi {{1}}, são {{2}}" },
    ...{ message_template_title: "Depois", message_template_footer: "Loja" },
    message_template_buttons: [
      {
        message_template_button_type: "URL",
        message_template_button_text: "Abrir",
      },
      { message_template_button_type: "QUICK_REPLY", message_template_button_text: "Não" },
    ],
  });
  assertEquals(body, { success: true, recorded: 1 });
  const [row] = await client.stack.admin`
    select components from messaging.message_templates where id = ${templateId}`;
  assertEquals(row?.["components"], [
    { type: "HEADER", format: "TEXT", text: "Depois" },
    { type: "BODY", text: "Oi {{1}}, são {{2}}", example: { body_text: [["Ana"]] } },
    {
      type: "BUTTONS",
      buttons: [
        { type: "URL", text: "Abrir", url: "https://a.example/{{1}}" },
        { type: "QUICK_REPLY", text: "Não" },
      ],
    },
    { type: "FOOTER", text: "Loja" },
  ]);
  assertEquals(await told(), []);
});

Deno.test("parts that somebody took out of a template elsewhere are gone, what a notice never tells stays", async () => {
  await using client = await createWebhookClient();
  const { tenant, tell } = await openShop(client);
  const { templateId } = await addTemplate(client, tenant);
  const body = { type: "BODY", text: "Oi {{1}}" };
  const url = { type: "URL", text: "Ver", url: "https://a.example/{{1}}" };
  const call = { type: "phone_number", text: "Ligar", phone_number: "+5511" };
  const reply = { type: "QUICK_REPLY", text: "Sim" };
  const image = { type: "HEADER", format: "IMAGE" };
  const title = { type: "header", text: "Antes" };
  const footer = { type: "FOOTER", text: "Loja" };
  const buttons = (...list: Json[]): Json => ({ type: "BUTTONS", buttons: list });
  const left: [stored: Json[], told: Json, kept: Json[]][] = [
    [[title, body, footer, buttons(url, call)], {}, [body]],
    [[image, body, buttons(url, reply), footer], {}, [image, body, buttons(reply)]],
    [[title, body, footer], { message_template_footer: "Loja" }, [body, footer]],
    [[title, body, footer], { message_template_title: "Antes" }, [title, body]],
    [
      [body, buttons(url, reply)],
      {
        message_template_buttons: [{
          message_template_button_type: "URL",
          message_template_button_text: "Ver",
        }],
      },
      [body, buttons(url)],
    ],
  ];
  for (const [stored, told, kept] of left) {
    await client.stack.admin`update messaging.message_templates
      set components = ${JSON.stringify(stored)}::text::jsonb where id = ${templateId}`;
    const notice = { ...ofTemplate, message_template_element: "Oi {{1}}", ...told };
    await tell("message_template_components_update", notice);
    const [row] = await client.stack.admin`
      select components from messaging.message_templates where id = ${templateId}`;
    assertEquals(row?.["components"], kept);
  }
});

Deno.test("the number's name, quality and username are told, the newest by the channel's time", async () => {
  await using client = await createWebhookClient();
  const { tell, told } = await openShop(client);
  const name = { decision: "APPROVED", requested_verified_name: "Loja Nova" };
  const rejected = { decision: "REJECTED", rejection_reason: "NAME_EMPLOYEE_REVIEW" };
  for (const second of [10, 10, 5]) {
    await tell("phone_number_name_update", { ...name, rejection_reason: "NONE" }, second);
  }
  await tell("phone_number_name_update", { ...name, ...rejected }, 20);
  await tell("phone_number_quality_update", { event: "FLAGGED" }, 20);
  await tell("phone_number_quality_update", { event: "UNFLAGGED" }, 30);
  await tell("business_username_updates", { username: "loja.nova", status: "reserved" }, 10);
  await tell("business_username_updates", { username: "loja.nova", status: "approved" }, 20);
  await tell("business_username_updates", { status: "deleted" }, 30);
  const none = { value: null, previousValue: null, reason: null };
  const shop = { ...none, value: "Loja Nova" };
  const username = { ...none, fact: "username", value: "loja.nova" };
  const was = { previousValue: "loja.nova" };
  assertEquals(
    (await told()).filter((event) => (event as Body)[0] === "instance.number_changed"),
    [
      { ...shop, fact: "name", status: "APPROVED" },
      {
        ...shop,
        ...{ fact: "name", status: "REJECTED", previousValue: "Loja Nova" },
        reason: "NAME_EMPLOYEE_REVIEW",
      },
      { ...none, fact: "quality", status: "FLAGGED" },
      { ...none, fact: "quality", status: "UNFLAGGED" },
      { ...username, status: "reserved" },
      { ...username, ...was, status: "approved" },
      { ...username, ...was, value: null, status: "deleted" },
    ].map((data) => ["instance.number_changed", data]),
  );
});

Deno.test("a person's new phone or installation is told once, however many webhooks tell it, in any order", async () => {
  await using client = await createWebhookClient();
  const { tenant, told } = await openShop(client);
  const firstSeconds = startSeconds - 8 * 3_600;
  const system = (id: string, hours: number, identity?: string): Promise<Delivered> =>
    client.cloud(
      tenant,
      cloudPayload({
        messages: [{
          ...{ id, from: phone, timestamp: `${firstSeconds + hours * 3_600}`, type: "system" },
          system: { type: "customer_identity_changed", customer: phone, identity, body: "..." },
        }],
      }),
    );
  const write = (id: string, hours: number, key?: string, hash?: string): Promise<Delivered> =>
    client.cloud(
      tenant,
      cloudPayload({
        contacts: [{ profile: { name: "Ana" }, wa_id: phone, identity_key_hash: key }],
        messages: [cloudText(id, "oi", {
          timestamp: `${firstSeconds + hours * 3_600}`,
          ...(hash === undefined ? {} : { identity: { acknowledged: true, hash } }),
        })],
      }),
    );
  await system("S0", 0, "nobody-yet");
  await write("M1", 0);
  await write("M2", 0, "key-1");
  await write("M3", 0, "key-1");
  await write("M4", 1, "key-2");
  // The notice of the same change comes late, twice.
  for (const _ of [1, 2]) await system("S1", 1, "notice-2");
  for (const _ of [1, 2]) await system("S2", 2, "notice-3");
  await write("M5", 3, "key-3");
  await write("M6", 3, undefined, "notice-3");
  await write("M7", 2, "key-2");
  await write("M8", 3, "key-3");
  // Without a key of its own: the message names it by the notice's id, the next one by its key.
  for (const _ of [1, 2]) await system("S3", 4);
  await write("M9", 5, undefined, "S3");
  await write("M10", 5, "key-4");
  for (const _ of [1, 2]) await system("S3", 4);
  await write("M11", 6, undefined, "hash-5");
  await system("S4", 6);
  await write("M12", 6, "key-5");
  await write("M13", 7, "key-6");
  const changes = await told() as readonly Body[];
  assertEquals(
    changes.map(([type, { reason, identity, previousIdentity }]) => [
      ...[type, reason, previousIdentity, identity],
    ]),
    [
      ...[["key-1", "key-2"], ["notice-2", "notice-3"], ["key-3", "S3"], ["key-4", "hash-5"]],
      ["key-5", "key-6"],
    ].map((keys) => ["contact.identity_changed", "device_changed", ...keys]),
  );
  assertEquals((await client.messages(tenant)).length, 13);
});
