import { consoleLog, describeDefect } from "../../shared/runtime/log.ts";
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

type Handler = (request: Request) => Promise<Response>;

/** Pause before listening again; other connections must close first. */
const pauseMs = 100;

const ownHostname = "127.0.0.1";

/** The runtime's own: while functions load, `Deno.serve` registers their handlers (functions_host.ts). */
const serveHttp = Deno.serve;

/**
 * Listens until it is shut down. Deno's server stops for good when the process runs out of file
 * descriptors; this one listens again.
 *
 * @throws {StartError} when the port is in use.
 */
export function listenHttp(address: ListenAddress, handler: Handler): HttpServer {
  let server = startServer(address, handler);
  let isStopped = false;
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      try {
        await server.finished;
        return;
      } catch (error) {
        consoleLog.error("http_server_failed", describeDefect(error));
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!isStopped) server = serveAgain(address, handler) ?? server;
    }
  };
  const watching = watch();
  return {
    shutdown: async () => {
      isStopped = true;
      await server.shutdown();
      await watching;
    },
  };
}

function serve(address: ListenAddress, handler: Handler): Deno.HttpServer {
  return serveHttp({ hostname: ownHostname, ...address, onListen: () => {} }, handler);
}

/** @returns null while no file descriptor is free for the listening socket. */
function serveAgain(address: ListenAddress, handler: Handler): Deno.HttpServer | null {
  try {
    return serve(address, handler);
  } catch {
    return null;
  }
}

function startServer(address: ListenAddress, handler: Handler): Deno.HttpServer {
  try {
    return serve(address, handler);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
    const { port, hostname = ownHostname } = address;
    throw new StartError(
      `Port ${port} of ${hostname} is in use, perhaps by a running stack. Stop that program, or set PORT to another port.`,
      { cause },
    );
  }
}
