/** Processor time of the programs that a measurement runs, as Linux counts it in /proc. */

import type { Sql } from "postgres";

/** Clock ticks per second of /proc/<pid>/stat: fixed on Linux (`man 5 proc`, sysconf _SC_CLK_TCK). */
const ticksPerSecond = 100;

/** Seconds of processor time, in user mode and in the kernel. */
export async function readProcessCpuSeconds(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The program's name stands in parentheses and may hold spaces; utime and stime are fields 14, 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * Seconds of processor time of all sessions of a database. Sessions that have ended are not counted,
 * so take it between two moments in which the same sessions live.
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

/** Whether processor times can be read here. */
export const canReadCpu = Deno.build.os === "linux";
