/**
 * A provider double that fails below HTTP. It resets its first connection, either before it reads
 * anything or after it has read the request, and accepts requests on later connections.
 */

import { Buffer } from "node:buffer";
import { createServer, type Server, type Socket } from "node:net";

export type BreakingMoment = "before_reading" | "after_reading";

export interface BreakingDouble extends AsyncDisposable {
  readonly baseUrl: string;
  /** Bodies of completely read requests, including those without a response. */
  readonly bodies: readonly Record<string, unknown>[];
}

/** Starts a double that resets its first connection. */
export async function startBreakingDouble(moment: BreakingMoment): Promise<BreakingDouble> {
  const bodies: Record<string, unknown>[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const isBroken = ++connections === 1;
    if (isBroken && moment === "before_reading") {
      socket.resetAndDestroy();
      return;
    }
    readRequests(socket, (body) => {
      bodies.push(body);
      if (isBroken) socket.resetAndDestroy();
      else socket.write(formatAcceptance(crypto.randomUUID()));
    });
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    bodies,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** Requests with a content length, one after the other. */
function readRequests(
  socket: Socket,
  onRequest: (body: Record<string, unknown>) => void,
): void {
  let received = Buffer.alloc(0);
  socket.on("data", (part: Buffer) => {
    received = Buffer.concat([received, part]);
    for (;;) {
      const headEnd = received.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = received.subarray(0, headEnd).toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      const bodyEnd = headEnd + 4 + length;
      if (received.length < bodyEnd) return;
      const body = received.subarray(headEnd + 4, bodyEnd).toString("utf8");
      received = received.subarray(bodyEnd);
      onRequest(JSON.parse(body));
    }
  });
}

/** A response in which each provider's adapter finds the message id. */
function formatAcceptance(id: string): string {
  const text = JSON.stringify({ messageId: id, key: { id }, messages: [{ id }] });
  const head = [
    "HTTP/1.1 200 OK",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
