import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { contractDate } from "../../shared/model/contract_date.ts";
import { version } from "../../shared/model/version.ts";
import {
  deploy,
  DeployError,
  deployFunctions,
  type DeployOptions,
} from "../../supabase/deploy/deploy.ts";
import { type DeployTarget, readTarget, toRemote } from "../../supabase/deploy/deploy_target.ts";
import {
  findSupabaseCli,
  runSupabaseCli,
  SupabaseCliError,
} from "../../supabase/deploy/supabase_cli.ts";
import { readDeployedVersion } from "../../supabase/deploy/deployed_version.ts";
import { UpgradeRefusal } from "../../supabase/deploy/upgrade_plan.ts";
import { applyMigrations } from "../../supabase/host/migrations.ts";
import { createPlatformRoles } from "../../supabase/host/roles.ts";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
} from "../support/assert.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database/database.ts";
import { findDebianVersion, startDebianPostgres } from "../support/database/debian_postgres.ts";
import {
  functionName,
  isBound,
  readSchemaFiles,
} from "../../supabase/tools/migrations/schema_files.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import {
  type ManagementApiDouble,
  publicKey,
  rebuildUpload,
  startManagementApi,
} from "../support/doubles/management_api_double.ts";
import { copyFolder } from "../support/releases/scratch_schemas.ts";
import { waitUntil } from "../support/wait_until.ts";
import { platformStandIns } from "../support/database/platform_stand_ins.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const accessToken = `sbp_${"a".repeat(40)}`;
const projectRef = "abcdefghijklmnopqrst";
const silently = (): void => {};
// The CLI is a program of Bun. Most calls end before Bun's optimizing compiler has paid for itself.
Deno.env.set("BUN_JSC_useDFGJIT", "0");
const isCliThere = await findSupabaseCli().then(() => true, () => false);
const noCli = isCliThere ? "" : " (skipped: npm cannot fetch the Supabase CLI)";
const checkerVersion = await findDebianVersion("plpgsql_check");
const noChecker = checkerVersion === null
  ? " (skipped: postgresql-<version>-plpgsql-check is not installed)"
  : "";

Deno.test({
  name: `a checkout is deployed${noCli}`,
  ignore: !isCliThere,
  async fn(t): Promise<void> {
    await using folder = await makeTemporaryFolder();
    await using api = await startManagementApi(folder.path);

    await t.step(
      "the CLI uploads every function whole, and each starts from its upload alone",
      () => uploadFunctions(api, join(folder.path, "uploads")),
    );
    await t.step(
      "a deployment compares, expands, uploads, and contracts by its own step",
      () => deployInSteps(api, join(folder.path, "checkout")),
    );
  },
});

async function uploadFunctions(api: ManagementApiDouble, rebuilt: string): Promise<void> {
  const slugs = await listFunctions();
  const upload = { root, environment: api.environment, show: silently };
  await deployFunctions({ projectRef, accessToken }, upload);
  assertEquals([...api.uploads.keys()].sort(), slugs);
  assertEquals(api.active.toSorted(), slugs);
  assertEquals([...api.tokens], [`Bearer ${accessToken}`]);
  for (const [slug, { metadata, files }] of api.uploads) {
    assertEquals(metadata.entrypoint_path, `functions/${slug}/index.ts`);
    assertEquals(metadata.verify_jwt, false, slug);
    for (const path of files.keys()) {
      assertMatch(path, /^(?:import_map\.json|shared\/|functions\/)/, slug);
      assert(!path.startsWith("functions/") || path.startsWith(`functions/${slug}/`), path);
    }
    await rebuildUpload({ metadata, files }, join(rebuilt, slug));
  }
  const report = await startUnderHostedRuntime(rebuilt);
  assertMatch(report, new RegExp(`^${slugs.length} functions .* start and respond`, "m"));
}

async function deployInSteps(api: ManagementApiDouble, checkout: string): Promise<void> {
  await using database = await createEmptyDatabase();
  await createPlatformRoles(database.admin);
  await using functions = serveProject();
  const migrations = join(checkout, "migrations");
  await copyFolder(join(root, "migrations"), migrations);
  const target = {
    projectRef,
    accessToken,
    database: { url: database.url },
    apiUrl: functions.origin,
  };
  const run = (options: Partial<DeployOptions> = {}): Promise<string> =>
    deployFrom(checkout, target, { environment: api.environment, ...options });
  const add = (name: string, sql: string): Promise<void> =>
    Deno.writeTextFile(join(migrations, name), sql);
  const countTables = async (): Promise<unknown> =>
    (await database
      .admin`select count(*)::int as count from pg_tables where schemaname = 'messaging'`)[0]
      ?.["count"];

  // Nothing is done by a dry run. A folder without functions makes the upload fail.
  assertMatch(await run({ dryRun: true }), /_tables\.sql.*\n2\. The functions of this checkout/);
  assertEquals(await countTables(), 0);
  const halfWay = await assertRejects(() => run(), DeployError);
  assertMatch(halfWay.message, /upload of the functions failed.*Run the same command again/s);
  assert(Number(await countTables()) > 20);
  assertEquals(await listAdvice(database.url), []);

  // A migration that fails leaves nothing behind, and the next run goes on with it.
  await add(
    "20990101000000_add_probe.sql",
    "create table messaging.probe (id int); select 1 / 0;",
  );
  assertMatch(
    (await assertRejects(() => run(), DeployError)).message,
    /functions were not touched.*goes on/s,
  );
  await add("20990101000000_add_probe.sql", "create table messaging.probe (id int);");
  await add("20990102000000_contract_drop_probe.sql", "drop table messaging.probe;");
  assertMatch(
    (await assertRejects(() => run({ contract: true }), DeployError)).message,
    /run `deno task deploy` first/,
  );
  // The same upload once more, by the second deployment, once the Data API knows the newest RPC.
  const former = new Map(api.uploads);
  await copyFunctions(checkout);
  functions.asked.length = 0;
  functions.unreadCalls = 3;
  const told = await listenForReloads(database);
  assertMatch(await run(), /The Data API knows the schema.*is deployed/s);
  assertEquals(await told(), ["reload schema"]);
  const [newest] = await database.admin<{ name: string }[]>`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype = 'jsonb'::regtype
    order by oid desc limit 1`;
  assertEquals(functions.asked, Array(4).fill(newest?.name));
  assertEquals(api.uploads, former);
  assertEquals(api.active.toSorted(), [...former.keys(), ...former.keys()].sort());
  const before = await countTables();

  // The contract step waits for the functions of this release.
  functions.version = "0.9.0";
  assertMatch(
    (await assertRejects(() => run({ contract: true }), DeployError)).message,
    /are 0\.9\.0, and this checkout/,
  );
  assertEquals(await countTables(), before);
  functions.version = version;
  assertMatch(await run({ contract: true }), /_contract_drop_probe\.sql/);
  assertEquals(await countTables(), Number(before) - 1);

  // An edited file and a newer database are refused, in a sentence.
  await add("20990101000000_add_probe.sql", "create table messaging.other (id int);");
  await assertRejects(
    () => run({ dryRun: true }),
    UpgradeRefusal,
    "another text of 20990101000000_add_probe.sql",
  );
  await Deno.remove(join(migrations, "20990101000000_add_probe.sql"));
  await assertRejects(() => run(), UpgradeRefusal, "this checkout lacks (20990101000000)");
  assertEquals(await countTables(), Number(before) - 1);
}

Deno.test({
  name:
    `the CLI's linter finds an error in a wrong function, and in no other of the database${noCli}${noChecker}`,
  ignore: !isCliThere || checkerVersion === null,
  async fn(): Promise<void> {
    await using server = await startDebianPostgres(checkerVersion ?? "", "plpgsql_check");
    await createPlatformRoles(server.sql);
    await server.sql.unsafe(platformStandIns);
    await applyMigrations(server.sql, join(root, "migrations"));
    await server.sql`create extension plpgsql_check`;
    await server.sql`
      create function public.slip() returns integer language plpgsql set search_path = ''
      as 'begin return (select missing from messaging.messages); end;'`;
    const lint = ["db", "lint", `--remote=${server.url}`, "--schema=public", "--level=error"];
    let shown = "";
    const show = (text: string): string => shown += text;
    await assertRejects(
      () => runSupabaseCli(root, [...lint, "--fail-on=error"], {}, show),
      SupabaseCliError,
    );
    const listed = [...shown.matchAll(/"function": "([^"]+)"/g)].map(([, name]) => name);
    assertEquals(listed, ["public.slip"], shown);
  },
});

Deno.test("a deployment without its variables names each of them in a sentence", () => {
  assertEquals((readTarget({}) as readonly string[]).length, 3);
  const some = readTarget({ SUPABASE_PROJECT_REF: projectRef, SUPABASE_DB_PASSWORD: "secret" });
  assertMatch((some as readonly string[]).join("\n"), /^SUPABASE_ACCESS_TOKEN is missing: /);
  const all = {
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_URL: "postgres://127.0.0.1/postgres",
  };
  assertEquals(readTarget(all), {
    projectRef,
    accessToken,
    database: { url: "postgres://127.0.0.1/postgres" },
    apiUrl: `https://${projectRef}.supabase.co`,
  });
});

Deno.test("no password of the database reaches the CLI's command line, where others could read it", () => {
  const url = "postgres://postgres.ref:p%23w%2Fx@pooler.example.com:5432/postgres?sslmode=require";
  assertEquals(toRemote({ projectRef, database: { url } }), {
    remote: "postgres://postgres.ref@pooler.example.com:5432/postgres?sslmode=require",
    environment: { PGPASSWORD: "p#w/x" },
  });
  assertEquals(toRemote({ projectRef, database: { password: "p#w/x" } }), {
    remote: projectRef,
    environment: { SUPABASE_DB_PASSWORD: "p#w/x" },
  });
  const misread = readTarget({
    SUPABASE_PROJECT_REF: projectRef,
    SUPABASE_ACCESS_TOKEN: accessToken,
    SUPABASE_DB_URL: "postgres://postgres:p#w/x@pooler.example.com:5432/postgres",
  });
  assertMatch(
    (misread as readonly string[]).join("\n"),
    /^SUPABASE_DB_URL is not a valid connection string/,
  );
  assertFalse(JSON.stringify(misread).includes("p#w"));
});

/** Makes a folder with migrations a whole checkout. */
async function copyFunctions(checkout: string): Promise<void> {
  await copyFolder(join(root, "functions"), join(checkout, "functions"));
  await copyFolder(join(root, "shared"), join(checkout, "shared"));
  await Deno.mkdir(join(checkout, "supabase"));
  for (const file of ["import_map.json", "supabase/config.toml"]) {
    await Deno.copyFile(join(root, file), join(checkout, file));
  }
}

/** Deploys a folder. @returns what was shown. */
async function deployFrom(
  folder: string,
  target: DeployTarget,
  options: Partial<DeployOptions>,
): Promise<string> {
  let shown = "";
  await deploy(target, {
    dryRun: false,
    contract: false,
    root: folder,
    check: () => Promise.resolve(),
    show: (text) => shown += text,
    ...options,
  });
  return shown;
}

/** @returns what was told on PostgREST's channel since. */
async function listenForReloads(database: TestDatabase): Promise<() => Promise<string[]>> {
  const told: string[] = [];
  const listening = await database.admin.listen("pgrst", (payload) => void told.push(payload));
  return async () => {
    await waitUntil(() => told.length > 0, { what: "the notice" });
    await listening.unlisten();
    return told;
  };
}

interface ProjectDouble extends AsyncDisposable {
  readonly origin: string;
  version: string;
  /** Before 1.2.0 the header named the release. */
  isOld: boolean;
  /** RPCs that the Data API was asked for. */
  readonly asked: string[];
  /** How many of the next calls come before the Data API has read the schema. */
  unreadCalls: number;
}

Deno.test("the deployed release is read from the document, and from the header of releases before 1.2.0", async () => {
  await using project = serveProject();
  for (const isOld of [true, false]) {
    Object.assign(project, { isOld, version: isOld ? "1.1.0" : "1.3.0" });
    assertEquals(await readDeployedVersion(project.origin), isOld ? "1.1.0" : "1.3.0");
  }
});

/** Functions of some version, and a Data API that lets nobody call what it knows. */
function serveProject(): ProjectDouble {
  const deployed = { version: "1.0.0", isOld: false, asked: [] as string[], unreadCalls: 0 };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith("/rest/v1/rpc/")) {
        const headers = { "X-Api-Version": deployed.isOld ? deployed.version : contractDate };
        return pathname.endsWith("/openapi.json")
          ? Response.json({ info: { version: deployed.version } }, { headers })
          : new Response(null, { headers });
      }
      assertEquals(request.headers.get("apikey"), publicKey);
      deployed.asked.push(pathname.slice("/rest/v1/rpc/".length));
      const isUnread = deployed.unreadCalls-- > 0;
      return isUnread
        ? Response.json({ code: "PGRST202", message: "not found" }, { status: 404 })
        : Response.json({ code: "42501", message: "permission denied" }, { status: 401 });
    },
  );
  return Object.assign(deployed, {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

async function listFunctions(): Promise<string[]> {
  const slugs: string[] = [];
  for await (const entry of Deno.readDir(join(root, "functions"))) slugs.push(entry.name);
  return slugs.sort();
}

/**
 * Starts each upload. Types are not checked again: `deno task check:hosted` has checked the same files.
 *
 * @returns what the check reports.
 */
async function startUnderHostedRuntime(uploads: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--lock=deno.lock", "supabase/tools/check_hosted.ts"],
      ...["--uploads", uploads, "--no-types"],
    ],
    cwd: root,
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

/**
 * What the platform's advisors say of a database, but for bound functions, in whose bodies no search_path
 * can change a name (docs/security.md).
 */
async function listAdvice(databaseUrl: string): Promise<unknown[]> {
  const args = ["db", "advisors", `--remote=${databaseUrl}`, "--fail-on=error"];
  const warning = await assertRejects(
    () => runSupabaseCli(root, [...args, "--output-format=json"], {}, silently),
    SupabaseCliError,
  );
  const { results } = JSON.parse(warning.message.slice(warning.message.indexOf("{")));
  const parts = await readSchemaFiles(join(root, "supabase/schemas"));
  const bound = new Set(parts.filter(isBound).map(functionName));
  return results.filter(({ name, metadata }: Advice) =>
    name !== "function_search_path_mutable" || !bound.has(`messaging.${metadata.name}`)
  );
}

interface Advice {
  readonly name: string;
  readonly metadata: { readonly name: string };
}
