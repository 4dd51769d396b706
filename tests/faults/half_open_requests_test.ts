/** Requests that are begun and never ended, of strangers and of callers: they keep out nobody. */
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { createTenant, type Tenant } from "../support/fixtures/tenant.ts";
import { secretKey } from "../support/stack/function_process.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { type ServeProcess, startServe } from "../support/stack/serve_process.ts";

/** More than a process has requests in progress. */
const strangers = 2_550;
/** Far beyond the 10 s of a silent sender: a machine may be slow. */
const endTimeoutMs = 120_000;

/** The head of a call with a body of 100 bytes, and its first byte. */
function beginPost(path: string, lines: readonly string[] = []): string {
  const target = `POST /functions/v1/${path} HTTP/1.1`;
  const type = "Content-Type: application/json";
  return [target, "Host: 127.0.0.1", type, ...lines, "Content-Length: 100", "", "{"].join("\r\n");
}

Deno.test("thousands of half-open bodies of strangers refuse no caller, and let a stranger's call through", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const tenant = await createTenant(database.admin);
  await using service = await startServe({
    environment: { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path },
  });
  // The process has seen the token: its caller is known.
  assertEquals((await askQueue(service, tenant)).status, 200);
  await using held = new AsyncDisposableStack();
  await Promise.all(Array.from({ length: strangers }, async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: service.port });
    held.defer(() => connection.close());
    await connection.write(new TextEncoder().encode(beginPost("sanitize-phone-number")));
  }));
  for (let time = 0; time < 20; time++) {
    assertEquals((await askQueue(service, tenant)).status, 200);
    const sanitized = await fetch(`${service.origin}/functions/v1/sanitize-phone-number`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ phone: "+55 11 98888-7777" }),
    });
    assertEquals([sanitized.status, (await sanitized.json()).success], [200, true]);
  }
  const health = await fetch(`${service.origin}/health/ready`);
  assertMatch(await health.text(), /"refusing":"(?:nobody|strangers)"/);
});

Deno.test("every function ends a call whose body or head does not come, from any client", async () => {
  await using database = await createTestDatabase();
  await using folder = await makeTemporaryFolder();
  const tenant = await createTenant(database.admin);
  const official = await createTenant(database.admin, { provider: "whatsapp_cloud" });
  await using service = await startServe({
    environment: { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path },
  });
  const credentials = [`X-Client-Token: ${tenant.token}`, `apikey: ${secretKey}`];
  const signature = `X-Hub-Signature-256: sha256=${"0".repeat(64)}`;
  const begun: Record<string, string> = {
    "half a head": "GET /functions/v1/messages-api HTT",
    "no head": "",
    "an official delivery": beginPost(`provider-webhook/whatsapp_cloud/${official.instanceId}`, [
      signature,
    ]),
  };
  for await (const { name } of Deno.readDir(new URL("../../functions/", import.meta.url))) {
    begun[name] = beginPost(name, credentials);
    begun[`${name} of a stranger`] = beginPost(name);
  }
  for (const path of ["media-api/media", "batches-api/batches", "admin-api/workspaces"]) {
    begun[path] = beginPost(path, credentials);
  }
  const answers = await Promise.all(
    Object.entries(begun).map(async ([what, text]) =>
      [what, await exchange(service, text)] as const
    ),
  );
  for (const [what, answer] of answers) {
    assert(answer !== null, `${what} is still open`);
    // dispatch-queue reads no body, and does its work.
    if (!what.includes(" head")) assertMatch(answer, /^HTTP\/1\.1 [24]\d\d /, what);
  }
  const late = answers.filter(([, answer]) => answer?.includes('"error":"request_timeout"'))
    .map(([what]) => what);
  for (
    const what of [
      ...["sanitize-phone-number", "sanitize-phone-number of a stranger", "send-message", "mcp"],
      ...["media-api/media", "batches-api/batches", "admin-api/workspaces", "an official delivery"],
    ]
  ) assert(late.includes(what), `${what}: ${JSON.stringify(Object.fromEntries(answers)[what])}`);
});

function askQueue({ origin }: ServeProcess, { instanceId, token }: Tenant): Promise<{
  readonly status: number;
}> {
  return fetch(`${origin}/functions/v1/messages-api/queue?instanceId=${instanceId}`, {
    headers: { "x-client-token": token },
  }).then(async (response) => {
    await response.body?.cancel();
    return response;
  });
}

/** What is answered until the service closes the connection; null where it keeps it open. */
async function exchange({ port }: ServeProcess, begun: string): Promise<string | null> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let isOpen = false;
  const timer = setTimeout(() => {
    isOpen = true;
    connection.close();
  }, endTimeoutMs);
  let answer = "";
  try {
    await connection.write(new TextEncoder().encode(begun));
    const decoder = new TextDecoder();
    for await (const part of connection.readable) answer += decoder.decode(part, { stream: true });
  } catch {
    // A reset is an end.
  } finally {
    clearTimeout(timer);
  }
  return isOpen ? null : answer;
}
