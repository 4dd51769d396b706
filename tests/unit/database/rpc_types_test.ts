import type { Database } from "../../../shared/database/database.ts";
import { assertEquals } from "../../support/assert.ts";

/** Calls that must not type-check: the test run checks types, and an unused directive is an error. */
async function callWrongly({ rpc }: Database): Promise<void> {
  // @ts-expect-error: no such function
  await rpc("send_message", {});
  // @ts-expect-error: a member of the request is missing
  await rpc("get_message", { instanceId: "i" });
  // @ts-expect-error: a member of the request has another type
  await rpc("expire_claims", { maxMessages: "10" });
  // @ts-expect-error: the function does not know this member
  await rpc("expire_claims", { maxMessages: 10, maxClaims: 10 });
  const { expired } = await rpc("expire_claims", { maxMessages: 10 });
  // @ts-expect-error: a member of the result has another type
  expired.toUpperCase();
  // @ts-expect-error: the result has no such member
  expired.requeued;
}

Deno.test("an RPC's wrong name, wrong request and wrong use of its result are type errors", () => {
  assertEquals(callWrongly.length, 1);
});
