/** What is to go says so, in headers and in metrics. The contract's own list may be empty: the entries are these. */
import { createApp } from "../../../shared/http/create_app.ts";
import { readJsonBody } from "../../../shared/http/json_body.ts";
import type { Database } from "../../../shared/database/database.ts";
import { AppError } from "../../../shared/model/errors.ts";
import type { Deprecation } from "../../../shared/model/deprecations.ts";
import { assertEquals } from "../../support/assert.ts";
import { startMessagingStack } from "../../support/stack/messaging_stack.ts";
import { scrape } from "../metrics/metrics_client.ts";

const since = "2027-01-31";
const of = (entry: Partial<Deprecation>): Deprecation => ({
  ...{
    method: "POST",
    function: "things",
    path: "/",
    since,
    until: "2028-02-01",
    instead: "Use b.",
  },
  ...entry,
});
const entries: readonly Deprecation[] = [
  of({ path: "/old" }),
  of({ member: "color" }),
  of({ member: "size", since: "2027-01-01", until: "2028-03-01" }),
  of({ method: "GET", path: "/:id", member: "shape" }),
];

interface Asked {
  readonly calls: unknown[];
  readonly logged: string[];
  ask(method: string, path: string, body?: unknown): Promise<Headers>;
}

function serve({ fails = false, refusal = null as AppError | null } = {}): Asked {
  const calls: unknown[] = [];
  const logged: string[] = [];
  const database = {
    rpc: (...call: unknown[]) => {
      calls.push(call);
      return fails ? Promise.reject(new Error("away")) : Promise.resolve({});
    },
    close: () => Promise.resolve(),
  } as unknown as Database;
  const log = { info: () => {}, error: (event: string) => logged.push(event) };
  const respond = (context: { json(body: object): Response }): Promise<Response> => {
    if (refusal !== null) throw refusal;
    return Promise.resolve(context.json({ success: true }));
  };
  const app = createApp({
    slug: "things",
    log,
    database,
    deprecations: entries,
    routes: [
      {
        method: "POST",
        path: "/",
        handlers: [async (context, next) => {
          context.set("tokenId", "t1");
          await readJsonBody(context);
          await next();
        }, respond],
      },
      { method: "POST", path: "/old", handlers: [respond] },
      { method: "GET", path: "/:id", ignoresParameters: true, handlers: [respond] },
    ],
  });
  const ask = async (method: string, path: string, body?: unknown): Promise<Headers> => {
    const headers = { "Content-Type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await app.request(`/things${path}`, init);
    await response.body?.cancel();
    return response.headers;
  };
  return { calls, logged, ask };
}

const notice = (headers: Headers): (string | null)[] =>
  ["deprecation", "sunset", "link"].map((name) => headers.get(name));

const link =
  '<http://127.0.0.1:54321/functions/v1/api-docs/versions.md>; rel="deprecation"; type="text/html"';

Deno.test("a call of what is to go is answered with Deprecation, Sunset and the page of versions, and counted by its token", async () => {
  const { ask, calls } = serve();
  const first = `@${Date.UTC(2027, 0, 31) / 1_000}`;
  const sunset = "Tue, 01 Feb 2028 00:00:00 GMT";
  const headers = await ask("POST", "", { color: "red" });
  assertEquals(notice(headers), [first, sunset, link]);
  assertEquals(
    headers.get("access-control-expose-headers")?.endsWith("Deprecation,Sunset,Link"),
    true,
  );
  assertEquals(notice(await ask("POST", "/old")), [first, sunset, link]);
  assertEquals(notice(await ask("GET", "/a?shape=round")), [first, sunset, link]);
  assertEquals(calls, [
    ["count_deprecated_call", { names: ["POST things: color"], tokenId: "t1" }],
    ["count_deprecated_call", { names: ["POST things/old"], tokenId: null }],
    ["count_deprecated_call", { names: ["GET things/:id: shape"], tokenId: null }],
  ]);
  // Of two things, the earliest day of each kind.
  const both = notice(await ask("POST", "", { color: "red", size: 1 }));
  assertEquals(both.slice(0, 2), [`@${Date.UTC(2027, 0, 1) / 1_000}`, sunset]);
});

Deno.test("a call that does not use it has no such header, and counts nothing", async () => {
  const { ask, calls } = serve();
  const others = [
    await ask("POST", "", { form: 1, color: null }),
    await ask("GET", "/a?other=1"),
    await ask("GET", "/a"),
  ];
  assertEquals(others.map(notice), others.map(() => [null, null, null]));
  assertEquals(calls, []);
});

Deno.test("a refusal says it too; one of a stranger or beyond a limit is not counted, and what cannot be counted is answered", async () => {
  const refused = serve({ refusal: new AppError("contact_blocked") });
  assertEquals(notice(await refused.ask("POST", "/old"))[2], link);
  assertEquals(refused.calls.length, 1);
  for (const code of ["invalid_client_token", "rate_limited"] as const) {
    const stranger = serve({ refusal: new AppError(code) });
    assertEquals(notice(await stranger.ask("POST", "/old"))[2], link);
    assertEquals(stranger.calls, []);
  }
  const away = serve({ fails: true });
  assertEquals(notice(await away.ask("POST", "/old"))[2], link);
  assertEquals(away.logged, ["deprecation_count_failed"]);
});

Deno.test("metrics counts calls of what is to go by name and token, a hundred pairs, then other", async () => {
  await using stack = await startMessagingStack();
  const count = (tokenId: string | null, ...names: string[]): Promise<unknown> =>
    stack.services.database.rpc("count_deprecated_call", { names, tokenId });
  const name = "messaging_deprecated_calls_total";
  await count("t1", "a", "b");
  await count("t1", "a");
  await count(null, "a");
  const { value } = await scrape(stack);
  assertEquals(value(name, { deprecated: "a", token_id: "t1" }), 2);
  assertEquals(value(name, { deprecated: "b", token_id: "t1" }), 1);
  assertEquals(value(name, { deprecated: "a", token_id: "none" }), 1);
  for (let token = 0; token < 100; token++) await count(`u${token}`, "a");
  await count("t1", "a");
  const later = await scrape(stack);
  assertEquals(later.value(name, { deprecated: "a", token_id: "other" }), 3);
  assertEquals(later.value(name, { deprecated: "a", token_id: "t1" }), 3);
  assertEquals(later.value(name, { deprecated: "none", token_id: "none" }), 0);
});
