import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { createEmptyDatabase, createTestDatabase } from "../support/database/database.ts";
import { acceptMessage, startHttpDouble } from "../support/doubles/http_double.ts";
import { startSlowProvider } from "../support/doubles/slow_provider.ts";
import { enqueueText } from "../support/database/queue_calls.ts";
import { createTenant, type Tenant, testCredentialsKey } from "../support/fixtures/tenant.ts";
import { secretKey } from "../support/stack/function_process.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { type ServeProcess, spawnServe, startServe } from "../support/stack/serve_process.ts";
import { waitUntil } from "../support/wait_until.ts";

Deno.test("deno task serve does not start without its keys and addresses, and says how to make them", async () => {
  const nothing = Object.fromEntries(
    [
      "DATABASE_URL",
      "SUPABASE_SECRET_KEY",
      "CREDENTIALS_KEYS",
      "MEDIA_FOLDER",
      "FUNCTIONS_URL",
    ].map((name) => [name, ""]),
  );
  await using bare = spawnServe({ environment: nothing });
  assertEquals(await bare.ended(), 1);
  assertMatch(bare.output(), /SUPABASE_SECRET_KEY: .*openssl rand -hex 32/);
  assertMatch(bare.output(), /CREDENTIALS_KEYS: .*openssl rand -base64 32/);
  for (const name of Object.keys(nothing)) assertMatch(bare.output(), new RegExp(`  ${name}: `));

  const published = "bG9jYWwtc3RhY2stb25seS1jcmVkZW50aWFscy1rZXk=";
  for (
    const [environment, complaint] of [
      [{ CREDENTIALS_KEYS: published }, /CREDENTIALS_KEYS holds a key that .* published/],
      [{ SUPABASE_SECRET_KEY: "short" }, /malformed environment variables: SUPABASE_SECRET_KEY/],
      [{ SUPABASE_URL: "https://abc.supabase.co" }, /SUPABASE_URL is set/],
      [{ MEDIA_STORAGE_URL: "https://abc.supabase.co", MEDIA_FOLDER: "" }, /set both/],
      [{ PORT: "70000" }, /PORT must be/],
    ] as const
  ) {
    await using service = spawnServe({
      environment: { DATABASE_URL: "postgres://nobody:hidden@127.0.0.1:9/x", ...environment },
    });
    assertEquals(await service.ended(), 1);
    assertMatch(service.output(), complaint);
    for (const value of [published, testCredentialsKey, secretKey, "hidden"]) {
      assert(!service.output().includes(value), service.output());
    }
  }
  for (
    const args of [["--proceses", "2"], ["--processes", "0"], ["migrate", "now"], ["work", "x"]]
  ) {
    await using service = spawnServe({ args, environment: {} });
    assertEquals(await service.ended(), 1);
    assertMatch(service.output(), /^(?:Usage:|--processes takes)/);
  }
});

Deno.test("only `serve migrate` migrates: an empty database is refused, then served", async () => {
  await using database = await createEmptyDatabase();
  const environment = { DATABASE_URL: database.url };
  await using early = spawnServe({ environment });
  assertEquals(await early.ended(), 1);
  assertMatch(early.output(), /lacks \d+ migrations .* Run: deno task serve migrate\n$/);

  await using first = spawnServe({ args: ["migrate"], environment });
  assertEquals(await first.ended(), 0, first.output());
  assertMatch(first.output(), /^Applied:\n {2}\d{14}_\w+\.sql\n/);
  await using second = spawnServe({ args: ["migrate"], environment });
  assertEquals([await second.ended(), second.output()], [0, "Nothing to apply.\n"]);
  await using _service = await startServe({ environment });
});

Deno.test("a service serves the functions, its health and nothing of the local stack", async () => {
  await using database = await createTestDatabase();
  await using provider = startHttpDouble(acceptMessage);
  await using folder = await makeTemporaryFolder();
  const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
  await using service = await startServe({
    environment: { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path },
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
    const response = await fetch(service.origin + path, init);
    return [response.status, await response.text()];
  };
  assertEquals((await ask("/health/live"))[0], 200);
  // Not ready while the database takes more than a second to answer, which ends.
  const [, health] = await waitUntil(async () => {
    const answer = await ask("/health/ready");
    return answer[0] === 200 && answer;
  }, { what: "a ready service" });
  assertEquals([JSON.parse(health).ready, JSON.parse(health).live], [true, true]);
  assertEquals((await ask("/functions/v1/metrics"))[0], 401);
  const [, metrics] = await ask("/functions/v1/metrics", { headers: { apikey: secretKey } });
  assertMatch(metrics, /^# (?:HELP|TYPE) /);
  assertEquals((await send(service, tenant, "Olá")).status, 200);
  assertEquals(provider.requests.length, 1);
  for (const path of simulated) assertEquals((await ask(path))[0], 404, path);

  await enqueueText(database.admin, tenant.instanceId, { message: "queued" });
  await waitUntil(() => provider.requests.length === 2, { what: "the scheduler's run" });

  service.signal("SIGTERM");
  assertEquals(await service.ended(), 0);
  const strange = service.output().split("\n").filter((line) => line !== "" && !isLogLine(line));
  assertEquals(strange, [], "the log is JSON");
  assertEquals(service.output().includes(secretKey), false);
});

Deno.test("a stop ends the requests in progress and refuses new ones, and comes within 30 s", async () => {
  await using database = await createTestDatabase();
  await using provider = startSlowProvider(() => 0);
  const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
  await using service = await startServe({
    args: ["--processes", "2"],
    environment: { DATABASE_URL: database.url },
  });
  const held = provider.holdNext();
  const inProgress = send(service, tenant, "slow");
  await held;
  const startedAt = performance.now();
  service.signal("SIGTERM");
  await waitUntil(async () => (await fetchStatus(`${service.origin}/health/ready`)) !== 200, {
    what: "a service that is not ready",
  });
  provider.release();
  assertEquals((await inProgress).status, 200);
  assertEquals(await service.ended(), 0);
  assert(performance.now() - startedAt < 30_000);
});

Deno.test("a stop comes within 30 s while a batch's dry run works, and the others are answered meanwhile", async () => {
  await using database = await createTestDatabase();
  const tenant = await createTenant(database.admin, { baseUrl: "http://127.0.0.1:9" });
  await using service = await startServe({ environment: { DATABASE_URL: database.url } });
  const recipients = Array.from({ length: 950 }, (_, index) => ({
    phone: String(5_511_980_000_000 + index),
    // Filled, this is 60,000 characters for one, and refused as 48 million for the other.
    variables: { a: index % 2 === 0 ? "short" : "x".repeat(4_000) },
  }));
  const message = { messageType: "text", message: "{{a}}".repeat(12_000) };
  const call = (): Promise<Response> =>
    fetch(`${service.origin}/functions/v1/batches-api/batches`, {
      method: "POST",
      headers: { "x-client-token": tenant.token, "content-type": "application/json" },
      body: JSON.stringify({ dryRun: true, message, recipients }),
    });
  // What it is refused for is its size: a first one is answered.
  const first = call();
  let answered = 0;
  let isOver = false;
  first.finally(() => isOver = true).catch(() => {});
  while (!isOver) {
    assertEquals(await fetchStatus(`${service.origin}/health/live`), 200);
    answered += 1;
  }
  const { error, issues } = await (await first).json();
  assertEquals([error, issues[0].path], ["invalid_request", "recipients"]);
  assert(answered > 2, `${answered} other calls were answered meanwhile`);

  const last = call().then((response) => response.body?.cancel(), () => {});
  await waitUntil(() => service.logged("request_handled").length > 0, {
    what: "the first one's line",
  });
  const startedAt = performance.now();
  service.signal("SIGTERM");
  assertEquals(await service.ended(), 0);
  assert(performance.now() - startedAt < 30_000);
  await last;
});

Deno.test("a stop comes within 30 s whatever keeps the process busy", async () => {
  await using database = await createTestDatabase();
  await using service = await startServe({
    environment: { DATABASE_URL: database.url },
    preload: new URL("../support/stack/busy_on_signal.ts", import.meta.url).href,
  });
  service.signal("SIGUSR2");
  await waitUntil(
    async () =>
      await Promise.race([
        fetchStatus(`${service.origin}/health/live`).then(() => false),
        new Promise((resolve) => setTimeout(() => resolve(true), 2_000)),
      ]),
    { what: "a process that answers nothing" },
  );
  const startedAt = performance.now();
  service.signal("SIGTERM");
  assertEquals(await service.ended(), 137, service.output());
  assert(performance.now() - startedAt < 30_000);
  assertEquals(service.logged("process_killed").length, 1);
});

Deno.test("machines that share a database have one scheduler, and the next takes over when it dies", async () => {
  await using database = await createTestDatabase();
  await using provider = startHttpDouble(acceptMessage);
  const tenant = await createTenant(database.admin, { baseUrl: provider.baseUrl });
  await using folders = new AsyncDisposableStack();
  const machines: ServeProcess[] = [];
  for (let number = 0; number < 2; number++) {
    const folder = folders.use(await makeTemporaryFolder());
    const environment = { DATABASE_URL: database.url, MEDIA_FOLDER: folder.path };
    machines.push(folders.use(await startServe({ environment })));
  }
  const holders = (): ServeProcess[] =>
    machines.filter((machine) => machine.logged("scheduler_lease_acquired").length > 0);
  await waitUntil(() => holders().length > 0, { what: "a scheduler" });
  // Twice the time in which the other asks again.
  await waitUntil(async () => await countLooks(database.admin) >= 2, { what: "the other's look" });
  assertEquals(holders().length, 1);
  const [holder] = holders();
  const other = machines.find((machine) => machine !== holder);
  assert(holder !== undefined && other !== undefined);
  holder.signal("SIGKILL");
  await holder.ended();
  await enqueueText(database.admin, tenant.instanceId, { message: "after the death" });
  await waitUntil(() => provider.requests.length === 1, { what: "the other's run" });
  assertEquals(other.logged("scheduler_lease_acquired").length, 1);

  /** Sessions of schedulers: each asks once a second, so both are there when both have asked. */
  async function countLooks(admin: typeof database.admin): Promise<number> {
    const [row] = await admin<{ count: number }[]>`
      select count(*)::integer as count from pg_stat_activity
      where application_name = 'messaging scheduler' and datname = current_database()
        and query_start > now() - interval '2 seconds'`;
    return row?.count ?? 0;
  }
});

Deno.test("a process that has lost its parent stops", async () => {
  await using database = await createTestDatabase();
  await using service = await startServe({
    args: ["--processes", "2"],
    environment: { DATABASE_URL: database.url },
  });
  await waitUntil(() => service.logged("service_started").length === 2, { what: "both processes" });
  service.signal("SIGKILL");
  // Its output ends when the last process that shares it has ended.
  await service.ended();
  assertEquals(service.logged("service_stopped").length, 2);
});

/** What the local stack has beside the functions. */
const simulated = [
  "/",
  "/console",
  "/console/",
  "/console/main.js",
  "/console/schedule",
  "/simulator/events",
  "/simulator/demo",
  "/simulator/messages",
  "/simulator/resend/emails",
  "/simulator/zapi",
  "/simulator/graph",
  "/simulator/webhook-receiver",
  "/rest/v1/rpc/read_metrics",
  "/api-docs-viewer/standalone.js",
];

async function send(
  service: ServeProcess,
  { instanceId, token }: Tenant,
  message: string,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.origin}/functions/v1/send-message`, {
    method: "POST",
    headers: { "x-client-token": token, "content-type": "application/json" },
    body: JSON.stringify({ instanceId, phone: "5511988887777", messageType: "text", message }),
  });
  return { status: response.status, body: await response.json() };
}

/** 0 where nobody answers. */
async function fetchStatus(url: string): Promise<number> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}

function isLogLine(line: string): boolean {
  try {
    const entry = JSON.parse(line);
    return typeof entry.level === "string" && typeof entry.event === "string";
  } catch {
    return false;
  }
}
