/** A cursor belongs to the list and the filters that gave it. The lists are generated from the operations. */

import { encodeBase64Url } from "../../../shared/crypto/encoding.ts";
import { assertEquals, assertGreater } from "../../support/assert.ts";
import { authorize, listOperationRows, toExampleRequest } from "./contract_stack.ts";
import { demoTarget, type Service, startService } from "./service.ts";

const api = "/functions/v1/contacts-api";
const refusal = "cursor: must be the nextCursor of a previous page of this list with these filters";
// The feed's is a place in the feed, whatever the types: it is sealed by the database.
const lists = (await listOperationRows()).filter(({ operation }) =>
  operation.query !== undefined && "cursor" in operation.query.shape
);

/** The end of a page as each list knows it: a cursor of another list, whose pages end alike. */
const ends = [
  { createdAt: "2026-11-20T12:00:00Z", id: crypto.randomUUID() },
  { updatedAt: "2026-11-20T12:00:00Z", id: crypto.randomUUID() },
  { scheduledAt: "2026-11-20T12:00:00Z", position: 1 },
  { sequence: 1 },
  { index: 1 },
].map((end) => encodeBase64Url(new TextEncoder().encode(JSON.stringify(end))));

async function createContacts(service: Service): Promise<void> {
  for (let number = 0; number < 3; number++) {
    await service.post(`${api}/create`, {
      ...{ ...demoTarget, phone: `551191234500${number}` },
      ...{ name: `Ana ${number}`, tags: ["vip", "novo"] },
    });
  }
}

Deno.test("no list takes a cursor that another list gave", async () => {
  await using service = await startService();
  await createContacts(service);
  const first = await service.call("GET", `${api}/contacts`, { limit: 1 });
  assertGreater(lists.length, 15);
  for (const row of lists) {
    if (row.operation.operationId === "listContacts") continue;
    for (const cursor of [first.body.nextCursor, ...ends]) {
      const [example] = row.operation.examples;
      const request = { ...example?.request, cursor };
      const { path, init } = toExampleRequest(row, { ...example, request } as never, {});
      const response = await service.contract.request(row.slug, path, {
        ...{ ...init, headers: authorize(row.operation, service.token) },
      });
      const { error, issues } = await response.json();
      const told = [response.status, error, issues?.map(({ path }: { path: string }) => path)];
      assertEquals(told, [400, "invalid_request", ["cursor"]], `${row.name} ${atob(cursor)}`);
    }
  }
});

Deno.test("a cursor goes on with its own filters alone, whatever the limit", async () => {
  await using service = await startService();
  await createContacts(service);
  const filters = { tag: "vip", updatedSince: "2020-01-01T00:00:00Z" };
  const first = await service.call("GET", `${api}/contacts`, { ...filters, limit: 1 });
  const cursor = first.body.nextCursor;
  for (
    const other of [
      ...[{}, { tag: "vip" }, { ...filters, tag: "novo" }, { ...filters, q: "Ana" }],
      { ...filters, updatedSince: "2020-01-02T00:00:00Z" },
    ]
  ) {
    const { status, body } = await service.call("GET", `${api}/contacts`, { ...other, cursor });
    assertEquals([status, body.error], [400, "invalid_request"], JSON.stringify(other));
    if (!("updatedSince" in other)) continue;
    assertEquals([`${body.issues[0].path}: ${body.issues[0].message}`], [refusal]);
  }
  const rest = await service.call("GET", `${api}/contacts`, { ...filters, limit: 10, cursor });
  assertEquals([rest.status, rest.body.items.length, rest.body.nextCursor], [200, 2, null]);
});
