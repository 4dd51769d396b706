/** connect beside admin-api, over one database and the simulated gateways. */

import type { Hono } from "hono";
import { createConnectApp } from "../../../functions/connect/app.ts";
import { createProviderOpener } from "../../../shared/providers/open_provider.ts";
import { registry } from "../../../shared/providers/registry.ts";
import { assertEquals } from "../../support/assert.ts";
import { callApp } from "../../support/stack/app_calls.ts";
import { type AdminClient, createAdminClient, createWorkspace } from "../admin_api/admin_client.ts";
import { type SimulatorServer, startSimulator } from "../simulator/simulator_server.ts";

// deno-lint-ignore no-explicit-any -- tests look into bodies whose shape is what they assert
type Body = any;

/** The number of the instances, in another spelling than a phone's session tells it. */
export const ownPhone = "5511988887777";
const secret = "a-secret-of-32-characters-or-more";

export interface Answer {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** A link and the instance whose phone it connects, which is not connected. */
export interface LinkedInstance {
  readonly instanceId: string;
  readonly provider: string;
  readonly name: string;
  readonly linkId: string;
  readonly url: string;
  readonly token: string;
}

export interface ConnectClient extends AsyncDisposable {
  readonly admin: AdminClient;
  readonly simulator: SimulatorServer;
  readonly app: Hono;
  /** Of connect. */
  readonly logLines: readonly string[];
  /** POSTs to connect. */
  post(path: string, body: Body): Promise<Answer>;
  createLink(provider: string, request?: Body): Promise<LinkedInstance>;
  /** The instance's events about itself, oldest first, with their data. */
  eventsOf(instanceId: string): Promise<readonly (readonly [string, Body])[]>;
  /** A phone scans or types a code, or the one that is shown. */
  pair(link: LinkedInstance, phone: string, code?: string): Promise<number>;
}

export async function createConnectClient(
  { now, functionsUrl = "https://api.example.com/functions/v1" }: {
    readonly now?: () => Date;
    readonly functionsUrl?: string;
  } = {},
): Promise<ConnectClient> {
  const admin = await createAdminClient({ connectPageUrl: `${functionsUrl}/connect` });
  const simulator = startSimulator(now === undefined ? {} : { now });
  const logLines: string[] = [];
  const write = (event: string, fields: object): void =>
    void logLines.push(JSON.stringify({ event, ...fields }));
  const app = await createConnectApp({
    database: { rpc: admin.rpc, close: () => Promise.resolve() },
    vault: admin.vault,
    registry,
    openProvider: createProviderOpener(admin.vault),
    functionsUrl,
    providerTimeoutMs: 5_000,
    log: { info: write, error: write },
  });
  const pair: ConnectClient["pair"] = async ({ provider, name }, phone, code) => {
    const pairing = { provider, instance: name, phone, ...(code === undefined ? {} : { code }) };
    return (await simulator.post("/pairings", pairing)).status;
  };
  return {
    ...{ admin, simulator, app, pair, logLines },
    async post(path, body): Promise<Answer> {
      const response = await callApp(app, `/connect${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
    async createLink(provider, request = {}): Promise<LinkedInstance> {
      const name = `N${Math.floor(Math.random() * 1e9)}`;
      const baseUrl = `${simulator.url}/${provider}`;
      const providerConfig = provider === "zapi"
        ? { baseUrl, gatewayInstanceId: name, token: secret, webhookSecret: secret }
        : { baseUrl, instanceName: name, apiKey: secret, webhookSecret: secret };
      const { instanceId } = await admin.create("/instances", {
        ...{ workspaceId: await createWorkspace(admin), name: "Clínica Sol", provider },
        ...{ connectedPhone: ownPhone, timeZone: "America/Sao_Paulo", providerConfig },
      });
      const webhook = { provider, instance: name, url: "http://127.0.0.1:9/" };
      assertEquals((await simulator.post("/webhooks", webhook)).status, 201);
      const lost = { provider, instance: name, state: "disconnected" };
      assertEquals((await simulator.post("/connections", lost)).status, 200);
      const { linkId, url } = await admin.create(
        `/instances/${instanceId}/connection-link`,
        request,
      );
      return { instanceId, provider, name, linkId, url, token: url.split("#")[1] };
    },
    async eventsOf(instanceId): Promise<readonly (readonly [string, Body])[]> {
      const rows = await admin.database.admin`
        select type, data from messaging.events
        where instance_id = ${instanceId} and type like 'instance.%' order by sequence`;
      return rows.map(({ type, data }) => [type, data]);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await simulator[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
    },
  };
}
