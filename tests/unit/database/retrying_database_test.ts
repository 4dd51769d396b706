import type { Database } from "../../../shared/database/database.ts";
import { retryOnConflict } from "../../../shared/database/retrying_database.ts";
import {
  DatabaseError,
  RolledBackError,
  toDatabaseError,
} from "../../../shared/database/sqlstates.ts";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { callUntyped } from "../../support/database/untyped_calls.ts";

/** Fails so often with the error, then answers; counts its calls. */
function failing(times: number, error: Error): Database & { calls: number } {
  const database = {
    calls: 0,
    // deno-lint-ignore no-explicit-any -- what a call is answered with is no matter here
    rpc: (): Promise<any> => {
      database.calls += 1;
      return database.calls <= times ? Promise.reject(error) : Promise.resolve("done");
    },
    close: () => Promise.resolve(),
  };
  return database;
}

Deno.test("a call that lost against another transaction is made again, four times at most", async () => {
  const loser = failing(4, new RolledBackError());
  assertEquals(await callUntyped(retryOnConflict(loser), "accept_message"), "done");
  assertEquals(loser.calls, 5);
  const hopeless = failing(9, new RolledBackError());
  await assertRejects(
    () => callUntyped(retryOnConflict(hopeless), "accept_message"),
    RolledBackError,
  );
  assertEquals(hopeless.calls, 5);
});

Deno.test("a contact that was merged meanwhile lets the call be made again with pauses, then be answered 503", async () => {
  const loser = failing(4, toDatabaseError("accept_message", "MI055"));
  assertEquals(await callUntyped(retryOnConflict(loser), "accept_message"), "done");
  const hopeless = failing(9, toDatabaseError("accept_message", "MI055"));
  const error = await assertRejects(
    () => callUntyped(retryOnConflict(hopeless), "accept_message"),
    RolledBackError,
  );
  assertEquals([error.status, hopeless.calls], [503, 5]);
});

Deno.test("a call of a function that PostgREST has not read yet is made again for a second at least", async () => {
  const startedAtMs = performance.now();
  const unread = failing(9, new DatabaseError("accept_message", "PGRST202"));
  await assertRejects(() => callUntyped(retryOnConflict(unread), "accept_message"), DatabaseError);
  assert(performance.now() - startedAtMs >= 1_000);
});

Deno.test("a call whose functions or types an upgrade has replaced is made again", async () => {
  for (const code of ["42883", "42703", "42P01", "42804", "42846", "0A000", "PGRST202"]) {
    const replaced = failing(2, new DatabaseError("accept_message", code));
    assertEquals(await callUntyped(retryOnConflict(replaced), "accept_message"), "done", code);
    const missing = failing(9, new DatabaseError("accept_message", code));
    await assertRejects(
      () => callUntyped(retryOnConflict(missing), "accept_message"),
      DatabaseError,
    );
    assertEquals(missing.calls, 5);
  }
});

Deno.test("a call that failed in any other way is not made again: it may have been executed", async () => {
  const lost = failing(1, new Error("connection lost"));
  await assertRejects(() => callUntyped(retryOnConflict(lost), "accept_message"), Error, "lost");
  assertEquals(lost.calls, 1);
});
