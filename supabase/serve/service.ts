import { contractDate } from "../../shared/model/contract_date.ts";
import { version } from "../../shared/model/version.ts";
import { placeDocs } from "../../shared/runtime/docs_address.ts";
import { loadCounters } from "../../shared/runtime/load_counters.ts";
import { consoleLog } from "../../shared/runtime/log.ts";
import { type DatabaseProbe, openDatabaseProbe } from "../host/database_probe.ts";
import { type FunctionsHost, loadFunctions } from "../host/functions_host.ts";
import { pathNotFound, refuseWhileStarting } from "../host/host_refusal.ts";
import { type Scheduler, startScheduler } from "../host/scheduler.ts";
import { createServiceConsole, isConsolePath, type ServiceConsole } from "./console.ts";
import { hasRoom } from "./media_room.ts";
import { scheduleUnderLease } from "./scheduler_lease.ts";
import { openServicePort, type ServicePort } from "./service_port.ts";
import type { ServeSettings } from "./settings.ts";

/** The functions in this process, on a port that it may share with others. */
export interface Service extends Pick<ServicePort, "listen" | "spread"> {
  /** Loads the functions. It may listen before, and is ready when they are loaded. */
  start(): Promise<void>;
  /** Accepts no more requests, and ends those in progress and the runs of the dispatcher. At most 25 s. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** How many of this machine share the port, this one among them. */
  readonly processes: number;
  /** Whether the console is served. */
  readonly console: boolean;
}

/** The program that started the process allows 30 s (docs/one-machine.md). */
const stopTimeoutMs = 25_000;

/** How long a refusal counts as one that goes on: a balancer asks every few seconds. */
const refusingMs = 5_000;
const strangersEvents = ["stranger_refused", "body_displaced"] as const;

interface Parts {
  functions: FunctionsHost | null;
  scheduler: Scheduler | null;
  readonly console: ServiceConsole | null;
  readonly probe: DatabaseProbe;
  /** Null where the files are elsewhere. */
  readonly mediaFolder: string | null;
  isStopping: boolean;
}

/** Opens a service. It listens and starts when it is told to. */
export function openService(settings: ServeSettings, options: ServiceOptions): Service {
  const { port: portNumber, hostname } = settings;
  placeDocs(settings.functionEnvironment);
  const parts: Parts = {
    functions: null,
    scheduler: null,
    console: options.console ? createServiceConsole(originOf(settings), settings.secretKeys) : null,
    probe: openDatabaseProbe(settings.databaseUrl),
    mediaFolder: settings.functionEnvironment["MEDIA_FOLDER"] ?? null,
    isStopping: false,
  };
  const port = openServicePort(
    { port: portNumber, hostname, reusePort: options.processes > 1 },
    (request, peer) => route(request, peer, parts),
  );
  let starting: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  return {
    listen: port.listen,
    spread: port.spread,
    start: () => starting ??= startParts(settings, parts),
    stop: () =>
      stopped ??= (async () => {
        await starting;
        await stopParts(parts, port);
      })(),
  };
}

async function startParts(settings: ServeSettings, parts: Parts): Promise<void> {
  const { port, hostname, databaseUrl, secretKeys } = settings;
  parts.functions = await loadFunctions(
    new URL("../../functions/", import.meta.url),
    settings.functionEnvironment,
  );
  parts.scheduler = scheduleUnderLease(
    databaseUrl,
    () => startScheduler(originOf(settings), secretKeys[0]),
    consoleLog,
  );
  consoleLog.info("service_started", { version, hostname, port, pid: Deno.pid });
}

/** Requests in progress are ended first: they need the database. */
async function stopParts(parts: Parts, port: ServicePort): Promise<void> {
  parts.isStopping = true;
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    consoleLog.error("requests_abandoned", { waitedMs: stopTimeoutMs });
    resolve();
  }, stopTimeoutMs);
  const work = async (): Promise<void> => {
    await Promise.all([parts.scheduler?.stop(), parts.functions?.close()]);
    await port.shutdown();
  };
  await Promise.race([isLate, work()]);
  clearTimeout(timer);
  await parts.probe.close();
  consoleLog.info("service_stopped", { pid: Deno.pid });
}

/** Where this machine reaches the service. An address of all networks is none to call. */
function originOf({ hostname, port }: ServeSettings): string {
  if (["0.0.0.0", "::", "[::]"].includes(hostname)) return `http://127.0.0.1:${port}`;
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

const versionHeader = { "X-Api-Version": contractDate };

async function route(request: Request, peer: string, parts: Parts): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/functions/v1/")) {
    return await parts.functions?.fetch(request, peer) ?? refuseWhileStarting(pathname);
  }
  if (parts.console !== null && isConsolePath(pathname)) return await parts.console.fetch(request);
  if (pathname === "/health/live") return Response.json({ live: true }, { headers: versionHeader });
  if (pathname === "/health" || pathname === "/health/ready") return await describeHealth(parts);
  return pathNotFound(pathname, parts.functions?.slugs ?? []);
}

/**
 * Ready: the functions are loaded, the database answers and has room, so has the folder of files, and the
 * service neither stops nor refuses calls for want of room. What strangers are refused in their own share
 * is told, and keeps it ready: otherwise they could take it out of service.
 */
async function describeHealth(parts: Parts): Promise<Response> {
  const [database, media] = await Promise.all([
    parts.probe.answers(),
    parts.mediaFolder === null || hasRoom(parts.mediaFolder),
  ]);
  const refusing = describeRefusing();
  const ready = database && media && parts.functions !== null && !parts.isStopping &&
    refusing !== "everybody";
  return Response.json({ live: true, ready, database, media, refusing, version }, {
    status: ready ? 200 : 503,
    headers: {
      ...versionHeader,
      "Cache-Control": "no-store",
      ...(ready ? {} : { "Retry-After": "1" }),
    },
  });
}

/** Whose calls were refused in the last seconds, because too much was in progress. */
function describeRefusing(): "nobody" | "strangers" | "everybody" {
  if (loadCounters.hasHappened("overload_refused", refusingMs)) return "everybody";
  const isOfStrangers = strangersEvents.some((event) =>
    loadCounters.hasHappened(event, refusingMs)
  );
  return isOfStrangers ? "strangers" : "nobody";
}
