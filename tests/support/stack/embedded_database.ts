/** The database that a stack without DATABASE_URL has in its data folder. */

import { join } from "node:path";
import postgres, { type Sql } from "postgres";

/** Connects to it while the stack runs, as the superuser, for one piece of work. */
export async function useEmbeddedDatabase<Result>(
  dataDir: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const password = (await Deno.readTextFile(join(dataDir, "password"))).trim();
  const pidFile = await Deno.readTextFile(join(dataDir, "cluster/postmaster.pid"));
  const port = pidFile.split("\n")[3];
  const sql = postgres(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
