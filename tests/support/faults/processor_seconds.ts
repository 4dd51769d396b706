import type { Sql } from "postgres";

/** Linux counts in hundredths of a second, whatever the machine (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/**
 * Processor time, in seconds, that the sessions of the service have used on a server of this machine. What a session
 * that has ended had used is not in it.
 */
export async function readProcessorSeconds(server: Sql): Promise<number> {
  const sessions = await server<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name like 'messaging%'`;
  let ticks = 0;
  for (const { pid } of sessions) {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
    // After the name in brackets: the twelfth and thirteenth field are user and system time (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  }
  return ticks / ticksPerSecond;
}
