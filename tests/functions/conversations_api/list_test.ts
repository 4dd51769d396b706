import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  createDemoOperator,
  demoInstanceId,
  demoTarget,
  type Service,
  startService,
} from "../contract/service.ts";

const api = "/functions/v1/conversations-api";
const contacts = "/functions/v1/contacts-api";

type Query = Readonly<Record<string, unknown>>;
// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Item = any;

async function readAll(service: Service, query: Query, limit = 1): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: Item = await service.call("GET", `${api}/conversations`, {
      ...{ ...query, limit },
      ...(cursor === null ? {} : { cursor }),
    });
    assertEquals([status, body.success, body.items?.length <= limit], [200, true, true]);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
}

const idsOf = (items: readonly Item[]): string[] => items.map((item) => item.conversationId);

/** Five conversations, oldest first; only those. */
async function createConversations(service: Service): Promise<{ phone: string; id: string }[]> {
  await service.sql`delete from messaging.conversations`;
  const created = [];
  for (let number = 0; number < 5; number++) {
    const phone = `551191234500${number}`;
    const { conversationId } = await service.post(`${api}/status`, {
      ...{ ...demoTarget, phone, status: number === 4 ? "closed" : "open" },
    });
    created.push({ phone, id: conversationId });
  }
  return created;
}

const receive = (service: Service, conversationId: string): Promise<unknown> =>
  service.sql`
    with received as (
      insert into messaging.messages (instance_id, contact_id, conversation_id, direction,
        message_type, message, status, sent_at)
      select v.instance_id, v.contact_id, v.id, 'inbound', 'text', 'x', 'received', now()
      from messaging.conversations v where v.id = ${conversationId} returning contact_id
    )
    update messaging.contact_activity a set awaits_reply = true, last_message_at = now()
    from received r where r.contact_id = a.contact_id`;

Deno.test("a conversation is read with its contact and all that it shows", async () => {
  await using service = await startService();
  const ana = await createDemoOperator(service.sql, "ana.lima@example.com");
  const saved = await service.post(`${contacts}/update`, { ...demoTarget, name: "Maria" });
  await service.post(`${api}/assign`, { ...demoTarget, assignTo: ana, portfolio: true });
  const { conversationId } = await service.post(`${api}/status`, {
    ...{ ...demoTarget, status: "pending" },
  });
  const pause = await service.post(`${api}/agent-pause`, { ...demoTarget, paused: true });
  const { status, body } = await service.call("GET", `${api}/conversations/${conversationId}`, {});
  assertEquals(status, 200);
  for (const instant of [body.createdAt, body.updatedAt]) {
    assertMatch(instant, /^\d{4}-.*T.*\.\d{3}Z$/);
  }
  assertEquals({ ...body, createdAt: 0, updatedAt: 0 }, {
    ...{ success: true, conversationId, contactId: saved.contactId },
    contact: { contactId: saved.contactId, phone: demoTarget.phone, name: "Maria" },
    ...{ status: "pending", assignedTo: ana, departmentId: null, portfolio: true },
    ...{ awaitingReply: false, lastMessageAt: null, referral: null, handledBy: "us" },
    ...{ aiAgentPausedUntil: pause.aiAgentPausedUntil, createdAt: 0, updatedAt: 0 },
  });
  const listed = await readAll(service, { status: "pending" }, 100);
  const { success: _, ...record } = body;
  assertEquals(listed, [record]);
});

Deno.test("conversations are listed by every filter, alone and together, in the order of creation", async () => {
  await using service = await startService();
  const made = await createConversations(service);
  const [a = "", b = "", c = "", d = "", e = ""] = made.map(({ id }) => id);
  const phoneOf = (n: number): string => made[n]?.phone ?? "";
  const ana = await createDemoOperator(service.sql, "ana.lima@example.com");
  const bia = await createDemoOperator(service.sql, "bia.lima@example.com");
  const [department] = await service.sql`
    insert into messaging.departments (workspace_id, name)
    select i.workspace_id, 'Vendas' from messaging.instances i where i.id = ${demoInstanceId}
    returning id`;
  const departmentId = department?.["id"];
  const assign = (n: number, assignTo: string, rest: Query = {}) =>
    service.post(`${api}/assign`, { ...demoTarget, phone: phoneOf(n), assignTo, ...rest });
  await assign(1, ana, { departmentId });
  await assign(2, ana);
  await assign(3, bia, { departmentId });
  await assign(4, ana, { departmentId });
  for (const n of [0, 1, 4]) {
    await service.post(`${contacts}/tags`, { ...demoTarget, phone: phoneOf(n), addTags: ["Vip"] });
  }
  for (const id of [b, e]) await receive(service, id);
  await service.sql`
    insert into messaging.contact_addresses (instance_id, contact_id, address)
    select instance_id, contact_id, 'BR.c' from messaging.conversations where id = ${c}`;
  const [ofD] = await service.sql`
    select contact_id from messaging.conversations where id = ${d}`;
  const contactOfD = ofD?.["contact_id"];

  const cases: [Query, string[]][] = [
    [{}, [a, b, c, d, e]],
    [{ instanceId: demoInstanceId }, [a, b, c, d, e]],
    [{ phone: phoneOf(1) }, [b]],
    [{ phone: phoneOf(1), status: "closed" }, []],
    [{ phone: phoneOf(4), tag: "vip", status: "closed" }, [e]],
    [{ phone: "5511912345999" }, []],
    [{ userId: "BR.c" }, [c]],
    [{ userId: "BR.nobody" }, []],
    [{ contactId: contactOfD }, [d]],
    [{ status: "open" }, [a, b, c, d]],
    [{ status: "closed" }, [e]],
    [{ status: "pending" }, []],
    [{ assignedTo: ana }, [b, c, e]],
    [{ assignedTo: "ANA.lima@example.com" }, [b, c, e]],
    [{ departmentId }, [b, d, e]],
    [{ tag: "vip" }, [a, b, e]],
    [{ tag: "none" }, []],
    [{ awaitingReply: true }, [b, e]],
    [{ awaitingReply: false }, [a, c, d]],
    [{ awaitingReply: true, status: "open" }, [b]],
    [{ awaitingReply: false, tag: "vip" }, [a]],
    [{ assignedTo: ana, status: "open" }, [b, c]],
    [{ assignedTo: ana, departmentId, status: "closed" }, [e]],
    [{ assignedTo: bia, tag: "vip" }, []],
    [{ departmentId, tag: "VIP", awaitingReply: true, status: "open", assignedTo: ana }, [b]],
  ];
  for (const [query, expected] of cases) {
    const seen = await readAll(service, query);
    assertEquals(idsOf(seen), expected, JSON.stringify(query));
    const fromNewest = await readAll(service, { ...query, order: "desc" });
    assertEquals(
      idsOf(fromNewest),
      idsOf(seen).reverse(),
      `${JSON.stringify(query)}, newest first`,
    );
    const since = { ...query, updatedSince: "2026-01-01T00:00:00Z" };
    const changed = idsOf((await readAll(service, since)).filter((item) => !item.isDeleted));
    assertEquals(changed.toSorted(), expected.toSorted(), JSON.stringify(since));
  }
});

Deno.test("a page's cursor stays good while conversations come and change", async () => {
  await using service = await startService();
  const made = await createConversations(service);
  await service.sql`update messaging.conversations set created_at = '2026-01-01T00:00:00.000123Z'`;
  const first = await service.call("GET", `${api}/conversations`, { limit: 2 });
  for (const { phone } of made) {
    await service.post(`${api}/status`, { ...demoTarget, phone, status: "pending" });
  }
  await service.post(`${api}/status`, { ...demoTarget, phone: "5511912345009", status: "open" });
  const rest = await service.call("GET", `${api}/conversations`, {
    cursor: first.body.nextCursor,
  });
  const seen = idsOf([...first.body.items, ...rest.body.items]);
  assertEquals([seen.length, new Set(seen).size, rest.body.nextCursor], [6, 6, null]);
});

Deno.test("status, assign, unassign, note and pause are changes that updatedSince tells, the last one last", async () => {
  await using service = await startService();
  const made = await createConversations(service);
  const ana = await createDemoOperator(service.sql, "ana.lima@example.com");
  const bia = await createDemoOperator(service.sql, "bia.lima@example.com");
  const [first, last] = [made[0], made[4]];
  assert(first !== undefined && last !== undefined);
  const target = { ...demoTarget, phone: first.phone };
  const changes: [string, Query][] = [
    ["status", { ...target, status: "pending" }],
    ["assign", { ...target, assignTo: ana }],
    ["assign", { ...target, assignTo: bia }],
    ["unassign", { phone: first.phone }],
    ["note", { ...target, note: "x" }],
    ["agent-pause", { ...target, paused: true }],
  ];
  for (const [call, body] of changes) {
    await service.post(`${api}/note`, { ...demoTarget, phone: last.phone, note: "later" });
    const before = await service.call("GET", `${api}/conversations/${last.id}`, {});
    await service.post(`${api}/${call}`, body);
    const items = await readAll(service, { updatedSince: before.body.updatedAt }, 10);
    assertEquals(idsOf(items), [last.id, first.id], call);
  }
  const now = (await readAll(service, {}, 10)).find(({ conversationId }) =>
    conversationId === first.id
  );
  const next = await readAll(service, { updatedSince: now.updatedAt });
  assertEquals(idsOf(next), [first.id], "inclusive");
});

Deno.test("updatedSince tells the tombstone of a merged contact, and pages in the order of changes", async () => {
  await using service = await startService();
  const made = await createConversations(service);
  const items = await readAll(service, {}, 100);
  const [kept, gone] = [items[0].contactId, items[1].contactId];
  await service.sql`
    select messaging.merge_contacts(kept, gone)
    from messaging.contacts kept, messaging.contacts gone
    where kept.id = ${kept} and gone.id = ${gone}`;
  await service.sql`select messaging.touch_contacts(array[${kept}]::uuid[])`;
  const changed = await readAll(service, { updatedSince: "2026-01-01T00:00:00Z" }, 2);
  const tombstone = changed.find((item) => item.contactId === gone);
  assertEquals([tombstone.isDeleted, tombstone.mergedInto], [true, kept]);
  assertEquals(Object.keys(tombstone).sort(), [
    "contactId",
    "isDeleted",
    "mergedInto",
    "updatedAt",
  ]);
  const ofKept = await readAll(service, { updatedSince: "2026-01-01T00:00:00Z", contactId: gone });
  assertEquals(ofKept.map(({ contactId }) => contactId), [kept], "of the named contact alone");
  const instants = changed.map(({ updatedAt }) => Date.parse(updatedAt));
  assertEquals(instants, instants.toSorted((x, y) => x - y));
  assertEquals(changed.filter((item) => !item.isDeleted).length, made.length - 1);
  assertEquals((await readAll(service, {}, 100)).length, made.length - 1);
});

Deno.test("unknown, malformed and other tenants' ids are one 404; what no filter can mean is a 400 by name", async () => {
  await using service = await startService();
  const [foreign] = await service.sql`
    with person as (
      insert into messaging.contacts (instance_id, phone, identity_key, origin)
      select i.id, '5511900000000', '5511900000000', 'api' from messaging.instances i
      where i.provider = 'evolution' returning id, instance_id
    )
    insert into messaging.conversations (instance_id, contact_id)
    select instance_id, id from person returning id`;
  for (const id of [foreign?.["id"], crypto.randomUUID(), "x"]) {
    const { status, body } = await service.call("GET", `${api}/conversations/${id}`, {});
    assertEquals([status, body.error, body.message], [
      404,
      "conversation_not_found",
      "The instance has no such conversation.",
    ]);
  }
  const [stranger] = await service.sql`
    with other as (insert into messaging.workspaces (name) values ('O') returning id),
    department as (
      insert into messaging.departments (workspace_id, name) select id, 'O' from other returning id
    )
    insert into messaging.operators (workspace_id, name, email)
    select id, 'O', 'o@example.com' from other
    returning id, (select id from department) as department_id`;
  const refused: [Query, number, string][] = [
    [{ assignedTo: "nobody@example.com" }, 404, "operator_not_found"],
    [{ assignedTo: stranger?.["id"] }, 404, "operator_not_found"],
    [{ departmentId: crypto.randomUUID() }, 404, "department_not_found"],
    [{ departmentId: stranger?.["department_id"] }, 404, "department_not_found"],
    [{ instanceId: crypto.randomUUID() }, 404, "Instance not found"],
    [{ contactId: crypto.randomUUID() }, 404, "contact_not_found"],
    [{ phone: "" }, 400, "phone"],
    [{ phone: demoTarget.phone, userId: "BR.1" }, 400, "userId"],
    [{ userId: "1" }, 400, "userId"],
    [{ status: "gone" }, 400, "status"],
    [{ departmentId: "x" }, 400, "departmentId"],
    [{ awaitingReply: "yes" }, 400, "awaitingReply"],
    [{ tag: "" }, 400, "tag"],
    [{ tag: "x".repeat(51) }, 400, "tag"],
    [{ updatedSince: "yesterday" }, 400, "updatedSince"],
    [{ limit: 0 }, 400, "limit"],
    [{ cursor: "x" }, 400, "cursor"],
  ];
  const turned = { order: "desc", updatedSince: "2026-01-01T00:00:00Z" };
  const { status: code, body: told } = await service.call("GET", `${api}/conversations`, turned);
  assertEquals([code, told.issues[0].path], [400, "order"]);
  for (const [query, status, what] of refused) {
    const answer = await service.call("GET", `${api}/conversations`, query);
    const said = status === 400 ? answer.body.issues?.[0]?.path : answer.body.error;
    assertEquals([answer.status, said], [status, what], JSON.stringify(query));
  }
});
