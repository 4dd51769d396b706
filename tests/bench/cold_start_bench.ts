import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { Bench, BenchContext } from "./bench.ts";
import { findFreePort } from "./child_process.ts";
import { functionEnvironment } from "./function_environment.ts";
import { canReadCpu, readProcessCpuSeconds } from "./process_cpu.ts";
import { alternate } from "./rounds.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hostedVersion = "2.1.4";
const maxStartMs = 20_000;

/** A function to start: its module, and a call that it refuses without a database. */
interface Program {
  readonly module: string;
  readonly path: string;
  /** Default: POST. */
  readonly method?: string;
  /** Default: 401. */
  readonly status?: number;
}

/** A function, and the smallest one with its libraries. */
interface Pair {
  readonly name: string;
  readonly ours: Program;
  readonly bare: Program;
  /** The most that its start may take of the bare one's. */
  readonly bar: number;
}

const bareFunction: Program = { module: "tests/bench/bare_function.ts", path: "/bare" };

const pairs: readonly Pair[] = [
  {
    name: "send-message",
    ours: { module: "functions/send-message/index.ts", path: "/send-message" },
    bare: bareFunction,
    bar: 1.15,
  },
  {
    name: "mcp",
    ours: { module: "functions/mcp/index.ts", path: "/mcp" },
    bare: { module: "tests/bench/bare_mcp_function.ts", path: "/mcp" },
    bar: 1.3,
  },
];

/** The other functions, with the call that each refuses: their starts are shown, and have no bar. */
const others: Readonly<Record<string, Omit<Program, "module">>> = {
  "admin-api": { path: "/workspaces", method: "GET" },
  "api-docs": { path: "", status: 405 },
  "batches-api": { path: "/batches", method: "GET" },
  "connect": { path: "", status: 405 },
  "contacts-api": { path: "/create" },
  "conversations-api": { path: "/status" },
  "dispatch-queue": { path: "" },
  "events-api": { path: "/events", method: "GET" },
  "media-api": { path: "/media" },
  "messages-api": { path: "/queue", method: "GET" },
  "messages-context": { path: "", method: "GET" },
  "metrics": { path: "", method: "GET" },
  "process-ai-agent": { path: "" },
  "provider-webhook": { path: "/zapi/unknown", method: "PUT", status: 405 },
  "sanitize-phone-number": { path: "", method: "GET", status: 405 },
  "send-template-message": { path: "" },
};

/**
 * Measures processor time from process start to first response (elapsed time where the system does not tell
 * it), and the bundle size.
 */
export const coldStartBench: Bench = {
  name: "cold_start",
  title: "Cold start of every function, to its first refusal, against bare functions",
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
    for (const [name, call] of Object.entries(others)) {
      const ours = { ...call, module: `functions/${name}/index.ts`, path: `/${name}${call.path}` };
      const pair = { name, ours, bare: bareFunction };
      await compareStarts(context, `Deno ${Deno.version.deno}`, Deno.execPath(), pair);
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
  await compareStarts(context, "bundled", Deno.execPath(), bundled);
}

async function compareStarts(
  { sizes, report }: BenchContext,
  title: string,
  deno: string,
  { name, ours, bare, bar }: Omit<Pair, "bar"> & Partial<Pair>,
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
    ...(bar === undefined ? {} : { bar: { kind: "at most", value: bar } }),
  });
}

/** Milliseconds from process start to the first refusal: of processor time, else elapsed. */
async function measureStart(deno: string, program: Program): Promise<number> {
  const port = findFreePort();
  const startedAt = performance.now();
  const child = new Deno.Command(deno, {
    args: [
      ...["run", "-A", "--no-check", "--no-lock", "--config", join(root, "deno.json")],
      ...["tests/bench/serve_on_port.ts", program.module],
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
    await waitForRefusal(`http://127.0.0.1:${port}`, program, startedAt + maxStartMs);
    return canReadCpu
      ? await readProcessCpuSeconds(child.pid) * 1_000
      : performance.now() - startedAt;
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

async function waitForRefusal(
  address: string,
  { path, method = "POST", status = 401 }: Program,
  deadline: number,
): Promise<void> {
  const url = `${address}${path}`;
  while (performance.now() < deadline) {
    const response = await fetch(url, { method }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`${url} did not answer ${status} within ${maxStartMs} ms`);
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
