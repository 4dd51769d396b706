/** Runs the local stack in its own process, as a user at a terminal starts it. */

import { fileURLToPath } from "node:url";
import { waitUntil } from "../wait_until.ts";
import { findFreePort } from "../free_port.ts";
import { readTaskArguments } from "./task_arguments.ts";

export interface LocalStackOptions {
  /** Data folder: the demo's token, and the embedded database without a `databaseUrl`. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  /** Default: a free port. */
  readonly port?: number;
  readonly usesDataApi?: boolean;
  /** Limit of open files and connections. Default: this process's limit. */
  readonly maxOpenFiles?: number;
  /** Folder of the checkout that is started. Default: this one. */
  readonly root?: string;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The process; it may still be starting or have ended. */
export interface LocalStackProcess extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Its output so far. */
  output(): string;
  signal(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
  /** Resolves to the exit code once it has ended and its output is read. */
  ended(): Promise<number>;
}

/** What an API caller knows of an instance. */
export interface StackInstance {
  readonly instanceId: string;
  readonly token: string;
}

export interface LocalStack extends LocalStackProcess {
  /** Calls admin-api; the call must succeed. */
  administer(path: string, body: Readonly<Record<string, unknown>>): Promise<StackAnswer["body"]>;
  createInstance(settings: Readonly<Record<string, unknown>>): Promise<StackInstance>;
  /** Calls a function with an instance's token. The path starts with the function's name. */
  call(
    instance: StackInstance,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<StackAnswer>;
  /** The simulator's records of one kind, newest last. */
  readSimulator(path: string): Promise<SimulatorRecord[]>;
}

export interface StackAnswer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

// deno-lint-ignore no-explicit-any -- as above
export type SimulatorRecord = Record<string, any>;

export const secretKey = "sb_secret_of_the_end_to_end_tests";
const startTimeoutMs = 180_000;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Starts the process without waiting. */
export function spawnLocalStack(options: LocalStackOptions): LocalStackProcess {
  const port = options.port ?? findFreePort();
  const limitFiles = options.maxOpenFiles === undefined ? "" : `ulimit -n ${options.maxOpenFiles};`;
  const child = new Deno.Command("sh", {
    args: [
      ...["-c", `${limitFiles} exec "$@"`, "sh", Deno.execPath()],
      ...readTaskArguments(options.root ?? root, "start"),
      ...(options.usesDataApi === true ? ["--data-api"] : []),
    ],
    cwd: options.root ?? root,
    env: {
      NO_COLOR: "1",
      PORT: String(port),
      DATA_DIR: options.dataDir,
      SUPABASE_SECRET_KEY: secretKey,
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      ...options.environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  });
  const ended = Promise.all([child.status, ...reading]).then(([status]) => status.code);
  let isOver = false;
  ended.then(() => isOver = true);
  const signal: LocalStackProcess["signal"] = (name) => {
    if (!isOver) child.kill(name);
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    output: () => text,
    signal,
    ended: () => ended,
    [Symbol.asyncDispose]: async () => {
      signal("SIGINT");
      // Above the 20 s that the stack gives its requests. Killed, it leaves its database running.
      const timer = setTimeout(() => signal("SIGKILL"), 120_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Starts a stack and waits until it is healthy. Disposing stops it as Ctrl-C does.
 *
 * @throws {Error} with its output, when it exits instead.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const stack = spawnLocalStack(options);
  try {
    await untilHealthy(stack);
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
  const administer: LocalStack["administer"] = async (path, body) => {
    // A stack that has just lost its database refuses what it would not record.
    const answer = await waitUntil(async () => {
      const tried = await post(`${stack.origin}/functions/v1/admin-api/${path}`, body, {
        apikey: secretKey,
      });
      return tried.status === 503 ? undefined : tried;
    }, { what: `an answer of ${path}` });
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  return {
    ...stack,
    administer,
    createInstance: async (settings) => {
      const { instanceId } = await administer("instances", { ...ordinaryInstance, ...settings });
      const { token } = await administer(`instances/${instanceId}/tokens`, {});
      return { instanceId, token };
    },
    call: ({ token }, path, body, headers = {}) => {
      const url = `${stack.origin}/functions/v1/${path}`;
      return body === undefined
        ? read(fetch(url, { headers: { "x-client-token": token, ...headers } }))
        : post(url, body, { "x-client-token": token, ...headers });
    },
    readSimulator: async (path) => {
      const { body } = await read(fetch(`${stack.origin}/simulator/${path}`));
      return body.items;
    },
  };
}

/** Open at any hour, so that no test depends on the time of day. */
const ordinaryInstance = {
  name: "Loja",
  connectedPhone: "551140001234",
  timeZone: "America/Sao_Paulo",
  sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] },
};

async function untilHealthy(stack: LocalStackProcess): Promise<void> {
  let hasEnded = false;
  stack.ended().then(() => hasEnded = true);
  const isHealthy = await waitUntil(async () => {
    if (hasEnded) return "ended";
    const response = await fetch(`${stack.origin}/health`);
    await response.body?.cancel();
    return response.ok;
  }, { timeoutMs: startTimeoutMs, intervalMs: 50, what: "a healthy stack" });
  if (isHealthy === "ended") throw new Error(`the stack ended:\n${stack.output()}`);
}

function post(url: string, body: unknown, headers: Record<string, string>): Promise<StackAnswer> {
  return read(fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    // A streamed body prevents the runtime from resending the request when the stack is killed.
    body: new Blob([JSON.stringify(body)]),
  }));
}

async function read(fetched: Promise<Response>): Promise<StackAnswer> {
  const response = await fetched;
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

/** A temporary folder that root's Postgres user can enter. Disposing removes it. */
export async function makeTemporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "messaging-stack-" });
  await Deno.chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
