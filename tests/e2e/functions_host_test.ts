import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadFunctions } from "../../supabase/host/functions_host.ts";
import { listenHttp } from "../../supabase/host/http_server.ts";
import { assertEquals } from "../support/assert.ts";
import { findFreePort } from "../support/free_port.ts";

Deno.test("a server that begins to listen while a function loads takes neither's place", async () => {
  const folder = await Deno.makeTempDir();
  const port = findFreePort();
  const hook = "beginToListen";
  let server: ReturnType<typeof listenHttp> | undefined;
  Object.assign(globalThis, {
    [hook]: () => {
      server = listenHttp({ port }, () => Promise.resolve(new Response("server")));
    },
  });
  try {
    await Deno.mkdir(join(folder, "greet"));
    await Deno.writeTextFile(
      join(folder, "greet", "index.ts"),
      `Deno.serve(() => new Response("function"));\n(globalThis as any).${hook}();\n`,
    );
    const functions = await loadFunctions(pathToFileURL(`${folder}/`), {});
    const answer = await functions.fetch(new Request("http://localhost/functions/v1/greet"));
    assertEquals(await answer.text(), "function");
    const listening = await fetch(`http://127.0.0.1:${port}/`);
    assertEquals(await listening.text(), "server");
    await functions.close();
  } finally {
    await server?.shutdown();
    Reflect.deleteProperty(globalThis, hook);
    await Deno.remove(folder, { recursive: true });
  }
});
