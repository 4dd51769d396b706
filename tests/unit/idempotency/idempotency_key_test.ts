import { createIdempotency } from "../../../shared/idempotency/idempotency_key.ts";
import { AppError } from "../../../shared/model/errors.ts";
import { assertEquals, assertNotEquals, assertRejects } from "../../support/assert.ts";

const call = { scope: "admin", path: "/admin-api/workspaces", body: { a: 1, b: { c: 2, d: 3 } } };

Deno.test("an idempotency key is read quoted or bare, and a call without one has none", async () => {
  assertEquals(await createIdempotency(undefined, call), null);
  for (const header of ["order-1", ' "order-1" ']) {
    assertEquals((await createIdempotency(header, call))?.key, "order-1");
  }
  assertEquals((await createIdempotency('"a\\"b\\\\c"', call))?.key, 'a"b\\c');
  for (const header of ["", "é", "x".repeat(256)]) {
    const error = await assertRejects(() => createIdempotency(header, call), AppError);
    assertEquals(error.code, "invalid_request");
  }
});

Deno.test("a call's fingerprint is that of its path and body, whatever the order of members", async () => {
  const print = async (other: object): Promise<string | undefined> =>
    (await createIdempotency("k", { ...call, ...other }))?.fingerprint;
  assertEquals(await print({}), await print({ body: { b: { d: 3, c: 2 }, a: 1 } }));
  assertNotEquals(await print({}), await print({ path: "/admin-api/operators" }));
  assertNotEquals(await print({}), await print({ body: { a: 2 } }));
});
