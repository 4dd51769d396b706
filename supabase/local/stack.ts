import postgres from "postgres";
import type { Sql } from "postgres";
import { apiDocsViewerPath, serveApiDocsViewer } from "./api_docs_viewer.ts";
import { type Console, createConsole } from "./console/console.ts";
import { endLeases } from "./claim_recovery.ts";
import { type DataApi, openDataApi } from "./data_api.ts";
import { type Demo, prepareDemo } from "./demo.ts";
import { type FunctionsHost, loadFunctions } from "./functions_host.ts";
import { applyMigrations } from "./migrations.ts";
import { type PostgresServer, startPostgres } from "./postgres_server.ts";
import { createPlatformRoles } from "./roles.ts";
import { startScheduler } from "./scheduler.ts";
import { originOf, type StackSettings } from "./settings.ts";
import { createSimulator, type Simulator } from "./simulator/simulator.ts";

const repository = new URL("../../", import.meta.url);

/** A running stack: database, functions, scheduler, simulator and console on one port. */
export interface Stack {
  readonly origin: string;
  readonly demo: Demo;
  /** Where the data is; not always the folder asked for. */
  readonly dataDir: string;
  /** Settles when the database has ended by itself. */
  readonly failed: Promise<void>;
  stop(): Promise<void>;
}

/** Longest wait for requests and dispatcher runs under way when the stack stops. */
const stopTimeoutMs = 20_000;

/** Starts everything in order; when a part fails, what was started before it is stopped again. */
export async function startStack(settings: StackSettings): Promise<Stack> {
  const undo: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const embedded = await startDatabase(settings);
    undo.push(() => embedded?.stop());
    const databaseUrl = embedded?.databaseUrl ?? settings.databaseUrl ?? "";
    await prepareDatabase(databaseUrl, embedded !== null);

    const origin = originOf(settings.port);
    const simulator = createSimulator();
    const parts: Parts = { simulator, demo: null, functions: null, dataApi: null, console: null };
    parts.console = createConsole({
      demo: () => parts.demo === null ? null : { ...parts.demo, baseUrl: origin },
    });
    const server = listen(settings.port, parts);
    undo.push(() => shutDown(server, simulator));

    if (settings.usesDataApi) parts.dataApi = openDataApi(databaseUrl, settings.secretKey);
    parts.functions = await loadFunctions(new URL("functions/", repository), {
      ...settings.functionEnvironment,
      ...(settings.usesDataApi ? { SUPABASE_URL: origin } : { DATABASE_URL: databaseUrl }),
    });
    const dataDir = embedded?.dataDir ?? settings.dataDir;
    const demo = await prepareDemo({ origin, secretKey: settings.secretKey, dataDir });
    const scheduler = startScheduler(origin, settings.secretKey);
    undo.push(() => scheduler.stop());
    parts.demo = demo;
    return { origin, demo, dataDir, failed: embedded?.exited ?? new Promise(() => {}), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDatabase(settings: StackSettings): Promise<PostgresServer | null> {
  return settings.databaseUrl === undefined
    ? await startPostgres({ dataDir: settings.dataDir })
    : null;
}

/** Roles, migrations and the seed; on a database of our own, the leases of who died before. */
async function prepareDatabase(databaseUrl: string, isOurOwn: boolean): Promise<void> {
  const sql: Sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await createPlatformRoles(sql);
    await applyMigrations(sql, new URL("migrations", repository).pathname);
    await sql.unsafe(await Deno.readTextFile(new URL("supabase/seed.sql", repository)));
    if (isOurOwn) await endLeases(sql);
  } finally {
    await sql.end();
  }
}

/** What answers on the port; parts arrive while the stack starts. */
interface Parts {
  readonly simulator: Simulator;
  demo: Demo | null;
  functions: FunctionsHost | null;
  dataApi: DataApi | null;
  console: Console | null;
}

function listen(port: number, parts: Parts): Deno.HttpServer {
  return Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    (request) => route(request, parts),
  );
}

async function route(request: Request, parts: Parts): Promise<Response> {
  const { pathname } = new URL(request.url);
  // The functions answer `dispatch-queue` and admin-api before the demo is ready: it needs them.
  if (pathname.startsWith("/functions/v1/")) {
    return await parts.functions?.fetch(request) ?? notReady();
  }
  if (pathname.startsWith("/rest/v1/")) return await parts.dataApi?.fetch(request) ?? notReady();
  if (pathname === "/health") {
    return parts.demo === null ? notReady() : Response.json({ status: "ok" });
  }
  if (pathname.startsWith(`${apiDocsViewerPath}/`)) return await serveApiDocsViewer(pathname);
  if (parts.console?.handles(pathname)) return await parts.console.fetch(request);
  if (pathname.startsWith("/simulator/")) return await parts.simulator.fetch(request);
  return Response.json({ error: "not_found" }, { status: 404 });
}

function notReady(): Response {
  return Response.json({ status: "starting" }, { status: 503, headers: { "Retry-After": "1" } });
}

/** Lets requests under way finish; open event streams are ended first, they never would. */
async function shutDown(server: Deno.HttpServer, simulator: Simulator): Promise<void> {
  simulator.close();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, stopTimeoutMs);
  await Promise.race([server.shutdown(), promise]);
  clearTimeout(timer);
}
