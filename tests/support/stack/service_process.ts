/** All functions of one checkout in a process of their own, and what callers of the API do with them. */

import { fileURLToPath } from "node:url";
import { join } from "node:path";
import {
  environment,
  type FunctionProcess,
  secretKey,
  startServerProcess,
} from "./function_process.ts";
import { findFreePort } from "../free_port.ts";

/** What to serve. */
export interface ServiceOptions {
  /** Folder of the checkout: this one, or an earlier release's. */
  readonly root: string;
  readonly databaseUrl: string;
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A response with its parsed body. */
export interface ServiceAnswer {
  readonly status: number;
  readonly isReplay: boolean;
  // deno-lint-ignore no-explicit-any -- tests assert on whatever the API answers
  readonly body: any;
}

/** A request: its method, headers and JSON body. POST where it has a body. */
export interface ServiceRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What callers do with a service. */
export interface ServiceCalls {
  /** Calls a function. The path starts with its name. */
  call(path: string, request?: ServiceRequest): Promise<ServiceAnswer>;
  /** Calls admin-api. @returns the body. @throws {Error} when the call fails. */
  administer(
    path: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<ServiceAnswer["body"]>;
}

/** A running service. */
export interface ServiceProcess extends FunctionProcess, ServiceCalls {}

/** This checkout's folder. */
export const ownRoot = fileURLToPath(new URL("../../..", import.meta.url));
const script = fileURLToPath(new URL("serve_functions.ts", import.meta.url));

/** Starts the functions. Disposing kills the process. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { root, databaseUrl } = options;
  const port = findFreePort();
  const process = await startServerProcess({
    args: ["--config", join(root, "deno.json"), script, root],
    cwd: root,
    env: {
      ...environment,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      ...options.environment,
    },
    url: `http://127.0.0.1:${port}/functions/v1`,
  });
  return { ...process, ...openCalls(process.url) };
}

/** Calls the service whose functions are at `url`: `http://127.0.0.1:8000/functions/v1`. */
export function openCalls(url: string): ServiceCalls {
  const call: ServiceCalls["call"] = (path, request) => callService(`${url}/${path}`, request);
  return {
    call,
    administer: async (path, body) => {
      const answer = await call(`admin-api/${path}`, { headers: { apikey: secretKey }, body });
      if (answer.body?.success !== true) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer.body;
    },
  };
}

async function callService(url: string, request: ServiceRequest = {}): Promise<ServiceAnswer> {
  const { body, method = body === undefined ? "GET" : "POST", headers = {} } = request;
  const response = await fetch(url, {
    method,
    // A redirection is an answer, which may lead out of the test's service.
    redirect: "manual",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    // A streamed body prevents the runtime from resending the request when the process is killed.
    ...(body === undefined ? {} : { body: new Blob([JSON.stringify(body)]) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    isReplay: response.headers.get("idempotent-replayed") === "true",
    body: isJson ? JSON.parse(text) : text,
  };
}
