import { assert, assertEquals, assertMatch } from "../../support/assert.ts";
import { demoInstanceId, demoTarget, type Service, startService } from "../contract/service.ts";

const api = "/functions/v1/contacts-api";

// deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
type Answer = any;

async function readAll(service: Service, query: Record<string, unknown>): Promise<Answer[]> {
  const items: Answer[] = [];
  let cursor: string | null = null;
  do {
    const { status, body }: Answer = await service.call("GET", `${api}/contacts`, {
      ...query,
      ...(cursor === null ? {} : { cursor }),
    });
    assertEquals([status, body.success], [200, true]);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
}

const phonesOf = (items: readonly Answer[]): string[] => items.map(({ phone }) => phone).sort();

async function create(
  service: Service,
  phone: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const saved = await service.post(`${api}/update`, { ...demoTarget, phone, ...fields });
  return saved.contactId;
}

Deno.test("a contact is read with every field of the specification, and nothing that a GET creates", async () => {
  await using service = await startService();
  const fields = {
    name: "João Ávila",
    email: "joao@example.com",
    company: "Ávila & Filhos",
    jobTitle: "Gerente",
    notes: "liga cedo",
    utmSource: "google",
    utmMedium: "cpc",
    utmCampaign: "bf",
    customLabels: { crm: "1" },
    isFavorite: true,
    isArchived: false,
    isBlocked: true,
  };
  const id = await create(service, "5511912340001", { ...fields, tags: ["vip", "Lead"] });
  const { status, body } = await service.call("GET", `${api}/contacts/${id}`, {});
  assertEquals(status, 200);
  const { createdAt, updatedAt, ...rest } = body;
  assertEquals(rest, {
    ...{ success: true, contactId: id, phone: "5511912340001", ...fields },
    ...{ tags: ["Lead", "vip"], origin: "api", aiAgentPausedUntil: null },
    window: { isOpen: true, closesAt: null, freeUntil: null },
    ...{ conversation: null, referral: null, profilePictureUrl: null },
    consent: { marketing: "unknown", at: null, source: null },
    identities: [{ kind: "phone", value: "5511912340001", provenAt: null }],
  });
  for (const instant of [createdAt, updatedAt]) {
    assertMatch(instant, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  await service.post("/functions/v1/conversations-api/status", {
    ...{ ...demoTarget, phone: "5511912340001", status: "pending" },
  });
  const again = await service.call("GET", `${api}/contacts/${id}`, {});
  const { conversationId, ...conversation } = again.body.conversation;
  assertMatch(conversationId, /^[0-9a-f-]{36}$/);
  assertEquals(conversation, {
    ...{ status: "pending", assignedTo: null, departmentId: null, portfolio: false },
    lastMessageAt: null,
  });
  assert(again.body.updatedAt > updatedAt, "the conversation's status is a change");
});

Deno.test("an unknown contact, another tenant's and what is no id are one 404", async () => {
  await using service = await startService();
  const answers = [];
  for (const id of [crypto.randomUUID(), "x", "00000000-0000-0000-0000-000000000000"]) {
    const { status, body } = await service.call("GET", `${api}/contacts/${id}`, {});
    answers.push([status, body.error, body.message]);
  }
  assertEquals(answers.map(([status, error]) => [status, error]), [
    [404, "contact_not_found"],
    [404, "contact_not_found"],
    [404, "contact_not_found"],
  ]);
  assertEquals(new Set(answers.map(String)).size, 1);
});

Deno.test("pages give every contact once, also while contacts change", async () => {
  await using service = await startService();
  const before = await readAll(service, { limit: 100 });
  for (let n = 0; n < 7; n++) await create(service, `551191234100${n}`, { name: `Contato ${n}` });
  const first = await service.call("GET", `${api}/contacts`, { limit: 3 });
  assertEquals(first.body.items.length, 3);
  for (let n = 0; n < 7; n++) await create(service, `551191234100${n}`, { name: `Outro ${n}` });
  const rest: Answer[] = [];
  let cursor = first.body.nextCursor;
  while (cursor !== null) {
    const { body } = await service.call("GET", `${api}/contacts`, { limit: 3, cursor });
    rest.push(...body.items);
    cursor = body.nextCursor;
  }
  const seen = [...first.body.items, ...rest].map(({ contactId }) => contactId);
  assertEquals([seen.length, new Set(seen).size], [before.length + 7, before.length + 7]);
});

Deno.test("a list of one contact takes its id or its user id in place of the phone", async () => {
  await using service = await startService();
  const [phone, userId] = ["5511912341101", "BR.1101"];
  const byPhone = await create(service, phone);
  const { contactId: hidden } = await service.post(`${api}/create`, {
    instanceId: demoInstanceId,
    userId,
  });
  const find = (query: Record<string, unknown>): Promise<Answer> =>
    service.call("GET", `${api}/contacts`, query);
  const idsOf = async (query: Record<string, unknown>): Promise<string[]> =>
    (await find(query)).body.items.map(({ contactId }: Answer) => contactId);
  assertEquals(await idsOf({ phone }), [byPhone]);
  assertEquals(await idsOf({ contactId: byPhone }), [byPhone]);
  assertEquals(await idsOf({ userId }), [hidden]);
  assertEquals(await idsOf({ userId: "BR.1102" }), [], "and it makes no contact");
  assertEquals(await idsOf({ userId, consent: "granted" }), [], "filters combine");
  const unknown = await find({ contactId: crypto.randomUUID() });
  assertEquals([unknown.status, unknown.body.error], [404, "contact_not_found"]);
  for (const query of [{ phone, userId }, { phone, contactId: byPhone }, { userId: "x" }]) {
    const refused = await find(query);
    assertEquals([refused.status, refused.body.error], [400, "invalid_request"]);
  }
});

Deno.test("q finds by name, phone part, e-mail and company, without regard to case and accents, and every character is itself", async () => {
  await using service = await startService();
  await create(service, "5511912342001", { name: "João Conceição" });
  await create(service, "5511912342002", { name: "Maria 100% Fit", company: "Ímã_Ltda" });
  await create(service, "5511912342003", { name: "Ana\\Bia", email: "ana.bia@exemplo.com.br" });
  const find = async (q: string): Promise<string[]> => phonesOf(await readAll(service, { q }));
  const [one, two, three] = ["5511912342001", "5511912342002", "5511912342003"] as const;
  assertEquals(await find("JOAO CONCEICAO"), [one]);
  assertEquals(await find("conceição"), [one]);
  assertEquals(await find("ceic"), [one]);
  assertEquals(await find("100%"), [two]);
  assertEquals(await find("%"), [two]);
  assertEquals(await find("_"), [two]);
  assertEquals(await find("ima_l"), [two]);
  assertEquals(await find("\\"), [three]);
  assertEquals(await find("a\\b"), [three]);
  assertEquals(await find("exemplo.com"), [three]);
  assertEquals(await find("12342003"), [three]);
  for (
    const written of [
      ...["1234-2003", "91234-2003", "(11) 91234-2003", "011 91234.2003", "+55 11 91234-2003"],
      ...["0055 (11) 91234-2003", "55 11\u00a091234-2003"],
    ]
  ) assertEquals(await find(written), [three], written);
  assertEquals(await find("234-2003"), [], "too few digits for a phone: a text as it is");
  assertEquals(await find("ana%bia"), []);
  assert((await find("Co")).includes(one), "two characters: the beginning of a word");
  assertEquals(await find("ã"), await find("a"));
  await create(service, one, { name: "Zeferino" });
  assertEquals([await find("conceicao"), await find("zeferino")], [[], [one]]);
  await create(service, one, { name: "Zé\u200b\u2060 Fe\u00adrino" });
  assertEquals([await find("ze ferino"), await find("z\u200be ferino")], [[one], [one]]);
});

Deno.test("filters combine, and what no filter can mean is refused", async () => {
  await using service = await startService();
  const get = (query: Record<string, unknown>): Promise<Answer> =>
    service.call("GET", `${api}/contacts`, query);
  await create(service, "5511912343001", { name: "Maria", tags: ["Vip"] });
  await create(service, "5511912343002", { name: "Maria" });
  await create(service, "5511912343003", { name: "Bia", tags: ["vip"] });
  assertEquals(phonesOf(await readAll(service, { tag: "VIP", limit: 1 })), [
    "5511912343001",
    "5511912343003",
  ]);
  assertEquals(phonesOf(await readAll(service, { tag: "vip", q: "maria" })), ["5511912343001"]);
  assertEquals(phonesOf(await readAll(service, { phone: "551112343002" })), [], "another number");
  assertEquals(phonesOf(await readAll(service, { phone: "5511912343002", q: "maria" })), [
    "5511912343002",
  ]);
  assertEquals(await readAll(service, { tag: "nobody" }), []);
  assertEquals(await readAll(service, { consent: "denied" }), []);
  await service.post(`${api}/consent`, {
    ...{ ...demoTarget, phone: "5511912343003", marketing: "denied" },
  });
  assertEquals(phonesOf(await readAll(service, { consent: "denied" })), ["5511912343003"]);
  assertEquals(phonesOf(await readAll(service, { consent: "unknown", tag: "vip" })).length, 1);
  const refused: [Record<string, unknown>, number, string][] = [
    [{ consent: "maybe" }, 400, "invalid_request"],
    [{ phone: "12" }, 400, "invalid_phone"],
    [{ q: "" }, 400, "invalid_request"],
    [{ q: "x".repeat(101) }, 400, "invalid_request"],
    [{ updatedSince: "yesterday" }, 400, "invalid_request"],
    [{ cursor: "nonsense" }, 400, "invalid_request"],
    [{ limit: 0 }, 400, "invalid_request"],
    [{ assignedTo: "nobody@example.com" }, 404, "operator_not_found"],
  ];
  for (const [query, status, error] of refused) {
    const answer = await get(query);
    assertEquals([answer.status, answer.body.error], [status, error], JSON.stringify(query));
  }
});

Deno.test("updatedSince tells changes in their order, with the tombstone of a merged contact", async () => {
  await using service = await startService();
  const [a, b] = [await create(service, "5511912344001"), await create(service, "5511912344002")];
  const since = (await service.call("GET", `${api}/contacts/${a}`, {})).body.updatedAt;
  await create(service, "5511912344001", { name: "Primeira" });
  await service.sql`
    select messaging.merge_contacts(kept, gone)
    from messaging.contacts kept, messaging.contacts gone
    where kept.id = ${a} and gone.id = ${b} and kept.instance_id = ${demoInstanceId}`;
  await service.sql`select messaging.touch_contacts(array[${a}]::uuid[])`;
  const items = await readAll(service, { updatedSince: since, limit: 1 });
  assertEquals(items.map(({ contactId }) => contactId).sort(), [a, b].sort());
  const tombstone = items.find(({ contactId }) => contactId === b);
  assertEquals([tombstone.isDeleted, tombstone.mergedInto], [true, a]);
  const merged = await service.call("GET", `${api}/contacts/${b}`, {});
  assertEquals([merged.status, merged.body.contactId], [200, a]);
  const last = items.at(-1).updatedAt;
  const next = await service.call("GET", `${api}/contacts`, { updatedSince: last });
  assertEquals(next.body.items.length, 1, "inclusive");
});
