import { assert, assertEquals } from "../../support/assert.ts";
import { type MessagingStack, startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { createAgent, createOperator, type Tenant } from "../../support/fixtures/tenant.ts";
import { letTimePass } from "../../support/database/time_travel.ts";

const phone = "5511987654321";
const text = { phone, messageType: "text", message: "Olá" };

interface Office {
  readonly stack: MessagingStack;
  readonly tenant: Tenant;
  readonly bia: string;
  readonly caio: string;
}

async function openOffice(stack: MessagingStack): Promise<Office> {
  const tenant = await stack.createTenant();
  const bia = await createOperator(stack.admin, tenant.workspaceId, {
    name: "Bia",
    email: "Bia@Example.com",
  });
  const caio = await createOperator(stack.admin, tenant.workspaceId, {
    name: "Caio",
    email: "caio@example.com",
  });
  return { stack, tenant, bia, caio };
}

Deno.test("assignTo without message only assigns: no messageType, no message, no pause, the operator is e-mailed", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  await createAgent(stack.admin, tenant.instanceId);
  const { status, body } = await stack.send(tenant, { phone, assignTo: "bia@example.COM" });
  assertEquals(status, 200);
  assertEquals(body, {
    success: true,
    mode: "assign_only",
    contactId: body.contactId,
    conversationId: body.conversationId,
    assignment: {
      contactId: body.contactId,
      assignedTo: bia,
      previousAssignedTo: null,
      portfolio: false,
      transferred: false,
      departmentId: null,
    },
    aiAgentPausedUntil: null,
  });
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
  assertEquals(stack.provider.requests.length, 0);
  const [counts] = await stack.admin`
    select (select count(*)::int from messaging.messages) as messages,
      (select count(*)::int from messaging.internal_notes) as notes,
      (select count(*)::int from messaging.chat_transfer_log) as transfers,
      (select count(*)::int from messaging.agent_pauses) as pauses`;
  assertEquals({ ...counts }, { messages: 0, notes: 0, transfers: 0, pauses: 0 });
});

Deno.test("assignTo beside fields that are no content only assigns", async () => {
  await using stack = await startMessagingStack();
  const { tenant, caio } = await openOffice(stack);
  const wishes = [
    { queued: true, intervalSeconds: 60 },
    { delayMessage: 5, cardId: "c" },
    { rendering: "text", mediaFilename: "a.pdf", messageType: null },
  ];
  for (const rest of wishes) {
    const { status, body } = await stack.send(tenant, { phone, assignTo: caio, ...rest });
    assertEquals([status, body.mode], [200, "assign_only"], JSON.stringify(rest));
  }
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("assignTo with a type or a part that lacks what its type needs is refused, and assigns nothing", async () => {
  await using stack = await startMessagingStack();
  const { tenant, caio } = await openOffice(stack);
  const optionList = { title: "Menu", buttonLabel: "Abrir", options: [{ title: "Um" }] };
  const buttons = [{ title: "Sim" }];
  const halves: readonly [object, string][] = [
    [{ messageType: "text" }, "message"],
    [{ messageType: "option_list", optionList }, "message"],
    [{ messageType: "option_list" }, "optionList"],
    [{ messageType: "buttons", buttons }, "message"],
    [{ messageType: "image" }, "mediaUrl"],
    [{ messageType: "location" }, "location"],
    [{ messageType: "contacts" }, "contacts"],
    [{ messageType: "reaction" }, "reaction"],
    [{ messageType: "location_request" }, "message"],
    [{ optionList }, "messageType"],
    [{ header: { type: "text", text: "Oi" } }, "messageType"],
  ];
  for (const [half, missing] of halves) {
    const { status, body } = await stack.send(tenant, { phone, assignTo: caio, ...half });
    const paths = body.issues?.map(({ path }: { path: string }) => path) ?? [];
    assertEquals([status, body.error], [400, "invalid_request"], JSON.stringify(half));
    assert(paths.includes(missing), `${JSON.stringify(half)}: ${paths}`);
  }
  assertEquals((await stack.admin`select from messaging.contacts`).length, 0);
});

Deno.test("portfolio beside no assignTo is named as ignored", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  for (const portfolio of [true, false]) {
    const { status, body } = await stack.send(tenant, { ...text, portfolio, foo: 1 });
    assertEquals([status, body.ignoredFields], [200, ["foo", "portfolio"]]);
  }
  assertEquals((await stack.admin`select from messaging.portfolios`).length, 0);
  const { body } = await stack.send(tenant, { ...text, assignTo: bia, portfolio: true });
  assertEquals(body.ignoredFields, undefined);
});

Deno.test("an operator is named by UUID in any case too; an unknown or a foreign one is not found", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  const neighbour = await openOffice(stack);
  const named = await stack.send(tenant, { phone, assignTo: bia.toUpperCase() });
  assertEquals(named.body.assignment.assignedTo, bia);
  for (const assignTo of ["nobody@example.com", crypto.randomUUID(), neighbour.bia, "Bia"]) {
    const answer = await stack.send(tenant, { ...text, phone: "5511911112222", assignTo });
    assertEquals([answer.status, answer.body.error], [404, "operator_not_found"], assignTo);
  }
  const rows = await stack.admin`select 1 from messaging.contacts where phone = '5511911112222'`;
  assertEquals(rows.length, 0, "nothing is stored");
  assertEquals(stack.provider.requests.length, 0);
});

Deno.test("assigning whom it already has changes nothing: no transfer, no note, no e-mail", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  await stack.send(tenant, { phone, assignTo: bia });
  const again = await stack.send(tenant, { ...text, assignTo: "bia@example.com" });
  assertEquals(
    [again.body.assignment.transferred, again.body.assignment.previousAssignedTo],
    [false, bia],
  );
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 1);
  const [counts] = await stack.admin`
    select (select count(*)::int from messaging.internal_notes) as notes,
      (select count(*)::int from messaging.chat_transfer_log) as transfers,
      (select count(*)::int from messaging.outbox) as emails`;
  assertEquals({ ...counts }, { notes: 0, transfers: 0, emails: 1 });
});

Deno.test("a transfer is logged, noted with both names and e-mailed once, with the message beside it", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia, caio } = await openOffice(stack);
  await stack.send(tenant, { phone, assignTo: bia });
  await stack.admin`update messaging.contacts set name = 'Maria'`;
  const { body } = await stack.send(tenant, { ...text, assignTo: caio });
  assertEquals([body.mode, body.assignment.transferred], ["sent", true]);
  assertEquals(body.assignment.previousAssignedTo, bia);
  const transfers = await stack.admin`
    select from_operator_id as "from", to_operator_id as "to" from messaging.chat_transfer_log`;
  assertEquals(transfers.map((row) => ({ ...row })), [{ from: bia, to: caio }]);
  const notes = await stack.admin`select note, is_automatic from messaging.internal_notes`;
  assertEquals(notes.length, 1);
  assert(notes[0]?.["is_automatic"]);
  for (const name of ["Bia", "Caio"]) assert(notes[0]?.["note"].includes(name));
  await stack.dispatch();
  assertEquals(stack.mail.requests.length, 2);
  const [first, second] = stack.mail.requests;
  const link = `https://panel.example.com/c/chat/${tenant.connectedPhone}/${phone}`;
  for (
    const [email, to, name] of [[first, "Bia@Example.com", phone], [
      second,
      "caio@example.com",
      "Maria",
    ]] as const
  ) {
    assertEquals([email?.json["to"]].flat(), [to]);
    for (const part of [name, phone, link]) {
      assert(String(email?.json["text"]).includes(part), part);
      assert(String(email?.json["html"]).includes(part), part);
    }
  }
});

Deno.test("simultaneous assignments leave one log entry for each real change of operator", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia, caio } = await openOffice(stack);
  await Promise.all(
    Array.from(
      { length: 20 },
      (_, index) => stack.send(tenant, { phone, assignTo: index % 2 === 0 ? bia : caio }),
    ),
  );
  const log = await stack.admin`
    select from_operator_id as "from", to_operator_id as "to" from messaging.chat_transfer_log
    order by transferred_at`;
  const [conversation] = await stack.admin`select assigned_to from messaging.conversations`;
  // Each entry goes on from the one before it, to the operator that the conversation has.
  assertEquals(
    log.map((row) => row["to"]),
    [...log.slice(1).map((row) => row["from"]), conversation?.["assigned_to"]],
  );
  const [counts] = await stack.admin`
    select (select count(*)::int from messaging.internal_notes) as notes,
      (select count(*)::int from messaging.outbox) as emails`;
  assertEquals({ ...counts }, { notes: log.length, emails: log.length + 1 });
});

Deno.test("portfolio puts the contact in or takes it out, a transfer without it takes it out, else it stays", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia, caio } = await openOffice(stack);
  const steps = [
    [{ assignTo: bia, portfolio: true }, true],
    [{ assignTo: bia }, true],
    [{ assignTo: bia, portfolio: false }, false],
    [{ assignTo: bia, portfolio: true }, true],
    [{ assignTo: caio }, false],
    [{ assignTo: caio, portfolio: true }, true],
    [{ assignTo: bia, portfolio: false }, false],
    [{ assignTo: bia, portfolio: true }, true],
    [{ assignTo: caio, portfolio: true }, true],
  ] as const;
  for (const [index, [assignment, portfolio]] of steps.entries()) {
    const { body } = await stack.send(tenant, { phone, ...assignment });
    assertEquals(body.assignment.portfolio, portfolio, `step ${index}`);
    const rows = await stack.admin`select operator_id from messaging.portfolios`;
    assertEquals(
      rows.map((row) => row["operator_id"]),
      portfolio ? [assignment.assignTo] : [],
      `step ${index}`,
    );
  }
});

Deno.test("a message that fails leaves the assignment made", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  stack.provider.answer = () => Response.json({ error: "no" }, { status: 400 });
  const { status, body } = await stack.send(tenant, { ...text, assignTo: bia });
  assertEquals([status, body.assignment.assignedTo], [502, bia]);
});

Deno.test("a send pauses the instance's agent for 30 minutes and each further one renews it", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  await createAgent(stack.admin, tenant.instanceId);
  for (const sentBy of [undefined, "api", "operator", "automation", "scheduled", "my crm"]) {
    const { body } = await stack.send(tenant, { ...text, sentBy });
    const minutes = (Date.parse(body.aiAgentPausedUntil) - Date.now()) / 60_000;
    assert(minutes > 29 && minutes <= 30.01, `${sentBy}: ${minutes}`);
    assert(body.aiAgentPausedUntil.endsWith("Z"), body.aiAgentPausedUntil);
    const [row] = await stack.admin`select count(*)::int as pauses, max(paused_until) as until
      from messaging.agent_pauses`;
    assertEquals(row?.["pauses"], 1);
    assertEquals(Date.parse(body.aiAgentPausedUntil), row?.["until"].getTime());
    await letTimePass(stack.admin, 600);
  }
  for (const delivery of [{ queued: true }, { delayMessage: 60 }]) {
    const { body } = await stack.send(tenant, { ...text, ...delivery, phone: "5511900000001" });
    assert(body.aiAgentPausedUntil !== null, "accepting a queued message pauses too");
  }
});

Deno.test("the agent's own message, an instance without active agent and a mere assignment pause nothing", async () => {
  await using stack = await startMessagingStack();
  const { tenant, bia } = await openOffice(stack);
  assertEquals((await stack.send(tenant, text)).body.aiAgentPausedUntil, null);
  await createAgent(stack.admin, tenant.instanceId, { isActive: false });
  assertEquals((await stack.send(tenant, text)).body.aiAgentPausedUntil, null);
  await createAgent(stack.admin, tenant.instanceId);
  const own = await stack.send(tenant, { ...text, sentBy: "ai_agent" });
  assertEquals(own.body.aiAgentPausedUntil, null);
  assertEquals((await stack.send(tenant, { phone, assignTo: bia })).body.aiAgentPausedUntil, null);
  assertEquals((await stack.admin`select 1 from messaging.agent_pauses`).length, 0);
  // A pause that is in force is reported, and not changed.
  const { aiAgentPausedUntil } = (await stack.send(tenant, text)).body;
  for (const call of [{ ...text, sentBy: "ai_agent" }, { phone, assignTo: bia }]) {
    assertEquals((await stack.send(tenant, call)).body.aiAgentPausedUntil, aiAgentPausedUntil);
  }
});
