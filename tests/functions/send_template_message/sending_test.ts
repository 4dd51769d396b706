import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { answerNever } from "../../support/doubles/http_double.ts";
import { providerSecrets, type Tenant } from "../../support/fixtures/tenant.ts";
import { phone, startTemplateStack, type TemplateStack } from "./template_stack.ts";
import { holdTimers } from "../../support/held_timers.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const link = "https://files.example.com/a.png";

const rich = {
  name: "pedido_enviado",
  parameterFormat: "NAMED",
  components: [
    { type: "HEADER", format: "TEXT", text: "Oi {{cliente}}" },
    { type: "BODY", text: "{{nome}}, o pedido {{pedido}} saiu ({{telefone}})." },
    { type: "FOOTER", text: "Loja" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "PHONE_NUMBER", text: "Ligar", phone_number: "+551140001234" },
        { type: "URL", text: "Rastrear", url: "https://a.example/{{1}}" },
        { type: "QUICK_REPLY", text: "Sair" },
      ],
    },
  ],
} as const;
const variables = { header: "Bia", pedido: 42, button_2: "r/42", button_3_payload: "OUT" };
const richText = "Oi Bia\n\nAna, o pedido 42 saiu (5511987654321).\n\nLoja\n\n" +
  "1. Ligar: +551140001234\n2. Rastrear: https://a.example/r/42\n3. Sair";

async function nameContact({ stack }: TemplateStack, tenant: Tenant): Promise<void> {
  await stack.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, name, origin)
    values (${tenant.instanceId}, ${phone}, messaging.phone_identity_key(${phone}), 'Ana', 'api')`;
}

Deno.test("on the official channel a template goes with its parameters alone, and the answer has every field", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, rich);
  await nameContact(templates, tenant);
  const { instanceId } = tenant;
  const answer = await templates.post(tenant, { templateId, instanceId, phone, variables });
  const { messageId, providerMessageId, internalMessageId, contactId, conversationId, ...rest } =
    answer.body;
  assertEquals(providerMessageId, messageId);
  assertEquals([answer.status, rest], [200, {
    success: true,
    provider: "official",
    templateId,
    templateName: "pedido_enviado",
    phone,
    status: "sent",
    aiAgentPausedUntil: null,
  }]);
  assert(messageId.startsWith("provider-"));
  for (const id of [internalMessageId, contactId, conversationId]) assertMatch(id, uuid);
  assertEquals(stack.provider.requests.map(({ json }) => json), [{
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: phone,
    type: "template",
    template: {
      name: "pedido_enviado",
      language: { code: "pt_BR" },
      components: [
        { type: "header", parameters: [{ type: "text", parameter_name: "cliente", text: "Bia" }] },
        {
          type: "body",
          parameters: [
            { type: "text", parameter_name: "nome", text: "Ana" },
            { type: "text", parameter_name: "pedido", text: "42" },
            { type: "text", parameter_name: "telefone", text: phone },
          ],
        },
        {
          type: "button",
          sub_type: "url",
          index: "1",
          parameters: [{ type: "text", text: "r/42" }],
        },
        {
          type: "button",
          sub_type: "quick_reply",
          index: "2",
          parameters: [{ type: "payload", payload: "OUT" }],
        },
      ],
    },
    biz_opaque_callback_data: internalMessageId,
  }]);
  const [stored] = await stack.admin`
    select message_type, message, status, provider_message_id, sent_by, content->'template'->>'name' as name
    from messaging.messages where id = ${internalMessageId}`;
  assertEquals({ ...stored }, {
    message_type: "template",
    message: richText,
    status: "sent",
    provider_message_id: messageId,
    sent_by: null,
    name: "pedido_enviado",
  });
});

Deno.test("on a gateway a template goes as the text it reads as, unapproved and unsynced too", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  for (const provider of ["zapi", "evolution"] as const) {
    const tenant = await stack.createTenant({ provider });
    await nameContact(templates, tenant);
    const unsynced = { providerStatus: null, providerTemplateId: null };
    const templateId = await templates.createTemplate(tenant, { ...rich, ...unsynced });
    const answer = await templates.post(tenant, { templateId, phone, variables });
    assertEquals([answer.status, answer.body.provider], [200, "gateway"]);
    const sent = stack.provider.requests.at(-1)?.json;
    assertEquals(sent?.[provider === "zapi" ? "message" : "text"], richText);
    const [stored] = await stack.admin`
      select message_type, message from messaging.messages where id = ${answer.body.internalMessageId}`;
    assertEquals({ ...stored }, { message_type: "text", message: richText });
  }
});

Deno.test("on a gateway a media header is sent as the file with the text as caption", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const cases = [
    ["IMAGE", link, "/send-image", { image: link, caption: "Olá" }],
    [
      "VIDEO",
      { link: "https://files.example.com/a.mp4" },
      "/send-document/mp4",
      { document: "https://files.example.com/a.mp4", fileName: "a.mp4", caption: "Olá" },
    ],
    [
      "DOCUMENT",
      { id: "7", link: "https://files.example.com/a" },
      "/send-document/pdf",
      { document: "https://files.example.com/a", fileName: "document.pdf", caption: "Olá" },
    ],
  ] as const;
  for (const [format, header, path, members] of cases) {
    const templateId = await templates.createTemplate(tenant, {
      components: [{ type: "HEADER", format }, { type: "BODY", text: "Olá" }],
    });
    const answer = await templates.post(tenant, { templateId, phone, variables: { header } });
    assertEquals(answer.status, 200, JSON.stringify(answer.body));
    const sent = stack.provider.requests.at(-1);
    assert(sent !== undefined && sent.path.endsWith(path), sent?.path);
    assertEquals(sent.json, { phone, ...members });
  }
});

Deno.test("a fixed template needs no variables and no instanceId; every form of instanceId will do", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  for (const owner of [null, tenant.instanceId]) {
    const templateId = await templates.createTemplate(tenant, { instanceId: owner });
    const references = [undefined, tenant.instanceId, tenant.embedKey, tenant.businessInstanceId];
    for (const instanceId of references) {
      const body = { templateId: templateId.toUpperCase(), instanceId, phone, variables: {} };
      const answer = await templates.post(tenant, body);
      assertEquals([answer.status, answer.body.templateId], [200, templateId]);
      assertEquals(stack.provider.requests.at(-1)?.json["template"], {
        name: "aviso",
        language: { code: "pt_BR" },
      });
    }
  }
});

Deno.test("the contact is created with origin api, once for both forms of a Brazilian mobile", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const templateId = await templates.createTemplate(tenant, {
    parameterFormat: "NAMED",
    components: [{ type: "BODY", text: "{{telefone}}" }],
  });
  const textOf = async (to: string): Promise<unknown> => {
    const answer = await templates.post(tenant, { templateId, phone: to });
    assertEquals([answer.status, answer.body.phone], [200, to]);
    return stack.provider.requests.at(-1)?.json["message"];
  };
  assertEquals(await textOf("551187654321"), "551187654321");
  // The contact's phone, not the request's.
  assertEquals(await textOf("5511987654321"), "551187654321");
  const rows = await stack.admin`select phone, origin from messaging.contacts`;
  assertEquals(rows.map((row) => ({ ...row })), [{ phone: "551187654321", origin: "api" }]);
});

Deno.test("a template goes to a contact who has been silent for more than 24 hours", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  await nameContact(templates, tenant);
  await stack.admin`update messaging.contacts set last_inbound_at = now() - interval '3 days'`;
  assertEquals((await templates.post(tenant, { templateId, phone })).status, 200);
});

Deno.test("502 provider_template_send_failed carries the provider's code and text, and no secret", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  stack.provider.answer = () =>
    Response.json({
      error: {
        message: `(#132001) Template name does not exist, token ${providerSecrets[2]}`,
        code: 132001,
        error_data: { details: `not for ${phone}` },
      },
    }, { status: 404 });
  const answer = await templates.post(tenant, { templateId, phone });
  const { error, details, retryable, status, messageId, internalMessageId } = answer.body;
  assertEquals([answer.status, error, retryable, status, messageId], [
    502,
    "provider_template_send_failed",
    false,
    "failed",
    null,
  ]);
  assertEquals(details.code, "132001");
  assertMatch(details.message, /Template name does not exist/);
  const text = JSON.stringify(details);
  assert(!text.includes(providerSecrets[2]) && !text.includes(phone), text);
  const [row] = await stack.admin`
    select status, last_error from messaging.messages where id = ${internalMessageId}`;
  assertEquals([row?.["status"], row?.["last_error"].code], ["failed", "132001"]);
});

Deno.test("a gateway's refusal is told in the same way", async () => {
  await using templates = await startTemplateStack();
  const tenant = await templates.stack.createTenant();
  const templateId = await templates.createTemplate(tenant);
  templates.stack.provider.answer = () => Response.json({ error: "no session" }, { status: 400 });
  const { status, body } = await templates.post(tenant, { templateId, phone });
  assertEquals([status, body.error, body.provider, body.details], [
    502,
    "provider_template_send_failed",
    "gateway",
    { code: "http_400", message: "no session" },
  ]);
});

Deno.test("504 provider_outcome_unknown: the message is kept as unconfirmed and sent once", async () => {
  const providerTimeoutMs = 20_123;
  using timeouts = holdTimers(providerTimeoutMs);
  await using templates = await startTemplateStack({ providerTimeoutMs });
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  stack.provider.answer = () => {
    timeouts.end();
    return answerNever();
  };
  const { status, body } = await templates.post(tenant, { templateId, phone });
  assertEquals([status, body.error, body.status, body.details], [
    504,
    "provider_outcome_unknown",
    "unconfirmed",
    { reason: "timed_out" },
  ]);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("the same Idempotency-Key sends once and answers alike, whatever became of the template", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, rich);
  await nameContact(templates, tenant);
  const body = { templateId, phone, variables };
  const key = { "Idempotency-Key": "k-1" };
  const first = await templates.post(tenant, body, key);
  assertEquals(first.headers.get("Idempotent-Replayed"), null);
  await stack.admin`update messaging.message_templates set provider_status = 'PAUSED'`;
  await stack.admin`update messaging.contacts set name = null`;
  const again = await templates.post(tenant, body, key);
  assertEquals([again.status, again.body], [200, first.body]);
  assertEquals(again.headers.get("Idempotent-Replayed"), "true");
  assertEquals(stack.provider.requests.length, 1);
  const other = await templates.post(tenant, { ...body, phone: "5511900000000" }, key);
  assertEquals([other.status, other.body.error], [422, "idempotency_key_reused"]);
});

Deno.test("refusals before the execution are not kept under an Idempotency-Key", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, { providerStatus: "PENDING" });
  const key = { "Idempotency-Key": "k-2" };
  const early = await templates.post(tenant, { templateId, phone }, key);
  assertEquals(early.body.error, "template_not_approved");
  await stack.admin`update messaging.message_templates set provider_status = 'APPROVED'`;
  assertEquals((await templates.post(tenant, { templateId, phone }, key)).status, 200);
});

Deno.test("many simultaneous calls with one Idempotency-Key send one template", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant);
  const key = { "Idempotency-Key": "k-3" };
  const calls = Array.from(
    { length: 12 },
    () => templates.post(tenant, { templateId, phone }, key),
  );
  const answers = await Promise.all(calls);
  for (const { status } of answers) assert(status === 200 || status === 409, String(status));
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("a send logs neither phone nor words nor secrets", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant({ provider: "whatsapp_cloud" });
  const templateId = await templates.createTemplate(tenant, rich);
  await nameContact(templates, tenant);
  await templates.post(tenant, { templateId, phone, variables });
  const log = JSON.stringify(stack.logLines);
  assert(log.includes("send-template-message"));
  for (const word of [phone, "Bia", "pedido 42", tenant.token, ...providerSecrets]) {
    assert(!log.includes(word), word);
  }
});

Deno.test("on a gateway the number of a template's quick reply in its text is what a typed number chooses", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const templateId = await templates.createTemplate(tenant, rich);
  await nameContact(templates, tenant);
  const { status } = await templates.post(tenant, { templateId, phone, variables });
  assertEquals(status, 200);
  const [offered] = await stack.admin`
    select messaging.typed_choice(o.choices, '3.') as third,
      messaging.typed_choice(o.choices, 'sair') as title,
      messaging.typed_choice(o.choices, '1') as first
    from messaging.messages m
    cross join messaging.offered_choices(m.contact_id, clock_timestamp(), null) as o`;
  const choice = { id: "OUT", title: "Sair" };
  assertEquals(offered, { third: choice, title: choice, first: null });
});
