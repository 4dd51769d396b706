import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { type PostgresOptions, startPostgres } from "../../supabase/local/postgres_server.ts";
import { PostgresStartError } from "../../supabase/local/postgres_start_error.ts";
import { assert, assertEquals, assertRejects } from "../support/assert.ts";
import { copyCluster } from "../support/database/cluster_copy.ts";
import type { HeldPostgres } from "../support/database/hold_postgres.ts";
import { startThrowawayPostgres } from "../../supabase/local/throwaway_postgres.ts";

Deno.test("Postgres listens on 127.0.0.1 alone and keeps its password to its user", async () => {
  await using folder = await makeFolder();
  await using server = await startPostgres({ dataDir: folder.path });
  assertEquals(
    await query(
      server.databaseUrl,
      "select current_setting('listen_addresses') || current_setting('unix_socket_directories')",
    ),
    "127.0.0.1",
  );
  assertEquals(await query(server.databaseUrl, "select current_setting('fsync')"), "on");
  const { mode } = await Deno.stat(join(server.dataDir, "password"));
  assertEquals((mode ?? 0) & 0o777, 0o600);
  const url = new URL(server.databaseUrl);
  url.password = "another";
  const refusal = await assertRejects(() => query(url.href, "select 1"));
  assertEquals((refusal as { code?: string }).code, "28P01");
});

Deno.test("Postgres keeps its data and its password from one start to the next", async () => {
  await using folder = await makeFolder();
  await copyCluster(join(folder.path, "data"));
  const first = await start(folder);
  await query(first.databaseUrl, "create table kept as select 7 as number");
  await first.stop();
  await first.stop();
  await using second = await start(folder);
  assertEquals(await query(second.databaseUrl, "select number from kept"), 7);
  assertEquals(new URL(second.databaseUrl).password, new URL(first.databaseUrl).password);
});

Deno.test("a second start on a folder is rejected while the first server runs", async () => {
  await using folder = await makeFolder();
  await copyCluster(join(folder.path, "data"));
  const first = await start(folder);
  const refusal = await assertRejects(() => start(folder), PostgresStartError, "already running");
  assertEquals(refusal.code, "already_running");
  assertEquals(await query(first.databaseUrl, "select 1 as one"), 1);
  await first.stop();
  const second = await start(folder);
  await second.stop();
});

Deno.test("of two concurrent starts on one new folder one runs and one is rejected", async () => {
  await using folder = await makeFolder();
  const starts = await Promise.allSettled([start(folder), start(folder)]);
  const running = starts.flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value] : []
  );
  await Promise.all(running.map((server) => server.stop()));
  assertEquals(running.length, 1);
});

Deno.test("a start after kill -9 stops the orphan server and has all committed data", async () => {
  await using folder = await makeFolder();
  const { held, kill } = await holdPostgres(folder.path);
  await query(held.databaseUrl, "create table kept as select 7 as number");
  await kill();
  assertEquals(await query(held.databaseUrl, "select number from kept"), 7);
  await using server = await start(folder);
  await assertRejects(() => query(held.databaseUrl, "select 1"), Error, "ECONNREFUSED");
  assertEquals(await query(server.databaseUrl, "select number from kept"), 7);
});

Deno.test("a start after kill -9 of the server recovers from its write-ahead log", async () => {
  await using folder = await makeFolder();
  const { held, kill } = await holdPostgres(folder.path);
  await query(held.databaseUrl, "create table kept as select 7 as number");
  await kill();
  Deno.kill(held.pid, "SIGKILL");
  await using server = await start(folder);
  assertEquals(await query(server.databaseUrl, "select number from kept"), 7);
});

Deno.test("a stale postmaster.pid never makes a start kill another program's process", async () => {
  await using folder = await makeFolder();
  await copyCluster(join(folder.path, "data"));
  const { stop, dataDir } = await start(folder);
  await stop();
  const bystander = new Deno.Command("sleep", { args: ["600"] }).spawn();
  await Deno.writeTextFile(join(dataDir, "cluster/postmaster.pid"), `${bystander.pid}\n`);
  await using server = await start(folder);
  assertEquals(await query(server.databaseUrl, "select 1 as one"), 1);
  bystander.kill("SIGUSR1");
  assertEquals((await bystander.status).signal, "SIGUSR1");
});

Deno.test("a start after an interrupted first start begins anew", async () => {
  await using folder = await makeFolder();
  await copyCluster(join(folder.path, "data"));
  const { stop, dataDir } = await start(folder);
  await stop();
  await Deno.rename(join(dataDir, "cluster"), join(dataDir, "cluster.draft"));
  await Deno.remove(join(dataDir, "cluster.draft/PG_VERSION"));
  await using server = await start(folder);
  assertEquals(await query(server.databaseUrl, "select 1 as one"), 1);
});

Deno.test("a port in use is named in the error", async () => {
  await using folder = await makeFolder();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  const refusal = await assertRejects(
    () => start(folder, { port }),
    PostgresStartError,
    String(port),
  );
  assertEquals(refusal.code, "port_in_use");
});

Deno.test("a folder the server's user cannot enter is replaced by one named after it", async () => {
  await using folder = await makeFolder();
  await Deno.chmod(folder.path, 0o700);
  await using server = await startPostgres({
    dataDir: join(folder.path, "clone/.local"),
    durability: "none",
  });
  const name = folder.path.split("/").at(-1)!;
  if (Deno.uid() === 0) {
    assert(server.dataDir.startsWith("/var/lib/"), server.dataDir);
    assert(server.dataDir.includes(`${name}-clone-local`), server.dataDir);
    await server.stop();
    await Deno.remove(server.dataDir, { recursive: true });
  } else {
    assertEquals(server.dataDir, join(folder.path, "clone/.local"));
  }
});

Deno.test("a test run removes the Postgres of a killed run", async () => {
  const abandoned = await Deno.makeTempDir({ prefix: "messaging-test-postgres-" });
  const { held, kill } = await holdPostgres(abandoned);
  await kill();
  const longAgo = new Date(Date.now() - 3_600_000);
  await Deno.utime(join(held.dataDir, "lock"), longAgo, longAgo);
  const server = await startThrowawayPostgres(copyCluster);
  await server.stop();
  await assertRejects(() => query(held.databaseUrl, "select 1"), Error, "ECONNREFUSED");
  await assertRejects(() => Deno.stat(abandoned), Deno.errors.NotFound);
  await assertRejects(() => Deno.stat(server.dataDir), Deno.errors.NotFound);
});

interface Folder extends AsyncDisposable {
  readonly path: string;
}

async function makeFolder(): Promise<Folder> {
  const path = await Deno.makeTempDir({ prefix: "messaging-postgres-" });
  // As mkdir makes it; the postgres user of root could not enter a temporary folder otherwise.
  await Deno.chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

function start(
  folder: Folder,
  options: Partial<PostgresOptions> = {},
): ReturnType<typeof startPostgres> {
  return startPostgres({ dataDir: join(folder.path, "data"), durability: "none", ...options });
}

/** Starts Postgres in a process of its own, which `kill` kills as `kill -9` does. */
async function holdPostgres(
  path: string,
): Promise<{ held: HeldPostgres; kill: () => Promise<void> }> {
  const script = fileURLToPath(new URL("../support/database/hold_postgres.ts", import.meta.url));
  const dataDir = path.includes("messaging-test-postgres-") ? path : join(path, "data");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--lock=deno.lock", script, dataDir],
    stdout: "piped",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let line = "";
  while (!line.includes("\n")) {
    const { value, done } = await output.read();
    if (done) throw new Error("the process ended before its server was up");
    line += value;
  }
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.status;
    await output.cancel();
  };
  return { held: JSON.parse(line), kill };
}

async function query(url: string, statement: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql.unsafe<Record<string, unknown>[]>(statement);
    return Object.values(row ?? {})[0];
  } finally {
    await sql.end();
  }
}
