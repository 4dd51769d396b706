/** Null and empty texts of a body are not given (decisions, section 1), also where two bodies are compared. */

import { createContactsApiApp } from "../../../functions/contacts-api/app.ts";
import { assertEquals } from "../../support/assert.ts";
import { callBatches, phoneOf } from "../../support/fixtures/batch_calls.ts";
import { testVault } from "../../support/fixtures/tenant.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { phone, startTemplateStack } from "../send_template_message/template_stack.ts";

const text = { phone, messageType: "text", message: "Olá" };
const key = { "Idempotency-Key": "k" };

Deno.test("null and an empty text in any optional field are not given", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const empty of [null, "", "  ", "\u200b"]) {
    const fields = [
      ...["contactId", "userId", "mediaUrl", "mediaId", "mediaFilename", "optionList", "buttons"],
      ...["header", "footer", "linkButton", "location", "contacts", "reaction", "rendering"],
      ...["replyTo", "cardId", "metadata", "purpose", "delayMessage", "delayTyping", "assignTo"],
      ...["portfolio", "queued", "intervalSeconds", "sentBy", "pauseAgent", "sendAt", "expiresAt"],
      ...["cancelKey", "cancelOn", "paymentReference", "outsideWindow", "linkPreview", "viewOnce"],
    ];
    const body = { ...text, ...Object.fromEntries(fields.map((field) => [field, empty])) };
    const sent = await stack.send(tenant, body);
    assertEquals([sent.status, sent.body.issues], [200, undefined], JSON.stringify(empty));
    const list = {
      ...{ title: "T", buttonLabel: "Ver" },
      options: [{ id: empty, title: "a", description: empty }],
    };
    const listed = await stack.send(tenant, {
      ...{ phone, messageType: "option_list", message: "Oi", optionList: list },
    });
    assertEquals([listed.status, listed.body.issues], [200, undefined], JSON.stringify(empty));
  }
});

Deno.test("what is required stays so: an empty phone is no phone number, an empty message no message", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  for (const empty of ["", "  "]) {
    const named = await stack.send(tenant, { ...text, phone: empty });
    assertEquals([named.status, named.body.error], [400, "invalid_phone"]);
    const said = await stack.send(tenant, { ...text, message: empty });
    assertEquals([said.status, said.body.issues[0].path], [400, "message"]);
  }
  const other = await stack.send(tenant, { ...text, phone: "", contactId: crypto.randomUUID() });
  assertEquals([other.status, other.body.error], [404, "contact_not_found"]);
});

Deno.test("bodies that differ by what is not given are one under an Idempotency-Key; by what is given, two", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const first = await stack.send(tenant, text, key);
  const same = [
    { ...text, cardId: null, sendAt: "" },
    { ...text, optionList: null, footer: " ", contactId: "", unknown: null },
  ];
  for (const body of same) {
    const again = await stack.send(tenant, body, key);
    assertEquals([again.status, again.body.messageId], [200, first.body.messageId]);
    assertEquals(again.headers.get("idempotent-replayed"), "true");
  }
  for (const fields of [{ cardId: "a" }, { unknown: "a" }, { message: "Oi" }]) {
    const { status, body } = await stack.send(tenant, { ...text, ...fields }, key);
    assertEquals([status, body.error], [422, "idempotency_key_reused"], JSON.stringify(fields));
  }
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("so it is of a template's variables and of a batch's recipients", async () => {
  await using templates = await startTemplateStack();
  const { stack } = templates;
  const tenant = await stack.createTenant();
  const components = [{ type: "BODY", text: "Pedido {{1}}" }];
  const templateId = await templates.createTemplate(tenant, { components });
  const post = (variables: object) => templates.post(tenant, { templateId, phone, variables }, key);
  const first = await post({ 1: "a" });
  const again = await post({ 1: "a", nome: null, header: "" });
  assertEquals([again.status, again.body.internalMessageId], [200, first.body.internalMessageId]);
  assertEquals((await post({ 1: "a", nome: "Ana" })).status, 422);

  const create = (recipient: object) =>
    callBatches(stack, tenant, "POST", "/batches", {
      message: { messageType: "text", message: "Oi {{nome}}" },
      recipients: [{ phone: phoneOf(0), variables: { nome: "Ana" }, ...recipient }],
    }, { "Idempotency-Key": "b" });
  const made = await create({});
  const repeated = await create({ cardId: null, variables: { nome: "Ana", foo: null } });
  assertEquals([repeated.status, repeated.body.batchId], [201, made.body.batchId]);
  assertEquals((await create({ cardId: "a" })).status, 422);
});

Deno.test("a contact's own texts are cleared by null and by an empty text, which two bodies differ by", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const app = createContactsApiApp({ ...stack.services, vault: testVault });
  const update = async (fields: object, idempotencyKey?: string) => {
    const response = await callApp(app, "/contacts-api/update", {
      method: "POST",
      headers: {
        ...{ "X-Client-Token": tenant.token, "Content-Type": "application/json" },
        ...(idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey }),
      },
      body: JSON.stringify({ instanceId: tenant.instanceId, phone, ...fields }),
    });
    return { status: response.status, body: await response.json() };
  };
  for (const empty of [null, ""]) {
    await update({ name: "Ana", email: "a@a.example" });
    assertEquals((await update({ name: empty, email: empty })).body.fieldsUpdated.sort(), [
      "email",
      "name",
    ]);
    const [row] = await stack.admin`select name, email from messaging.contacts`;
    assertEquals({ ...row }, { name: null, email: null });
  }
  assertEquals((await update({ company: "A" }, "k")).status, 200);
  assertEquals((await update({ company: "A", tags: null }, "k")).status, 200);
  assertEquals((await update({ company: "A", name: null }, "k")).status, 422);
});
