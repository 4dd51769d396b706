import { assert, assertEquals } from "../../support/assert.ts";
import { letTimePass } from "../../support/database/time_travel.ts";
import { phone, readValues, refuseCalls, startLadderClient } from "./ladder_client.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

Deno.test("inside the window a message with a ladder goes as it is; with a ladder, an unknown person counts as outside", async () => {
  await using ladder = await startLadderClient();
  const templateId = await ladder.createTemplate("aviso");
  const rungs = [{ template: { templateId, variables: { 1: "{{message}}" } } }];
  const outside = await ladder.send(rungs);
  assertEquals([outside.status, outside.body.sentAs, outside.body.mode], [200, "template", "sent"]);
  assertEquals(outside.body.template, { templateId, name: "aviso" });
  await ladder.knowPerson(23);
  const inside = await ladder.send(rungs);
  assertEquals([inside.status, inside.body.sentAs], [200, "message"]);
  assertEquals("template" in inside.body, false);
  assertEquals(ladder.calls(), ["template:aviso", "text"]);
  const [first] = ladder.client.stack.provider.requests;
  assertEquals(readValues(first!), ["Seu pedido saiu"]);
  const record = await ladder.read(outside.body.messageId);
  assertEquals(
    [record.messageType, record.message, record.sentAs, record.template.name, record.status],
    ["text", "Seu pedido\nsaiu", "template", "aviso", "sent"],
  );
  const [event] = await ladder.client.stack.admin`
    select (e.message).ladder from messaging.events e
    where (e.message).id = ${outside.body.messageId}`;
  assertEquals(event?.["ladder"].shown.sentAs, "template");
  // Without a ladder nobody known is refused, as before.
  const plain = await ladder.client.stack.send(ladder.tenant, {
    phone: "5511977770001",
    messageType: "text",
    message: "Oi",
  });
  assertEquals([plain.status, "sentAs" in plain.body], [200, false]);
});

Deno.test("a rung names its template by id, or by name and language, and one that names none or both is refused", async () => {
  await using ladder = await startLadderClient();
  const templateId = await ladder.createTemplate("aviso");
  const variables = { 1: "{{message}}" };
  const byName = { name: "aviso", language: "pt_BR", variables };
  const sent = await ladder.send([{ template: byName }]);
  assertEquals([sent.status, sent.body.template], [200, { templateId, name: "aviso" }]);
  const invited = await ladder.send([{ invite: byName }], { phone: "5511977770002" });
  assertEquals(invited.body.sentAs, "invitation", JSON.stringify(invited.body));
  const missing = await ladder.send([{ template: { ...byName, language: "en" } }]);
  assertEquals([missing.status, missing.body.error], [404, "Template not found"]);
  for (
    const [named, path] of [
      [{}, "templateId"],
      [{ name: "aviso" }, "language"],
      [{ templateId, name: "aviso" }, "name"],
    ] as const
  ) {
    const { status, body } = await ladder.send([{ template: { ...named, variables } }]);
    assertEquals([status, body.issues[0].path], [400, `outsideWindow.0.template.${path}`]);
  }
  await ladder.createTemplate("aviso");
  const twice = await ladder.send([{ template: byName }]);
  assertEquals([twice.status, twice.body.error], [409, "template_ambiguous"]);
});

Deno.test("a message stands in a template on one line, cut at 900 characters", async () => {
  await using ladder = await startLadderClient();
  const templateId = await ladder.createTemplate("aviso");
  const rungs = [{ template: { templateId, variables: { 1: "Novo: {{message}}" } } }];
  await ladder.send(rungs, { message: `a\n\tb ${"ç".repeat(2_000)}` });
  const [value = ""] = readValues(ladder.client.stack.provider.requests[0]!);
  assertEquals(value, `Novo: a b ${"ç".repeat(895)}…`);
});

Deno.test("a rung that cannot be taken gives way to the next, and when none is left the call is refused with each reason", async () => {
  await using ladder = await startLadderClient();
  const paused = await ladder.createTemplate("parado", { status: "PAUSED" });
  const marketing = await ladder.createTemplate("oferta", { category: "MARKETING" });
  const good = await ladder.createTemplate("aviso");
  await ladder.knowPerson(30);
  await ladder.client.stack.admin`
    update messaging.contacts set consent_marketing = 'denied', consent_at = now()`;
  const dead = [
    { directSend: "utility" },
    { template: { templateId: paused, variables: { 1: "x" } } },
    { invite: { templateId: marketing, variables: { 1: "x" } } },
    { template: { templateId: good } },
  ];
  const refused = await ladder.send(dead);
  assertEquals([refused.status, refused.body.error], [409, "outside_conversation_window"]);
  assertEquals(refused.body.details.rungs, [
    { rung: "directSend", reason: "direct_send_off" },
    { rung: "template", reason: "template_not_approved" },
    { rung: "invite", reason: "contact_opted_out" },
    { rung: "template", reason: "missing_variables" },
  ]);
  assertEquals(ladder.calls(), []);
  assertEquals((await ladder.client.messages(ladder.tenant)).length, 0);
  const taken = await ladder.send([
    ...dead,
    { template: { templateId: good, variables: { 1: "y" } } },
  ]);
  assertEquals([taken.body.sentAs, taken.body.template.name], ["template", "aviso"]);
});

Deno.test("Direct Send goes where the instance has it, for what it carries", async () => {
  await using ladder = await startLadderClient();
  const templateId = await ladder.createTemplate("aviso");
  await ladder.client.stack.admin`update messaging.instances set direct_send = true`;
  const rungs = [
    { directSend: "utility" },
    { template: { templateId, variables: { 1: "{{message}}" } } },
  ];
  const sent = await ladder.send(rungs);
  assertEquals([sent.status, sent.body.sentAs], [200, "direct_send"]);
  await ladder.tell(sent.body.providerMessageId, "delivered");
  const { pricing } = await ladder.read(sent.body.messageId);
  assertEquals([pricing.category, pricing.source], ["utility", "derived"]);
  const location = { latitude: -23.5, longitude: -46.6 };
  const unsupported = await ladder.send(
    [{ directSend: "utility" }],
    { messageType: "location", location, message: undefined },
  );
  assertEquals(unsupported.body.details.rungs, [
    { rung: "directSend", reason: "unsupported_content" },
  ]);
  for (const code of [100, 131064, 139200]) {
    ladder.client.stack.provider.answer = refuseCalls({ "text+utility": code });
    const next = await ladder.send(rungs);
    assertEquals([next.status, next.body.sentAs], [200, "template"], `${code}`);
    const record = await ladder.read(next.body.messageId);
    assertEquals([record.status, record.attempts, record.sentAs], ["sent", 2, "template"]);
  }
  assertEquals(ladder.calls().slice(0, 3), ["text+utility", "text+utility", "template:aviso"]);
});

Deno.test("a ladder is validated as a whole, and an unknown template is not found", async () => {
  await using ladder = await startLadderClient();
  const faulty = await ladder.send([
    { directSend: "marketing" },
    { template: { templateId: "x" } },
    {},
    { directSend: "utility", invite: { templateId: unknownId } },
  ]);
  assertEquals([faulty.status, faulty.body.error], [400, "invalid_request"]);
  const paths = faulty.body.issues.map(({ path }: { path: string }) => path);
  assertEquals(paths, [
    "outsideWindow.0.directSend",
    "outsideWindow.1.template.templateId",
    "outsideWindow.2",
    "outsideWindow.3",
  ]);
  assertEquals((await ladder.send([])).status, 400);
  const unknown = await ladder.send([{ template: { templateId: unknownId } }]);
  assertEquals([unknown.status, unknown.body.error], [404, "Template not found"]);
  assertEquals((await ladder.client.messages(ladder.tenant)).length, 0);
});

Deno.test("a gateway has no window: every message goes as it is", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const gateway = await ladder.client.createTenant();
  const sent = await stack.send(gateway, {
    phone,
    messageType: "text",
    message: "Oi",
    outsideWindow: [{ directSend: "utility" }],
  });
  assertEquals([sent.status, sent.body.sentAs], [200, "message"]);
  assertEquals(stack.provider.requests.length, 1);
});

Deno.test("an answer that says the window is closed lets the next rung go once, by the same message", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  await ladder.knowPerson(2);
  stack.provider.answer = refuseCalls({ text: 131047 });
  const key = { "Idempotency-Key": "once" };
  const send = () =>
    stack.send(ladder.tenant, {
      phone,
      messageType: "text",
      message: "Oi",
      outsideWindow: [{ template: { templateId, variables: { 1: "{{message}}" } } }],
    }, key);
  const sent = await send();
  assertEquals([sent.status, sent.body.sentAs, sent.body.mode], [200, "template", "sent"]);
  assertEquals(ladder.calls(), ["text", "template:aviso"]);
  assertEquals((await send()).body, sent.body);
  const record = await ladder.read(sent.body.messageId);
  assertEquals([record.status, record.attempts, record.lastError], ["sent", 2, null]);
  assertEquals(await ladder.events(sent.body.messageId), ["message.sent"]);

  stack.provider.answer = refuseCalls({ text: 131047, "template:aviso": 132015 });
  const refused = await ladder.send([{ template: { templateId, variables: { 1: "x" } } }]);
  assertEquals([refused.status, refused.body.error], [409, "outside_conversation_window"]);
  assertEquals(refused.body.details.rungs, [{ rung: "template", reason: "template_refused" }]);
  const failed = await ladder.read(refused.body.messageId);
  assertEquals([failed.status, failed.lastError.code], ["failed", "outside_conversation_window"]);
});

Deno.test("a status that says the window was closed lets the next rung go once, and never after a delivery", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  await ladder.knowPerson(2);
  const rungs = [{ template: { templateId, variables: { 1: "{{message}}" } } }];
  const sent = await ladder.send(rungs);
  const { messageId, providerMessageId } = sent.body;
  await ladder.tell(providerMessageId, "failed", 131047);
  await ladder.tell(providerMessageId, "failed", 131047);
  await stack.dispatch();
  await ladder.tell(providerMessageId, "failed", 131047);
  await stack.dispatch();
  assertEquals(ladder.calls(), ["text", "template:aviso"]);
  const record = await ladder.read(messageId);
  assertEquals([record.status, record.attempts, record.sentAs], ["sent", 2, "template"]);
  assert(record.providerMessageId !== providerMessageId);
  // A template is not told so, and a second time ends it.
  await ladder.tell(record.providerMessageId, "failed", 131047);
  assertEquals((await ladder.read(messageId)).status, "failed");

  const arrived = await ladder.send(rungs);
  await ladder.tell(arrived.body.providerMessageId, "delivered");
  await ladder.tell(arrived.body.providerMessageId, "failed", 131047);
  await stack.dispatch();
  const delivered = await ladder.read(arrived.body.messageId);
  assertEquals([delivered.status, delivered.sentAs], ["delivered", "message"]);
});

Deno.test("a status that comes before the answer was recorded is applied after it", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  await ladder.knowPerson(2);
  stack.provider.answer = async ({ json }) => {
    const id = `wamid.${crypto.randomUUID()}`;
    if (json["type"] === "text") await ladder.tell(id, "failed", 131047);
    return Response.json({ messages: [{ id }] });
  };
  const sent = await ladder.send([{ template: { templateId, variables: { 1: "x" } } }]);
  assertEquals(sent.status, 200);
  await stack.dispatch();
  assertEquals(ladder.calls(), ["text", "template:aviso"]);
  const record = await ladder.read(sent.body.messageId);
  assertEquals([record.status, record.attempts], ["sent", 2]);
});

Deno.test("a queued message is decided again when it leaves", async () => {
  await using ladder = await startLadderClient();
  const { stack } = ladder.client;
  const templateId = await ladder.createTemplate("aviso");
  const rungs = [{ template: { templateId, variables: { 1: "{{message}}" } } }];
  await ladder.knowPerson(2);
  const sendAt = () => new Date(Date.now() + 600_000).toISOString();
  const closes = await ladder.send(rungs, { queued: true, intervalSeconds: 10, sendAt: sendAt() });
  assertEquals([closes.body.status, closes.body.sentAs], ["queued", "message"]);
  const opens = await ladder.send(rungs, { phone: "5511977770002", sendAt: sendAt() });
  assertEquals([opens.body.mode, opens.body.sentAs], ["scheduled", "template"]);
  await ladder.knowPerson(30);
  await ladder.knowPerson(1, "5511977770002");
  const [gone] = [await ladder.send(rungs, { phone: "5511977770003", sendAt: sendAt() })];
  await stack.admin`
    update messaging.contacts set is_blocked = false where instance_id = ${ladder.tenant.instanceId}`;
  await letTimePass(stack.admin, 601);
  await ladder.dispatchUntil(3);
  for (
    const [sent, as] of [[closes, "template"], [opens, "message"], [gone!, "template"]] as const
  ) {
    const record = await ladder.read(sent.body.messageId);
    assertEquals([record.status, record.sentAs], ["sent", as]);
  }

  const left = await ladder.send(rungs, { sendAt: sendAt() });
  await stack.admin`update messaging.message_templates set provider_status = 'PAUSED'`;
  await letTimePass(stack.admin, 601);
  await stack.dispatch();
  const failed = await ladder.read(left.body.messageId);
  assertEquals([failed.status, failed.lastError.code], ["failed", "outside_conversation_window"]);
});

Deno.test("a template in a message's place is billed by its own category until the channel tells", async () => {
  await using ladder = await startLadderClient();
  await ladder.knowPerson(30);
  const templateId = await ladder.createTemplate("oferta", { category: "MARKETING" });
  const sent = await ladder.send([{ template: { templateId, variables: { 1: "x" } } }]);
  assertEquals([sent.status, sent.body.sentAs], [200, "template"]);
  await ladder.tell(sent.body.providerMessageId, "delivered");
  const { pricing } = await ladder.read(sent.body.messageId);
  assertEquals([pricing.category, pricing.source], ["marketing", "derived"]);
});
