/** Reads processor time of programs from Linux's /proc. */

import type { Sql } from "postgres";

/** Clock ticks per second of /proc/<pid>/stat: fixed on Linux (`man 5 proc`, sysconf _SC_CLK_TCK). */
const ticksPerSecond = 100;

/** Fields of /proc/<pid>/stat (`man 5 proc`). */
interface ProcessStat {
  readonly parent: number;
  /** Processor time in user mode and in the kernel. */
  readonly seconds: number;
  /** The same of children that have ended and were waited for. */
  readonly endedChildrenSeconds: number;
}

async function readStat(pid: number): Promise<ProcessStat> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The program's name is in parentheses and may contain spaces. The fields after it begin with the
  // third one of the manual.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  const [, parent = 0] = fields;
  const [user = 0, kernel = 0, endedUser = 0, endedKernel = 0] = fields.slice(11, 15);
  return {
    parent,
    seconds: (user + kernel) / ticksPerSecond,
    endedChildrenSeconds: (endedUser + endedKernel) / ticksPerSecond,
  };
}

/** Seconds of processor time, in user mode and in the kernel. */
export async function readProcessCpuSeconds(pid: number): Promise<number> {
  return (await readStat(pid)).seconds;
}

/** Seconds of processor time of a process and of those that it has started, ended ones too. */
export async function readFamilyCpuSeconds(pid: number): Promise<number> {
  return sumFamily(pid, await readStat(pid), await listProcesses());
}

/**
 * Seconds of processor time of a whole Postgres server on this machine: its sessions, its own
 * processes, and those that have ended.
 */
export async function readServerCpuSeconds(admin: Sql): Promise<number> {
  const [session] = await admin<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const { parent: postmaster } = await readStat(session?.pid ?? 0);
  return await readFamilyCpuSeconds(postmaster);
}

function sumFamily(
  pid: number,
  { seconds, endedChildrenSeconds }: ProcessStat,
  processes: readonly ProcessStat[],
): number {
  const children = processes.filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + child.seconds, seconds + endedChildrenSeconds);
}

async function listProcesses(): Promise<ProcessStat[]> {
  const stats: ProcessStat[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    // A process may end between the two reads.
    const stat = /^\d+$/.test(name) ? await readStat(Number(name)).catch(() => null) : null;
    if (stat !== null) stats.push(stat);
  }
  return stats;
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
