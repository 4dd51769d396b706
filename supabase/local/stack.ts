import { join } from "node:path";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { apiDocsViewerPath, serveApiDocsViewer } from "./api_docs_viewer.ts";
import {
  type Console,
  type ConsoleDemo,
  type ConsoleOptions,
  createConsole,
} from "./console/console.ts";
import { type ConsoleInstances, openInstances } from "./console/instances.ts";
import type { DataApi } from "./data_api.ts";
import { prepareDatabase } from "./database_preparation.ts";
import type { DatabaseUpgrade } from "../host/database_upgrade.ts";
import { type DatabaseProbe, openDatabaseProbe } from "../host/database_probe.ts";
import { type Demo, prepareDemo } from "./demo.ts";
import { openSchedules } from "../console/schedules.ts";
import { channelOf } from "./simulator/channels.ts";
import { describeDemoWebhook } from "./simulator/zapi/demo_instance.ts";
import { type FunctionsHost, loadFunctions } from "../host/functions_host.ts";
import { awaitPrimary } from "../host/primary_start.ts";
import { pathNotFound, refuseWhileStarting } from "../host/host_refusal.ts";
import { type HttpServer, listenHttp } from "../host/http_server.ts";
import { type PostgresServer, startPostgres } from "./postgres_server.ts";
import { refuseForeignRequest } from "./request_origin.ts";
import { type Scheduler, startScheduler } from "../host/scheduler.ts";
import { StartError } from "../host/start_error.ts";
import { announceStack } from "./running_stack.ts";
import { originOf, type StackSettings } from "./settings.ts";
import { locateStackKeys, type StackKeys, storeStackKeys } from "./stack_keys.ts";
import { type HistoryFile, keepHistory, readHistory } from "./simulator/history.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";

/** A running stack: database, functions, scheduler, simulator and console on one port. */
export interface Stack {
  readonly origin: string;
  readonly demo: Demo;
  /** File of the keys that the environment does not set; null where it sets both. */
  readonly keysFile: string | null;
  /** Actual folder of the embedded database; null with DATABASE_URL. */
  readonly databaseDir: string | null;
  /** Resolves when the embedded database stops unexpectedly. */
  readonly failed: Promise<void>;
  /**
   * Accepts no more requests, waits for requests in progress, then stops everything, the database last.
   *
   * @param abandonRequests stops the waiting for requests when it resolves.
   */
  stop(abandonRequests?: Promise<unknown>): Promise<void>;
}

/** Longest wait for requests and dispatcher runs in progress when the stack stops. */
const stopTimeoutMs = 20_000;

/** The parts of the stack. They are filled in one after the other while it starts. */
interface Parts {
  readonly simulator: Simulator;
  /** Null until the data is known to be this stack's. */
  history: HistoryFile | null;
  readonly console: Console;
  /** Answers null until the functions run. */
  readSchedule: ConsoleOptions["readSchedule"];
  instances: ConsoleInstances | null;
  demo: Demo | null;
  functions: FunctionsHost | null;
  dataApi: DataApi | null;
  postgres: PostgresServer | null;
  probe: DatabaseProbe | null;
  scheduler: Scheduler | null;
}

/** How a start tells of itself, and is ended while it waits. */
export interface StackStart {
  /** Called when the data was of an earlier version, and has been upgraded. */
  readonly onUpgrade: (upgrade: DatabaseUpgrade) => void;
  /** Called with the reason while no host of `DATABASE_URL` takes writes. */
  readonly onWait: (sentence: string) => void;
  readonly stopping: Promise<void>;
}

/**
 * Starts all parts in order. When one fails, stops the parts that were started before it.
 *
 * @throws {StartError | PostgresStartError | MigrationError | ConfigError} for problems that the
 * user can fix.
 */
export async function startStack(
  settings: StackSettings,
  start: StackStart,
): Promise<Stack> {
  const origin = originOf(settings.port);
  placeDocs(settings.functionEnvironment);
  const parts: Parts = {
    simulator: createSimulator({ history: await readHistory(locateHistory(settings)) }),
    history: null,
    console: createConsole({
      demo: () => describeDemo(parts.demo, settings),
      readSchedule: (instanceId) => parts.readSchedule(instanceId),
      instances: () => parts.instances,
    }),
    readSchedule: () => Promise.resolve(null),
    instances: null,
    demo: null,
    functions: null,
    dataApi: null,
    postgres: null,
    probe: null,
    scheduler: null,
  };
  // Listens first, so that a port in use is reported before a database is created.
  const server = listenHttp(
    { port: settings.port },
    async (request, peer) =>
      refuseForeignRequest(request, settings.port) ?? await route(request, peer, parts),
  );
  const takeBack = await announceStack(settings.dataDir, origin);
  let stopped: Promise<void> | undefined;
  const stop = (abandonRequests?: Promise<unknown>): Promise<void> =>
    stopped ??= stopParts(parts, server, abandonRequests).finally(takeBack);
  try {
    const demo = await startParts(settings, parts, start);
    const { postgres } = parts;
    const failed = postgres?.exited ?? new Promise<void>(() => {});
    const keysFile = providesBothKeys(settings) ? null : locateStackKeys(settings.dataDir);
    return { origin, demo, keysFile, databaseDir: postgres?.dataDir ?? null, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  settings: StackSettings,
  parts: Parts,
  { onUpgrade, onWait, stopping }: StackStart,
): Promise<Demo> {
  const origin = originOf(settings.port);
  const databaseUrl = settings.databaseUrl ?? await startDatabase(settings.dataDir, parts);
  const { secretKey, credentialsKeys } = await chooseKeys(settings);
  const primaryUrl = await awaitPrimary(databaseUrl, onWait, stopping);
  if (primaryUrl === null) throw new StartError("Stopped while no database took writes.");
  const upgrade = await prepareDatabase(primaryUrl, parts.postgres?.dataDir ?? null);
  if (upgrade !== null) onUpgrade(upgrade);
  parts.history = await keepHistory(parts.simulator.store, locateHistory(settings));
  parts.probe = openDatabaseProbe(databaseUrl);
  if (settings.usesDataApi) parts.dataApi = await loadDataApi(databaseUrl, secretKey);
  parts.functions = await loadFunctions(new URL("../../functions/", import.meta.url), {
    ...settings.functionEnvironment,
    SUPABASE_SECRET_KEY: secretKey,
    CREDENTIALS_KEYS: credentialsKeys,
    ...(settings.usesDataApi ? { SUPABASE_URL: origin } : { DATABASE_URL: databaseUrl }),
  });
  const dataDir = parts.postgres?.dataDir ?? settings.dataDir;
  const demo = await prepareDemo({ origin, secretKey, credentialsKeys, dataDir });
  const webhook = describeDemoWebhook(origin, demo);
  parts.simulator.webhooks.register(channelOf(webhook.provider), webhook);
  parts.readSchedule = openSchedules(origin, secretKey);
  parts.instances = openInstances(origin, secretKey);
  parts.scheduler = startScheduler(origin, secretKey);
  parts.demo = demo;
  return demo;
}

/** Where the simulator's records are kept. */
function locateHistory({ dataDir }: StackSettings): string {
  return join(dataDir, "simulator", "history.jsonl");
}

/** Prefers the environment's keys; takes missing ones from the data folder. */
async function chooseKeys(settings: StackSettings): Promise<StackKeys> {
  if (providesBothKeys(settings)) return settings;
  const kept = await storeStackKeys(settings.dataDir);
  return {
    secretKey: settings.secretKey ?? kept.secretKey,
    credentialsKeys: settings.credentialsKeys ?? kept.credentialsKeys,
  };
}

function providesBothKeys(settings: StackSettings): settings is StackSettings & StackKeys {
  return settings.secretKey !== undefined && settings.credentialsKeys !== undefined;
}

/** Its library is half of the code of the stack, so that only a start that uses it loads it. */
async function loadDataApi(databaseUrl: string, secretKey: string): Promise<DataApi> {
  const { openDataApi } = await import("./data_api.ts");
  return openDataApi(databaseUrl, secretKey);
}

async function startDatabase(dataDir: string, parts: Parts): Promise<string> {
  parts.postgres = await startPostgres({ dataDir });
  return parts.postgres.databaseUrl;
}

/**
 * Stops the functions first and the database last: requests in progress still need the simulator and
 * the Data API on the same port, and all of them need the database.
 */
async function stopParts(
  parts: Parts,
  server: HttpServer,
  abandonRequests: Promise<unknown> = new Promise(() => {}),
): Promise<void> {
  parts.demo = null;
  // Ends open event streams and simulated provider delays, which would never end otherwise.
  parts.simulator.close();
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    consoleLog.error("requests_abandoned", { waitedMs: stopTimeoutMs });
    resolve();
  }, stopTimeoutMs);
  const waitingLimit = Promise.race([abandonRequests, isLate]);
  await Promise.race([
    waitingLimit,
    Promise.all([parts.scheduler?.stop(), parts.functions?.close()]),
  ]);
  await Promise.race([waitingLimit, server.shutdown()]);
  await Promise.race([waitingLimit, parts.dataApi?.close()]);
  clearTimeout(timer);
  await parts.history?.close();
  await parts.probe?.close();
  await parts.postgres?.stop();
}

/** Leaves out the webhook's secret, which no page needs, and gives the secret key's file, not the key. */
function describeDemo(demo: Demo | null, settings: StackSettings): ConsoleDemo | null {
  if (demo === null) return null;
  return {
    instanceId: demo.instanceId,
    clientToken: demo.clientToken,
    secretKeyFile: settings.secretKey === undefined ? locateStackKeys(settings.dataDir) : null,
    baseUrl: originOf(settings.port),
  };
}

async function route(request: Request, peer: string, parts: Parts): Promise<Response> {
  const { pathname } = new URL(request.url);
  // Functions answer before the demo exists, because admin-api creates the demo.
  if (pathname.startsWith("/functions/v1/")) {
    return await parts.functions?.fetch(request, peer) ?? refuseWhileStarting(pathname);
  }
  if (pathname.startsWith("/rest/v1/")) return await parts.dataApi?.fetch(request) ?? notReady();
  if (pathname === "/health") {
    const isHealthy = parts.demo !== null && await parts.probe?.answers() === true;
    return isHealthy ? Response.json({ status: "ok" }) : notReady();
  }
  if (pathname.startsWith(`${apiDocsViewerPath}/`)) return await serveApiDocsViewer(pathname);
  if (parts.console.handles(pathname)) return await parts.console.fetch(request);
  if (pathname.startsWith("/simulator/")) return await parts.simulator.fetch(request);
  return pathNotFound(pathname, parts.functions?.slugs ?? []);
}

function notReady(): Response {
  return Response.json({ status: "not_ready" }, { status: 503, headers: { "Retry-After": "1" } });
}
