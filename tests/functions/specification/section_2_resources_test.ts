import { demoContactId, demoPhone } from "../../../shared/openapi/demo_fixtures.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, newPhone, type Service, startService } from "./service.ts";

const contactsApi = "/functions/v1/contacts-api";

/** The fields of the table Contact, their columns, and a first and a later value. */
const contactFields = [
  ["name", "name", "João", "João Silva"],
  ["email", "email", "joao@example.com", "silva@example.com"],
  ["company", "company", "Silva", "Silva & Filhos"],
  ["jobTitle", "job_title", "Vendedor", "Gerente"],
  ["notes", "notes", "Ligar à tarde", "Ligar de manhã"],
  ["utmSource", "utm_source", "google", "instagram"],
  ["utmMedium", "utm_medium", "cpc", "social"],
  ["utmCampaign", "utm_campaign", "bf-2025", "bf-2026"],
] as const;

async function readContact({ sql }: Service, phone: string): Promise<Record<string, unknown>> {
  const rows = await sql`
    select * from messaging.contacts where instance_id = ${demoInstanceId} and phone = ${phone}`;
  assertEquals(rows.length, 1);
  return rows[0] ?? {};
}

Deno.test("specification 2, Contact: every field is stored, changed alone, and cleared by null", async () => {
  await using service = await startService();
  const first = Object.fromEntries(contactFields.map(([field, , value]) => [field, value]));
  const created = await service.post(`${contactsApi}/create`, { ...demoTarget, ...first });
  assertEquals(created.action, "created");
  const stored = await readContact(service, newPhone);
  assertEquals([stored["id"], stored["origin"]], [created.contactId, "api"]);
  for (const [field, column, value] of contactFields) assertEquals(stored[column], value, field);

  for (const [field, column, , later] of contactFields) {
    const before = await readContact(service, newPhone);
    const updated = await service.post(`${contactsApi}/update`, { ...demoTarget, [field]: later });
    assertEquals([updated.action, updated.fieldsUpdated], ["updated", [field]]);
    const after = await readContact(service, newPhone);
    const changed = { [column]: later, updated_at: after["updated_at"] };
    assertEquals(after, { ...before, ...changed }, field);
    await service.post(`${contactsApi}/update`, { ...demoTarget, [field]: null });
    assertEquals((await readContact(service, newPhone))[column], null, field);
  }
});

Deno.test("specification 2, Contact: one per phone and instance, whichever way the number is spelled", async () => {
  await using service = await startService();
  const path = `${contactsApi}/create`;
  const calls = ["5511977776666", "551177776666"].flatMap((phone) =>
    Array.from({ length: 10 }, () => service.post(path, { ...demoTarget, phone, name: "João" }))
  );
  const answers = await Promise.all(calls);
  assertEquals(new Set(answers.map(({ contactId }) => contactId)).size, 1);
  assertEquals(answers.filter(({ action }) => action === "created").length, 1);
});

Deno.test("specification 2, Contact: the flags are settable on update only", async () => {
  await using service = await startService();
  const flags = { isFavorite: true, isArchived: true, isBlocked: true };
  const readFlags = async (): Promise<unknown[]> => {
    const contact = await readContact(service, newPhone);
    return [contact["is_favorite"], contact["is_archived"], contact["is_blocked"]];
  };
  await service.post(`${contactsApi}/create`, { ...demoTarget, ...flags });
  assertEquals(await readFlags(), [false, false, false]);
  await service.post(`${contactsApi}/update`, { ...demoTarget, ...flags });
  assertEquals(await readFlags(), [true, true, true]);
  await service.post(`${contactsApi}/update`, { ...demoTarget, isBlocked: false });
  assertEquals(await readFlags(), [true, true, false]);
});

Deno.test("specification 2, Contact: customLabels are merged key by key, and null removes a key", async () => {
  await using service = await startService();
  const merge = async (customLabels: unknown): Promise<unknown> => {
    await service.post(`${contactsApi}/update`, { ...demoTarget, customLabels });
    return (await readContact(service, newPhone))["custom_labels"];
  };
  assertEquals(await merge({ a: 1, b: { c: [2] } }), { a: 1, b: { c: [2] } });
  assertEquals(await merge({ b: "x", d: true }), { a: 1, b: "x", d: true });
  assertEquals(await merge({ a: null }), { b: "x", d: true });
});

Deno.test("specification 2, Tag: known by its name in any case, made on first use with a random colour", async () => {
  await using service = await startService();
  const tags = ["Lead", "Black Friday", "vip"];
  const { tagsApplied } = await service.post(`${contactsApi}/create`, { ...demoTarget, tags });
  assertEquals(tagsApplied, tags);
  const again = await service.post(`${contactsApi}/update`, {
    ...demoTarget,
    phone: demoPhone,
    tags: ["LEAD", " vip "],
  });
  assertEquals(again.tagsApplied, ["Lead", "vip"]);
  const repeated = await service.post(`${contactsApi}/tags`, {
    ...demoTarget,
    phone: demoPhone,
    addTags: ["zeta", "Zeta", "ZETA"],
  });
  assertEquals(repeated.tagsApplied, ["zeta"], "as first written");
  const stored = await service.sql`
    select name, color from messaging.tags where instance_id = ${demoInstanceId} order by name`;
  assertEquals(stored.map(({ name }) => name), ["Black Friday", "Lead", "vip", "zeta"]);
  for (const { color } of stored) assertMatch(color, /^#[0-9a-f]{6}$/);
  assert(new Set(stored.map(({ color }) => color)).size > 1, "colours are drawn");
});

Deno.test("specification 2, Tag: update adds to the contact's tags, tags takes off what is asked", async () => {
  await using service = await startService();
  await service.post(`${contactsApi}/create`, { ...demoTarget, tags: ["a", "b"] });
  await service.post(`${contactsApi}/update`, { ...demoTarget, tags: ["c"] });
  const changed = await service.post(`${contactsApi}/tags`, {
    ...demoTarget,
    addTags: ["d"],
    removeTags: ["A", "unknown"],
  });
  assertEquals([changed.tagsApplied, changed.tagsRemoved], [["d"], ["a"]]);
  const left = await service.sql`
    select t.name from messaging.contact_tags ct join messaging.tags t on t.id = ct.tag_id
    where ct.contact_id = ${changed.contactId} order by t.name`;
  assertEquals(left.map(({ name }) => name), ["b", "c", "d"]);
});

Deno.test("specification 2, Internal note: kept with the conversation and never sent", async () => {
  await using service = await startService();
  const { noteId, contactId } = await service.post("/functions/v1/conversations-api/note", {
    ...demoTarget,
    note: "Só para operadores.",
  });
  const [row] = await service.sql`
    select n.*, c.contact_id from messaging.internal_notes n
    join messaging.conversations c on c.id = n.conversation_id where n.id = ${noteId}`;
  assertEquals([row?.["note"], row?.["contact_id"]], ["Só para operadores.", contactId]);
  assertEquals(service.contract.stack.provider.requests.length, 0);
});

/** The table Message, and which of its fields only `includeMeta` shows. */
const messageFields = [
  ["role", "string", false],
  ["sender", "string", false],
  ["content", "string", false],
  ["timestamp", "number", false],
  ["status", "string", false],
  ["messageId", "string", true],
  ["messageType", "string", true],
  ["isGroup", "boolean", true],
  ["chatName", "null", true],
  ["cardId", "string", true],
] as const;

Deno.test("specification 2, Message: an item of the history has the table's fields, in their types, and no other", async () => {
  await using service = await startService();
  await service.post("/functions/v1/send-message", {
    ...demoTarget,
    messageType: "text",
    message: "Olá",
    cardId: "card-1",
  });
  const typeOf = (value: unknown): string => value === null ? "null" : typeof value;
  for (const includeMeta of [true, false]) {
    const { body } = await service.call("GET", "/functions/v1/messages-context", {
      ...demoTarget,
      start: localDay(-1),
      end: localDay(1),
      includeMeta,
    });
    const [item] = body.conversation;
    const types = Object.fromEntries(
      Object.entries(item).map(([field, value]) => [field, typeOf(value)]),
    );
    const shown = messageFields.filter(([, , isMeta]) => includeMeta || !isMeta);
    assertEquals(types, Object.fromEntries(shown.map(([field, type]) => [field, type])));
    assertEquals([item.role, item.status, item.content], ["assistant", "sent", "Olá"]);
    assert(Math.abs(item.timestamp - Date.now() / 1_000) < 60, "in Unix seconds");
  }
});

function localDay(offsetDays: number): string {
  return new Date(Date.now() + offsetDays * 86_400_000).toISOString().slice(0, 10);
}

Deno.test("specification 2, Option list: title, buttonLabel and options with id, title, description reach the contact", async () => {
  await using service = await startService();
  const optionList = {
    title: "Menu",
    buttonLabel: "Abrir",
    options: [{ id: "a", title: "Um", description: "O primeiro" }, { title: "Dois" }],
  };
  await service.post("/functions/v1/send-message", {
    ...demoTarget,
    messageType: "option_list",
    message: "Escolha",
    optionList,
  });
  const [request] = service.contract.stack.provider.requests;
  assertEquals(request?.json["optionList"], {
    title: "Menu",
    buttonLabel: "Abrir",
    options: [
      { id: "a", title: "Um", description: "O primeiro" },
      { id: "2", title: "Dois", description: "" },
    ],
  });
});

Deno.test("cross-cutting rule 1: every endpoint that says so creates the missing contact, with origin api", async () => {
  await using service = await startService();
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["contacts-api/create", {}],
    ["contacts-api/update", { name: "Ana" }],
    ["contacts-api/tags", { addTags: ["lead"] }],
    ["conversations-api/assign", { assignTo: "ana@example.com" }],
    ["conversations-api/status", { status: "closed" }],
    ["conversations-api/note", { note: "x" }],
    ["send-message", { messageType: "text", message: "x" }],
    ["process-ai-agent", { messageText: "x", initiateConversation: true }],
  ];
  for (const [index, [path, members]] of calls.entries()) {
    const phone = `55119777700${String(index).padStart(2, "0")}`;
    const { contactId } = await service.post(`/functions/v1/${path}`, {
      ...demoTarget,
      phone,
      ...members,
    });
    const contact = await readContact(service, phone);
    assertEquals([contact["id"], contact["origin"]], [contactId, "api"], path);
    assert(contactId !== demoContactId);
  }
});
