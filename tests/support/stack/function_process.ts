/** Runs a function's unmodified `index.ts`, or another server, in its own process, which a test may kill. */

import { fileURLToPath } from "node:url";
import type { DispatchReport } from "../../../functions/dispatch-queue/dispatch.ts";
import { testCredentialsKey } from "../fixtures/tenant.ts";
import { readFaultSettings } from "../faults/settings.ts";
import { startDataApiServer } from "./data_api_server.ts";
import { waitUntil } from "../wait_until.ts";
import { findFreePort } from "../free_port.ts";

export interface FunctionProcessOptions {
  /** The function's folder. */
  readonly slug: string;
  readonly databaseUrl: string;
  /** Whether it reaches the database over the Data API. Default: as the tests' `--dataApi` says. */
  readonly usesDataApi?: boolean;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface FunctionProcess extends AsyncDisposable {
  /** Base URL; the path follows after the function's name. */
  readonly url: string;
  /** Kills the process and waits for its end. */
  kill(): Promise<void>;
  /** Asks the process to end, and waits for its end. */
  terminate(): Promise<void>;
  /** What its runs of the dispatcher have done, as they told in the log when they ended. */
  readonly runs: readonly DispatchReport[];
}

export const secretKey = "sb_secret_of_the_fault_tests_0123456789";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const startTimeoutMs = 180_000;

/** A complete environment whose addresses lead nowhere. An empty variable counts as unset. */
export const environment: Readonly<Record<string, string>> = {
  SUPABASE_URL: "",
  SUPABASE_SECRET_KEYS: "",
  SUPABASE_SECRET_KEY: secretKey,
  CREDENTIALS_KEYS: testCredentialsKey,
  RESEND_API_KEY: "re_test",
  RESEND_BASE_URL: "http://127.0.0.1:9",
  EMAIL_FROM: "API <api@example.com>",
  PANEL_BASE_URL: "https://panel.example.com",
  AI_BASE_URL: "http://127.0.0.1:9/v1",
  AI_API_KEY: "sk-test",
};

/**
 * Starts a function and waits until it responds. Disposing kills it.
 *
 * @throws {Error} with its output, when it exits instead.
 */
export async function startFunctionProcess(
  options: FunctionProcessOptions,
): Promise<FunctionProcess> {
  const port = findFreePort();
  const { usesDataApi = readFaultSettings().dataApi === 1, databaseUrl } = options;
  await using cleanup = new AsyncDisposableStack();
  const dataApi = usesDataApi ? cleanup.use(startDataApiServer(databaseUrl, secretKey)) : null;
  const server = cleanup.use(
    await startServerProcess({
      args: [`functions/${options.slug}/index.ts`],
      cwd: root,
      env: {
        ...environment,
        DATABASE_URL: databaseUrl,
        ...(dataApi === null ? {} : { SUPABASE_URL: dataApi.url }),
        DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
        ...options.environment,
      },
      url: `http://127.0.0.1:${port}/${options.slug}`,
    }),
  );
  const parts = cleanup.move();
  return {
    ...server,
    kill: () => parts.disposeAsync(),
    terminate: async () => {
      await server.terminate();
      await parts.disposeAsync();
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A program that listens. */
export interface ServerProgram {
  /** After `deno run -A`. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers as soon as the program listens. */
  readonly url: string;
}

/** Starts a program and waits until it answers. @throws {Error} with its output, when it exits instead. */
export async function startServerProcess(program: ServerProgram): Promise<FunctionProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", "--lock=deno.lock", ...program.args],
    cwd: program.cwd,
    env: program.env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const runs: DispatchReport[] = [];
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    let line = "";
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      output = (output + part).slice(-4_000);
      const lines = (line + part).split("\n");
      line = lines.pop() ?? "";
      runs.push(...lines.filter(isRun).map((text): DispatchReport => JSON.parse(text)));
    }
  });
  let hasEnded = false;
  const ended = Promise.all([child.status, ...reading]).then(() => {
    hasEnded = true;
  });
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (!hasEnded) child.kill(signal);
    await ended;
  };
  const kill = (): Promise<void> => end("SIGKILL");
  const { url } = program;
  try {
    await waitUntil(() => hasEnded || answers(url), { timeoutMs: startTimeoutMs, what: url });
    if (hasEnded) throw new Error(`${program.args.join(" ")} has ended:\n${output}`);
  } catch (error) {
    await kill();
    throw error;
  }
  return { url, runs, kill, terminate: () => end("SIGTERM"), [Symbol.asyncDispose]: kill };
}

function isRun(line: string): boolean {
  return line.startsWith("{") && line.includes('"event":"dispatch_completed"');
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.body?.cancel();
  return true;
}
