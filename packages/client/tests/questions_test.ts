import { assert, assertEquals, assertRejects } from "../../../tests/support/assert.ts";
import { ApiError, Client } from "../src/index.ts";
import { inOrder, startScriptedServer, type Step } from "./scripted_server.ts";

const question = (status: string): Step => ({
  status: 200,
  body: { success: true, questionId: "q1", status, answer: null },
});

Deno.test("a question is waited for through cuts, outages and limits, until it has ended", async () => {
  for (const status of ["answered", "expired", "canceled"]) {
    await using server = startScriptedServer(inOrder(
      question("waiting"),
      "cut_before",
      { status: 500, headers: { "retry-after": "0" }, body: { error: "internal_error" } },
      { status: 503, headers: { "retry-after": "0" }, body: { error: "service_unavailable" } },
      "cut_after",
      { status: 504, headers: { "retry-after": "0" }, body: "<html>" },
      { status: 429, headers: { "retry-after": "0" }, body: { error: "rate_limited" } },
      question("open"),
      question(status),
    ));
    const client = new Client({ baseUrl: server.baseUrl, token: "mia_x", maxRetries: 0 });
    assertEquals((await client.questions.wait("q1")).status, status);
    assertEquals(server.connections(), 9);
    assertEquals(server.requests.map(({ method, path }) => `${method} ${path}`), [
      ...Array(8).fill("GET /functions/v1/messages-api/questions/q1?waitSeconds=20"),
    ]);
  }
});

Deno.test("a service that does not hold the call is asked again after growing pauses", async () => {
  const askedAt: number[] = [];
  await using server = startScriptedServer((index) => {
    if (index === askedAt.length) askedAt.push(performance.now());
    return question(index < 3 ? "open" : "answered");
  });
  const client = new Client({ baseUrl: server.baseUrl, token: "mia_x" });
  await client.questions.wait("q1");
  const pauses = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? at));
  assertEquals(pauses.map((pause, index) => pause >= 370 * 2 ** index), [true, true, true]);
});

Deno.test("a refusal ends the waiting with its error, and the signal with its reason", async () => {
  await using refused = startScriptedServer(() => ({
    status: 404,
    body: { error: "question_not_found" },
  }));
  const error = await assertRejects(
    () => new Client({ baseUrl: refused.baseUrl, token: "x" }).questions.wait("q1"),
    ApiError,
  );
  assertEquals([error.code, refused.connections()], ["question_not_found", 1]);
  for (const step of ["silent", "cut_before", question("open")] as const) {
    await using server = startScriptedServer(() => step);
    const client = new Client({ baseUrl: server.baseUrl, token: "x" });
    const ended = await assertRejects(
      () => client.questions.wait("q1", { signal: AbortSignal.timeout(150) }),
      DOMException,
    );
    assertEquals(ended.name, "TimeoutError");
    const controller = new AbortController();
    const seen = server.connections();
    const waiting = client.questions.wait("q1", { signal: controller.signal });
    while (server.connections() === seen) await new Promise((done) => setTimeout(done, 5));
    controller.abort(new Error("enough"));
    assertEquals((await assertRejects(() => waiting, Error)).message, "enough");
    assert(server.connections() > seen);
  }
});
