import { assertEquals, assertMatch } from "../../support/assert.ts";
import { createDemoOperator, demoTarget, type Service, startService } from "../contract/service.ts";

const v1 = "/functions/v1";
const api = `${v1}/conversations-api`;

interface Recorded {
  readonly transfers: readonly (readonly [string, string | null])[];
  readonly notes: readonly string[];
  readonly portfolios: number;
}

async function readRecorded({ sql }: Service): Promise<Recorded> {
  const transfers = await sql`
    select from_operator_id, to_operator_id from messaging.chat_transfer_log order by transferred_at`;
  const notes = await sql`select note from messaging.internal_notes order by created_at`;
  const [portfolios] = await sql`select count(*)::int as count from messaging.portfolios`;
  return {
    transfers: transfers.map((row) => [row["from_operator_id"], row["to_operator_id"]]),
    notes: notes.map(({ note }) => note),
    portfolios: portfolios?.["count"],
  };
}

Deno.test("unassign takes the conversation from its operator: logged and noted as a transfer to nobody, and out of the portfolio", async () => {
  await using service = await startService();
  const operator = await createDemoOperator(service.sql, "ana.souza@example.com");
  const { contactId } = await service.post(`${api}/assign`, {
    ...demoTarget,
    assignTo: operator,
    portfolio: true,
  });
  const { phone } = demoTarget;
  assertEquals(await service.post(`${api}/unassign`, { phone }), {
    success: true,
    contactId,
    assignedTo: null,
    previousAssignedTo: operator,
  });
  const { transfers, notes, portfolios } = await readRecorded(service);
  assertEquals([transfers, notes.length, portfolios], [[[operator, null]], 1, 0]);
  assertMatch(notes[0] ?? "", /^Conversa retirada de .*ana\.souza.*: agora está sem operador\.$/);
  const [event] = await service.sql`
    select data from messaging.events where type = 'conversation.assigned'
    order by sequence desc limit 1`;
  const { assignedTo, previousAssignedTo } = event?.["data"];
  assertEquals([event?.["data"].contactId, assignedTo, previousAssignedTo], [
    contactId,
    null,
    operator,
  ]);
  const again = await service.post(`${api}/assign`, { ...demoTarget, assignTo: operator });
  assertEquals([again.previousAssignedTo, again.transferred], [null, false]);
});

Deno.test("unassigning a conversation without an operator is answered alike, and logs and notes nothing", async () => {
  await using service = await startService();
  const { contactId } = await service.post(`${v1}/contacts-api/create`, demoTarget);
  for (const target of [{ phone: demoTarget.phone }, { contactId }]) {
    assertEquals(await service.post(`${api}/unassign`, target), {
      success: true,
      contactId,
      assignedTo: null,
      previousAssignedTo: null,
    });
  }
  assertEquals(await readRecorded(service), { transfers: [], notes: [], portfolios: 0 });
});

Deno.test("unassign finds a person who hides the number by userId, and makes the contact of a new one", async () => {
  await using service = await startService();
  const userId = "BR.1a2B3c4D";
  const { contactId } = await service.post(`${api}/unassign`, { userId });
  assertEquals((await service.post(`${api}/unassign`, { userId })).contactId, contactId);
  assertEquals((await service.post(`${api}/unassign`, { contactId })).contactId, contactId);
  const contacts = await service.sql`
    select c.phone, c.origin, a.address
    from messaging.contacts c join messaging.contact_addresses a on a.contact_id = c.id
    where c.id = ${contactId}`;
  assertEquals([...contacts], [{ phone: null, origin: "api", address: userId }]);
});

Deno.test("unassign repeats its first answer under one Idempotency-Key", async () => {
  await using service = await startService();
  const operator = await createDemoOperator(service.sql, "ana.souza@example.com");
  await service.post(`${api}/assign`, { ...demoTarget, assignTo: operator });
  const unassign = () =>
    service.post(`${api}/unassign`, { phone: demoTarget.phone }, { "Idempotency-Key": "order-7" });
  const first = await unassign();
  assertEquals(first.previousAssignedTo, operator);
  assertEquals(await unassign(), first);
  assertEquals((await readRecorded(service)).transfers.length, 1);
});

Deno.test("unassign refuses no target, two targets, a malformed one by its name, and an unknown contactId", async () => {
  await using service = await startService();
  const contactId = crypto.randomUUID();
  const { phone } = demoTarget;
  const faults: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{}, "phone", "invalid_request"],
    [{ phone, contactId }, "contactId", "invalid_request"],
    [{ contactId, userId: "BR.1" }, "userId", "invalid_request"],
    [{ contactId: "x" }, "contactId", "invalid_request"],
    [{ userId: "br.1" }, "userId", "invalid_request"],
    [{ phone: "12" }, "phone", "invalid_phone"],
  ];
  for (const [members, path, error] of faults) {
    const { status, body } = await service.call("POST", `${api}/unassign`, members);
    assertEquals([status, body.error, body.issues[0].path], [400, error, path]);
  }
  const unknown = await service.call("POST", `${api}/unassign`, { contactId });
  assertEquals([unknown.status, unknown.body.error], [404, "contact_not_found"]);
  const [foreign] = await service.sql`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    select i.id, '5511900000000', '5511900000000', 'api' from messaging.instances i
    where i.provider = 'evolution' returning id`;
  const theirs = await service.call("POST", `${api}/unassign`, { contactId: foreign?.["id"] });
  assertEquals(theirs, unknown);
});
