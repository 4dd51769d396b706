/** What the processes of `deno task serve` need to share a port: processor time, and new connections. */
import { openServicePort } from "../../supabase/serve/service_port.ts";
import { readProcessorSeconds } from "../../supabase/serve/processor_time.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { findFreePort } from "../support/free_port.ts";

Deno.test({
  name: "the processor time of a process is told while it runs, and null when it does not",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const before = await readProcessorSeconds(Deno.pid);
    assert(before !== null);
    let after: number | null = before;
    // What this loop itself uses.
    while (after !== null && after < before + 0.2) after = await readProcessorSeconds(Deno.pid);
    assert(after !== null);
    const ended = new Deno.Command("true").spawn();
    await ended.status;
    assertEquals(await readProcessorSeconds(ended.pid), null);
  },
});

Deno.test("a port listens when it is told to, and asks for new connections when it is told to", async () => {
  const port = findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const opened = openServicePort({ port }, () => Promise.resolve(Response.redirect(url)));
  const ask = async (): Promise<string | null> => {
    const response = await fetch(url, { redirect: "manual" });
    await response.body?.cancel();
    return response.headers.get("connection");
  };
  assertEquals(await ask().catch(() => "refused"), "refused");
  opened.listen();
  // Told twice, it does not fail.
  opened.listen();
  assertEquals(await ask(), null);
  opened.spread();
  assertEquals(await ask(), "close");
  await opened.shutdown();
});
