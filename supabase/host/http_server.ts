import { consoleLog, describeDefect } from "../../shared/runtime/log.ts";
import { ConnectionTable, type EndConnection } from "./connection_table.ts";
import { refuseAddress, refuseDefect } from "./host_refusal.ts";
import { HeadFiller } from "./one_write.ts";
import { findConnectionServer, type ServeConnection } from "./serve_connection.ts";
import { StartError } from "./start_error.ts";

/** A listening server. It listens until it is shut down. */
export interface HttpServer {
  /** Accepts no more connections; resolves when requests in progress have been answered. */
  shutdown(): Promise<void>;
}

/** Where a server listens. */
export interface ListenAddress {
  readonly port: number;
  /** Default: this machine alone. */
  readonly hostname?: string;
  /** Whether other processes of the same service may listen there too: the system spreads connections. */
  readonly reusePort?: boolean;
}

/** Answers a request. `peer`: the address of the connection's other end. */
export type HttpHandler = (request: Request, peer: string) => Promise<Response>;

/**
 * How many connections may wait to be accepted. Beyond it the system drops what opens one, and a client
 * tries again after 1, 3 and 7 s: with the usual 511 a burst of 2,550 made others wait for seconds. The
 * system has a limit of its own (Linux: 4,096).
 */
const tcpBacklog = 4_096;
/** So many connections are accepted one after the other; then what else has come has its turn. */
const acceptedAtOnce = 2;

/** Pause before accepting again, where no file descriptor is free. */
const pauseMs = 100;
/** How often connections are looked through. */
const lookMs = 1_000;
/** How long an idle connection has to take what was written to it. */
const flushMs = 30_000;

const ownHostname = "127.0.0.1";

/**
 * Proxies keep connections for a minute or two (Caddy: two), and must end them before we do: a request
 * that comes while a connection is ended is lost.
 */
const connectionLimits = {
  max: 5_000,
  firstRequestMs: 10_000,
  idleMs: 150_000,
  sendingMs: 3_600_000,
} as const;

/**
 * Listens until it is shut down. Bounds the connections, and what their clients may hold open by sending
 * nothing (connection_table.ts), which the runtime's own server does not.
 *
 * @throws {StartError} when the port is in use.
 */
export function listenHttp(address: ListenAddress, handler: HttpHandler): HttpServer {
  const serve = findConnectionServer();
  const listener = openListener(address);
  const table = new ConnectionTable(connectionLimits);
  const open = new Set<Deno.HttpServer>();
  const timer = setInterval(() => table.expire(), lookMs);
  Deno.unrefTimer(timer);
  let isStopped = false;
  const accept = async (): Promise<void> => {
    for (let accepted = 1; !isStopped; accepted++) {
      try {
        if (accepted % acceptedAtOnce === 0) await new Promise((resolve) => setTimeout(resolve));
        serveConnection(await listener.accept(), { serve, table, open, handler });
      } catch (error) {
        if (isStopped) return;
        consoleLog.error("http_server_failed", describeDefect(error));
        table.displaceOne();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };
  const accepting = accept();
  return {
    shutdown: async () => {
      isStopped = true;
      listener.close();
      await accepting;
      await Promise.all([...open].map((server) => server.shutdown()));
      clearInterval(timer);
    },
  };
}

interface Serving {
  readonly serve: ServeConnection;
  readonly table: ConnectionTable;
  readonly open: Set<Deno.HttpServer>;
  readonly handler: HttpHandler;
}

function serveConnection(
  connection: Deno.TcpConn,
  { serve, table, open, handler }: Serving,
): void {
  const { hostname: peer } = connection.remoteAddr;
  const filler = new HeadFiller();
  const aborting = new AbortController();
  let flushing: ReturnType<typeof setTimeout> | undefined;
  const end: EndConnection = (how) => {
    if (how === "at_once") return aborting.abort();
    server.shutdown();
    const timer = setTimeout(() => aborting.abort(), flushMs);
    Deno.unrefTimer(timer);
    flushing = timer;
  };
  const tracked = table.add(end);
  if (tracked === null) return connection.close();
  const answer = async (request: Request, info: Deno.ServeHandlerInfo): Promise<Response> => {
    tracked.begin();
    info.completed.then(tracked.complete, tracked.complete);
    const response = await handler(request, peer)
      .catch((error) => refuseThrown(error, request));
    tracked.answer(hasUnreadBody(request));
    filler.fill(response);
    return response;
  };
  const server = serve(connection, aborting.signal, answer);
  open.add(server);
  const forget = (): void => {
    clearTimeout(flushing);
    open.delete(server);
    tracked.remove();
  };
  server.finished.then(forget, forget);
}

/** A handler fails with an address that is no URL: then it is not looked at twice in each request. */
function refuseThrown(error: unknown, request: Request): Response {
  if (URL.parse(request.url) === null) return refuseAddress();
  consoleLog.error("request_failed", describeDefect(error));
  return refuseDefect();
}

/** Looks at the headers only of a request whose body nobody has read. */
function hasUnreadBody({ headers, bodyUsed }: Request): boolean {
  if (bodyUsed) return false;
  return headers.has("transfer-encoding") || Number(headers.get("content-length")) > 0;
}

function openListener(address: ListenAddress): Deno.TcpListener {
  try {
    return Deno.listen({ hostname: ownHostname, tcpBacklog, ...address });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
    const { port, hostname = ownHostname } = address;
    throw new StartError(
      `Port ${port} of ${hostname} is in use, perhaps by a running stack. Stop that program, or set PORT to another port.`,
      { cause },
    );
  }
}
