import { createApp } from "../../../shared/http/create_app.ts";
import { maxBodyBytes, readBody } from "../../../shared/http/request_body.ts";
import { assertEquals, assertMatch } from "../../support/assert.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

const encoder = new TextEncoder();

const app = createApp({
  slug: "echo",
  log: { info: () => {}, error: () => {} },
  routes: [{
    method: "POST",
    path: "/",
    handlers: [async (context) => context.json({ size: (await readBody(context)).length })],
  }],
});

/** Sends a request as these parts, and reads the answer until the server closes or answers. */
async function exchange(parts: readonly string[]): Promise<string> {
  await using server = startTestServer((request) => app.fetch(request));
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const sending = sendAll(connection, parts);
  const answer = await readAnswer(connection);
  await sending;
  return answer;
}

/** A head and its body may come one after the other. */
async function readAnswer(connection: Deno.Conn): Promise<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4_096);
  let answer = "";
  while (!/\r\n\r\n[^]*\}$/.test(answer)) {
    const length = await connection.read(buffer).catch(() => null);
    if (length === null) break;
    answer += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
  return answer;
}

/** The server may answer and close before it has read everything. */
async function sendAll(connection: Deno.Conn, parts: readonly string[]): Promise<void> {
  try {
    for (const part of parts) {
      const bytes = encoder.encode(part);
      let sent = 0;
      while (sent < bytes.length) sent += await connection.write(bytes.subarray(sent));
    }
  } catch (error) {
    const isClosed = error instanceof Deno.errors.ConnectionReset ||
      error instanceof Deno.errors.BrokenPipe;
    if (!isClosed) throw error;
  }
}

const head = (...lines: string[]): string =>
  ["POST /echo HTTP/1.1", "host: 127.0.0.1", "connection: close", ...lines, "", ""].join("\r\n");

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

Deno.test("a body is read whole up to the limit, whether its length is declared or not", async () => {
  const body = "a".repeat(maxBodyBytes);
  for (
    const parts of [
      [head(`content-length: ${body.length}`), body],
      [head(`content-length: ${body.length}`), body.slice(0, 9), body.slice(9)],
      [head("transfer-encoding: chunked"), chunk(body), chunk("")],
    ]
  ) {
    assertMatch(await exchange(parts), new RegExp(`200 OK[^]*"size":${body.length}`));
  }
  assertMatch(await exchange([head("content-length: 0")]), /200 OK[^]*"size":0/);
});

Deno.test("a chunked body above the limit is refused unread, also beside a small Content-Length", async () => {
  const block = chunk("a".repeat(65_536));
  // More than the sockets' buffers hold: a server that read to the end would not answer before.
  const body = Array.from({ length: 512 }, () => block);
  const chunked = "transfer-encoding: chunked";
  for (const lines of [[chunked], ["content-length: 5", chunked], [chunked, "content-length: 5"]]) {
    const answer = await exchange([head(...lines), ...body]);
    // A runtime may also refuse the contradiction itself.
    assertMatch(answer, /^HTTP\/1\.1 4(?:13|00)/, lines.join());
  }
});

Deno.test("a chunked body in very many small parts is refused, and one in some thousand is read", async () => {
  const lines = head("transfer-encoding: chunked");
  assertMatch(
    await exchange([lines, chunk("a").repeat(30_000)]),
    /^HTTP\/1\.1 413[^]*"payload_too_large"[^]*small parts/,
  );
  assertMatch(
    await exchange([lines, chunk("a").repeat(4_000), chunk("")]),
    /200 OK[^]*"size":4000/,
  );
});

Deno.test("what follows a declared body is not part of it", async () => {
  assertMatch(await exchange([head("content-length: 5"), "abcdefgh"]), /200 OK[^]*"size":5/);
});

Deno.test("a request object whose Content-Length lies is bounded by its body", async () => {
  const body = "a".repeat(maxBodyBytes + 1);
  const response = await app.request("/echo", {
    method: "POST",
    headers: { "content-length": "5" },
    body,
  });
  assertEquals(response.status, 413);
});
