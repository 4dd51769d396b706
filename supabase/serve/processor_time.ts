/** Clock ticks per second of /proc/<pid>/stat: fixed on Linux (`man 5 proc`, sysconf _SC_CLK_TCK). */
const ticksPerSecond = 100;

/**
 * Seconds of processor time of a process of this machine, in user mode and in the kernel; null where it
 * has ended, and on systems that do not tell it as Linux does.
 */
export async function readProcessorSeconds(pid: number): Promise<number | null> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    // The program's name is in parentheses and may contain spaces. The fields after it begin with the
    // third one of the manual.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
    const [user = 0, kernel = 0] = fields.slice(11, 13);
    return (user + kernel) / ticksPerSecond;
  } catch {
    return null;
  }
}
