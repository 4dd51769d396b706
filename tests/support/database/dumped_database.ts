/** Databases of a Debian server, which has the tools that dump and restore. */

import { fileURLToPath } from "node:url";
import postgres from "postgres";
import type { Sql } from "postgres";
import { createPlatformRoles } from "../../../supabase/host/roles.ts";
import { readSteps } from "../machine/documented_steps.ts";
import type { ConnectOptions, TestDatabase } from "./database.ts";
import { type DebianPostgres, findDebianVersion } from "./debian_postgres.ts";

const binaries = "/usr/lib/postgresql";
const page = fileURLToPath(new URL("../../../docs/backup.md", import.meta.url));

/** The newest version with server, pg_dump and pg_restore. @returns null where none is installed. */
export async function findVersionWithDump(): Promise<string | null> {
  const version = await findDebianVersion("plpgsql");
  if (version === null) return null;
  for (const tool of ["postgres", "pg_dump", "pg_restore", "psql"]) {
    const isThere = await Deno.stat(`${binaries}/${version}/bin/${tool}`).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
  }
  return version;
}

/** A new database with the platform's roles and default privileges, and nothing else. */
export async function createProjectDatabase(
  server: DebianPostgres,
  name: string,
): Promise<TestDatabase> {
  await server.sql`create database ${server.sql(name)}`;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const clients: Sql[] = [];
  const connect = ({ role = "service_role", max = 10 }: ConnectOptions = {}): Sql => {
    const connection = role === "superuser" ? {} : { role };
    const client = postgres(url.href, { max, connection, onnotice: () => {} });
    clients.push(client);
    return client;
  };
  const admin = connect({ role: "superuser" });
  await createPlatformRoles(admin);
  const drop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.end({ timeout: 3 })));
  };
  return {
    url: url.href,
    sql: connect(),
    admin,
    connect,
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

/** Runs the commands that docs/backup.md gives under this name, in a folder. */
export async function runDocumentedCommands(
  name: "dump" | "restore",
  version: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const step = (await readSteps(page)).find((each) => each.name === name);
  if (step === undefined) throw new Error(`docs/backup.md has no commands named ${name}`);
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-euc", step.text],
    cwd: folder,
    env: { ...environment, PATH: `${binaries}/${version}/bin:/usr/bin:/bin` },
    stdout: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
