import { demoContactId } from "../../../shared/openapi/demo_fixtures.ts";
import { composeDocument } from "../../../supabase/tools/openapi/document.ts";
import { readOperations } from "../../../supabase/tools/openapi/read_operations.ts";
import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import {
  demoInstanceId,
  demoTarget,
  type Members,
  newPhone,
  type Service,
  startService,
} from "./service.ts";

const { phone: _phone, ...instance } = demoTarget;
const period = { start: "2026-01-01", end: "2026-01-02" };
const unknownId = "00000000-0000-4000-8000-000000000000";

/** Every call that is about a contact, with the other members that it needs. */
const calls: readonly (readonly ["GET" | "POST", string, Members])[] = [
  ["POST", "contacts-api/create", { name: "Ana" }],
  ["POST", "contacts-api/update", { name: "Ana" }],
  ["POST", "contacts-api/tags", { addTags: ["lead"] }],
  ["POST", "conversations-api/assign", { assignTo: "ana@example.com" }],
  ["POST", "conversations-api/unassign", {}],
  ["POST", "conversations-api/status", { status: "closed" }],
  ["POST", "conversations-api/note", { note: "x" }],
  ["POST", "conversations-api/agent-pause", { paused: true }],
  ["GET", "conversations-api/agent-pause", {}],
  ["POST", "send-message", { messageType: "text", message: "x", delayMessage: 600 }],
  ["POST", "process-ai-agent", { messageText: "x", initiateConversation: true, queued: true }],
  ["GET", "messages-context", period],
];

const takesId = ([, path]: (typeof calls)[number]): boolean => path !== "contacts-api/create";
/** The demo workspace's channel is a gateway, which knows no user ids. */
const sends = ([, path]: (typeof calls)[number]): boolean =>
  path === "send-message" || path === "process-ai-agent";
const writes = ([method]: (typeof calls)[number]): boolean => method === "POST";

function call(
  service: Service,
  [method, path, members]: (typeof calls)[number],
  target: Members,
): ReturnType<Service["call"]> {
  return service.call(method, `/functions/v1/${path}`, { ...instance, ...members, ...target });
}

function pathsOf(body: { issues?: readonly { path: string }[] }): string[] {
  return (body.issues ?? []).map(({ path }) => path);
}

Deno.test("every call about a contact takes its id or its user id in place of the phone", async () => {
  await using service = await startService();
  for (const [index, one] of calls.entries()) {
    const userId = `BR.${1000 + index}`;
    const byUserId = await call(service, one, { userId });
    if (sends(one)) {
      assertEquals([byUserId.status, byUserId.body.error], [409, "recipient_needs_phone"]);
      continue;
    }
    assertEquals([byUserId.status, byUserId.body.success], [200, true], one[1]);
    if (!writes(one)) continue;
    const { contactId } = byUserId.body;
    const again = await call(service, one, { userId });
    assertEquals(again.body.contactId, contactId, `${one[1]} finds the same contact`);
    if (!takesId(one)) continue;
    const byId = await call(service, one, { contactId });
    assertEquals([byId.status, byId.body.contactId], [200, contactId], one[1]);
  }
  const created = await service.sql`
    select c.phone, c.origin, a.address from messaging.contacts c
    join messaging.contact_addresses a on a.contact_id = c.id
    where c.instance_id = ${demoInstanceId} and c.identity_key like 'BR.%'`;
  assertEquals(created.length, calls.filter((one) => writes(one) && !sends(one)).length);
  assert(created.every(({ phone, origin }) => phone === null && origin === "api"));
});

Deno.test("marks that nobody sees do not count in a phone: every call finds the same contact with and without them", async () => {
  await using service = await startService();
  const created = await service.post("/functions/v1/contacts-api/create", {
    ...instance,
    phone: newPhone,
  });
  const copied = `\u202a\ufeff${newPhone.slice(0, 4)}\u2060${newPhone.slice(4)}\u202c`;
  for (const one of calls) {
    const { status, body } = await call(service, one, { phone: copied });
    assertEquals(status, 200, one[1]);
    if (writes(one)) assertEquals(body.contactId, created.contactId, one[1]);
  }
  const list = await service.call("GET", "/functions/v1/messages-api/messages", { phone: copied });
  assertEquals(list.body.items.length, 2, "what was sent to it");
  const other = await call(service, ["POST", "contacts-api/create", {}], {
    phone: "\u200e0119999",
  });
  assertEquals([other.status, other.body.error], [400, "invalid_phone"]);
});

Deno.test("a call that names no contact, or names it twice, is refused and creates nothing", async () => {
  await using service = await startService();
  const before = await service.sql`select from messaging.contacts`;
  const ways = { phone: newPhone, userId: "BR.1", contactId: demoContactId };
  for (const one of calls) {
    const none = await call(service, one, {});
    assertEquals([none.status, none.body.error], [400, "invalid_request"], one[1]);
    assert(none.body.issues[0].message.includes("userId"), one[1]);
    const two = await call(service, one, { phone: ways.phone, userId: ways.userId });
    assertEquals([two.status, two.body.error, pathsOf(two.body)], [
      ...[400, "invalid_request"],
      ["userId"],
    ], one[1]);
    if (!takesId(one)) continue;
    const all = await call(service, one, ways);
    assertEquals([all.status, pathsOf(all.body)], [400, ["contactId", "userId"]], one[1]);
    const alsoWrong = await call(service, one, { phone: "+55", contactId: demoContactId });
    assertEquals([alsoWrong.status, alsoWrong.body.error], [400, "invalid_phone"], one[1]);
  }
  const template = await service.call("POST", "/functions/v1/send-template-message", {
    ...{ templateId: unknownId, phone: newPhone, userId: "BR.1" },
  });
  assertEquals([template.status, pathsOf(template.body)], [400, ["userId"]]);
  assertEquals(await service.sql`select from messaging.contacts`, before);
});

Deno.test("a malformed user id or contact id is refused by its name", async () => {
  await using service = await startService();
  const malformed: readonly Members[] = [
    ...["BR.", "br.1", "BR1", "BR.a-b", `BR.${"1".repeat(129)}`, "5511988887777", " BR.1"]
      .map((userId) => ({ userId })),
    ...["1", demoContactId.slice(1)].map((contactId) => ({ contactId })),
  ];
  for (const one of calls.filter(takesId)) {
    for (const target of malformed) {
      const { status, body } = await call(service, one, target);
      assertEquals(
        [status, body.error, pathsOf(body)],
        [400, "invalid_request", Object.keys(target)],
        `${one[1]} ${JSON.stringify(target)}`,
      );
    }
  }
});

Deno.test("an unknown contact id is contact_not_found in every call, another tenant's too", async () => {
  await using service = await startService();
  const { stack } = service.contract;
  const other = await stack.createTenant();
  const [foreign] = await service.sql<{ id: string }[]>`
    insert into messaging.contacts (instance_id, phone, identity_key, origin)
    values (${other.instanceId}, ${newPhone}, ${newPhone}, 'api') returning id`;
  for (const contactId of [unknownId, foreign!.id]) {
    for (const one of calls.filter(takesId)) {
      const { status, body } = await call(service, one, { contactId });
      assertEquals([status, body.error], [404, "contact_not_found"], one[1]);
    }
  }
});

Deno.test("the id of an erased contact is contact_erased in every call, as the document says", async () => {
  await using service = await startService();
  const { contactId } = await service.post("/functions/v1/contacts-api/create", {
    ...{ ...instance, phone: newPhone },
  });
  const erased = await service.call(
    "DELETE",
    `/functions/v1/contacts-api/contacts/${contactId}`,
    {},
  );
  assertEquals(erased.status, 202);
  const lists = [
    ["GET", "contacts-api/contacts", {}],
    ["GET", "messages-api/messages", {}],
  ] as const;
  const { paths } = composeDocument(await readOperations());
  for (const one of [...calls.filter(takesId), ...lists]) {
    const { status, body } = await call(service, one, { contactId });
    assertEquals([status, body.error], [410, "contact_erased"], one[1]);
    const [method, path] = [one[0].toLowerCase(), `/functions/v1/${one[1]}`];
    // deno-lint-ignore no-explicit-any -- the document's shape is what this test asserts
    const { $ref } = (paths as any)[path][method].responses["410"] ?? {};
    assertMatch(String($ref), /contact_erased/, path);
  }
});

Deno.test("the id of a merged contact means the survivor in every call", async () => {
  await using service = await startService();
  await service.post("/functions/v1/contacts-api/create", { ...instance, userId: "BR.77" });
  const [gone] = await service.sql<{ id: string }[]>`
    select id from messaging.contacts where identity_key = 'BR.77'`;
  await service.sql`
    select messaging.merge_contacts(k, g) from messaging.contacts k, messaging.contacts g
    where k.id = ${demoContactId} and g.id = ${gone!.id}`;
  for (const one of calls.filter(takesId)) {
    for (const target of [{ contactId: gone!.id }, { userId: "BR.77" }]) {
      const { status, body } = await call(service, one, target);
      assertEquals(status, 200, `${one[1]} ${JSON.stringify(body)}`);
      if (one[1] !== "messages-context") assertEquals(body.contactId, demoContactId, one[1]);
    }
  }
});

Deno.test("a history that is asked for by id names the contact's phone, or null where it hides it", async () => {
  await using service = await startService();
  const [known] = await service.sql<{ phone: string }[]>`
    select phone from messaging.contacts where id = ${demoContactId}`;
  const read = (target: Members): ReturnType<Service["call"]> =>
    call(service, ["GET", "messages-context", period], target);
  assertEquals((await read({ contactId: demoContactId })).body.phone, known!.phone);
  assertEquals((await read({ userId: "BR.5" })).body.phone, null);
  assertEquals((await read({ phone: newPhone })).body.phone, newPhone);
});
