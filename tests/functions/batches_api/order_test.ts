/** A list of batches begins with the oldest, or on request with the newest. */
import { assertEquals } from "../../support/assert.ts";
import { callBatches, changeBatch, createBatch } from "../../support/fixtures/batch_calls.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";

Deno.test("batches are listed from the oldest or from the newest, page by page, of one status too", async () => {
  await using stack = await startMessagingStack();
  const tenant = await stack.createTenant();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await createBatch(stack, tenant, {}));
  const read = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor = "";
    do {
      const path = `/batches?limit=2${query}${cursor}`;
      const { status, body } = await callBatches(stack, tenant, "GET", path);
      assertEquals(status, 200, JSON.stringify(body));
      found.push(...body.items.map(({ batchId }: { batchId: string }) => batchId));
      cursor = body.nextCursor === null ? "" : `&cursor=${encodeURIComponent(body.nextCursor)}`;
    } while (cursor !== "");
    return found;
  };
  assertEquals(await read(""), ids);
  assertEquals(await read("&order=asc"), ids);
  assertEquals(await read("&order=desc"), ids.toReversed());
  for (const id of [ids[1], ids[3]]) await changeBatch(stack, tenant, String(id), "cancel");
  assertEquals(await read("&order=desc&status=canceled"), [ids[3], ids[1]]);
  assertEquals(await read("&order=desc&status=draft"), [ids[4], ids[2], ids[0]]);
  const { status, body } = await callBatches(stack, tenant, "GET", "/batches?order=newest");
  assertEquals([status, body.issues], [400, [{ path: "order", message: "must be asc or desc" }]]);
});
