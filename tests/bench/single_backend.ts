/** Counts what one Postgres backend spends on SQL, without a server, a client or other sessions. */

import { join } from "node:path";
import { preparePostgresBinaries } from "../../supabase/local/postgres_binaries.ts";
import { findServerUser } from "../../supabase/local/server_user.ts";

/** A database whose server has been stopped. */
export interface RestingDatabase {
  /** The data folder, as `startPostgres` gives it. */
  readonly dataDir: string;
  readonly name: string;
}

/** The unit of `measureSpending`: instructions where valgrind is installed, else milliseconds of CPU. */
export type SpendingUnit = "instructions" | "ms of CPU";

/** Which of the two this machine can count. */
export async function findSpendingUnit(): Promise<SpendingUnit> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", "command -v valgrind"],
    stdout: "null",
  }).output();
  return success ? "instructions" : "ms of CPU";
}

/**
 * Runs a statement of one line in a single-user backend, and counts what the whole process spends. Take
 * the difference of two runs: it leaves out the start, the cold caches and the shutdown.
 *
 * @throws {Error} when the statement fails.
 */
export async function measureSpending(
  database: RestingDatabase,
  statement: string,
  unit: SpendingUnit,
): Promise<number> {
  const user = await findServerUser(database.dataDir);
  const { postgres } = await preparePostgresBinaries(user);
  const counter = unit === "instructions"
    ? 'exec valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@"'
    : '"$@"; times';
  const child = new Deno.Command("sh", {
    args: [
      ...["-c", counter, "sh", postgres, "--single"],
      ...["-D", join(database.dataDir, "cluster"), "-c", "jit=off", database.name],
    ],
    cwd: "/",
    clearEnv: true,
    env: { LC_ALL: "C", TZ: "UTC", PATH: Deno.env.get("PATH") ?? "" },
    ...user,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${statement}\n`));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const [printed, log] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (/ERROR|FATAL/.test(log ?? "")) throw new Error(`the backend failed: ${log}`);
  return unit === "instructions" ? readInstructions(log ?? "") : readCpuMs(printed ?? "");
}

function readInstructions(log: string): number {
  const [, collected] = /Collected : (\d+)/.exec(log) ?? [];
  if (collected === undefined) throw new Error(`valgrind printed no count: ${log}`);
  return Number(collected);
}

/** Reads the last line of the shell's `times`: the user and system time of its children. */
function readCpuMs(printed: string): number {
  const times = [...printed.matchAll(/(\d+)m([\d.]+)s (\d+)m([\d.]+)s/g)].at(-1);
  if (times === undefined) throw new Error("the shell printed no times");
  const [userMinutes, user, systemMinutes, system] = times.slice(1).map(Number);
  const seconds = ((userMinutes ?? 0) + (systemMinutes ?? 0)) * 60 + (user ?? 0) + (system ?? 0);
  return seconds * 1_000;
}
