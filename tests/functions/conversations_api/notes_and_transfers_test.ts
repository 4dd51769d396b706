import { assertEquals, assertMatch } from "../../support/assert.ts";
import { createDemoOperator, demoTarget, type Service, startService } from "../contract/service.ts";

const api = "/functions/v1/conversations-api";

/** Every item, by following the cursors of pages of `limit`. */
async function readAll(
  service: Service,
  path: string,
  limit: number,
): Promise<Record<string, string | null>[]> {
  const items: Record<string, string | null>[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, unknown> = { limit, ...(cursor === null ? {} : { cursor }) };
    const { status, body } = await service.call("GET", path, query);
    assertEquals([status, body.success, body.items.length <= limit], [200, true, true]);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor !== null);
  return items;
}

Deno.test("the notes of a conversation are listed oldest first, each once, also of one instant and while more come", async () => {
  await using service = await startService();
  const add = (note: string) => service.post(`${api}/note`, { ...demoTarget, note });
  const ids: string[] = [];
  let conversationId = "";
  for (let number = 0; number < 5; number++) {
    const added = await add(`nota ${number}`);
    ids.push(added.noteId);
    conversationId = added.conversationId;
  }
  const path = `${api}/conversations/${conversationId}/notes`;
  const all = await readAll(service, path, 2);
  assertEquals(all.map(({ noteId }) => noteId), ids);
  assertEquals(Object.keys(all[0] ?? {}).sort(), ["createdAt", "note", "noteId"]);
  assertEquals(all[4]?.["note"], "nota 4");
  assertMatch(all[0]?.["createdAt"] ?? "", /^\d{4}-.*T.*\.\d{3}Z$/);

  await service.sql`update messaging.internal_notes set created_at = '2026-01-01T00:00:00Z'`;
  const first = await service.call("GET", path, { limit: 3 });
  await add("mais uma");
  const rest = await service.call("GET", path, { cursor: first.body.nextCursor });
  const seen = [...first.body.items, ...rest.body.items].map(({ noteId }) => noteId);
  assertEquals([seen.length, new Set(seen).size, rest.body.nextCursor], [6, 6, null]);
});

Deno.test("the transfers of a conversation are listed, and one to nobody has no toOperatorId", async () => {
  await using service = await startService();
  const [ana, bia] = [
    await createDemoOperator(service.sql, "ana.souza@example.com"),
    await createDemoOperator(service.sql, "bia.lima@example.com"),
  ];
  const { conversationId } = await service.post(`${api}/status`, { ...demoTarget, status: "open" });
  const path = `${api}/conversations/${conversationId}/transfers`;
  await service.post(`${api}/assign`, { ...demoTarget, assignTo: ana });
  assertEquals(await readAll(service, path, 10), []);
  await service.post(`${api}/assign`, { ...demoTarget, assignTo: bia });
  await service.post(`${api}/unassign`, { phone: demoTarget.phone });
  const transfers = await readAll(service, path, 1);
  assertEquals(
    transfers.map(({ fromOperatorId, toOperatorId }) => [fromOperatorId, toOperatorId]),
    [[ana, bia], [bia, null]],
  );
  assertEquals(Object.keys(transfers[0] ?? {}).sort(), [
    "createdAt",
    "fromOperatorId",
    "toOperatorId",
  ]);
});

Deno.test("notes and transfers of an unknown, a malformed and another tenant's conversation are not found, with one body", async () => {
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
    for (const list of ["notes", "transfers"]) {
      const { status, body } = await service.call("GET", `${api}/conversations/${id}/${list}`, {});
      assertEquals([status, body.error, body.message], [
        404,
        "conversation_not_found",
        "The instance has no such conversation.",
      ]);
    }
  }
});

Deno.test("a bad limit and a bad cursor of notes are refused by name", async () => {
  await using service = await startService();
  const { conversationId } = await service.post(`${api}/note`, { ...demoTarget, note: "x" });
  for (const query of [{ limit: 0 }, { limit: "x" }, { cursor: "x" }]) {
    const { status, body } = await service.call(
      "GET",
      `${api}/conversations/${conversationId}/notes`,
      query,
    );
    assertEquals([status, body.error, body.issues[0].path], [
      400,
      "invalid_request",
      Object.keys(query)[0],
    ]);
  }
});
