/** Malformed HTTP, sent as raw bytes to the running stack. */

import { assert, assertEquals, assertFalse, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import {
  type LocalStack,
  makeTemporaryFolder,
  startLocalStack,
} from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

/** An answer that takes longer is a failure. */
const answerTimeoutMs = 60_000;
const path = "/functions/v1/send-message";
const host = "Host: 127.0.0.1";
const close = "Connection: close";
const message = '{"instanceId":"demo","phone":"5511988887777","messageType":"text","message":"Oi"}';

/** A POST with these header lines, followed by these bytes. */
function postRaw(lines: readonly string[], rest: string): string {
  const type = "Content-Type: application/json";
  const head = [`POST ${path} HTTP/1.1`, host, close, type, ...lines];
  return `${head.join("\r\n")}\r\n\r\n${rest}`;
}

/** A POST of the message with these header lines and its own length. */
function post(lines: readonly string[]): string {
  return postRaw([...lines, `Content-Length: ${message.length}`], message);
}

const token = "X-Client-Token: TOKEN";
const chunked = "Transfer-Encoding: chunked";

/** Each with the instance's own token in place of TOKEN. */
const requests: Readonly<Record<string, string>> = {
  "a header with a bare line feed": post([`${token}\nX-Injected: yes`]),
  "a header with a bare carriage return": post([`${token}\rX-Injected: yes`]),
  "a folded header": post([token, "X-Request-Id: a", " Set-Cookie: x=1"]),
  "a header with NUL": post([`${token}\0`]),
  "a header name with a space": post(["X-Client-Token : TOKEN"]),
  "a header without a name": post([": TOKEN"]),
  "two tokens": post([token, "X-Client-Token: mia_other"]),
  "two different lengths": post([token, "Content-Length: 5"]),
  "a length and chunks": post([token, chunked]),
  "an unknown transfer coding": post([token, "Transfer-Encoding: identity"]),
  "a chunk whose size is no number": postRaw([token, chunked], "zz\r\n{}\r\n0\r\n\r\n"),
  "a chunk larger than anything": postRaw([token, chunked], "ffffffffffffffff\r\n{}\r\n"),
  "a negative length": postRaw([token, "Content-Length: -1"], message),
  "less than its length says": postRaw([token, "Content-Length: 4000"], message),
  "an invalid host": `GET ${path} HTTP/1.1\r\nHost: a b\r\n${close}\r\n\r\n`,
  "a host with an invalid port": `GET ${path} HTTP/1.1\r\nHost: a:99999\r\n${close}\r\n\r\n`,
  "no host": `GET ${path} HTTP/1.1\r\n${close}\r\n\r\n`,
  "a whole URL as target":
    `GET http://169.254.169.254/latest HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "a target that is no path": `GET ../../etc/passwd HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "a folder above the functions":
    `GET /functions/v1/../../.env HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "an encoded line break":
    `GET ${path}%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "broken percent-encoding": `GET ${path}/%zz%c3%28 HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "bytes above 127 in the target":
    `GET /functions/v1/é\u0080 HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "an unknown method": `MÉTODO ${path} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "a method of its own": `BREW ${path} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "a method that no Request can have": `TRACK ${path} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`,
  "an unknown version": `GET ${path} HTTP/9.9\r\n${host}\r\n${close}\r\n\r\n`,
  "a hundred kilobytes of headers": post([token, `X-Long: ${"x".repeat(1e5)}`]),
  "ten thousand headers": post(Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`)),
  "no HTTP at all": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
};

Deno.test("malformed HTTP requests are handled completely or not at all, and forge no header", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  const demoToken = /x-client-token: (mia_\S+?)'/i.exec(stack.output())?.[1];
  assert(demoToken !== undefined, stack.output());
  let served = 0;
  const answers = await Promise.all(
    Object.entries(requests).map(async ([what, request]) => {
      return [what, await exchange(stack, request.replaceAll("TOKEN", demoToken))] as const;
    }),
  );
  for (const [what, answer] of answers) {
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 400);
    assert(status === 200 || (status >= 400 && status < 500), `${what}: ${answer}`);
    if (status === 200) served += 1;
    assertFalse(/^(set-cookie|x-injected):/im.test(answer), `${what}: ${answer}`);
    assertFalse(answer.includes(demoToken), what);
  }
  const [row] = await database.admin`select count(*)::integer as stored from messaging.messages`;
  assertEquals(row?.["stored"], served);
  const hosts = answers.filter(([what]) => what.startsWith("a host"));
  for (const [what, answer] of hosts) {
    assertMatch(answer, /^HTTP\/1\.1 400 [^]*"error":"invalid_request"/, what);
  }
  const trace = `TRACE ${path} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`;
  const refused = await exchange(stack, trace);
  assertMatch(refused, /^HTTP\/1\.1 405 [^]*\r\nallow: GET, [^]*"error":"method_not_allowed"/i);
  const answer = await exchange(stack, post([`X-Client-Token: ${demoToken}`]));
  assertMatch(answer, /^HTTP\/1\.1 200 OK\r\n[^]*"status":"sent"/);
});

Deno.test("a caller that goes in the middle of a body is an event of the log, and no error", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  await using stack = await startLocalStack({ dataDir: folder.path, databaseUrl: database.url });
  for (const framing of ["Content-Length: 100", "Content-Length: 100000", chunked]) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: stack.port });
    const head = `POST /functions/v1/sanitize-phone-number HTTP/1.1\r\n${host}`;
    const type = "Content-Type: application/json";
    const begun = `${head}\r\n${type}\r\n${framing}\r\n\r\n5\r\n{`;
    await connection.write(new TextEncoder().encode(begun));
  }
  const countDisconnected = (): number => stack.output().split("client_disconnected").length - 1;
  await waitUntil(() => countDisconnected() >= 3, { what: "three lines" });
  assertFalse(/"level":"error"/.test(stack.output()), stack.output());
});

/** What the stack answers to these bytes until it sends nothing more or closes the connection. */
async function exchange(
  stack: LocalStack,
  request: string,
  timeoutMs = answerTimeoutMs,
): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: stack.port });
  const silence = setTimeout(() => connection.close(), timeoutMs);
  const chunks: Uint8Array[] = [];
  try {
    const bytes = new TextEncoder().encode(request);
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    for await (const chunk of connection.readable) chunks.push(chunk);
  } catch {
    // A closed connection is an answer too.
  } finally {
    clearTimeout(silence);
  }
  return chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
}
