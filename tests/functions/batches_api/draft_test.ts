import { assert, assertEquals } from "../../support/assert.ts";
import {
  callBatches,
  createBatch,
  greeting,
  listRecipients,
  phoneOf,
  readBatch,
  readRecipients,
} from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Json = any;

const emptyCounts = {
  ...{ pending: 0, queued: 0, awaitingReply: 0, sent: 0, delivered: 0, read: 0, failed: 0 },
  ...{ unconfirmed: 0, canceled: 0, expired: 0, skipped: 0 },
};

Deno.test("a draft freezes what each recipient is sent, and sends nothing", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const answer = await callBatches(stack, tenant, "POST", "/batches", {
    name: "Natal",
    message: greeting,
    recipients: [
      { phone: phoneOf(0), variables: { nome: "Ana", cupom: "A1" }, cardId: "card-1" },
      { phone: phoneOf(1), variables: { nome: "Rui", cupom: 7 }, metadata: { row: "2" } },
    ],
  });
  const { batchId, ...stored } = answer.body;
  assertEquals([answer.status, stored], [201, {
    success: true,
    status: "draft",
    added: 2,
    duplicates: [],
    errors: [],
  }]);
  const rows = await stack.admin`
    select draft from messaging.batch_recipients where batch_id = ${batchId} order by index`;
  assertEquals(rows.map(({ draft }) => [draft.message, draft.cardId, draft.metadata]), [
    ["Oi Ana: A1", "card-1", undefined],
    ["Oi Rui: 7", undefined, { row: "2" }],
  ]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals(
    [batch.name, batch.status, batch.recipientCount, batch.intervalSeconds, batch.validation],
    ["Natal", "draft", 2, 30, "strict"],
  );
  assertEquals(batch.counts, { ...emptyCounts, pending: 2 });
  assertEquals([batch.firstScheduledFor, batch.startedAt], [null, null]);
  await stack.dispatch();
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("one person is written to once, whatever spellings the list has", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const variables = { nome: "Ana", cupom: "A1" };
  const first = await callBatches(stack, tenant, "POST", "/batches", {
    message: greeting,
    recipients: [
      { phone: "5511987654321", variables },
      { phone: "551187654321", variables },
      { phone: "5511987650002", variables },
    ],
  });
  assertEquals([first.body.added, first.body.duplicates], [2, [{ index: 1, of: 0 }]]);
  const { batchId } = first.body;
  const [known] = await readRecipients(stack, tenant, batchId);
  const second = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: [
      { phone: "5511987650003", variables },
      { contactId: known.contactId, variables },
      { phone: "551187650003", variables },
    ],
  });
  assertEquals([second.status, second.body.added, second.body.status], [201, 1, "draft"]);
  assertEquals(second.body.duplicates, [{ index: 4, of: 0 }, { index: 5, of: 3 }]);
  const items = await readRecipients(stack, tenant, batchId, { limit: "2" });
  assertEquals(items.map(({ index, status, reason }) => [index, status, reason]), [
    [0, "pending", null],
    [1, "skipped", "duplicate_contact"],
    [2, "pending", null],
    [3, "pending", null],
    [4, "skipped", "duplicate_contact"],
    [5, "skipped", "duplicate_contact"],
  ]);
  assertEquals(items[4].phone, "551187654321", "the contact's, where the list has none");
  const skipped = await readRecipients(stack, tenant, batchId, { status: "skipped", limit: "1" });
  assertEquals(skipped.map(({ index }) => index), [1, 4, 5]);
  const [contacts] = await stack.admin`select count(*)::int as number from messaging.contacts`;
  assertEquals(contacts?.["number"], 3);
});

const flawed = [
  { phone: phoneOf(0), variables: { nome: "Ana", cupom: "A1" } },
  { phone: "+55 11 98765-4321", variables: { nome: "Rui", cupom: "R1" } },
  { phone: phoneOf(1), variables: { nome: "Rui" } },
  { variables: { nome: "Rui", cupom: "R1" } },
  { contactId: "5b1f2c0e-8a34-4f6d-9d57-0b9c6a7e1f20", variables: { nome: "x", cupom: "y" } },
  "nobody",
  { phone: phoneOf(2), variables: { nome: "Eva", cupom: ["no text"] } },
  { phone: phoneOf(3), variables: { nome: "Eva", cupom: "E1" }, unknown: true },
];
const flaws = [
  [1, "phone"],
  [2, "variables.cupom"],
  [3, "phone"],
  [4, "contactId"],
  [5, ""],
  [6, "variables.cupom"],
];

Deno.test("a strict call with errors is refused whole, and names each error by its index", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    message: greeting,
    recipients: flawed,
  });
  assertEquals([status, body.error], [400, "invalid_request"]);
  assertEquals(body.errors.map(({ index, issues }: Json) => [index, issues[0].path]), flaws);
  assertEquals(body.issues[0].path, "recipients.1.phone");
  const [stored] = await stack.admin`
    select (select count(*) from messaging.batches) + (select count(*) from messaging.contacts)
      as number`;
  assertEquals(Number(stored?.["number"]), 0);
});

Deno.test("a permissive call takes the good entries and keeps the others with their reasons", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
    message: greeting,
    validation: "permissive",
    recipients: flawed,
  });
  assertEquals([status, body.added, body.ignoredFields], [201, 2, ["recipients.7.unknown"]]);
  assertEquals(body.errors.map(({ index, issues }: Json) => [index, issues[0].path]), flaws);
  const items = await readRecipients(stack, tenant, body.batchId);
  assertEquals(items.map(({ reason }) => reason), [
    null,
    "invalid_phone",
    "missing_variables",
    "invalid_phone",
    "contact_not_found",
    "invalid_recipient",
    "invalid_recipient",
    null,
  ]);
  // The batch's own validation counts for what is added.
  const added = await callBatches(stack, tenant, "POST", `/batches/${body.batchId}/recipients`, {
    recipients: [{ phone: "12" }],
  });
  assertEquals([added.status, added.body.added, added.body.errors[0].index], [201, 0, 8]);
  const strict = await callBatches(stack, tenant, "POST", `/batches/${body.batchId}/recipients`, {
    validation: "strict",
    recipients: [{ phone: "12" }],
  });
  assertEquals([strict.status, strict.body.errors[0].index], [400, 9]);
  const batch = await readBatch(stack, tenant, body.batchId);
  assertEquals(batch.counts, { ...emptyCounts, pending: 2, skipped: 7 });
});

Deno.test("a person whose entry was refused can be added again, by a later call too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [good] = listRecipients(1);
  const { body } = await callBatches(stack, tenant, "POST", "/batches", {
    ...{ message: greeting, validation: "permissive", recipients: [{ ...good, variables: {} }] },
  });
  assertEquals([body.added, body.errors.length], [0, 1]);
  const path = `/batches/${body.batchId}/recipients`;
  for (const [added, duplicates] of [[1, []], [0, [{ index: 2, of: 1 }]]] as const) {
    const more = await callBatches(stack, tenant, "POST", path, { recipients: [good] });
    assertEquals([more.body.added, more.body.duplicates], [added, duplicates]);
  }
});

Deno.test("what is refused or doubled keeps its cardId in the list, and the phone of a person who can be a contact", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const message = { messageType: "text", message: "Pedido {{pedido}}" };
  const [known, unknown] = ["5511977770001", "5511977770002"];
  const variables = { pedido: "1" };
  const { body } = await callBatches(stack, tenant, "POST", "/batches", {
    message,
    validation: "permissive",
    recipients: [
      { phone: known, variables, cardId: "good" },
      { phone: "551177770001", variables, cardId: "doubled" },
      { phone: unknown, cardId: "lacks a variable" },
      { phone: "12", variables, cardId: "no phone" },
      { contactId: crypto.randomUUID(), variables, cardId: "no contact" },
      { phone: known, cardId: 7 },
    ],
  });
  const items = await readRecipients(stack, tenant, body.batchId);
  assertEquals(items.map(({ phone, cardId, reason }) => [phone, cardId, reason]), [
    [known, "good", null],
    ["551177770001", "doubled", "duplicate_contact"],
    [unknown, "lacks a variable", "missing_variables"],
    [null, "no phone", "invalid_phone"],
    [null, "no contact", "contact_not_found"],
    [null, null, "invalid_recipient"],
  ]);
});

Deno.test("a template is frozen with the batch, and its category is the purpose", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const components = [{ type: "BODY", text: "Oi {{nome}}, pedido {{pedido}}." }];
  const [template] = await stack.admin`
    insert into messaging.message_templates (
      workspace_id, name, language, parameter_format, components, category
    ) values (${tenant.workspaceId}, 'p', 'pt_BR', 'NAMED', ${stack.admin.json(components)},
      'MARKETING') returning id`;
  const templateId = template?.["id"];
  const batchId = await createBatch(stack, tenant, {
    message: undefined,
    template: { templateId },
    recipients: [{ phone: phoneOf(0), variables: { nome: "Ana", pedido: 1 } }],
  });
  await stack.admin`
    update messaging.message_templates
    set components = ${stack.admin.json([{ type: "BODY", text: "anders" }])}`;
  await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: [{ phone: phoneOf(1), variables: { nome: "Rui", pedido: 2 } }],
  });
  const rows = await stack.admin`
    select draft->>'message' as text from messaging.batch_recipients order by index`;
  assertEquals(rows.map(({ text }) => text), ["Oi Ana, pedido 1.", "Oi Rui, pedido 2."]);
  const batch = await readBatch(stack, tenant, batchId);
  assertEquals([batch.purpose, batch.templateId], ["marketing", templateId]);
  const missing = await callBatches(stack, tenant, "POST", "/batches", {
    template: { templateId },
    recipients: [],
  });
  assertEquals(missing.status, 201);
  const unknown = await callBatches(stack, tenant, "POST", "/batches", {
    template: { templateId: crypto.randomUUID() },
  });
  assertEquals([unknown.status, unknown.body.error], [404, "Template not found"]);
});

Deno.test("a dry run and a batch warn of a template that will cost by another category, until it is over", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const [row] = await stack.admin`
    insert into messaging.message_templates (
      workspace_id, name, language, parameter_format, components, category
    ) values (${tenant.workspaceId}, 'p', 'pt_BR', 'NAMED', '[{"type":"BODY","text":"Oi"}]'::jsonb,
      'UTILITY')
    returning id`;
  const template = { templateId: row?.["id"] };
  const recipients = [{ phone: phoneOf(0) }];
  const batchId = await createBatch(stack, tenant, { message: undefined, template, recipients });
  const warnings = async (): Promise<unknown[]> => {
    const dryRun = await callBatches(stack, tenant, "POST", "/batches", {
      ...{ template, recipients, dryRun: true },
    });
    const draft = await callBatches(stack, tenant, "POST", `/batches/${batchId}/dry-run`, {});
    const batch = await readBatch(stack, tenant, batchId);
    return [dryRun.body.warnings, draft.body.warnings, batch.warnings];
  };
  assertEquals(await warnings(), [[], [], []]);
  await stack.admin`
    update messaging.message_templates
    set category_changes_to = 'MARKETING', category_changes_at = now() + interval '1 day'`;
  const all = ["category_changes"];
  assertEquals(await warnings(), [all, all, all]);
  await callBatches(stack, tenant, "POST", `/batches/${batchId}/cancel`, {});
  assertEquals((await readBatch(stack, tenant, batchId)).warnings, []);
});

Deno.test("a batch names its template by name and language, or by its id", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const { workspaceId } = tenant;
  const create = async (): Promise<unknown> => {
    const [row] = await stack.admin`
      insert into messaging.message_templates (
        workspace_id, name, language, parameter_format, components
      ) values (${workspaceId}, 'p', 'pt_BR', 'NAMED', '[{"type":"BODY","text":"Oi"}]'::jsonb)
      returning id`;
    return row?.["id"];
  };
  const templateId = await create();
  const template = { name: "p", language: "pt_BR" };
  const batchId = await createBatch(stack, tenant, { message: undefined, template });
  assertEquals((await readBatch(stack, tenant, batchId)).templateId, templateId);
  const refuse = async (named: object): Promise<unknown[]> => {
    const { status, body } = await callBatches(stack, tenant, "POST", "/batches", {
      template: named,
    });
    return [status, body.issues?.[0].path ?? body.error];
  };
  assertEquals(await refuse({ ...template, templateId }), [400, "template.name"]);
  assertEquals(await refuse({ name: "p" }), [400, "template.language"]);
  assertEquals(await refuse({}), [400, "template.templateId"]);
  assertEquals(await refuse({ ...template, name: "q" }), [404, "Template not found"]);
  await create();
  assertEquals(await refuse(template), [409, "template_ambiguous"]);
});

Deno.test("a batch needs one source and times that leave time to send", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const past = new Date(Date.now() - 60_000).toISOString();
  const [soon, later] = [60_000, 120_000].map((ms) => new Date(Date.now() + ms).toISOString());
  const cases: [Record<string, unknown>, string][] = [
    [{}, "message"],
    [{ message: greeting, template: { templateId: crypto.randomUUID() } }, "message"],
    [{ message: { message: "x" } }, "message.messageType"],
    [{ message: { messageType: "image" } }, "message.mediaUrl"],
    [{ message: greeting, expiresAt: past }, "expiresAt"],
    [{ message: greeting, startAt: later, expiresAt: soon }, "expiresAt"],
    [{ message: greeting, intervalSeconds: 9 }, "intervalSeconds"],
    [{ message: greeting, validation: "lax" }, "validation"],
    [{ message: greeting, recipients: "all" }, "recipients"],
    [{ message: greeting, recipients: listRecipients(1_001) }, "recipients"],
  ];
  for (const [body, path] of cases) {
    const answer = await callBatches(stack, tenant, "POST", "/batches", body);
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"], path);
    assert(
      answer.body.issues.some((issue: Json) => issue.path === path),
      JSON.stringify(answer.body),
    );
  }
});

Deno.test("a call with 1,000 recipients may hold 4 MiB, and a batch 100,000 recipients", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const padding = "x".repeat(3_000);
  const recipients = listRecipients(1_000).map((recipient) => ({ ...recipient, padding }));
  const batchId = await createBatch(stack, tenant, { recipients });
  const items = await readRecipients(stack, tenant, batchId, { limit: "1000" });
  assertEquals([items.length, items[999].phone], [1_000, phoneOf(999)]);
  const tooLarge = await callBatches(stack, tenant, "POST", "/batches", {
    message: greeting,
    padding: "x".repeat(4 * 1024 * 1024),
  });
  assertEquals([tooLarge.status, tooLarge.body.error], [413, "payload_too_large"]);
  await stack.admin`update messaging.batches set recipient_count = 99_999`;
  const added = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: listRecipients(2, 2_000),
  });
  assertEquals([added.status, added.body.issues?.[0]?.path], [400, "recipients"]);
  const last = await callBatches(stack, tenant, "POST", `/batches/${batchId}/recipients`, {
    recipients: listRecipients(1, 2_000),
  });
  assertEquals([last.status, last.body.added], [201, 1]);
});

Deno.test("a repeated call with its key stores nothing twice", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const body = { message: greeting, recipients: listRecipients(2) };
  const headers = { "Idempotency-Key": "batch-1" };
  const first = await callBatches(stack, tenant, "POST", "/batches", body, headers);
  const again = await callBatches(stack, tenant, "POST", "/batches", body, headers);
  assertEquals([again.status, again.body], [201, first.body]);
  assertEquals(again.headers.get("idempotent-replayed"), "true");
  const list = await callBatches(stack, tenant, "GET", "/batches");
  assertEquals(list.body.items.length, 1);
});

Deno.test("batches of another tenant do not exist", async () => {
  await using stack = await startMessagingStack();
  const [tenant, other] = [await stack.createTenant(), await stack.createTenant()];
  const batchId = await createBatch(stack, tenant);
  const unknown = crypto.randomUUID();
  for (const id of [batchId, unknown, "none"]) {
    for (
      const [method, path, body] of [
        ["GET", `/batches/${id}`],
        ["GET", `/batches/${id}/recipients`],
        ["POST", `/batches/${id}/recipients`, { recipients: [] }],
      ] as const
    ) {
      const answer = await callBatches(stack, other, method, path, body);
      assertEquals([answer.status, answer.body.error], [404, "batch_not_found"], path);
    }
  }
  assertEquals((await callBatches(stack, other, "GET", "/batches")).body.items, []);
});

Deno.test("the draft's list is paged, oldest first, by status", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const ids = [];
  for (const name of ["a", "b", "c"]) ids.push(await createBatch(stack, tenant, { name }));
  const first = await callBatches(stack, tenant, "GET", "/batches?limit=2&status=draft");
  const { nextCursor } = first.body;
  const rest = `/batches?limit=2&status=draft&cursor=${nextCursor}`;
  const second = await callBatches(stack, tenant, "GET", rest);
  const listed = [...first.body.items, ...second.body.items];
  assertEquals(listed.map(({ batchId }) => batchId), ids);
  assertEquals(second.body.nextCursor, null);
  const running = await callBatches(stack, tenant, "GET", "/batches?status=running");
  assertEquals(running.body.items, []);
});
