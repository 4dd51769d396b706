/**
 * `deno task check:hosted [--uploads <folder>] [--no-types] [slug ...]`: type-checks every function under the
 * hosted runtime's version of Deno, starts its unmodified `index.ts` there with the platform's
 * environment, and sends it requests that need no database: a preflight, an unknown path, a call
 * without a credential. `--uploads <folder>` checks trees rebuilt from uploads, `<folder>/<slug>` each.
 * `--no-types` starts the functions without checking types, which takes most of the time.
 */

import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { providerKinds } from "../../shared/model/provider_kind.ts";
import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";

/** The hosted runtime is compatible with this version, not with newer ones. */
const hostedVersion = "2.1.4";

const { values: { uploads, "no-types": skipsTypes }, positionals } = parseArgs({
  args: Deno.args,
  options: { uploads: { type: "string" }, "no-types": { type: "boolean" } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const runtime = fileURLToPath(new URL("hosted_runtime.ts", import.meta.url));
const fetchTimeoutMs = 120_000;
const checkTimeoutMs = 600_000;
const startTimeoutMs = 60_000;
const answerTimeoutMs = 60_000;
const maxConcurrentChecks = 4;

/** Turns off colours and the compiler's stack traces. */
const plainOutput = { NO_COLOR: "1", RUST_BACKTRACE: "0" };

/** A request that a function rejects without a database query. */
interface Refusal {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * Functions whose rejected request is not a POST without a credential to the function's own path.
 */
const refusals: Readonly<Record<string, Refusal>> = {
  "admin-api": { method: "GET", path: "/workspaces", status: 401 },
  "api-docs": { method: "POST", path: "", status: 405 },
  "batches-api": { method: "GET", path: "/batches", status: 401 },
  "connect": { method: "POST", path: "", status: 405 },
  "contacts-api": { method: "POST", path: "/create", status: 401 },
  "conversations-api": { method: "POST", path: "/status", status: 401 },
  "events-api": { method: "GET", path: "/events", status: 401 },
  "media-api": { method: "POST", path: "/media", status: 401 },
  "messages-api": { method: "GET", path: "/queue", status: 401 },
  "messages-context": { method: "GET", path: "", status: 401 },
  "metrics": { method: "GET", path: "", status: 401 },
  "provider-webhook": { method: "PUT", path: `/${providerKinds[0]}/unknown`, status: 405 },
  "sanitize-phone-number": { method: "GET", path: "", status: 405 },
};

async function main(wanted: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const slugs = (await listFunctions()).filter((slug) =>
    wanted.length === 0 || wanted.includes(slug)
  );
  if (slugs.length === 0) return report(["no such function"]);
  const deno = await findHostedDeno();
  if (deno === undefined) {
    return report([
      `Deno ${hostedVersion} could not be installed: \`npx --yes deno@${hostedVersion}\` needs Node and the npm registry`,
    ]);
  }
  const typeErrors = await checkTypes(deno, slugs);
  if (typeErrors !== undefined) return report([typeErrors]);
  const failures = (await checkAll(deno, slugs)).filter((failure) => failure !== undefined);
  if (failures.length > 0) return report(failures);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  print(
    `${slugs.length} functions type-check, start and respond under Deno ${hostedVersion} (${seconds} s)`,
  );
  return 0;
}

function report(failures: readonly string[]): number {
  for (const failure of failures) print(failure);
  print(`check:hosted failed: ${failures.length}`);
  return 1;
}

async function listFunctions(): Promise<string[]> {
  const slugs: string[] = [];
  for await (const entry of Deno.readDir(uploads ?? join(root, "functions"))) {
    if (entry.isDirectory) slugs.push(entry.name);
  }
  return slugs.sort();
}

/**
 * Finds the path of the binary itself. npx starts it as a child process, and only the binary's own
 * process id can end it.
 */
async function findHostedDeno(): Promise<string | undefined> {
  const where = ["eval", "--no-config", "--no-lock", "console.log(Deno.execPath())"];
  const args = ["--yes", `deno@${hostedVersion}`, ...where];
  const { success, output } = await run("npx", args, {}, fetchTimeoutMs);
  const path = output.trim().split("\n").at(-1)?.trim() ?? "";
  return success && basename(path).startsWith("deno") ? path : undefined;
}

/**
 * Checks types, or only loads every module into Deno's cache, from which the functions then start.
 *
 * @returns the output of Deno, undefined where it succeeds.
 */
async function checkTypes(deno: string, slugs: readonly string[]): Promise<string | undefined> {
  // Uploads need the packages of the checkout. Each then starts from its own files and import map.
  if (uploads === undefined || skipsTypes === true) return await checkTree(deno, root, slugs);
  for (const slug of slugs) {
    const errors = await checkTree(deno, treeOf(slug), [slug]);
    if (errors !== undefined) return errors;
  }
  return undefined;
}

async function checkTree(
  deno: string,
  tree: string,
  slugs: readonly string[],
): Promise<string | undefined> {
  const args = [
    skipsTypes === true ? "cache" : "check",
    "--quiet",
    ...asUploaded(tree),
    ...slugs.map((slug) => entrypointIn(tree, slug)),
  ];
  const first = await run(deno, args, {}, checkTimeoutMs);
  if (first.success) return undefined;
  // Behind a proxy with its own certificates, downloads need the system's certificate store.
  const second = await run(deno, args, { DENO_TLS_CA_STORE: "system" }, checkTimeoutMs);
  return second.success ? undefined : second.output;
}

async function checkAll(
  deno: string,
  slugs: readonly string[],
): Promise<(string | undefined)[]> {
  const results: (string | undefined)[] = [];
  const waiting = [...slugs];
  const work = async (): Promise<void> => {
    for (let slug = waiting.shift(); slug !== undefined; slug = waiting.shift()) {
      results.push(await checkFunction(deno, slug));
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentChecks }, work));
  return results;
}

/** @returns a description of the failure, undefined where the function passes. */
async function checkFunction(deno: string, slug: string): Promise<string | undefined> {
  const child = new Deno.Command(deno, {
    args: [
      ...["run", "--no-check", "--cached-only", "--no-prompt", ...asUploaded(treeOf(slug))],
      ...[
        "--allow-net",
        "--allow-env",
        `--allow-read=${treeOf(slug)}`,
        runtime,
        pathToFileURL(entrypointOf(slug)).href,
      ],
    ],
    clearEnv: true,
    env: {
      ...readEnvironment("PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME"),
      ...platform,
      ...plainOutput,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => end(child), startTimeoutMs);
  const errors = new Response(child.stderr).text();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const port = await readPort(output);
    if (port === undefined) return `${slug} does not start:\n${await errors}`;
    const faults = await askFunction(`http://127.0.0.1:${port}`, slug);
    return faults.length === 0 ? undefined : `${slug}: ${faults.join("; ")}`;
  } catch (error) {
    end(child);
    const why = error instanceof Error ? error.message : String(error);
    return `${slug} does not respond: ${why}\n${await errors}`;
  } finally {
    clearTimeout(timer);
    end(child);
    while (!(await output.read()).done);
    await errors;
    await child.status;
  }
}

async function readPort(output: ReadableStreamDefaultReader<string>): Promise<string | undefined> {
  let text = "";
  for (;;) {
    const { value, done } = await output.read();
    if (done) return undefined;
    text += value;
    const port = /^listening on (\d+)$/m.exec(text)?.[1];
    if (port !== undefined) return port;
  }
}

async function askFunction(origin: string, slug: string): Promise<string[]> {
  const refusal = refusals[slug] ?? { method: "POST", path: "", status: 401 };
  const unknown = { method: "GET", path: "/there/is/nothing/at/this/path", status: 404 };
  const faults: string[] = [];
  for (const { method, path, status } of [unknown, refusal]) {
    const response = await ask(`${origin}/${slug}${path}`, { method });
    const { success }: { success?: unknown } = await response.json();
    if (response.status !== status || success !== false) {
      faults.push(`${method} /${slug}${path} returns ${response.status} instead of ${status}`);
    }
    if (!response.headers.has("x-request-id")) faults.push(`${method} has no X-Request-Id`);
  }
  const preflight = await ask(`${origin}/${slug}`, {
    method: "OPTIONS",
    headers: { "origin": "https://example.com", "access-control-request-method": "POST" },
  });
  await preflight.body?.cancel();
  const allows = preflight.headers.has("access-control-allow-origin");
  if (allows !== allowsCrossOrigin(slug)) {
    faults.push(`the preflight returns ${preflight.status} ${allows ? "with" : "without"} CORS`);
  }
  return faults;
}

function ask(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(answerTimeoutMs) });
}

/**
 * The environment of a function on the platform: the project's variables and the required secrets.
 */
const platform: Readonly<Record<string, string>> = {
  SUPABASE_URL: "http://127.0.0.1:9",
  SUPABASE_SECRET_KEYS: JSON.stringify({ default: "sb_secret_check_hosted_0000000000" }),
  CREDENTIALS_KEYS: btoa("0".repeat(32)),
  RESEND_API_KEY: "re_check_hosted",
  EMAIL_FROM: "Atendimento <atendimento@example.com>",
  PANEL_BASE_URL: "https://panel.example.com",
  AI_BASE_URL: "https://ai.example.com/v1",
  AI_API_KEY: "sk-check-hosted",
};

/** The platform has only the import map: neither deno.json nor a lock file. */
function asUploaded(tree: string): string[] {
  return ["--no-config", "--no-lock", `--import-map=${join(tree, "import_map.json")}`];
}

/** The folder with a function and everything that it imports. */
function treeOf(slug: string): string {
  return uploads === undefined ? root : join(uploads, slug);
}

function entrypointOf(slug: string): string {
  return entrypointIn(treeOf(slug), slug);
}

function entrypointIn(tree: string, slug: string): string {
  return join(tree, "functions", slug, "index.ts");
}

function readEnvironment(...names: string[]): Record<string, string> {
  const pairs = names.map((name) => [name, Deno.env.get(name)]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  timeoutMs: number,
): Promise<{ readonly success: boolean; readonly output: string }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { args: [...args], cwd: root, env: { ...plainOutput, ...env }, signal };
  try {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      ...options,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { success, output: success ? decoder.decode(stdout) : decoder.decode(stderr) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { success: false, output: `${command} is not installed` };
  }
}

/** Kills the process by its id. It has nothing to clean up. */
function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) Deno.exit(await main(positionals));
