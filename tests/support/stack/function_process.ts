/** Runs a function's unmodified `index.ts` in its own process, which a test may kill. */

import { fileURLToPath } from "node:url";
import { testCredentialsKey } from "../fixtures/tenant.ts";
import { waitUntil } from "../wait_until.ts";

export interface FunctionProcessOptions {
  /** The function's folder. */
  readonly slug: string;
  readonly databaseUrl: string;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface FunctionProcess extends AsyncDisposable {
  /** Base URL; the path follows after the function's name. */
  readonly url: string;
  /** Kills the process and waits for its end. */
  kill(): Promise<void>;
}

export const secretKey = "sb_secret_of_the_fault_tests_0123456789";
const root = fileURLToPath(new URL("../../..", import.meta.url));
const startTimeoutMs = 60_000;

/** A complete environment whose addresses lead nowhere. An empty variable counts as unset. */
const environment: Readonly<Record<string, string>> = {
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
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", `functions/${options.slug}/index.ts`],
    cwd: root,
    env: {
      ...environment,
      DATABASE_URL: options.databaseUrl,
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
      ...options.environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    const decoder = new TextDecoder();
    for await (const part of stream) {
      output = (output + decoder.decode(part, { stream: true })).slice(-4_000);
    }
  });
  let hasEnded = false;
  const ended = Promise.all([child.status, ...reading]).then(() => {
    hasEnded = true;
  });
  const kill = async (): Promise<void> => {
    if (!hasEnded) child.kill("SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${port}/${options.slug}`;
  try {
    await waitUntil(() => hasEnded || answers(url), {
      timeoutMs: startTimeoutMs,
      what: options.slug,
    });
    if (hasEnded) throw new Error(`${options.slug} has ended:\n${output}`);
  } catch (error) {
    await kill();
    throw error;
  }
  return { url, kill, [Symbol.asyncDispose]: kill };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.body?.cancel();
  return true;
}

function findFreePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
