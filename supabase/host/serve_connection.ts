/** The runtime's HTTP server for one connection, so that connections can be counted and ended. */
import { StartError } from "./start_error.ts";

/** Serves HTTP on a connection until it closes, or `signal` aborts it. */
export type ServeConnection = (
  connection: Deno.Conn,
  signal: AbortSignal,
  handler: Deno.ServeHandler,
) => Deno.HttpServer;

/** As `Deno.serve` calls it (ext/http/00_serve.ts of Deno). */
type InternalServe = (
  connection: Deno.Conn,
  signal: AbortSignal,
  handler: Deno.ServeHandler,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Deno.HttpServer;

/**
 * `Deno.serve` shows no connection before its first request is whole, and has neither deadlines nor
 * bounds for them; `node:http` has, and costs 0.1 ms more a request, a tenth of a send. This is what
 * `Deno.serve` itself serves a connection with. It is not of the documented interface, so it is looked
 * for, in this place alone.
 *
 * @throws {StartError} where the runtime does not have it.
 */
export function findConnectionServer(): ServeConnection {
  const internals: unknown = Reflect.get(Deno, Reflect.get(Deno, "internal"));
  const serve = (internals as { serveHttpOnConnection?: InternalServe } | undefined)
    ?.serveHttpOnConnection;
  if (typeof serve !== "function") {
    throw new StartError(
      `This version of Deno (${Deno.version.deno}) cannot bound connections. Take 2.9.6.`,
    );
  }
  return (connection, signal, handler) =>
    serve(connection, signal, handler, () => new Response(null, { status: 500 }), () => {});
}
