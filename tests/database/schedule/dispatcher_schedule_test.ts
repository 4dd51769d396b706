import type { Sql } from "postgres";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
} from "../../support/assert.ts";
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from "../../support/database/database.ts";
import { platformStandIns } from "../../support/database/platform_stand_ins.ts";
import { describeSchedule } from "../../../supabase/deploy/cron_check.ts";
import {
  describeDatabaseFault,
  type DispatcherSchedule,
  scheduleDispatcher,
  ScheduleError,
} from "../../../supabase/deploy/dispatcher_schedule.ts";

const key = "sb_secret_of_the_schedule_test_0123";

Deno.test("a database without pg_cron, pg_net and Vault accepts the migrations and reports what it lacks", async () => {
  await using database = await createTestDatabase();
  const schedule = await scheduleDispatcher(database.url);
  assertEquals(schedule.missingExtensions, ["pg_cron", "pg_net", "supabase_vault"]);
  assertEquals(schedule.job, null);
  const { lines, isHealthy } = describeSchedule(schedule);
  assertFalse(isHealthy);
  assertMatch(lines.join("\n"), /pg_net is missing/);
});

Deno.test("scheduling is idempotent, and the history of runs is purged", async () => {
  await using database = await createPlatform();
  for (let time = 0; time < 3; time++) await scheduleDispatcher(database.url);
  const jobs = await database.admin`select jobname, schedule, command from cron.job order by jobid`;
  assertEquals(jobs.map((job) => ({ ...job })), [
    {
      jobname: "dispatch-queue",
      schedule: "20 seconds",
      command: "select messaging.call_dispatcher(22)",
    },
    {
      jobname: "dispatch-queue-history",
      schedule: "7 3 * * *",
      command: "delete from cron.job_run_details where end_time < now() - interval '7 days'",
    },
  ]);
  for (const { command } of jobs) await database.admin.unsafe(command).catch(ignoreMissingSecret);
});

Deno.test("a pg_cron without seconds starts a run of 62 seconds every minute", async () => {
  await using database = await createPlatform();
  await database.admin.unsafe(`
    alter table cron.job add constraint no_seconds check (schedule not like '%seconds')`);
  const { job } = await scheduleDispatcher(database.url);
  assertEquals(job, {
    schedule: "* * * * *",
    command: "select messaging.call_dispatcher(62)",
    isActive: true,
  });
});

Deno.test("the runs of the schedule overlap", async () => {
  await using database = await createPlatform();
  const { job } = await scheduleDispatcher(database.url);
  const everySeconds = Number(/^(\d+) seconds$/.exec(job?.schedule ?? "")?.[1]);
  const runSeconds = Number(/call_dispatcher\((\d+)\)$/.exec(job?.command ?? "")?.[1]);
  assertEquals([everySeconds, runSeconds], [20, 22]);
});

Deno.test("a call sends Vault's key to the function and waits for its first poll, not for its run", async () => {
  await using database = await createPlatform();
  await setSecrets(database.admin, { project_url: "https://ref.supabase.co/" });
  await database.admin`select messaging.call_dispatcher(22)`;
  const [call] = await database.admin`
    select method, url, convert_from(body, 'utf8') as body, headers, timeout_milliseconds as timeout
    from net.http_request_queue`;
  assertEquals({ ...call }, {
    method: "POST",
    url: "https://ref.supabase.co/functions/v1/dispatch-queue?maxSeconds=22&maxMessages=1000",
    body: "{}",
    headers: { apikey: key, "Content-Type": "application/json" },
    timeout: 15_000,
  });
});

Deno.test("a missing or empty secret fails the run, and is never sent as an empty header", async () => {
  await using database = await createPlatform();
  const call = (): Promise<unknown> =>
    database.admin`select messaging.call_dispatcher(22)`.execute();
  await assertRejects(call, Error, "no secret named project_url");
  await setSecrets(database.admin, { project_url: "https://ref.supabase.co", key: "" });
  await assertRejects(call, Error, "no secret named dispatcher_secret_key");
  const schedule = await scheduleDispatcher(database.url);
  assertEquals(schedule.missingSecrets, ["dispatcher_secret_key"]);
  assertEquals((await database.admin`select 1 from net.http_request_queue`).length, 0);
});

Deno.test("a secret that Vault cannot decrypt fails the run by its name, and the check says what to do", async () => {
  await using database = await createPlatform();
  await setSecrets(database.admin, { project_url: "https://ref.supabase.co" });
  await database.admin`
    update vault.secrets set is_of_other_root_key = true where name = 'dispatcher_secret_key'`;
  await assertRejects(
    () => database.admin`select messaging.call_dispatcher(22)`.execute(),
    Error,
    "Vault cannot decrypt the secret named dispatcher_secret_key",
  );
  const schedule = await scheduleDispatcher(database.url);
  assertEquals([schedule.missingSecrets, schedule.unreadableSecrets], [[], [
    "dispatcher_secret_key",
  ]]);
  const { lines, isHealthy } = describeSchedule(schedule);
  assertFalse(isHealthy);
  const [, advice = ""] =
    /cannot decrypt the secret named dispatcher_secret_key: .*?(delete from .*)/
      .exec(lines.join("\n")) ?? [];
  assertMatch(advice, /^delete from vault\.secrets where .*; select vault\.create_secret\(/);
  assertFalse(JSON.stringify(schedule).includes(key));
});

Deno.test("neither the API's roles nor service_role may schedule or call", async () => {
  await using database = await createPlatform();
  for (const role of ["anon", "authenticated", "service_role"] as const) {
    const sql = database.connect({ role, max: 1 });
    for (
      const call of ["schedule_dispatcher()", "call_dispatcher(1)", "check_dispatcher_schedule()"]
    ) {
      await assertRejects(() => sql.unsafe(`select messaging.${call}`), Error, "permission denied");
    }
  }
});

Deno.test("the check reports a failed run, a rejected call and an inactive job, and no secret", async () => {
  await using database = await createPlatform();
  await setSecrets(database.admin, { project_url: "https://ref.supabase.co" });
  const good = describeSchedule(await scheduleDispatcher(database.url));
  assert(good.isHealthy, good.lines.join("\n"));
  await database.admin.unsafe(`
    insert into cron.job_run_details (jobid, status, return_message, start_time)
    values (1, 'succeeded', '', now() - interval '1 minute'), (1, 'failed', 'Vault has no', now());
    insert into net._http_response (id, status_code) values (1, 401);
    update cron.job set active = false where jobname = 'dispatch-queue'`);
  const schedule: DispatcherSchedule = await scheduleDispatcher(database.url);
  const { lines, isHealthy } = describeSchedule(schedule);
  assertFalse(isHealthy);
  for (
    const expected of [
      "is disabled",
      "failed: Vault has no",
      "last call was answered 401",
      "key in Vault",
    ]
  ) {
    assert(lines.join("\n").includes(expected), expected);
  }
  assertFalse(JSON.stringify(schedule).includes(key));
});

Deno.test("the check reports an overdue run and an overdue call, relative to the schedule", async () => {
  await using database = await createPlatform();
  await setSecrets(database.admin, { project_url: "https://ref.supabase.co" });
  const check = async (ago: string): Promise<string[]> => {
    await database.admin.unsafe(`
      truncate cron.job_run_details, net._http_response;
      insert into cron.job_run_details (jobid, status, return_message, start_time)
      select jobid, 'succeeded', '', now() - interval '${ago}' from cron.job
      where jobname = 'dispatch-queue';
      insert into net._http_response (id, status_code, created)
      values (1, 200, now() - interval '${ago}')`);
    const { lines, isHealthy } = describeSchedule(await scheduleDispatcher(database.url));
    const faults = lines.filter((line) => /^No (?:run since|call has been answered) /.test(line));
    assertEquals(isHealthy, faults.length === 0, lines.join("\n"));
    return faults.map((line) => line.split(" ").slice(0, 2).join(" "));
  };
  await scheduleDispatcher(database.url);
  assertEquals(await check("90 seconds"), []);
  assertEquals(await check("130 seconds"), ["No run", "No call"]);
  assertEquals(await check("3 days"), ["No run", "No call"]);
  await database.admin.unsafe(`
    update cron.job set schedule = '* * * * *' where schedule like '%seconds';
    alter table cron.job add constraint no_seconds check (schedule not like '%seconds')`);
  assertEquals(await check("150 seconds"), []);
  assertEquals(await check("190 seconds"), ["No run", "No call"]);
});

Deno.test("a connection problem is reported in one sentence without the connection string", async () => {
  await using database = await createEmptyDatabase();
  const change = (
    part: Partial<Record<"username" | "password" | "port" | "pathname", string>>,
  ): string => Object.assign(new URL(database.url), part).href;
  const cases: readonly (readonly [url: string, sentence: RegExp, isMisuse: boolean])[] = [
    [
      "postgres://postgres:p#w/x@db.example.com:5432/postgres",
      /is not a valid connection string/,
      true,
    ],
    [
      "postgres://postgres:hid%den@db.example.com:5432/postgres",
      /is not a valid connection string/,
      true,
    ],
    ["https://postgres:hidden@db.example.com/", /is not a valid connection string/, true],
    [change({ password: "hidden" }), /rejects the user or password/, false],
    [change({ username: "hidden" }), /rejects the user or password/, false],
    [change({ pathname: "/hidden" }), /does not exist/, false],
    [change({ port: "9" }), /cannot be reached \(ECONNREFUSED\)/, false],
    [database.url, /does not have the migrations yet/, false],
  ];
  for (const [url, sentence, isMisuse] of cases) {
    const error = await scheduleDispatcher(url).then(() => null, (thrown: unknown) => thrown);
    assert(error instanceof ScheduleError, `${sentence} is not said of ${url}`);
    assertMatch(error.message, sentence);
    assertEquals(error.isMisuse, isMisuse, error.message);
    assertFalse(/hid|p#w|example|127|\n/.test(error.message), error.message);
  }
});

Deno.test("a user who does not own the database gets a clear error", async () => {
  await using database = await createPlatform();
  const anon = database.connect({ role: "anon", max: 1 });
  const refusal = await anon`select messaging.schedule_dispatcher()`.catch((error: unknown) =>
    error
  );
  assertMatch(describeDatabaseFault(refusal), /may not schedule .* Use the database's owner/);
});

/** A database with stand-ins for the platform's extensions. */
async function createPlatform(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.admin.unsafe(platformStandIns);
  return database;
}

async function setSecrets(
  sql: Sql,
  secrets: { readonly project_url: string; readonly key?: string },
): Promise<void> {
  await sql`
    insert into vault.secrets (name, decrypted_secret)
    values ('project_url', ${secrets.project_url}),
      ('dispatcher_secret_key', ${secrets.key ?? key})`;
}

function ignoreMissingSecret(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes("Vault has no secret")) throw error;
}
