import { consoleLog } from "../../shared/runtime/log.ts";
import {
  type HttpHandler,
  type HttpServer,
  type ListenAddress,
  listenHttp,
} from "../host/http_server.ts";

/** The port of a service, on which this process listens when it is told to. */
export interface ServicePort {
  /** @throws {StartError} when another program has the port. */
  listen(): void;
  /**
   * Asks clients for new connections for a while, by the header `Connection: close`: the system spreads
   * new ones over all processes that listen, and leaves the others where they are.
   */
  spread(): void;
  /** Accepts no more connections; resolves when requests in progress have been answered. */
  shutdown(): Promise<void>;
}

/** Within this time a client that is busy has made a call on each of its connections. */
const spreadMs = 2_000;

export function openServicePort(address: ListenAddress, handler: HttpHandler): ServicePort {
  let server: HttpServer | null = null;
  let spreadsUntil = 0;
  const answer: HttpHandler = async (request, peer) => {
    const response = await handler(request, peer);
    return performance.now() < spreadsUntil ? withoutConnection(response) : response;
  };
  return {
    listen: () => {
      if (server !== null) return;
      server = listenHttp(address, answer);
      consoleLog.info("port_opened", { pid: Deno.pid, port: address.port });
    },
    spread: () => {
      spreadsUntil = performance.now() + spreadMs;
    },
    shutdown: async () => await server?.shutdown(),
  };
}

function withoutConnection(response: Response): Response {
  // The headers of an answer may be read-only.
  const copy = new Response(response.body, response);
  copy.headers.set("Connection", "close");
  return copy;
}
