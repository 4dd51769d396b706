import { assertEquals, assertMatch } from "../support/assert.ts";
import { findDebianVersion, startDebianPostgres } from "../support/database/debian_postgres.ts";
import { spawnServe } from "../support/stack/serve_process.ts";

const version = await findDebianVersion("plpgsql");
const isOld = version !== null && Number(version) < 17;

Deno.test({
  name: `a Postgres older than 17 is refused in a sentence, and nothing is made in it${
    isOld ? "" : " (skipped: no older Postgres is installed)"
  }`,
  ignore: !isOld,
  fn: async () => {
    await using server = await startDebianPostgres(version ?? "", "");
    const environment = { DATABASE_URL: server.url };
    for (const args of [["migrate"], ["migrate", "--contract"], [], ["--processes", "2"]]) {
      await using service = spawnServe({ args, environment });
      assertEquals(await service.ended(), 1, service.output());
      assertMatch(
        service.output(),
        new RegExp(
          `^The database of DATABASE_URL is Postgres ${version}\\.\\d+.* needs Postgres 17 or newer: [^\n]+\n$`,
        ),
      );
    }
    const made = await server.sql`
      select nspname from pg_namespace where nspname in ('messaging', 'supabase_migrations')
      union all select rolname from pg_roles where rolname = 'service_role'`;
    assertEquals([...made], []);
  },
});
