import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sql } from "postgres";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database/database.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { countOpen } from "../support/fixtures/backlog.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import { assertContains, readPast, repeatCalls } from "../support/releases/live_reading.ts";
import { fillService } from "../support/releases/live_service.ts";
import { startOutsideWorld } from "../support/releases/outside_world.ts";
import { startSteadySender, type SteadySender } from "../support/releases/steady_sender.ts";
import { checkMessages } from "../support/releases/upgrade_checks.ts";
import { startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { type ServeProcess, spawnServe, startServe } from "../support/stack/serve_process.ts";
import { openCalls, startService } from "../support/stack/service_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const { instances = 6, messages = 10 } = settings;
/** The shortest that the API takes. */
const intervalSeconds = 10;
const ownFolder = fileURLToPath(new URL("../..", import.meta.url));
const release = await findLastRelease();
const ignore = "missing" in release;
const reason = ignore ? ` (left out: ${release.missing})` : "";

Deno.test({
  name:
    `the last release, upgraded under load by deno task serve migrate and gone on with by deno task serve, loses no message and sends none twice${reason}`,
  ignore,
  fn: async () => {
    if ("missing" in release) return;
    await using former = await checkOut(release.commit);
    await using database = await createFormerDatabase(join(former.root, "migrations"));
    await using outside = startOutsideWorld();
    const { environment } = outside;
    await using old = await startService({
      ...{ root: former.root, databaseUrl: database.url, environment },
    });
    const { baseUrl } = outside.provider;
    const data = await fillService(old, { instances, messages, intervalSeconds, baseUrl });
    const past = await readPast(old, data);
    await using cron = startDispatchCron(`${old.url}/dispatch-queue`, 1);
    await using oldSender = startSteadySender(old, data.instances, {
      ...{ name: "old", repeatsFailures: true },
    });
    await untilCalled(oldSender);

    assertMatch(
      await migrate(database),
      // Right after a release there is nothing yet.
      await hasSameFiles("migrations", former.root)
        ? /^Nothing to apply\.\n/
        : /^Applied:\n(?: {2}\d{14}_\w+\.sql\n)+/,
    );
    await untilCalled(oldSender);
    await using service = await startServe({
      args: ["--processes", "2"],
      environment: { ...environment, DATABASE_URL: database.url },
    });
    const present = openCalls(`${service.origin}/functions/v1`);
    outside.recover();
    await using newSender = startSteadySender(present, data.instances, {
      ...{ name: "new", repeatsFailures: false },
    });
    await Promise.all([untilCalled(oldSender), untilCalled(newSender)]);
    await repeatCalls(old, data);
    await repeatCalls(present, data);
    await oldSender.stop();
    await cron.stop();
    await old.terminate();
    // What waited for the former version's end.
    await migrate(database, "--contract");
    await untilRun(service);
    await untilCalled(newSender);
    await newSender.stop();
    await untilDone(database.admin);

    await repeatCalls(present, data);
    assertContains(await readPast(present, data), past, "");
    const calls = [...oldSender.calls, ...newSender.calls];
    const received = outside.provider.requests;
    const counts = await checkMessages(database.admin, data, { received, calls });
    assertEquals(outside.mail.emails.size, instances, "one e-mail for each assignment");
    printFigures("upgrade by serve migrate", { instances, ...counts });
  },
});

async function createFormerDatabase(migrations: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  await createPlatformRoles(database.admin);
  await applyMigrations(database.admin, migrations);
  return database;
}

/** @returns what `deno task serve migrate` printed */
/** Whether a folder has the same files here as in another checkout. */
async function hasSameFiles(folder: string, otherRoot: string): Promise<boolean> {
  const list = async (root: string): Promise<string[]> =>
    (await Array.fromAsync(Deno.readDir(join(root, folder)))).map(({ name }) => name).sort();
  const [own, other] = await Promise.all([list(ownFolder), list(otherRoot)]);
  return own.join() === other.join();
}

async function migrate(database: TestDatabase, ...args: string[]): Promise<string> {
  await using program = spawnServe({
    args: ["migrate", ...args],
    environment: { DATABASE_URL: database.url },
  });
  assertEquals(await program.ended(), 0, program.output());
  return program.output();
}

/** Waits for the answers of calls that began after now. */
async function untilCalled({ calls }: SteadySender): Promise<void> {
  const before = calls.length;
  await waitUntil(() => calls.length > before + 6, { what: "answered calls" });
}

/** Waits until a run of the service's own scheduler has sent something. */
async function untilRun(service: ServeProcess): Promise<void> {
  const before = service.logged("dispatch_completed").length;
  await waitUntil(
    () =>
      service.logged("dispatch_completed").slice(before).some(({ accepted }) =>
        Number(accepted) > 0
      ),
    { timeoutMs: 120_000, what: "a run of the service's scheduler" },
  );
}

async function untilDone(admin: Sql): Promise<void> {
  await waitUntil(async () => {
    const [row] = await admin<{ open: number }[]>`
      select count(*)::integer as open from messaging.outbox where settled_at is null`;
    return row?.open === 0 && await countOpen(admin) === 0;
  }, { timeoutMs: 10 * 60_000, intervalMs: 250, what: "messages and outbox to be settled" });
}
