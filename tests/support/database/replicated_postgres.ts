/**
 * Two servers of Postgres, one of them the standby of the other, whose primary a test kills. After a promotion
 * the killed one is built anew from the promoted one, so that it can be done again.
 *
 * Each server keeps its port, as a host keeps its name. Files of the programs are those of the local stack.
 */

import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { preparePostgresBinaries } from "../../../supabase/local/postgres_binaries.ts";
import { makeCluster, makeDataFolder } from "../../../supabase/local/postgres_folder.ts";
import { findServerUser, giveTo, type ServerUser } from "../../../supabase/local/server_user.ts";
import { findFreePort } from "../free_port.ts";
import { makeTemporaryFolder } from "../stack/local_stack.ts";
import { waitUntil } from "../wait_until.ts";
import { copyCluster } from "./cluster_copy.ts";
import { type LaunchedServer, launchServer } from "./launched_server.ts";

export interface ReplicationOptions {
  /** Whether the primary's commits wait for the standby. */
  readonly isSynchronous: boolean;
  /** How far the standby's replay lags behind. What it has received it replays before a promotion, unless killed. */
  readonly applyDelayMs?: number;
}

/** A primary and its standby. */
export interface ReplicatedPostgres extends AsyncDisposable {
  /** Both hosts, the first one first whichever is the primary; of the superuser. */
  readonly databaseUrl: string;
  /** A client of the present primary. It changes with `promote`. */
  admin(): Sql;
  /** The address of each alone. */
  readonly urls: { primary(): string; standby(): string };
  /** Kills the primary's process, as a crash does. Its sessions end as they notice it. */
  killPrimary(): Promise<void>;
  /** Promotes the standby: it is the primary then, and there is no standby. */
  promote(): Promise<void>;
  /** Starts the former primary as it was killed: it takes it for granted that it still is one. */
  restartFormer(): Promise<void>;
  stopFormer(): Promise<void>;
  /** Builds a standby from the primary, in place of the killed one, and waits until it streams. */
  addStandby(): Promise<void>;
  /** Cuts the standby off: what is committed from now on does not reach it. */
  disconnectStandby(): Promise<void>;
  reconnectStandby(): Promise<void>;
}

interface Host {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  server: LaunchedServer | null;
}

interface Programs {
  readonly postgres: string;
  readonly user: ServerUser | undefined;
  readonly password: string;
}

/** Log that a new standby must still find: it is built while the load goes on. */
const keptLog = "256MB";

/** Starts both. Disposing stops them and removes their folders. */
export async function startReplicatedPostgres(
  options: ReplicationOptions,
): Promise<ReplicatedPostgres> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await makeTemporaryFolder());
  const user = await findServerUser(folder.path);
  const binaries = await preparePostgresBinaries(user);
  const makeHost = async (name: string): Promise<Host> => ({
    name,
    port: findFreePort(),
    folder: await makeDataFolder(join(folder.path, name), user),
    server: null,
  });
  let [primary, standby] = [await makeHost("one"), await makeHost("two")];
  const hosts = [primary, standby];
  await copyCluster(primary.folder);
  const password = await makeCluster(primary.folder, binaries, user, false);
  const programs = { postgres: binaries.postgres, user, password };
  cleanup.defer(async () => {
    for (const host of hosts) await host.server?.stop();
  });
  const urlOf = ({ port }: Host): string =>
    `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const clients = new Map<Host, Sql>();
  cleanup.defer(async () => {
    await Promise.all([...clients.values()].map((client) => client.end({ timeout: 1 })));
  });
  const admin = (host: Host): Sql => {
    const client = clients.get(host) ?? postgres(urlOf(host), { max: 4, onnotice: () => {} });
    clients.set(host, client);
    return client;
  };
  const forget = async (host: Host): Promise<void> => {
    await clients.get(host)?.end({ timeout: 0 });
    clients.delete(host);
  };
  const addStandby = async (): Promise<void> => {
    await forget(standby);
    await copyRunning(admin(primary), primary, standby);
    await makeStandby(standby, primary, programs, options);
    await start(standby, programs);
    await waitUntil(async () => {
      const [row] = await admin(primary)`
        select from pg_stat_replication where application_name = ${standby.name} and state = 'streaming'`;
      return row !== undefined;
    }, { what: "a streaming standby" });
    if (options.isSynchronous) await setNames(admin(primary), standby.name);
  };
  const follow = async (followed: Host | null): Promise<void> => {
    const connection = followed === null ? "" : describeConnection(followed, standby, password);
    await admin(standby).unsafe(`alter system set primary_conninfo = '${connection}'`);
    await admin(standby)`select pg_reload_conf()`;
    await waitUntil(async () => {
      const rows = await admin(primary)`select from pg_stat_replication where state = 'streaming'`;
      return rows.length === (followed === null ? 0 : 1);
    }, { what: "a standby that follows, or does not" });
  };
  await start(primary, programs);
  await addStandby();
  const keep = cleanup.move();
  return {
    databaseUrl: `postgres://postgres:${password}@${
      hosts.map(({ port }) => `127.0.0.1:${port}`).join(",")
    }/postgres?target_session_attrs=read-write`,
    admin: () => admin(primary),
    urls: { primary: () => urlOf(primary), standby: () => urlOf(standby) },
    killPrimary: () => kill(primary),
    promote: async () => {
      await admin(standby)`select pg_promote(true, 30)`;
      await forget(primary);
      [primary, standby] = [standby, primary];
    },
    restartFormer: () => start(standby, programs),
    stopFormer: async () => {
      await standby.server?.stop();
      standby.server = null;
    },
    addStandby,
    disconnectStandby: () => follow(null),
    reconnectStandby: () => follow(primary),
    [Symbol.asyncDispose]: () => keep.disposeAsync(),
  };
}

async function kill(host: Host): Promise<void> {
  const { server } = host;
  if (server === null) return;
  Deno.kill(server.pid, "SIGKILL");
  await server.exited;
  host.server = null;
}

/** With a copy of the files between the two calls of a base backup, as `pg_basebackup` makes it. */
async function copyRunning(sql: Sql, from: Host, to: Host): Promise<void> {
  const session = await sql.reserve();
  const cluster = join(to.folder, "cluster");
  try {
    await session`select pg_backup_start('standby', true)`;
    await Deno.remove(cluster, { recursive: true }).catch(() => {});
    // Files come and go meanwhile, which the copy need not have.
    await new Deno.Command("cp", {
      args: ["-a", join(from.folder, "cluster"), to.folder],
      ...{ stdin: "null", stderr: "null" },
    }).output();
    const [row] = await session<
      { labelfile: string }[]
    >`select labelfile from pg_backup_stop(false)`;
    await Deno.writeTextFile(join(cluster, "backup_label"), row?.labelfile ?? "");
  } finally {
    session.release();
  }
}

async function makeStandby(
  standby: Host,
  primary: Host,
  { user, password }: Programs,
  { applyDelayMs = 0 }: ReplicationOptions,
): Promise<void> {
  const cluster = join(standby.folder, "cluster");
  for (const name of ["postmaster.pid", "postmaster.opts"]) {
    await Deno.remove(join(cluster, name)).catch(() => {});
  }
  const settings = {
    primary_conninfo: describeConnection(primary, standby, password),
    recovery_min_apply_delay: `${applyDelayMs}ms`,
    synchronous_standby_names: "",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await Deno.writeTextFile(join(cluster, "postgresql.auto.conf"), lines.join(""));
  await Deno.writeTextFile(join(cluster, "standby.signal"), "");
  for (const name of ["backup_label", "postgresql.auto.conf", "standby.signal"]) {
    await giveTo(user, join(cluster, name));
    await Deno.chmod(join(cluster, name), 0o600);
  }
}

function describeConnection(primary: Host, { name }: Host, password: string): string {
  return `host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=${name}`;
}

async function setNames(sql: Sql, names: string): Promise<void> {
  await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await sql`select pg_reload_conf()`;
  await waitUntil(async () => {
    const [row] = await sql`select from pg_stat_replication where sync_state = 'sync'`;
    return row !== undefined;
  }, { what: "a synchronous standby" });
}

async function start(host: Host, { postgres: program, user }: Programs): Promise<void> {
  host.server = await launchServer({
    ...{ name: host.name, program, user, port: host.port, folder: host.folder },
    settings: { wal_keep_size: keptLog, hot_standby: "on", wal_retrieve_retry_interval: "200ms" },
  });
}
