import { join } from "node:path";
import type { Sql } from "postgres";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { assertEquals, assertGreater } from "../support/assert.ts";
import { agentReply } from "../support/doubles/outside_services.ts";
import { printFigures } from "../support/faults/figures.ts";
import { readFaultSettings } from "../support/faults/settings.ts";
import { countOpen } from "../support/fixtures/backlog.ts";
import { findLastRelease } from "../support/releases/last_release.ts";
import { fillService, type LiveData } from "../support/releases/live_service.ts";
import { assertContains, readPast, repeatCalls } from "../support/releases/live_reading.ts";
import { startOutsideWorld } from "../support/releases/outside_world.ts";
import { startSteadySender, type SteadySender } from "../support/releases/steady_sender.ts";
import { createMigratedDatabase, prepareReleases } from "../support/releases/two_releases.ts";
import { checkAddedColumn, checkMessages } from "../support/releases/upgrade_checks.ts";
import { type DispatchCron, startDispatchCron } from "../support/stack/dispatch_cron.ts";
import { ownRoot, type ServiceProcess, startService } from "../support/stack/service_process.ts";
import { waitUntil } from "../support/wait_until.ts";

const settings = readFaultSettings();
const isLongRun = settings.messages !== undefined;
const { instances = isLongRun ? 100 : 8, messages = 16, seconds = 2 } = settings;
/** The shortest that the API takes. */
const intervalSeconds = 10;
const release = await findLastRelease();
const reason = "missing" in release ? ` (left out: ${release.missing})` : "";

Deno.test({
  name:
    `an upgrade from the last release while both dispatch loses no message, sends none twice, keeps pace, tokens, keys and history${reason}`,
  ignore: "missing" in release,
  fn: async () => {
    if ("missing" in release) return;
    await using releases = await prepareReleases(release.commit);
    const { former, successor } = releases;
    await using database = await createMigratedDatabase(join(former.root, "migrations"));
    await using outside = startOutsideWorld();
    const start = (root: string): Promise<ServiceProcess> =>
      startService({ root, databaseUrl: database.url, environment: outside.environment });

    await using old = await start(former.root);
    const { baseUrl } = outside.provider;
    const data = await fillService(old, { instances, messages, intervalSeconds, baseUrl });
    const past = await readPast(old, data);
    await using oldSide = openSide(old, data, "old");
    await untilSent(oldSide);

    const applied = await applyMigrations(database.admin, successor.expandMigrations);
    assertGreater(applied.length, 0, "there is something to upgrade");
    await untilSent(oldSide);
    await using present = await start(ownRoot);
    outside.recover();
    await using newSide = openSide(present, data, "new");
    await Promise.all([untilSent(oldSide), untilSent(newSide)]);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    await repeatCalls(old, data);
    await repeatCalls(present, data);
    await stopSide(oldSide);
    await old.terminate();
    await applyMigrations(database.admin, successor.migrations);
    await untilSent(newSide);
    await newSide.sender.stop();
    await untilDone(database.admin);
    await newSide.cron.stop();

    await repeatCalls(present, data);
    // The past has grown by the answers to the contacts, and is otherwise the same.
    assertContains(await readPast(present, data), past, "");
    const calls = [oldSide, newSide].flatMap(({ sender }) => sender.calls);
    const received = outside.provider.requests;
    await checkAddedColumn(database.admin);
    const counts = await checkMessages(database.admin, data, { received, calls });
    assertEquals(outside.mail.emails.size, instances, "one e-mail for each assignment");
    const replies = received.filter(({ json }) => json["message"] === agentReply);
    assertEquals(replies.length, instances, "one reply to each contact");
    printFigures("upgrade from the last release", { instances, ...counts });
  },
});

/** Both services of one release: who calls it, and what calls its dispatcher. */
interface Side extends AsyncDisposable {
  readonly service: ServiceProcess;
  readonly sender: SteadySender;
  readonly cron: DispatchCron;
}

function openSide(service: ServiceProcess, { instances }: LiveData, name: "old" | "new"): Side {
  const sender = startSteadySender(service, instances, { name, repeatsFailures: name === "old" });
  const cron = startDispatchCron(`${service.url}/dispatch-queue`, 1);
  const side = { service, sender, cron };
  return { ...side, [Symbol.asyncDispose]: () => stopSide(side) };
}

async function stopSide({ sender, cron }: Pick<Side, "sender" | "cron">): Promise<void> {
  await sender.stop();
  await cron.stop();
}

/** Waits until the side has answered calls and dispatched messages that began after now. */
async function untilSent({ service, sender }: Side): Promise<void> {
  const calls = sender.calls.length;
  const runs = service.runs.length;
  await waitUntil(
    () =>
      sender.calls.length > calls + 3 &&
      service.runs.slice(runs + 1).some(({ accepted }) => accepted > 0),
    { what: "calls and messages of this side" },
  );
}

async function untilDone(admin: Sql): Promise<void> {
  await waitUntil(async () => {
    const [row] = await admin<{ open: number }[]>`
      select count(*)::integer as open from messaging.outbox where settled_at is null`;
    return row?.open === 0 && await countOpen(admin) === 0;
  }, { timeoutMs: 10 * 60_000, intervalMs: 250, what: "messages and outbox to be settled" });
}
