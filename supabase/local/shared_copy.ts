import { basename, dirname, join } from "node:path";

const sharedFolder = "/var/lib/messaging-integration-api";

/** Creates root's folder for files that the server's user must read, or a folder below it. */
export async function makeSharedFolder(below = ""): Promise<string> {
  const folder = join(sharedFolder, below);
  await Deno.mkdir(folder, { recursive: true });
  // chmod ignores the umask.
  for (const path of [sharedFolder, folder]) await Deno.chmod(path, 0o755);
  return folder;
}

async function copyRoot(): Promise<string> {
  if (Deno.uid() === 0) return await makeSharedFolder();
  const cache = Deno.env.get("XDG_CACHE_HOME") ??
    join(Deno.env.get("HOME") ?? "/var/tmp", ".cache");
  const folder = join(cache, basename(sharedFolder));
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Copies a folder once, readable for all users, to a place that root's Postgres user can read; for an
 * ordinary user, into the cache. Concurrent calls never see a partial copy.
 *
 * @param finish completes the copy before it becomes visible.
 * @returns the path of the copy.
 */
export async function copyOnce(
  source: string,
  name: string,
  finish: (copy: string) => Promise<void>,
): Promise<string> {
  const target = join(await copyRoot(), name);
  if (await exists(target)) return target;
  const draft = await Deno.makeTempDir({ dir: dirname(target), prefix: `${basename(target)}.` });
  try {
    await copyFolder(source, join(draft, name));
    await finish(join(draft, name));
    await Deno.rename(join(draft, name), target);
  } catch (error) {
    if (!(await exists(target))) throw error;
  } finally {
    await Deno.remove(draft, { recursive: true });
  }
  return target;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  await Deno.chmod(to, 0o755);
  for await (const entry of Deno.readDir(from)) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory) await copyFolder(source, target);
    else if (entry.isFile) await copyReadable(source, target);
  }
}

async function copyReadable(source: string, target: string): Promise<void> {
  await Deno.copyFile(source, target);
  const isProgram = ((await Deno.stat(source)).mode ?? 0) & 0o100;
  await Deno.chmod(target, isProgram ? 0o755 : 0o644);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
