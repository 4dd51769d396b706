/**
 * Finds and stops a Postgres server whose parent process was killed. The process id comes from
 * `postmaster.pid` in the cluster folder. The process must also be a Postgres of that folder, because
 * the operating system may have reused the id.
 */

import { basename, join } from "node:path";

/**
 * Stops the orphan server of a cluster folder, if any, and removes a stale `postmaster.pid`. The caller
 * holds the folder's lock, so no other stack uses the server.
 *
 * @returns the process id of the stopped server, or undefined.
 */
export async function stopOrphanServer(clusterDir: string): Promise<number | undefined> {
  const pid = await readServerPid(clusterDir);
  if (pid === undefined) return undefined;
  if (!(await isServerOf(pid, clusterDir))) {
    await Deno.remove(join(clusterDir, "postmaster.pid")).catch(ignoreNotFound);
    return undefined;
  }
  await stopServer(pid, () => isServerOf(pid, clusterDir).then((alive) => !alive));
  return pid;
}

/**
 * Stops a server: fast shutdown (SIGINT), and after ten seconds immediate shutdown (SIGQUIT). After the
 * latter the next start recovers from the write-ahead log.
 */
export async function stopServer(pid: number, hasEnded: () => Promise<boolean>): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    try {
      Deno.kill(pid, signal);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      throw error;
    }
    const deadline = performance.now() + 10_000;
    while (performance.now() < deadline) {
      if (await hasEnded()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new Error(`the Postgres server with process id ${pid} does not end`);
}

async function readServerPid(clusterDir: string): Promise<number | undefined> {
  try {
    const text = await Deno.readTextFile(join(clusterDir, "postmaster.pid"));
    const pid = Number.parseInt(text.split("\n", 1)[0] ?? "", 10);
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  const folder = await Deno.realPath(clusterDir);
  if (Deno.build.os === "linux") {
    // Postgres uses its cluster folder as working directory.
    try {
      const program = await Deno.readLink(`/proc/${pid}/exe`);
      // The kernel adds this suffix once the program's file was replaced or removed.
      if (basename(program.replace(/ \(deleted\)$/, "")) !== "postgres") return false;
      return await Deno.readLink(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  }
  const args = ["-ww", "-o", "command=", "-p", String(pid)];
  const { stdout } = await new Deno.Command("ps", { args, stderr: "null" }).output();
  const command = new TextDecoder().decode(stdout);
  return /\bpostgres\b/.test(command) && command.includes(`-D ${folder}`);
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
