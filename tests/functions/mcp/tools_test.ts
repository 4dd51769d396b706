import { mcpResponseSchema } from "../../../functions/mcp/contract.ts";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { startMcpWorld, unquote } from "./mcp_world.ts";

const sending = [
  ...["ask", "get_health", "get_queue", "list_templates"],
  ...["request_payment", "send_message", "send_template"],
];
const toolsByScope: Readonly<Record<string, readonly string[]>> = {
  send: ["get_message", "get_question", ...sending],
  history: ["get_message", "get_question", "read_conversation"],
  contacts: ["find_contacts", "get_contact"],
  conversations: ["list_conversations", "pause_agent", "set_control"],
  batches: ["dry_run_batch"],
  events: [],
};

Deno.test("a token sees the tools of its scopes alone, and cannot call another", async () => {
  await using world = await startMcpWorld();
  const all = new Set(Object.values(toolsByScope).flat());
  await using everything = await world.connect();
  assertEquals(await everything.listToolNames(), [...all].sort());
  for (const [scope, names] of Object.entries(toolsByScope)) {
    await world.admin`update messaging.client_tokens set scopes = ${[scope]}
      where id = ${world.tenant.tokenId}`;
    await using client = await world.connect();
    assertEquals(await client.listToolNames(), [...names].sort(), scope);
    const [hidden = ""] = [...all].filter((name) => !names.includes(name));
    await assertRejects(() => client.client.callTool({ name: hidden, arguments: {} }));
  }
  assertEquals(world.sent, []);
});

Deno.test("each tool has a title, a description, schemas of both sides and its hints", async () => {
  await using world = await startMcpWorld();
  await using client = await world.connect();
  for (const tool of (await client.client.listTools()).tools) {
    assert((tool.title ?? "") !== "" && (tool.description ?? "").length > 40, tool.name);
    assertEquals([tool.inputSchema.type, tool.outputSchema?.type], ["object", "object"], tool.name);
    const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {};
    const sends = ["ask", "request_payment"].includes(tool.name) || tool.name.startsWith("send_");
    const changes = sends || ["pause_agent", "set_control"].includes(tool.name);
    assertEquals(
      [readOnlyHint, destructiveHint, idempotentHint],
      [!changes, sends, true],
      tool.name,
    );
    const required = (tool.inputSchema.required ?? []) as string[];
    assertEquals(required.includes("intent"), sends, tool.name);
  }
});

Deno.test("a message whose id is no whole number is refused in the protocol's own form", async () => {
  await using world = await startMcpWorld();
  for (const id of [0.5, 2 ** 53, 1e308]) {
    const response = await fetch(world.url, {
      method: "POST",
      headers: { "X-Client-Token": world.tenant.token, "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }),
    });
    const answer = await response.json();
    assertEquals([response.status, answer.error.code, answer.id], [400, -32600, id]);
    assert(mcpResponseSchema.safeParse(answer).success, `${id}`);
  }
});

Deno.test("the token goes in its header or as a bearer; without one nothing is read", async () => {
  await using world = await startMcpWorld();
  await using client = await world.connect(world.tenant.token, "bearer");
  assert((await client.listToolNames()).length > 0);
  const wrong: Record<string, string>[] = [
    {},
    { Authorization: "Bearer mia_wrong" },
    { "X-Client-Token": "x" },
  ];
  for (const headers of wrong) {
    const response = await fetch(world.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: "no json",
    });
    assertEquals([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
    await response.body?.cancel();
  }
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(world.url, { method });
    assertEquals(response.status, 405);
    await response.body?.cancel();
  }
});

Deno.test("another instance's contact is not found, and an unknown argument's fault is told by its field", async () => {
  await using world = await startMcpWorld();
  const other = await world.stack.createTenant();
  const [row] = await world.admin`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (${other.instanceId}, '5511900000001', '5511900000001', 'api') returning id`;
  await world.addContact("5511987650001");
  await using client = await world.connect();
  const hidden = await client.call("get_contact", { id: row?.["id"] });
  assertEquals([hidden.isError, hidden.found.error], [true, "contact_not_found"]);
  const wrong = await client.call("find_contacts", { cursor: "nonsense" });
  assertEquals([wrong.isError, wrong.found.error], [true, "invalid_request"]);
  const template = await client.call("send_template", {
    ...{ phone: "5511987650001", templateId: crypto.randomUUID(), intent: "a" },
  });
  assertEquals([template.isError, template.found.error], [true, "Template not found"]);
  const none = await client.call("read_conversation", {});
  assertEquals([none.isError, none.found.issues[0].path], [true, "phone"]);
});

Deno.test("a reading tool refuses an argument that it does not have, and conversations are found by their contact", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact("5511987650001", "João");
  await world.addContact("5511987650002", "Ana");
  for (const phone of ["5511987650001", "5511987650002"]) {
    await world.admin`
      insert into messaging.conversations (instance_id, contact_id)
      select instance_id, id from messaging.contacts where phone = ${phone}`;
  }
  await using client = await world.connect();
  for (const tool of (await client.client.listTools()).tools) {
    // A dry run's answer names what it ignored, as those of the calls that change something do.
    if (tool.annotations?.readOnlyHint !== true || tool.name === "dry_run_batch") continue;
    assertEquals(tool.inputSchema["additionalProperties"], false, tool.name);
    const { isError, content } = await client.client.callTool({
      name: tool.name,
      arguments: { id: contactId, contactId, fone: "5511987650001" },
    });
    assert(isError === true && JSON.stringify(content).includes("fone"), tool.name);
  }
  for (const named of [{ phone: "5511987650001" }, { contactId }]) {
    const { found } = await client.call("list_conversations", named);
    assertEquals(found.items.map((item: { contactId: string }) => item.contactId), [contactId]);
  }
});

Deno.test("a conversation is read from its newest messages back, each once, in answers of at most 20 kB", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact("5511987650001", "João");
  const texts = Array.from(
    { length: 45 },
    (_, index) => `${index} ${"palavra ".repeat(index % 9 * 40)}`,
  );
  for (const text of texts) await world.receive(contactId, text);
  await using client = await world.connect();
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.call("read_conversation", {
      ...{ contactId, limit: 50 },
      ...(cursor === undefined ? {} : { cursor }),
    });
    assertEquals(page.isError, false, page.text);
    assert(page.bytes <= 20_000, `${page.bytes} bytes`);
    seen.unshift(...page.found.items.map((item: { message: string }) => unquote(item.message)));
    cursor = page.found.nextCursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined);
  assertEquals(seen, texts);
  assert(pages > 1, "one page");
});

Deno.test("a list that is too long for an answer comes in more pages, and misses nobody", async () => {
  await using world = await startMcpWorld();
  for (let index = 10; index < 60; index++) {
    await world.addContact(`55119877000${index}`, `${index} ${"ã".repeat(180)}`);
  }
  await using client = await world.connect();
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.call("find_contacts", { limit: 50, ...(cursor && { cursor }) });
    assert(page.bytes <= 20_000, `${page.bytes} bytes`);
    names.push(...page.found.items.map((item: { name: string }) => unquote(item.name).slice(0, 2)));
    cursor = page.found.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assertEquals(names, Array.from({ length: 50 }, (_, index) => `${index + 10}`));
});

Deno.test("one message of 60,000 characters is cut, and says so", async () => {
  await using world = await startMcpWorld();
  const contactId = await world.addContact("5511987650002");
  await world.receive(contactId, "muito ".repeat(10_000));
  await using client = await world.connect();
  const page = await client.call("read_conversation", { contactId });
  assert(page.bytes <= 20_000, `${page.bytes} bytes`);
  assertEquals([page.found.items.length, page.found.isTruncated], [1, true]);
  assert(unquote(page.found.items[0].message).endsWith("…"));
});

Deno.test("one contact with more labels and tags than fit is cut to some of them, in a page too", async () => {
  await using world = await startMcpWorld();
  const id = await world.addContact("5511987650003", "Rita");
  const labels = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`label_${index}`, "é".repeat(200)]),
  );
  await world.admin`
    update messaging.contacts set custom_labels = ${world.admin.json(labels)} where id = ${id}`;
  await using client = await world.connect();
  const page = await client.call("find_contacts", { phone: "5511987650003" });
  const one = await client.call("get_contact", { id });
  for (const answer of [page, one]) {
    assertEquals([answer.isError, answer.found.isTruncated], [false, true], answer.text);
    assert(answer.bytes <= 20_000, `${answer.bytes} bytes`);
  }
  for (const contact of [page.found.items[0], one.found]) {
    const { contactId, consent, customLabels } = contact;
    assertEquals([contactId, consent.marketing], [id, "unknown"]);
    assertEquals(Object.keys(customLabels).length, 10);
  }
});

Deno.test("the faults of a thousand recipients and of a long name fit an answer as well", async () => {
  await using world = await startMcpWorld();
  const exchange = async (name: string, args: unknown): Promise<string> => {
    const response = await fetch(world.url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-client-token": world.tenant.token },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      }),
    });
    const text = await response.text();
    const bytes = new TextEncoder().encode(text).length;
    assert(bytes <= 20_000, `${bytes} bytes`);
    return text;
  };
  const recipients = Array.from(
    { length: 1_000 },
    (_, index) => ({ phone: 5511900000000 + index }),
  );
  const { result } = JSON.parse(await exchange("dry_run_batch", { recipients }));
  assertEquals(result.isError, true);
  assert(result.content[0].text.includes("recipients.0.phone"), result.content[0].text);
  const { error } = JSON.parse(await exchange("x".repeat(50_000), {}));
  assertEquals(error.code, -32602);
});

Deno.test("request_payment asks once, and nothing says that it was paid", async () => {
  await using world = await startMcpWorld();
  await world.addContact("5511987650001");
  await using client = await world.connect();
  const asked = {
    ...{ phone: "5511987650001", message: "Pedido 812", intent: "pay-812" },
    payment: { reference: "ped-812", amount: "129.90", link: "https://pay.example.com/812" },
  };
  for (let call = 0; call < 2; call++) {
    const { isError, found } = await client.call("request_payment", asked);
    assertEquals([isError, found.payment.status], [false, "pending"]);
  }
  const rows = await world.admin`select status from messaging.payments`;
  assertEquals(rows.map(({ status }) => status), ["pending"]);
  const faulty = await client.call("request_payment", {
    ...{ ...asked, intent: "other" },
    payment: { ...asked.payment, amount: "1,00" },
  });
  assertEquals([faulty.isError, faulty.found.issues[0].path], [true, "payment.amount"]);
  const names = await client.listToolNames();
  assertEquals(names.filter((name) => /pa(?:y|id)/.test(name)), ["request_payment"]);
});

Deno.test("a template's payment button is filled by an object among the variables", async () => {
  await using world = await startMcpWorld();
  await world.addContact("5511987650001");
  const template = { name: "cobranca", language: "pt_BR" };
  const components = [{ type: "BODY", text: "Olá {{nome}}" }, {
    ...{ type: "BUTTONS", buttons: [{ type: "ORDER_DETAILS", text: "Copy Pix code" }] },
  }];
  await world.admin`
    insert into messaging.message_templates ${
    world.admin({
      ...template,
      workspace_id: world.tenant.workspaceId,
      parameter_format: "NAMED",
      components: world.admin.json(components),
    })
  }`;
  await using client = await world.connect();
  const { isError, found } = await client.call("send_template", {
    ...{ phone: "5511987650001", intent: "ask", template },
    variables: {
      nome: "Ana",
      payment: { reference: "tpl-1", amount: "12.90", link: "https://pay.example.com/1" },
    },
  });
  assertEquals([isError, found.payment?.status], [false, "pending"], JSON.stringify(found));
});
