import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { assert, assertEquals } from "../support/assert.ts";
import { findBrowser, openPage } from "../support/browser/browser.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { makeTemporaryFolder, startLocalStack } from "../support/stack/local_stack.ts";

const browserPath = await findBrowser();
const missing = browserPath === null ? " (skipped: no Chromium is installed)" : "";

Deno.test({
  name:
    `supabase-js in a page of another origin calls a function by a client token, and reaches nothing else${missing}`,
  ignore: browserPath === null,
  async fn(): Promise<void> {
    await using database = await createTestDatabase();
    await using folder = await makeTemporaryFolder();
    await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
    const { clientToken } = await (await fetch(`${stack.origin}/simulator/demo`)).json();
    await using site = await startSite();
    await using browser = await openPage(browserPath ?? "", { width: 800, height: 600 });
    const { page } = browser;
    await page.goto(site.url);

    const sent = await page.evaluate(invokeFunction(stack.origin, "send-message", {
      headers: { "X-Client-Token": clientToken, "Idempotency-Key": "page-1" },
      body: {
        instanceId: "demo",
        phone: "5511988887777",
        messageType: "text",
        message: "Da página",
      },
    })) as Invocation;
    assertEquals([sent.error, sent.data?.success, sent.data?.status], [null, true, "sent"]);
    const [seen] = await stack.readSimulator("messages?to=5511988887777");
    assertEquals(seen?.["text"], "Da página");

    const administered = await page.evaluate(invokeFunction(stack.origin, "admin-api/workspaces", {
      method: "GET",
    })) as Invocation;
    assertEquals(administered.error, "FunctionsFetchError");
    for (const path of ["/simulator/demo", "/health", "/"]) {
      const read = await page.evaluate(
        `fetch("${stack.origin}${path}").then(() => "read", () => "refused")`,
      );
      assertEquals(read, "refused", path);
    }
    const driven = await page.evaluate(
      `fetch("${stack.origin}/simulator/faults", {method: "POST", mode: "no-cors", body: "{}"})
        .then(() => "sent")`,
    );
    assertEquals([driven, await stack.readSimulator("faults")], ["sent", []]);
  },
});

interface Invocation {
  readonly data: { readonly success: boolean; readonly status: string } | null;
  /** The name of supabase-js's error. */
  readonly error: string | null;
}

/** A call by supabase-js as its documentation shows it, as a script of the page. */
function invokeFunction(origin: string, name: string, options: object): string {
  return `(async () => {
    const client = supabase.createClient(${JSON.stringify(origin)}, "sb_publishable_of_the_page");
    const { data, error } = await client.functions.invoke(
      ${JSON.stringify(name)},
      ${JSON.stringify(options)},
    );
    return { data, error: error === null ? null : error.name };
  })()`;
}

/** A page of another origin, which loads the supabase-js of this repository. */
async function startSite(): Promise<{ readonly url: string } & AsyncDisposable> {
  const main = createRequire(import.meta.url).resolve("@supabase/supabase-js");
  const script = await Deno.readTextFile(join(dirname(main), "umd", "supabase.js"));
  assert(script.length > 10_000);
  const page = `<!doctype html><title>Loja</title><script src="/supabase.js"></script>`;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const isScript = new URL(request.url).pathname === "/supabase.js";
    return new Response(isScript ? script : page, {
      headers: { "Content-Type": isScript ? "text/javascript" : "text/html; charset=utf-8" },
    });
  });
  const url = `http://127.0.0.1:${server.addr.port}/`;
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}
