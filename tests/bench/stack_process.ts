/** Runs `deno task start` in its own process on the bench's Postgres. */

import { fileURLToPath } from "node:url";
import type { BenchDatabase } from "./bench_server.ts";
import { readTaskArguments } from "../support/stack/task_arguments.ts";
import { findFreePort, startChild } from "./child_process.ts";
import { functionEnvironment } from "./function_environment.ts";

/** An instance that sends through the bench's provider double. */
export interface StackInstance {
  readonly instanceId: string;
  readonly clientToken: string;
}

export interface StackProcess extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
  /**
   * Creates instances with an always open window through admin-api.
   *
   * @param firstNumber where their numbers begin, for a second call on one stack.
   */
  createInstances(
    count: number,
    providerBaseUrl: string,
    firstNumber?: number,
  ): Promise<StackInstance[]>;
  /** POST send-message. @returns the response body. @throws for any status but 200. */
  send(instance: StackInstance, body: Readonly<Record<string, unknown>>): Promise<SendAnswer>;
}

export interface SendAnswer {
  readonly mode: string;
  readonly scheduledFor: string | null;
}

const repositoryFolder = fileURLToPath(new URL("../..", import.meta.url));
/** Fixed by supabase/seed.sql. */
const demoWorkspaceId = "d0000000-0000-4000-8000-000000000001";
const secretKey = functionEnvironment["SUPABASE_SECRET_KEY"] ?? "";

/**
 * Starts the stack and waits until it responds.
 *
 * @param folder the checkout to start. Default: this one.
 * @param options of the start. Default: none, which takes the direct transport.
 */
export async function startStackProcess(
  database: Pick<BenchDatabase, "url">,
  folder: string = repositoryFolder,
  options: readonly string[] = [],
): Promise<StackProcess> {
  const dataDir = await Deno.makeTempDir({ prefix: "messaging-bench-stack-" });
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = await startChild({
    args: [...readTaskArguments(folder, "start"), ...options],
    folder,
    environment: {
      SUPABASE_SECRET_KEY: secretKey,
      CREDENTIALS_KEYS: functionEnvironment["CREDENTIALS_KEYS"] ?? "",
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
    },
    healthUrl: `${origin}/health`,
  });
  return {
    origin,
    pid: child.pid,
    createInstances: (count, providerBaseUrl, firstNumber = 0) =>
      Promise.all(
        Array.from(
          { length: count },
          (_, n) => createInstance(origin, firstNumber + n, providerBaseUrl),
        ),
      ),
    send: (instance, body) => send(origin, instance, body),
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/**
 * Creates an instance of the double over admin-api.
 *
 * @param settings in place of those of an instance of Z-API.
 */
export async function createInstance(
  origin: string,
  number: number,
  baseUrl: string,
  workspaceId: string = demoWorkspaceId,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<StackInstance> {
  const headers = { apikey: secretKey };
  const instances = `${origin}/functions/v1/admin-api/instances`;
  const { instanceId } = await post<{ instanceId: string }>(instances, headers, {
    workspaceId,
    name: `Bench ${number}`,
    provider: "zapi",
    providerConfig: {
      baseUrl,
      gatewayInstanceId: `BENCH${number}`,
      token: `bench-token-${number}`,
      webhookSecret: "bench-webhook-secret-0123456789",
    },
    connectedPhone: String(5_511_900_000_000 + number),
    timeZone: "America/Sao_Paulo",
    sendWindow: { start: "00:00", end: "24:00", days: [1, 2, 3, 4, 5, 6, 7] },
    ...settings,
  });
  const { token } = await post<{ token: string }>(
    `${instances}/${instanceId}/tokens`,
    headers,
    { label: "bench" },
  );
  return { instanceId, clientToken: token };
}

/** Sends at once. @throws {Error} when the answer is not a success. */
export function send(
  origin: string,
  { instanceId, clientToken }: StackInstance,
  body: Readonly<Record<string, unknown>>,
): Promise<SendAnswer> {
  return post(`${origin}/functions/v1/send-message`, { "x-client-token": clientToken }, {
    instanceId,
    ...body,
  });
}

/** POSTs JSON. @throws {Error} with the response when it is not a success. */
export async function post<Answer>(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).pathname}: ${response.status} ${text}`);
  return JSON.parse(text);
}
