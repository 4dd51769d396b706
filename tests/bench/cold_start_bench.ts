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

const ours: Program = { module: "functions/send-message/index.ts", path: "/send-message" };
const bare: Program = { module: "tests/bench/bare_function.ts", path: "/bare" };

/** Measures the time from process start to first response, and the bundle size. */
export const coldStartBench: Bench = {
  name: "cold_start",
  title: "Cold start of send-message, to the first 401, against a bare function of its libraries",
  async run(context: BenchContext): Promise<void> {
    await using folder = await makeFolder();
    await compareStarts(context, `Deno ${Deno.version.deno}`, Deno.execPath(), [ours, bare]);
    const hosted = await findHostedDeno();
    if (hosted === null) {
      context.report.note(`Deno ${hostedVersion} could not be installed from npm`);
    } else await compareStarts(context, `Deno ${hostedVersion}`, hosted, [ours, bare]);

    const bundles = [
      { module: await bundle(ours, join(folder.path, "ours.js")), path: ours.path },
      { module: await bundle(bare, join(folder.path, "bare.js")), path: bare.path },
    ] as const;
    const [over, under] = await Promise.all(bundles.map(({ module }) => sizeOf(module)));
    context.report.comparison({
      what: "bundle, minified",
      over: [over ?? Number.NaN],
      under: [under ?? Number.NaN],
      names: ["send-message", "bare function"],
      unit: "bytes",
      bar: { kind: "at most", value: 1.3 },
    });
    await compareStarts(context, "bundled", Deno.execPath(), bundles, false);
  },
};

async function compareStarts(
  { sizes, report }: BenchContext,
  title: string,
  deno: string,
  [over, under]: readonly [Program, Program],
  isJudged = true,
): Promise<void> {
  const measured = await alternate(sizes.starts, {
    ours: () => measureStart(deno, over),
    bare: () => measureStart(deno, under),
  });
  report.comparison({
    what: `start, ${title}`,
    over: measured.ours,
    under: measured.bare,
    names: ["send-message", "bare function"],
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
