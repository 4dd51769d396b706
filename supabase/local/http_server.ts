import { consoleLog, describeDefect } from "../../shared/runtime/log.ts";
import { StackStartError } from "./stack_start_error.ts";

/** A listening server. It listens until it is shut down. */
export interface HttpServer {
  /** Accepts no more connections; resolves when requests in progress have been answered. */
  shutdown(): Promise<void>;
}

type Handler = (request: Request) => Promise<Response>;

/** Pause before listening again; other connections must close first. */
const pauseMs = 100;

/**
 * Listens on `port` of 127.0.0.1. Deno's server stops for good when the process runs out of file
 * descriptors; this one listens again.
 *
 * @throws {StackStartError} when the port is in use.
 */
export function listenHttp(port: number, handler: Handler): HttpServer {
  let server = startServer(port, handler);
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
      if (!isStopped) server = serveAgain(port, handler) ?? server;
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

function serve(port: number, handler: Handler): Deno.HttpServer {
  return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, handler);
}

/** @returns null while no file descriptor is free for the listening socket. */
function serveAgain(port: number, handler: Handler): Deno.HttpServer | null {
  try {
    return serve(port, handler);
  } catch {
    return null;
  }
}

function startServer(port: number, handler: Handler): Deno.HttpServer {
  try {
    return serve(port, handler);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
    throw new StackStartError(
      `Port ${port} of 127.0.0.1 is in use, perhaps by a running stack. Stop that program, or set PORT to another port.`,
      { cause },
    );
  }
}
