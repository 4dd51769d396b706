/** The admin API over a database of its own, called as a holder of the secret key would. */

import { callApp } from "../../support/stack/app_calls.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { createAdminApp } from "../../../functions/admin-api/app.ts";
import {
  createCredentialVault,
  type CredentialVault,
} from "../../../shared/crypto/credential_vault.ts";
import { fetchFile, fetchTimeouts } from "../../../shared/media/fetch_file.ts";
import { HostResolution } from "../../../shared/runtime/host_resolution.ts";
import { createMemoryStorage, type MemoryStorage } from "../../support/doubles/memory_storage.ts";
import type { Database } from "../../../shared/database/database.ts";
import { openDirectDatabase } from "../../../shared/database/direct_database.ts";
import { assertEquals } from "../../support/assert.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";

const openHosts = { allowsPrivateHosts: true, hosts: new HostResolution() };

export const secretKey = "sb_secret_admin_0123456789";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
export type Body = any;

export interface AdminAnswer {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AdminClientOptions {
  /** Time limit of a call to a provider. Default 20,000, as in the product. */
  readonly providerTimeoutMs?: number;
  /** The page that connects a phone; null where the platform serves no HTML. */
  readonly connectPageUrl?: string | null;
}

export interface AdminClient extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly rpc: Database["rpc"];
  readonly vault: CredentialVault;
  /** The files of uploads. */
  readonly storage: MemoryStorage;
  /** What the API wrote to its log, one JSON text a line. */
  readonly logLines: readonly string[];
  call(method: string, path: string, options?: CallOptions): Promise<AdminAnswer>;
  /** POST that must create; gives the response body. */
  create(path: string, body: unknown): Promise<Body>;
}

/** Use `await using`: it closes the connections and drops the database. */
export async function createAdminClient(
  {
    providerTimeoutMs = 20_000,
    connectPageUrl = "https://api.example.com/functions/v1/connect",
  }: AdminClientOptions = {},
): Promise<AdminClient> {
  const database = await createTestDatabase();
  const direct = openDirectDatabase(database.url);
  const vault = createCredentialVault(btoa("k".repeat(32)));
  const logLines: string[] = [];
  const write = (event: string, fields: object): void => {
    logLines.push(JSON.stringify({ event, ...fields }));
  };
  const log = { info: write, error: write };
  const secretKeys = { default: secretKey };
  const storage = createMemoryStorage();
  const app = createAdminApp({
    database: direct,
    vault,
    registry,
    secretKeys,
    providerTimeoutMs,
    connectPageUrl,
    functionsUrl: "https://api.example.com/functions/v1",
    storage,
    fetchSample: (url) => fetchFile({ url }, { ...fetchTimeouts, ...openHosts }),
    log,
  });

  const call = async (
    method: string,
    path: string,
    { body, headers }: CallOptions = {},
  ): Promise<AdminAnswer> => {
    const response = await callApp(app, `/admin-api${path}`, {
      method,
      headers: { apikey: secretKey, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
  };
  return {
    database,
    rpc: direct.rpc,
    vault,
    storage,
    logLines,
    call,
    async create(path: string, body: unknown): Promise<Body> {
      const answer = await call("POST", path, { body });
      assertEquals({ status: answer.status, success: answer.body.success, path }, {
        status: 201,
        success: true,
        path,
      }, answer.text);
      return answer.body;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await direct.close();
      await database.drop();
    },
  };
}

/** The fields of `issues` alone. */
export function issuePaths(answer: AdminAnswer): string[] {
  return (answer.body.issues ?? []).map((issue: { path: string }) => issue.path).sort();
}

/** A new workspace's id. */
export async function createWorkspace(client: AdminClient): Promise<string> {
  return (await client.create("/workspaces", { name: "Clínica" })).workspaceId;
}

/** A valid request for a new instance at Z-API; its secrets begin with `secret-`. */
export function instanceRequest(workspaceId: string): Record<string, unknown> {
  return {
    workspaceId,
    name: "Recepção",
    provider: "zapi",
    providerConfig: {
      gatewayInstanceId: `3C-${crypto.randomUUID().slice(0, 8)}`,
      token: "secret-token",
      clientToken: "secret-client-token",
      webhookSecret: "secret-webhook-of-the-tests",
    },
    connectedPhone: "551188887777",
    timeZone: "America/Sao_Paulo",
  };
}

/** A new instance's id. */
export async function createInstance(client: AdminClient, workspaceId?: string): Promise<string> {
  const owner = workspaceId ?? await createWorkspace(client);
  return (await client.create("/instances", instanceRequest(owner))).instanceId;
}

/** How many rows a table has. */
export async function countRows(client: AdminClient, table: string): Promise<number> {
  const [row] = await client.database.admin`
    select count(*)::int as count from messaging.${client.database.admin(table)}`;
  return row?.["count"];
}
