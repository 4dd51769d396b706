/** Reads processor time of programs from Linux's /proc. */

import type { Sql } from "postgres";

/** Clock ticks per second of /proc/<pid>/stat: fixed on Linux (`man 5 proc`, sysconf _SC_CLK_TCK). */
const ticksPerSecond = 100;

/** Seconds of processor time, in user mode and in the kernel. */
export async function readProcessCpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The program's name is in parentheses and may contain spaces. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * Seconds of processor time of all sessions of a database. Closed sessions are not counted, so compare
 * two moments with the same sessions.
 */
export async function readDatabaseCpuSeconds(admin: Sql): Promise<number> {
  const rows = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const seconds = await Promise.all(
    rows.map(({ pid }) => readProcessCpuSeconds(pid).catch(() => 0)),
  );
  return seconds.reduce((sum, value) => sum + value, 0);
}

/** Whether this system provides processor times. */
export const canReadCpu = Deno.build.os === "linux";
