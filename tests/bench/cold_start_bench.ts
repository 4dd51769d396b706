import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { Bench, BenchContext } from "./bench.ts";
import { findFreePort } from "./child_process.ts";
import { functionEnvironment } from "./function_environment.ts";
import { alternate } from "./rounds.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hostedVersion = "2.1.4";
const maxStartMs = 20_000;

/** A function to start: its module, and a path that answers 401. */
interface Program {
  readonly module: string;
  readonly path: string;
}

/** A function, and the smallest one with its libraries. */
interface Pair {
  readonly name: string;
  readonly ours: Program;
  readonly bare: Program;
}

const pairs: readonly Pair[] = [
  {
    name: "send-message",
    ours: { module: "functions/send-message/index.ts", path: "/send-message" },
    bare: { module: "tests/bench/bare_function.ts", path: "/bare" },
  },
  {
    name: "mcp",
    ours: { module: "functions/mcp/index.ts", path: "/mcp" },
    bare: { module: "tests/bench/bare_mcp_function.ts", path: "/mcp" },
  },
];

/** Measures the time from process start to first response, and the bundle size. */
export const coldStartBench: Bench = {
  name: "cold_start",
  title: "Cold start of send-message and mcp, to the first 401, against bare functions",
  async run(context: BenchContext): Promise<void> {
    await using folder = await makeFolder();
    const hosted = await findHostedDeno();
    if (hosted === null) {
      context.report.note(`Deno ${hostedVersion} could not be installed from npm`);
    }
    for (const pair of pairs) {
      await compareStarts(context, `Deno ${Deno.version.deno}`, Deno.execPath(), pair);
      if (hosted !== null) await compareStarts(context, `Deno ${hostedVersion}`, hosted, pair);
      await compareBundles(context, folder.path, pair);
    }
  },
};

async function compareBundles(
  context: BenchContext,
  folder: string,
  { name, ours, bare }: Pair,
): Promise<void> {
  const bundled = {
    name,
    ours: { module: await bundle(ours, join(folder, `${name}.js`)), path: ours.path },
    bare: { module: await bundle(bare, join(folder, `${name}_bare.js`)), path: bare.path },
  };
  context.report.comparison({
    what: `bundle of ${name}, minified`,
    over: [await sizeOf(bundled.ours.module)],
    under: [await sizeOf(bundled.bare.module)],
    names: [name, "bare function"],
    unit: "bytes",
    ...(name === "send-message" ? { bar: { kind: "at most", value: 1.3 } } : {}),
  });
  await compareStarts(context, "bundled", Deno.execPath(), bundled, false);
}

async function compareStarts(
  { sizes, report }: BenchContext,
  title: string,
  deno: string,
  { name, ours, bare }: Pair,
  isJudged = true,
): Promise<void> {
  const measured = await alternate(sizes.starts, {
    ours: () => measureStart(deno, ours),
    bare: () => measureStart(deno, bare),
  });
  report.comparison({
    what: `start of ${name}, ${title}`,
    over: measured.ours,
    under: measured.bare,
    names: [name, "bare function"],
    unit: "ms",
    ...(isJudged ? { bar: { kind: "at most", value: 1.3 } } : {}),
  });
}

/** Milliseconds from process start to the first 401. */
async function measureStart(deno: string, { module, path }: Program): Promise<number> {
  const port = findFreePort();
  const startedAt = performance.now();
  const child = new Deno.Command(deno, {
    args: [
      ...["run", "-A", "--no-check", "--no-lock", "--config", join(root, "deno.json")],
      ...["tests/bench/serve_on_port.ts", module],
    ],
    cwd: root,
    env: {
      ...functionEnvironment,
      SUPABASE_URL: "http://127.0.0.1:9",
      PORT: String(port),
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await waitForRefusal(`http://127.0.0.1:${port}${path}`, startedAt + maxStartMs);
    return performance.now() - startedAt;
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

async function waitForRefusal(url: string, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const response = await fetch(url, { method: "POST" }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 401) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`${url} did not answer 401 within ${maxStartMs} ms`);
}

/** @returns the path of the bundle. */
async function bundle({ module }: Program, path: string): Promise<string> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--minify", "--no-lock", "--quiet", "--output", path, module],
    cwd: root,
    stdin: "null",
    stdout: "null",
  }).output();
  if (success) return path;
  throw new Error(`deno bundle ${module}: ${new TextDecoder().decode(stderr)}`);
}

async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path)).size;
}

/** Path of the Deno program, so that npx is not measured. */
async function findHostedDeno(): Promise<string | null> {
  const { success, stdout } = await new Deno.Command("npx", {
    args: ["--yes", `deno@${hostedVersion}`, "eval", "--no-lock", "console.log(Deno.execPath())"],
    stdin: "null",
    stderr: "null",
  }).output();
  return success ? new TextDecoder().decode(stdout).trim() : null;
}

async function makeFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await Deno.makeTempDir({ prefix: "messaging-bench-bundle-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
