import { apiDocsViewerPath, serveApiDocsViewer } from "./api_docs_viewer.ts";
import { type Console, type ConsoleDemo, createConsole } from "./console/console.ts";
import { type DataApi, openDataApi } from "./data_api.ts";
import { prepareDatabase } from "./database_preparation.ts";
import { type DatabaseProbe, openDatabaseProbe } from "./database_probe.ts";
import { type Demo, describeDemoWebhook, prepareDemo } from "./demo.ts";
import { type FunctionsHost, loadFunctions } from "./functions_host.ts";
import { type HttpServer, listenHttp } from "./http_server.ts";
import { type PostgresServer, startPostgres } from "./postgres_server.ts";
import { refuseForeignRequest } from "./request_origin.ts";
import { type Scheduler, startScheduler } from "./scheduler.ts";
import { originOf, type StackSettings } from "./settings.ts";
import { keepStackKeys, locateStackKeys, type StackKeys } from "./stack_keys.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";

/** A running stack: database, functions, scheduler, simulator and console on one port. */
export interface Stack {
  readonly origin: string;
  readonly demo: Demo;
  /** Where the keys are that the environment does not give; null where it gives both. */
  readonly keysFile: string | null;
  /** Where the embedded database is, not always the folder asked for; null for another one. */
  readonly databaseDir: string | null;
  /** Settles when the embedded database has ended by itself. */
  readonly failed: Promise<void>;
  /**
   * Takes no more requests, lets those under way finish, then stops everything, the database last.
   *
   * @param hurry ends the waiting for requests when it settles.
   */
  stop(hurry?: Promise<unknown>): Promise<void>;
}

/** Longest wait for requests and dispatcher runs under way when the stack stops. */
const stopTimeoutMs = 20_000;

/** What answers on the port, and what has to be stopped; parts arrive while the stack starts. */
interface Parts {
  readonly simulator: Simulator;
  readonly console: Console;
  demo: Demo | null;
  functions: FunctionsHost | null;
  dataApi: DataApi | null;
  postgres: PostgresServer | null;
  probe: DatabaseProbe | null;
  scheduler: Scheduler | null;
}

/**
 * Starts everything in order; when a part fails, what was started before it is stopped again.
 *
 * @throws {StackStartError | PostgresStartError | MigrationError | ConfigError} for what the person
 * at the terminal can mend.
 */
export async function startStack(settings: StackSettings): Promise<Stack> {
  const origin = originOf(settings.port);
  const parts: Parts = {
    simulator: createSimulator(),
    console: createConsole({
      demo: () => describeDemo(parts.demo, settings),
    }),
    demo: null,
    functions: null,
    dataApi: null,
    postgres: null,
    probe: null,
    scheduler: null,
  };
  // First, so that a port that is taken is known before a database has been made.
  const server = listenHttp(
    settings.port,
    async (request) => refuseForeignRequest(request, settings.port) ?? await route(request, parts),
  );
  let stopped: Promise<void> | undefined;
  const stop = (hurry?: Promise<unknown>): Promise<void> =>
    stopped ??= stopParts(parts, server, hurry);
  try {
    const demo = await startParts(settings, origin, parts);
    const { postgres } = parts;
    const failed = postgres?.exited ?? new Promise<void>(() => {});
    const keysFile = givesBothKeys(settings) ? null : locateStackKeys(settings.dataDir);
    return { origin, demo, keysFile, databaseDir: postgres?.dataDir ?? null, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(settings: StackSettings, origin: string, parts: Parts): Promise<Demo> {
  const databaseUrl = settings.databaseUrl ?? await startDatabase(settings.dataDir, parts);
  const { secretKey, credentialsKeys } = await chooseKeys(settings);
  await prepareDatabase(databaseUrl, parts.postgres !== null);
  parts.probe = openDatabaseProbe(databaseUrl);
  if (settings.usesDataApi) parts.dataApi = openDataApi(databaseUrl, secretKey);
  parts.functions = await loadFunctions(new URL("../../functions/", import.meta.url), {
    ...settings.functionEnvironment,
    SUPABASE_SECRET_KEY: secretKey,
    CREDENTIALS_KEYS: credentialsKeys,
    ...(settings.usesDataApi ? { SUPABASE_URL: origin } : { DATABASE_URL: databaseUrl }),
  });
  const dataDir = parts.postgres?.dataDir ?? settings.dataDir;
  const demo = await prepareDemo({ origin, secretKey, credentialsKeys, dataDir });
  parts.simulator.webhooks.register(describeDemoWebhook(origin, demo));
  parts.scheduler = startScheduler(origin, secretKey);
  parts.demo = demo;
  return demo;
}

/** The environment's keys win; what it leaves out comes from the data folder. */
async function chooseKeys(settings: StackSettings): Promise<StackKeys> {
  if (givesBothKeys(settings)) return settings;
  const kept = await keepStackKeys(settings.dataDir);
  return {
    secretKey: settings.secretKey ?? kept.secretKey,
    credentialsKeys: settings.credentialsKeys ?? kept.credentialsKeys,
  };
}

function givesBothKeys(settings: StackSettings): settings is StackSettings & StackKeys {
  return settings.secretKey !== undefined && settings.credentialsKeys !== undefined;
}

async function startDatabase(dataDir: string, parts: Parts): Promise<string> {
  parts.postgres = await startPostgres({ dataDir });
  return parts.postgres.databaseUrl;
}

/**
 * Requests under way still need the simulator and the Data API, which are on the same port, and all
 * need the database: so the functions come first and the database last.
 */
async function stopParts(
  parts: Parts,
  server: HttpServer,
  hurry: Promise<unknown> = new Promise(() => {}),
): Promise<void> {
  parts.demo = null;
  // Ends what never would by itself: open event streams, and providers that keep a caller waiting.
  parts.simulator.close();
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, stopTimeoutMs);
  const patience = Promise.race([hurry, isLate]);
  await Promise.race([patience, Promise.all([parts.scheduler?.stop(), parts.functions?.close()])]);
  await Promise.race([patience, server.shutdown()]);
  await Promise.race([patience, parts.dataApi?.close()]);
  clearTimeout(timer);
  await parts.probe?.close();
  await parts.postgres?.stop();
}

/** Without the webhook's secret, which no page needs, and without the secret key: its place alone. */
function describeDemo(demo: Demo | null, settings: StackSettings): ConsoleDemo | null {
  if (demo === null) return null;
  return {
    instanceId: demo.instanceId,
    clientToken: demo.clientToken,
    secretKeyFile: settings.secretKey === undefined ? locateStackKeys(settings.dataDir) : null,
    baseUrl: originOf(settings.port),
  };
}

async function route(request: Request, parts: Parts): Promise<Response> {
  const { pathname } = new URL(request.url);
  // admin-api answers before the demo is there: the demo is made with it.
  if (pathname.startsWith("/functions/v1/")) {
    return await parts.functions?.fetch(request) ?? notReady();
  }
  if (pathname.startsWith("/rest/v1/")) return await parts.dataApi?.fetch(request) ?? notReady();
  if (pathname === "/health") {
    const isHealthy = parts.demo !== null && await parts.probe?.answers() === true;
    return isHealthy ? Response.json({ status: "ok" }) : notReady();
  }
  if (pathname.startsWith(`${apiDocsViewerPath}/`)) return await serveApiDocsViewer(pathname);
  if (parts.console.handles(pathname)) return await parts.console.fetch(request);
  if (pathname.startsWith("/simulator/")) return await parts.simulator.fetch(request);
  return Response.json({ error: "not_found" }, { status: 404 });
}

function notReady(): Response {
  return Response.json({ status: "not_ready" }, { status: 503, headers: { "Retry-After": "1" } });
}
