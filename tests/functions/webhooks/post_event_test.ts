import { postEvent, type PostResult, type PostRules } from "../../../shared/events/post_event.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { type DoubleAnswer, startHttpDouble } from "../../support/doubles/http_double.ts";
import { findClosedBaseUrl } from "../providers/provider_double.ts";

const local: PostRules = {
  allowsPrivateHosts: true,
  hosts: new HostResolution(),
  timeoutMs: 15_000,
};

async function postTo(
  answer: DoubleAnswer,
  rules: Partial<PostRules> = {},
): Promise<PostResult & { readonly calls: number }> {
  await using receiver = startHttpDouble(answer);
  const result = await postEvent({
    url: `${receiver.baseUrl}/hook`,
    headers: { "content-type": "application/json" },
    body: "{}",
  }, { ...local, ...rules });
  return { ...result, calls: receiver.requests.length };
}

Deno.test("an answer is its status, its text and its duration", async () => {
  const result = await postTo(() => new Response("thanks", { status: 202 }));
  assertEquals([result.status, result.answer, result.error], [202, "thanks", null]);
  assert(Number.isInteger(result.durationMs) && result.durationMs >= 0);
  assertEquals((await postTo(() => new Response(null, { status: 204 }))).answer, null);
});

Deno.test("a redirect is not followed", async () => {
  await using elsewhere = startHttpDouble(() => new Response("ok"));
  for (const status of [301, 302, 303, 307, 308]) {
    const result = await postTo(() => Response.redirect(`${elsewhere.baseUrl}/other`, status));
    assertEquals([result.status, result.calls], [status, 1]);
  }
  assertEquals(elsewhere.requests, []);
});

Deno.test("of a long or endless answer the first 1,024 bytes are kept", async () => {
  const part = new TextEncoder().encode("0123456789abcdef".repeat(64));
  const endless = (): Response =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(part) }),
    );
  const result = await postTo(endless);
  assertEquals([result.status, result.answer?.length], [200, 1_024]);
  assertEquals((await postTo(() => new Response("x".repeat(5_000)))).answer?.length, 1_024);
});

Deno.test("an answer's NUL and broken UTF-8 become text that the database can store", async () => {
  const result = await postTo(() => new Response(new Uint8Array([97, 0, 255, 98])));
  assertEquals(result.answer, "a\ufffd\ufffdb");
});

Deno.test("a receiver that is silent is given up after the time limit", async () => {
  const result = await postTo(() => new Promise(() => {}), { timeoutMs: 100 });
  assertEquals([result.status, result.error], [null, "timed_out"]);
});

Deno.test("a status stands although the body never ends", async () => {
  const silent = (): Response =>
    new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const timeoutMs = 20_123;
  using timeouts = holdTimers(timeoutMs);
  timeouts.endWhenAnswered();
  const result = await postTo(silent, { timeoutMs });
  assertEquals([result.status, result.error, result.answer], [200, null, null]);
});

Deno.test("nobody listening is a failed connection", async () => {
  // Not one of the ports that the system gives to the next server that asks for any.
  const result = await postEvent({ url: findClosedBaseUrl(), headers: {}, body: "{}" }, local);
  assertEquals([result.status, result.error], [null, "connection_failed"]);
});

Deno.test("Retry-After is read in seconds and as a date, up to a day", async () => {
  const after = async (value: string): Promise<number | null> =>
    (await postTo(() => new Response(null, { status: 503, headers: { "retry-after": value } })))
      .retryAfterMs;
  assertEquals(await after("120"), 120_000);
  assertEquals(await after("999999999"), 86_400_000);
  assertEquals(await after("soon"), null);
  const inAnHour = await after(new Date(Date.now() + 3_600_000).toUTCString()) ?? 0;
  assert(inAnHour > 3_590_000 && inAnHour <= 3_600_000, String(inAnHour));
});

Deno.test("without the setting no http URL and no private host is called, whatever its name", async () => {
  await using receiver = startHttpDouble(() => new Response("ok"));
  const { port } = new URL(receiver.baseUrl);
  const rules = { ...local, allowsPrivateHosts: false };
  const resolving = (address: string): PostRules => ({
    ...rules,
    hosts: new HostResolution(() => Promise.resolve([address])),
  });
  const urls: readonly (readonly [string, PostRules])[] = [
    [receiver.baseUrl, rules],
    [`https://127.0.0.1:${port}/`, rules],
    [`https://2130706433:${port}/`, rules],
    [`https://0x7f.1:${port}/`, rules],
    [`https://[::ffff:127.0.0.1]:${port}/`, rules],
    [`https://localhost:${port}/`, rules],
    [`https://hooks.example.com:${port}/`, resolving("127.0.0.1")],
    [`https://hooks.example.com:${port}/`, resolving("::ffff:7f00:1")],
    [`https://hooks.example.com:${port}/`, resolving("169.254.169.254")],
  ];
  for (const [url, chosen] of urls) {
    const result = await postEvent({ url, headers: {}, body: "{}" }, chosen);
    assertEquals([result.status, result.error], [null, "private_host"], url);
  }
  assertEquals(receiver.requests, []);
});

Deno.test("a name that does not resolve is told apart", async () => {
  const hosts = new HostResolution(() =>
    Promise.reject(Object.assign(new Error(), { code: "ENOTFOUND" }))
  );
  const rules = { ...local, allowsPrivateHosts: false, hosts };
  const result = await postEvent(
    { url: "https://hooks.example.com/", headers: {}, body: "" },
    rules,
  );
  assertEquals([result.status, result.error], [null, "host_not_found"]);
});
