/** Local test doubles of a provider: one that speaks HTTP, and one that fails below it. */

import { findFreePort } from "../../support/free_port.ts";
import { startTestServer } from "../../support/doubles/test_server.ts";

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface ProviderDouble {
  readonly baseUrl: string;
  /** Every request that was read to its end, in order. */
  readonly requests: readonly RecordedRequest[];
}

type Run = (double: ProviderDouble) => Promise<void>;

/** Runs with an HTTP server that answers every request with `answer`; stops it when `run` ends. */
export async function withProviderDouble(
  answer: (request: Request) => Response | Promise<Response>,
  run: Run,
): Promise<void> {
  const requests: RecordedRequest[] = [];
  const server = startTestServer(
    async (request) => {
      requests.push({
        method: request.method,
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.json(),
      });
      return await answer(request);
    },
  );
  try {
    await run({ baseUrl: server.origin, requests });
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

/** Runs with a server that accepts requests and never answers. */
export async function withSilentDouble(run: Run): Promise<void> {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const answer = async (): Promise<Response> => {
    await isOver;
    return new Response();
  };
  await withProviderDouble(answer, async (double) => {
    try {
      await run(double);
    } finally {
      end();
    }
  });
}

/**
 * Runs with a server that reads each request to its end, writes `bytes` (any start of an answer)
 * and closes the connection.
 */
export async function withBrokenDouble(bytes: string | Uint8Array, run: Run): Promise<void> {
  const requests: RecordedRequest[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      requests.push(await readRequest(connection));
      await writeAll(connection, typeof bytes === "string" ? encoder.encode(bytes) : bytes);
      connection.close();
    }
  })();
  try {
    await run({ baseUrl: `http://127.0.0.1:${listener.addr.port}`, requests });
  } finally {
    listener.close();
    await serving;
  }
}

/**
 * Runs with a server that answers the first request of each connection with `json`, and reads the
 * second and closes: a provider that closes a kept-alive connection during a request.
 */
export async function withSecondRequestLost(json: unknown, run: Run): Promise<void> {
  const requests: RecordedRequest[] = [];
  const body = JSON.stringify(json);
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  const serveConnection = async (connection: Deno.Conn): Promise<void> => {
    connections.push(connection);
    requests.push(await readRequest(connection));
    await connection.write(new TextEncoder().encode(answer));
    requests.push(await readRequest(connection));
    connection.close();
  };
  const servings: Promise<void>[] = [];
  const listening = (async () => {
    for await (const connection of listener) servings.push(serveConnection(connection));
  })();
  try {
    await run({ baseUrl: `http://127.0.0.1:${listener.addr.port}`, requests });
  } finally {
    listener.close();
    await listening;
    // Connections without a second request are still waiting for one.
    for (const connection of connections) closeIfOpen(connection);
    await Promise.allSettled(servings);
  }
}

const encoder = new TextEncoder();

/** A client may close the connection before it has read everything. */
async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  try {
    let written = 0;
    while (written < bytes.length) written += await connection.write(bytes.subarray(written));
  } catch (error) {
    const isClosed = error instanceof Deno.errors.ConnectionReset ||
      error instanceof Deno.errors.BrokenPipe;
    if (!isClosed) throw error;
  }
}

function closeIfOpen(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

/** A base URL at which nothing listens. */
export function findClosedBaseUrl(): string {
  return `http://127.0.0.1:${findFreePort()}`;
}

async function readRequest(connection: Deno.Conn): Promise<RecordedRequest> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const byteCount = await connection.read(buffer);
    if (byteCount === null) throw new Error("the connection ended before the request did");
    text += decoder.decode(buffer.subarray(0, byteCount), { stream: true });
    const [head = "", body] = text.split("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (body === undefined || new TextEncoder().encode(body).length < Number(length)) continue;
    const [method = "", path = ""] = head.split(" ");
    return { method, path, headers: new Headers(), body: JSON.parse(body) };
  }
}
