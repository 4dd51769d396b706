import { openDatabaseProbe } from "../../../supabase/host/database_probe.ts";
import { assertEquals, assertLess } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { waitUntil } from "../../support/wait_until.ts";

Deno.test("the probe reports a running database, and in time one that hangs or is unavailable", async () => {
  await using database = await createTestDatabase();
  const probe = openDatabaseProbe(database.url);
  // An answer that a busy machine gives late is none.
  await waitUntil(async () => {
    const answers = await Promise.all([probe.answers(), probe.answers()]);
    return answers.every((answer) => answer);
  }, { what: "two answers in time" });
  await probe.close();

  const deaf = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  for (const isListening of [true, false]) {
    if (!isListening) deaf.close();
    const silent = openDatabaseProbe(`postgres://nobody:x@127.0.0.1:${deaf.addr.port}/none`);
    const startedAt = performance.now();
    assertEquals(await silent.answers(), false);
    assertLess(performance.now() - startedAt, 60_000);
    await silent.close();
  }
});
