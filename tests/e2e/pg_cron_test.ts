import { fileURLToPath } from "node:url";
import { scheduleDispatcher } from "../../supabase/deploy/dispatcher_schedule.ts";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { findDebianVersion, startDebianPostgres } from "../support/database/debian_postgres.ts";
import { netStandIn, vaultStandIn } from "../support/database/platform_stand_ins.ts";
import { startHttpDouble } from "../support/doubles/http_double.ts";
import { startNetWorker } from "../support/doubles/net_worker.ts";
import { waitUntil } from "../support/wait_until.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));
const version = await findDebianVersion("pg_cron");
const missing = version === null ? " (skipped: postgresql-<version>-cron is not installed)" : "";

Deno.test({
  name: `the real pg_cron is installed by the migration and takes the schedule twice${missing}`,
  ignore: version === null,
  async fn(): Promise<void> {
    await using server = await startDebianPostgres(version ?? "", "pg_cron");
    await createPlatformRoles(server.sql);
    // pg_net and Vault are the platform's alone.
    await server.sql.unsafe(netStandIn + vaultStandIn);
    await using project = startHttpDouble(() => Response.json({ success: true }));
    await server.sql`
      insert into vault.secrets (name, decrypted_secret) values ('project_url', ${project.baseUrl})`;
    await applyMigrations(server.sql, migrations);
    const first = await scheduleDispatcher(server.url);
    const second = await scheduleDispatcher(server.url);
    assertEquals(first.missingExtensions, []);
    assertEquals(first.missingSecrets, ["dispatcher_secret_key"]);
    assertMatch(first.job?.schedule ?? "", /^(?:20 seconds|\* \* \* \* \*)$/);
    assertEquals(second.job, first.job);
    const jobs = await server.sql`select jobname from cron.job order by jobname`;
    assertEquals(jobs.map(({ jobname }) => jobname), [
      "dispatch-queue",
      "dispatch-queue-history",
    ]);

    // What the job runs arrives, by pg_net, and the check finds the answer.
    await server.sql`
      insert into vault.secrets (name, decrypted_secret) values ('dispatcher_secret_key', 'k')`;
    await using _worker = startNetWorker(server.url);
    await server.sql.unsafe(second.job?.command ?? "");
    await waitUntil(async () => {
      const { lastAnswers: [answer] } = await scheduleDispatcher(server.url);
      return answer?.statusCode === 200;
    }, { what: "the answer of dispatch-queue" });
    assertEquals(project.requests[0]?.path, "/functions/v1/dispatch-queue");
    assertEquals(project.requests[0]?.headers.get("apikey"), "k");
  },
});
