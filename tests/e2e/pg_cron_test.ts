import { fileURLToPath } from "node:url";
import { scheduleDispatcher } from "../../supabase/deploy/dispatcher_schedule.ts";
import { applyMigrations } from "../../supabase/local/migrations.ts";
import { createPlatformRoles } from "../../supabase/local/roles.ts";
import { assertEquals, assertMatch } from "../support/assert.ts";
import { findDebianVersion, startDebianPostgres } from "../support/database/debian_postgres.ts";

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
    await server.sql.unsafe(`
      create schema net;
      create function net.http_post(
        url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{}',
        timeout_milliseconds integer default 5000
      ) returns bigint language sql as 'select 1::bigint';
      create schema vault;
      create view vault.decrypted_secrets as
        select 'project_url' as name, 'https://ref.supabase.co' as decrypted_secret`);
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
  },
});
