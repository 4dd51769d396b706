import type { Sql } from "postgres";
import { assertEquals, assertGreater } from "../../support/assert.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { netStandIn } from "../../support/database/platform_stand_ins.ts";
import { startHttpDouble } from "../../support/doubles/http_double.ts";
import { startNetWorker } from "../../support/doubles/net_worker.ts";
import { waitUntil } from "../../support/wait_until.ts";

// What pg_net does decides how late messages are, so its double is held to it.

Deno.test("the double of pg_net answers no call of a batch before all are, and begins the next one after a pause", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  await admin.unsafe(netStandIn);
  const isOpen = Promise.withResolvers<void>();
  await using function_ = startHttpDouble(async ({ path }) => {
    if (path === "/slow") await isOpen.promise;
    return Response.json({}, { status: path === "/refused" ? 401 : 200 });
  });
  const call = (path: string, timeoutMs = 60_000): Promise<unknown> =>
    admin`select net.http_post(${`${function_.baseUrl}${path}`},
      headers := '{"apikey": "k"}', timeout_milliseconds := ${timeoutMs})`.execute();
  for (const path of ["/slow", "/quick", "/refused"]) await call(path);
  await using _worker = startNetWorker(database.url);
  await waitUntil(() => function_.requests.length === 3, { what: "the calls of the batch" });
  await call("/later");
  assertEquals(await readAnswers(admin), []);
  await waitUntil(async () => await holdsTransactionOpen(admin), {
    what: "its transaction to be open and idle while it waits",
  });
  const opensAt = performance.now();
  isOpen.resolve();
  await waitUntil(async () => (await readAnswers(admin)).length === 4, { what: "all answers" });
  assertEquals(function_.requests.map(({ path }) => path).slice(3), ["/later"]);
  assertGreater((function_.requests[3]?.receivedAtMs ?? 0) - opensAt, 900);
  assertEquals(function_.requests[0]?.headers.get("apikey"), "k");
  const answers = await readAnswers(admin);
  assertEquals(answers.map(({ status }) => status), [200, 200, 401, 200]);
  assertEquals(new Set(answers.slice(0, 3).map(({ calledAt }) => calledAt)).size, 1);
});

Deno.test("the double of pg_net gives a call up after its time-out", async () => {
  await using database = await createTestDatabase();
  const { admin } = database;
  await admin.unsafe(netStandIn);
  const never = Promise.withResolvers<Response>();
  await using silent = startHttpDouble(() => never.promise);
  await admin`select net.http_post(${silent.baseUrl}, timeout_milliseconds := 50)`;
  await using _worker = startNetWorker(database.url);
  await waitUntil(async () => (await readAnswers(admin)).length === 1, { what: "the time-out" });
  assertEquals((await readAnswers(admin)).map(({ status }) => status), [null]);
  never.resolve(new Response());
});

async function holdsTransactionOpen(admin: Sql): Promise<boolean> {
  const open = await admin`
    select 1 from pg_stat_activity where datname = current_database()
      and state like 'idle in transaction%'`;
  return open.length > 0;
}

async function readAnswers(
  admin: Sql,
): Promise<readonly { readonly status: number | null; readonly calledAt: string }[]> {
  return Array.from(
    await admin<{ status: number | null; calledAt: string }[]>`
    select status_code as status, created::text as "calledAt" from net._http_response order by id`,
  );
}
