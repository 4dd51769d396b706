import { assertEquals, assertRejects } from "../../../tests/support/assert.ts";
import { ApiError, Client, type EventFeed } from "../src/index.ts";
import { startScriptedServer, type Step } from "./scripted_server.ts";

const page = (ids: readonly string[], nextCursor: string): Step => ({
  status: 200,
  body: { items: ids.map((id) => ({ id, type: "endpoint.test" })), nextCursor, hasMore: false },
});
const gone: Step = {
  status: 410,
  body: { success: false, error: "cursor_expired", message: "Gone.", oldestCursor: "c5" },
};
const cursorOf = (path: string): string | null =>
  new URLSearchParams(path.split("?")[1]).get("after");

async function take(feed: EventFeed, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of feed) {
    seen.push(event.id);
    if (seen.length === count) break;
  }
  return seen;
}

Deno.test("the feed goes on at its cursor through cuts, outages and limits, and gives each event once", async () => {
  const trouble: Step[] = [
    "cut_before",
    "cut_after",
    { status: 500, headers: { "retry-after": "0" }, body: { error: "internal_error" } },
    { status: 503, headers: { "retry-after": "0" }, body: { error: "service_unavailable" } },
    { status: 429, headers: { "retry-after": "0" }, body: { error: "rate_limited" } },
  ];
  await using server = startScriptedServer((index, request) => {
    if (index % 2 === 0 && index / 2 < trouble.length) return trouble[index / 2] ?? "cut_before";
    if (request === null) return page([], "c0");
    const at = Number((cursorOf(request.path) ?? "c0").slice(1));
    return page([`e${at}`], `c${at + 1}`);
  });
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: 0 });
  const feed = client.events.follow({ cursor: "c0", waitSeconds: 0, types: ["endpoint.test"] });
  assertEquals(await take(feed, 6), ["e0", "e1", "e2", "e3", "e4", "e5"]);
  assertEquals(
    new URLSearchParams(server.requests[0]?.path.split("?")[1]).get("types"),
    "endpoint.test",
  );
});

Deno.test("the cursor moves when a page is done with: a reader who stops within it sees the rest again", async () => {
  await using server = startScriptedServer((_, request) => {
    const after = cursorOf(request?.path ?? "");
    return after === "c0" ? page(["a", "b", "c"], "c1") : page(["d"], "c2");
  });
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  const first = client.events.follow({ cursor: "c0", waitSeconds: 0 });
  assertEquals([await take(first, 2), first.cursor], [["a", "b"], "c0"]);
  const { cursor = "" } = first;
  const second = client.events.follow({ cursor, waitSeconds: 0 });
  assertEquals([await take(second, 4), second.cursor], [["a", "b", "c", "d"], "c1"]);
});

Deno.test("a cursor that is too old ends the feed with its error, or goes on where the caller says", async () => {
  await using server = startScriptedServer((_, request) =>
    cursorOf(request?.path ?? "") === "c0" ? gone : page(["e5"], "c6")
  );
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  const error = await assertRejects(
    () => take(client.events.follow({ cursor: "c0" }), 1),
    ApiError,
  );
  assertEquals(error.code, "cursor_expired");
  const told: string[] = [];
  const onExpired = (oldest: string): string => {
    told.push(oldest);
    return oldest;
  };
  assertEquals(await take(client.events.follow({ cursor: "c0", onExpired }), 1), ["e5"]);
  assertEquals(told, ["c5"]);
});

Deno.test("a refusal ends the feed with its error, and an abort ends it without one", async () => {
  await using refused = startScriptedServer(() => ({
    status: 401,
    body: { error: "invalid_client_token" },
  }));
  await assertRejects(
    () => take(new Client({ baseUrl: refused.baseUrl, token: "x" }).events.follow(), 1),
    ApiError,
  );
  for (const step of ["silent", "cut_before"] as const) {
    await using server = startScriptedServer(() => step);
    const controller = new AbortController();
    const client = new Client({ baseUrl: server.baseUrl, token: "x", maxRetries: 0 });
    const taken = take(client.events.follow({ signal: controller.signal }), 1);
    while (server.connections() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    assertEquals(await taken, []);
  }
});

Deno.test("empty pages that come early are asked for again after growing pauses", async () => {
  const askedAt: number[] = [];
  await using server = startScriptedServer((index) => {
    if (index === askedAt.length) askedAt.push(performance.now());
    return index < 3 ? page([], "c0") : page(["e1"], "c1");
  });
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  const feed = client.events.follow({ cursor: "c0", waitSeconds: 20 });
  assertEquals(await take(feed, 1), ["e1"]);
  const pauses = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? at));
  // At least three quarters of half a second, of one and of two.
  assertEquals(pauses.map((pause, index) => pause >= 370 * 2 ** index), [true, true, true]);
});
