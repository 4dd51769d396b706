import { fileURLToPath } from "node:url";
import postgres from "postgres";
import type { Sql } from "postgres";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { startPostgres } from "../../supabase/local/postgres_server.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import type { Bench, BenchContext } from "./bench.ts";
import { checkOut } from "../support/releases/checkout.ts";
import { formerRelease } from "./former_release.ts";
import { messageText } from "./product_calls.ts";
import { findSpendingUnit, measureSpending, type SpendingUnit } from "./single_backend.ts";
import { createTenants } from "./tenants.ts";

const ownMigrations = fileURLToPath(new URL("../../migrations", import.meta.url));
const contacts = 500;
const tokenHash = "a".repeat(64);

/** Sends of the two runs whose difference counts. CPU time is coarser, and takes more of them. */
const sendsOf: Readonly<Record<SpendingUnit, readonly [few: number, many: number]>> = {
  "instructions": [30, 80],
  "ms of CPU": [500, 4_500],
};

/** Counts what the database calls of one immediate send cost Postgres, now and before. */
export const instructionsBench: Bench = {
  name: "instructions",
  title: "What the database calls of one immediate send cost Postgres",
  async run({ report }: BenchContext): Promise<void> {
    await using former = await checkOut(formerRelease);
    await using cluster = await createCluster({
      now: ownMigrations,
      before: `${former.root}/migrations`,
    });
    const unit = await findSpendingUnit();
    const spend = async (name: string, side: Side): Promise<number> => {
      const [few, many] = sendsOf[unit];
      const runs = [];
      for (const sends of [few, many]) {
        const statement = sendInTurn(side, sends);
        runs.push(await measureSpending({ dataDir: cluster.dataDir, name }, statement, unit));
      }
      return ((runs[1] ?? 0) - (runs[0] ?? 0)) / (many - few);
    };
    const [now, before] = [await spend("now", warmSide), await spend("before", formerSide)];
    report.comparison({
      what: `authenticate, accept and settle : those of ${formerRelease.slice(0, 7)}`,
      over: [now],
      under: [before],
      names: ["two calls, of a known client", "three calls"],
      unit: `${unit} a send`,
      bar: { kind: "at most", value: 0.6 },
    });
  },
};

/** One side: the calls of a send, and a variable that they use. */
interface Side {
  readonly declaration: string;
  readonly calls: string;
}

/** The calls of a client that the process knows: see shared/http/sending_guard.ts. */
const warmSide: Side = {
  declaration: "version text := (select i.xmin::text from messaging.instances i limit 1);",
  calls: acceptAndSettle(`'authentication', jsonb_build_object(
  'tokenHash', '${tokenHash}', 'functionName', 'send-message', 'instanceVersion', version
)`),
};

const formerSide: Side = {
  declaration: "",
  calls: `perform public.authenticate_client(jsonb_build_object(
  'tokenHash', '${tokenHash}', 'functionName', 'send-message'
)); commit; ${acceptAndSettle("'agent', null")}`,
};

function acceptAndSettle(member: string): string {
  return `accepted := public.accept_message(jsonb_build_object(
    'instanceId', instance_id, 'phone', (5521990000001 + n % ${contacts})::text,
    'idempotency', null, 'assignment', null,
    'message', jsonb_build_object('messageType', 'text', 'message', '${messageText}'),
    'delivery', jsonb_build_object(
      'queued', false, 'delaySeconds', 0, 'intervalSeconds', 30, 'leaseSeconds', 35
    ), ${member}
  ));
  commit;
  perform public.settle_messages(jsonb_build_object(
    'results', jsonb_build_array(jsonb_build_object(
      'messageId', accepted->'messageId', 'claimToken', accepted->'claimToken',
      'outcome', 'accepted', 'providerMessageId', 'wamid.' || (accepted->>'messageId')
    )), 'idempotency', null, 'response', null
  ));
  commit;`;
}

/** One line, as single-user mode reads it. Each call is a transaction of its own. */
function sendInTurn({ declaration, calls }: Side, sends: number): string {
  return `do $$ declare
    accepted jsonb;
    instance_id uuid := (select i.id from messaging.instances i limit 1);
    ${declaration}
  begin
    for n in 1..${sends} loop ${calls} end loop;
  end $$`.replaceAll(/\s+/g, " ");
}

/** The former release had its tables in the schema `public`. */
const renameFormerTables = `do $$ declare name text; begin
  if to_regclass('public.workspaces') is not null then
    create schema messaging;
    for name in select c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    loop
      execute format('create view messaging.%1$I as select * from public.%1$I', name);
    end loop;
  end if;
end $$`;

interface Cluster extends AsyncDisposable {
  readonly dataDir: string;
}

/** Creates a database for each folder of migrations, with the same tenant, and stops the server. */
async function createCluster(folders: Readonly<Record<string, string>>): Promise<Cluster> {
  const folder = await Deno.makeTempDir({ prefix: "messaging-bench-postgres-" });
  const server = await startPostgres({ dataDir: folder, durability: "none" });
  const remove = async (): Promise<void> => {
    for (const path of new Set([server.dataDir, folder])) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  };
  try {
    for (const [name, migrations] of Object.entries(folders)) {
      const url = new URL(server.databaseUrl);
      await onDatabase(url, (sql) => sql`create database ${sql(name)}`);
      url.pathname = `/${name}`;
      await onDatabase(url, (sql) => fillDatabase(sql, migrations));
    }
  } catch (error) {
    await server.stop();
    await remove();
    throw error;
  }
  await server.stop();
  return { dataDir: server.dataDir, [Symbol.asyncDispose]: remove };
}

async function fillDatabase(sql: Sql, migrations: string): Promise<void> {
  await createPlatformRoles(sql);
  await applyMigrations(sql, migrations);
  await sql.unsafe(renameFormerTables);
  await createTenants(sql, { instances: 1, contactsEach: contacts });
  await sql`
    insert into messaging.client_tokens (instance_id, token_hash, last_used_at)
    select i.id, ${tokenHash}, clock_timestamp() + interval '1 hour' from messaging.instances i`;
  await sql`vacuum analyze`;
}

async function onDatabase(url: URL, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url.href, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
