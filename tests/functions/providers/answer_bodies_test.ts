import { type HttpResult, postJson } from "../../../shared/providers/http/call.ts";
import { assert, assertEquals, assertRejects } from "../../support/assert.ts";
import { holdTimers } from "../../support/held_timers.ts";
import { withBrokenDouble, withProviderDouble } from "./provider_double.ts";

const maxBytes = 256 * 1_024;
const ampleMs = 20_000;
const heldMs = 20_123;
const json = '{"messageId":"abc"}';
const call = { instanceId: "d0000000-0000-4000-8000-000000000001", headers: {}, body: {} };

/** A JSON text of this many bytes. */
const ofSize = (size: number): string => `{"x":"${"a".repeat(size - 8)}"}`;

const head = (...lines: string[]): string => ["HTTP/1.1 200 OK", ...lines, "", ""].join("\r\n");

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

async function callFor(bytes: string | Uint8Array, timeoutMs = ampleMs): Promise<HttpResult> {
  const results: HttpResult[] = [];
  await withBrokenDouble(bytes, async ({ baseUrl }) => {
    results.push(await postJson({ ...call, url: baseUrl, timeoutMs }));
  });
  const [result] = results;
  assert(result !== undefined);
  return result;
}

async function assertText(bytes: string | Uint8Array, text: string): Promise<void> {
  const result = await callFor(bytes);
  assert(result.outcome === "answered", JSON.stringify(result));
  assertEquals([result.status, result.text], [200, text]);
}

Deno.test("an answer is read to its end up to 256 KiB, whether its length is declared or not", async () => {
  for (const text of [json, ofSize(maxBytes)]) {
    await assertText(head(`content-length: ${text.length}`) + text, text);
    await assertText(head("transfer-encoding: chunked") + chunk(text) + chunk(""), text);
    await assertText(head("connection: close") + text, text);
  }
});

Deno.test("an answer above 256 KiB is unreadable, whether its length is declared or not", async () => {
  const text = ofSize(maxBytes + 1);
  await assertText(head(`content-length: ${text.length}`) + text, "");
  await assertText(head("transfer-encoding: chunked") + chunk(text) + chunk(""), "");
  await assertText(head("connection: close") + text, "");
});

Deno.test("a length that lies does not lift the bound", async () => {
  const text = ofSize(maxBytes + 1);
  const chunks = chunk(text) + chunk("");
  const lies = ["content-length: 5", "transfer-encoding: chunked"];
  for (const lines of [lies, lies.toReversed()]) {
    const result = await callFor(head(...lines) + chunks);
    // A runtime may also refuse the contradiction.
    if (result.outcome === "answered") assertEquals(result.text, "");
    else assertEquals(result, { outcome: "unknown", reason: "connection_lost" });
  }
});

Deno.test("an answer that ends before its declared length is unreadable, and one that goes on is cut there", async () => {
  await assertText(head(`content-length: ${json.length + 1}`) + json, "");
  await assertText(head(`content-length: ${json.length}`) + json + "more", json);
});

Deno.test("a compressed answer is bounded by its size as it is read, not as it was sent", async () => {
  for (const [text, expected] of [[json, json], [ofSize(maxBytes + 1), ""]] as const) {
    const compressed = await new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
    ).bytes();
    const lines = head(`content-length: ${compressed.length}`, "content-encoding: gzip");
    await assertText(new Uint8Array([...new TextEncoder().encode(lines), ...compressed]), expected);
  }
});

for (const framing of ["chunked", "content-length"] as const) {
  Deno.test(`a provider that goes silent within its answer (${framing}) is answered for, without the text`, async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller): Promise<void> {
        controller.enqueue(new TextEncoder().encode(json.slice(0, 5)));
        await isOver;
        controller.close();
      },
    });
    const headers = new Headers();
    if (framing === "content-length") headers.set(framing, String(json.length));
    await withProviderDouble(() => new Response(body, { headers }), async ({ baseUrl }) => {
      using timeouts = holdTimers(heldMs);
      timeouts.endWhenAnswered();
      const result = await postJson({ ...call, url: baseUrl, timeoutMs: heldMs });
      end();
      assert(result.outcome === "answered", JSON.stringify(result));
      assertEquals([result.status, result.text], [200, ""]);
    });
  });
}

Deno.test("a malformed header or URL is a defect of the caller, not a lost connection", async () => {
  await withProviderDouble(() => Response.json({}), async ({ baseUrl, requests }) => {
    const whole = { ...call, url: baseUrl, timeoutMs: ampleMs };
    await assertRejects(
      () => postJson({ ...whole, headers: { "client-token": "a\nb" } }),
      TypeError,
    );
    await assertRejects(() => postJson({ ...whole, url: "not a URL" }), TypeError);
    assertEquals(requests, []);
  });
});
