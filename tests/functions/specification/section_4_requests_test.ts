import {
  demoDepartmentId,
  demoOperatorEmail,
  demoTemplateId,
} from "../../../shared/openapi/demo_fixtures.ts";
import { assertEquals } from "../../support/assert.ts";
import { createAgent } from "../../support/fixtures/tenant.ts";
import { driveRequestTable, type FieldRow } from "./request_table.ts";
import {
  demoAgentId,
  demoInstanceId,
  demoTarget,
  newPhone,
  type Service,
  startService,
} from "./service.ts";

const v1 = "/functions/v1";
const formattedPhones = ["+5511977776666", "55 11 97777-6666", "1234567", "1".repeat(16), ""];

const instanceId: FieldRow = {
  field: "instanceId",
  type: "string",
  required: "yes",
  value: demoTarget.instanceId,
};
const phone: FieldRow = {
  field: "phone",
  type: "string",
  required: "yes",
  value: newPhone,
  refused: formattedPhones,
};
const target = [instanceId, phone];

const optional = (field: string, type: FieldRow["type"], value: unknown): FieldRow => ({
  field,
  type,
  required: "no",
  value,
});

Deno.test("specification 4.1: the body of conversations-api/assign, row by row", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/assign`,
    rows: [
      ...target,
      { field: "assignTo", type: "string", required: "yes", value: demoOperatorEmail },
      optional("portfolio", "boolean", true),
      optional("departmentId", "string (UUID)", demoDepartmentId),
    ],
  });
});

Deno.test("specification 4.1: the body of conversations-api/status, row by row", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/status`,
    rows: [
      ...target,
      {
        field: "status",
        type: "string",
        required: "yes",
        value: "pending",
        refused: ["", "Open", "archived"],
      },
      optional("internalNote", "string", "Ligou."),
    ],
  });
});

Deno.test("specification 4.1: the body of conversations-api/note, row by row", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/conversations-api/note`,
    rows: [
      ...target,
      { field: "note", type: "string", required: "yes", value: "Ligou.", refused: ["", "  "] },
    ],
  });
});

Deno.test("specification 4.2: the query of messages-context, row by row", async () => {
  await using service = await startService();
  const text = "text of the query";
  const refuses = (field: string, value: unknown, refused: readonly unknown[]): FieldRow => ({
    field,
    type: text,
    required: "no",
    value,
    refused,
  });
  const days = ["2026-11-1", "01/11/2026", "2026-02-30", ""];
  await driveRequestTable(service, {
    method: "GET",
    path: `${v1}/messages-context`,
    least: { instanceId: demoTarget.instanceId },
    rows: [
      { field: "phone", type: text, required: "yes", value: newPhone, refused: formattedPhones },
      { field: "start", type: text, required: "yes", value: "2026-11-01", refused: days },
      { field: "end", type: text, required: "yes", value: "2026-11-23", refused: days },
      {
        field: "instanceId",
        type: text,
        required: "conditional",
        value: demoInstanceId,
        beside: { connectedPhone: undefined },
      },
      {
        field: "connectedPhone",
        type: text,
        required: "conditional",
        value: "5511999990000",
        beside: { instanceId: undefined },
        refused: ["+5511999990000"],
      },
      refuses("limit", "10", ["0", "1001", "-1", "1.5", "ten", ""]),
      refuses("fromMe", "true", ["1", "yes", "TRUE", ""]),
      refuses("attachments", "false", ["0", "no", ""]),
      refuses("format", "raw", ["llm", "Raw", ""]),
      refuses("includeMeta", "false", ["0", ""]),
    ],
  });
  const { status, body } = await service.call("GET", `${v1}/messages-context`, {
    phone: newPhone,
    start: "2026-11-01",
    end: "2026-11-23",
  });
  assertEquals([status, body.error], [400, "invalid_request"], "one of the two is required");
});

const contactRows: readonly FieldRow[] = [
  ...[
    ...["name", "company", "jobTitle", "notes", "utmSource", "utmMedium", "utmCampaign"],
  ].map((field): FieldRow => ({ ...optional(field, "string", "Valor"), isNullable: true })),
  { ...optional("email", "string", "joao@example.com"), isNullable: true, refused: ["joao"] },
  { ...optional("customLabels", "object", { crmId: "4711" }), isNullable: true },
  { ...optional("tags", "array of string", ["lead"]), refused: [["  "], ["x".repeat(51)]] },
];

Deno.test("specification 4.3: the body of contacts-api/create, row by row", async () => {
  await using service = await startService();
  const path = `${v1}/contacts-api/create`;
  await driveRequestTable(service, { method: "POST", path, rows: [...target, ...contactRows] });
});

Deno.test("specification 4.3: an empty text clears a contact's field, as null does", async () => {
  await using service = await startService();
  const texts = ["name", "email", "company", "jobTitle", "notes", "utmSource", "utmMedium"];
  const all = Object.fromEntries(texts.map((field) => [field, "ana@example.com"]));
  await service.post(`${v1}/contacts-api/create`, { ...demoTarget, ...all });
  const empty = Object.fromEntries(texts.map((field) => [field, ""]));
  const cleared = await service.post(`${v1}/contacts-api/update`, { ...demoTarget, ...empty });
  assertEquals(cleared.fieldsUpdated, texts.toSorted());
  const [contact] = await service.sql`
    select name, email, company, job_title, notes, utm_source, utm_medium from messaging.contacts
    where identity_key = ${demoTarget.phone}`;
  assertEquals(Object.values(contact ?? {}), texts.map(() => null));
});

Deno.test("specification 4.3: the body of contacts-api/update, row by row", async () => {
  await using service = await startService();
  const flags = ["isFavorite", "isArchived", "isBlocked"].map((field) =>
    optional(field, "boolean", true)
  );
  const path = `${v1}/contacts-api/update`;
  const rows = [...target, ...contactRows, ...flags];
  await driveRequestTable(service, { method: "POST", path, rows });
});

Deno.test("specification 4.3: the body of contacts-api/tags, row by row", async () => {
  await using service = await startService();
  const path = `${v1}/contacts-api/tags`;
  await driveRequestTable(service, {
    method: "POST",
    path,
    least: { addTags: ["lead"] },
    rows: [
      ...target,
      {
        ...optional("addTags", "array of string", ["lead", "vip"]),
        beside: { removeTags: ["cold"] },
      },
      optional("removeTags", "array of string", ["cold"]),
    ],
  });
  assertEquals((await service.call("POST", path, demoTarget)).body.error, "invalid_request");
  for (
    const [addTags, removeTags, issuePath] of [
      [["Lead"], ["cold", "lead "], "removeTags.1"],
      [["a\u00e7\u00e3o"], ["ac\u0327a\u0303o"], "removeTags.0"],
      [["lead", "🎯".repeat(50), ""], [], "addTags.2"],
      [["lead", " ", "vip"], [], "addTags.1"],
      [["lead"], ["🎯".repeat(51)], "removeTags.0"],
      [[{ toString: null }], ["lead"], "addTags.0"],
      [["lead"], [{ toString: null }], "removeTags.0"],
    ] as const
  ) {
    const answer = await service.call("POST", path, { ...demoTarget, addTags, removeTags });
    assertEquals([answer.status, answer.body.error], [400, "invalid_request"]);
    assertEquals(answer.body.issues.map((issue: { path: string }) => issue.path), [issuePath]);
  }
});

Deno.test("specification 4.4: the body of send-message, row by row", async () => {
  await using service = await startService();
  const cdn = "https://cdn.example.com";
  const list = { title: "Menu", buttonLabel: "Abrir", options: [{ id: "a", title: "Um" }] };
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/send-message`,
    least: { messageType: "text", message: "Olá" },
    rows: [
      ...target,
      {
        field: "messageType",
        type: "string",
        required: "conditional",
        value: "text",
        refused: ["video", "Text", ""],
      },
      {
        field: "message",
        type: "string",
        required: "conditional",
        value: "Olá",
        refused: ["", " \n"],
      },
      {
        field: "mediaUrl",
        type: "string",
        required: "conditional",
        value: `${cdn}/photo.jpg`,
        beside: { messageType: "image" },
        refused: ["http://cdn.example.com/photo.jpg", "https://10.0.0.1/photo.jpg", `${cdn}/a.exe`],
      },
      {
        ...optional("mediaFilename", "string", "nota.pdf"),
        beside: { messageType: "document", mediaUrl: `${cdn}/nota.pdf` },
      },
      {
        field: "optionList",
        type: "object",
        required: "conditional",
        value: list,
        beside: { messageType: "option_list" },
        refused: [
          { ...list, title: undefined },
          { ...list, buttonLabel: 5 },
          { ...list, options: [] },
          { ...list, options: [{ id: "a" }] },
        ],
      },
      optional("cardId", "string", "card-1"),
      { ...optional("delayMessage", "number", 5), refused: [-1, 86_401] },
      { ...optional("delayTyping", "number", 1_500), refused: [-1, 60_001] },
      optional("assignTo", "string", demoOperatorEmail),
      { ...optional("portfolio", "boolean", true), beside: { assignTo: demoOperatorEmail } },
      optional("queued", "boolean", true),
      {
        ...optional("intervalSeconds", "number", 10),
        beside: { queued: true },
        refused: [9, 3_601, 3_600.5],
      },
      optional("sentBy", "string", "campaign-robot"),
    ],
  });
});

Deno.test("specification 4.4: messageType and the field of its content are required by what is sent", async () => {
  await using service = await startService();
  const needed: Readonly<Record<string, readonly string[]>> = {
    text: ["message"],
    image: ["mediaUrl"],
    audio: ["mediaUrl"],
    document: ["mediaUrl"],
    option_list: ["message", "optionList"],
  };
  for (const [messageType, fields] of Object.entries(needed)) {
    // Something of another type, so that there is something to send.
    const other = fields.includes("mediaUrl")
      ? { message: "x" }
      : { mediaUrl: "https://a.example/x" };
    const paths = await listFaults(service, { ...demoTarget, messageType, ...other });
    for (const field of fields) {
      assertEquals(paths.includes(field), true, `${messageType} ${field}`);
    }
  }
  assertEquals(await listFaults(service, { ...demoTarget, message: "x" }), ["messageType"]);
});

async function listFaults(service: Service, members: Record<string, unknown>): Promise<string[]> {
  const { status, body } = await service.call("POST", `${v1}/send-message`, members);
  assertEquals([status, body.error], [400, "invalid_request"]);
  return body.issues.map(({ path }: { path: string }) => path);
}

Deno.test("specification 4.5: the body of process-ai-agent, row by row", async () => {
  await using service = await startService();
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/process-ai-agent`,
    rows: [
      ...target,
      { field: "messageText", type: "string", required: "yes", value: "Oi!", refused: [""] },
      {
        field: "initiateConversation",
        type: "boolean",
        required: "yes",
        value: true,
        refused: [false],
      },
      optional("agentId", "string (UUID)", demoAgentId),
      {
        ...optional("externalContext", "object", { order: "4711" }),
        refused: [{ a: "x".repeat(33_000) }],
      },
      optional("queued", "boolean", true),
      {
        ...optional("intervalSeconds", "number", 60),
        beside: { queued: true },
        refused: [9, 3_601],
      },
      optional("sentBy", "string", "crm"),
    ],
  });
});

Deno.test("specification 4.5: agentId is required when the instance has several agents", async () => {
  await using service = await startService();
  const second = await createAgent(service.sql, demoInstanceId);
  const path = `${v1}/process-ai-agent`;
  const body = { ...demoTarget, messageText: "Oi!", initiateConversation: true };
  const refused = await service.call("POST", path, body);
  assertEquals([refused.status, refused.body.error], [400, "agent_id_required"]);
  assertEquals((await service.post(path, { ...body, agentId: second })).agentId, second);
});

Deno.test("specification 4.6: the body of sanitize-phone-number, row by row, and its answer", async () => {
  await using service = await startService();
  const path = `${v1}/sanitize-phone-number`;
  const row: FieldRow = { field: "phone", type: "string", required: "yes", value: "+55 11 9" };
  await driveRequestTable(service, { method: "POST", path, rows: [row] });
  for (
    const [original, sanitized] of [
      ["+55 (11) 98888-7777", "5511988887777"],
      ["5511988887777", "5511988887777"],
      ["tel: 0800 123", "0800123"],
      ["---", ""],
    ]
  ) {
    const answer = await service.post(path, { phone: original });
    assertEquals(answer, { success: true, original, sanitized });
  }
});

Deno.test("specification 4.7: the body of send-template-message, row by row", async () => {
  await using service = await startService();
  const error = "templateId and phone are required";
  await driveRequestTable(service, {
    method: "POST",
    path: `${v1}/send-template-message`,
    least: { variables: { nome: "Ana", pedido: "4711" } },
    rows: [
      { field: "templateId", type: "string", required: "yes", value: demoTemplateId, error },
      { ...phone, refused: formattedPhones.filter((text) => text !== ""), error },
      { ...instanceId, required: "no" },
      {
        field: "variables",
        type: "object",
        required: "conditional",
        value: { nome: "A", pedido: "1" },
      },
    ],
  });
});
