/** A server on raw connections, which a test tells what becomes of each request. */

/** What happens to one request. */
export type Step =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** The connection ends before the request is read. */
  | "cut_before"
  /** The request is executed, and the connection ends without an answer. */
  | "cut_after"
  /** The request is executed, and no answer comes. */
  | "silent";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** The requests that were read, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** How often a connection was opened. */
  connections(): number;
}

/** Starts it. @param next the step of each connection, from 0. */
export function startScriptedServer(
  next: (index: number, request: ReceivedRequest | null) => Step,
): ScriptedServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requests: ReceivedRequest[] = [];
  const open = new Set<Deno.Conn>();
  let count = 0;
  const serve = async (connection: Deno.Conn): Promise<void> => {
    open.add(connection);
    const index = count++;
    if (next(index, null) !== "cut_before") {
      const request = await readRequest(connection);
      requests.push(request);
      const step = next(index, request);
      if (step === "silent") return;
      if (typeof step === "object") await writeAnswer(connection, step);
    }
    open.delete(connection);
    connection.close();
  };
  const serving = (async () => {
    for await (const connection of listener) serve(connection).catch(() => {});
  })();
  return {
    baseUrl: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    requests,
    connections: () => count,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const connection of open) connection.close();
      await serving.catch(() => {});
    },
  };
}

/** One step after the other; the last one stays. */
export function inOrder(...steps: readonly Step[]): (index: number) => Step {
  return (index) => steps[Math.min(index, steps.length - 1)] ?? { status: 500 };
}

async function readRequest(connection: Deno.Conn): Promise<ReceivedRequest> {
  let text = "";
  const bytes = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    const size = await connection.read(bytes);
    if (size === null) throw new Error("the connection has ended");
    text += decoder.decode(bytes.subarray(0, size), { stream: true });
  };
  while (!text.includes("\r\n\r\n")) await read();
  const [head = ""] = text.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((entry): [string, string] => {
    const at = entry.indexOf(":");
    return [entry.slice(0, at), entry.slice(at + 1).trim()];
  }));
  const length = Number(headers.get("content-length") ?? 0);
  const start = head.length + 4;
  while (text.length - start < length) await read();
  const [method = "", path = ""] = line.split(" ");
  return { method, path, headers, body: text.slice(start) };
}

async function writeAnswer(
  connection: Deno.Conn,
  { status, headers = {}, body = {} }: Exclude<Step, string>,
): Promise<void> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = Object.entries({
    "content-type": "application/json",
    "content-length": `${new TextEncoder().encode(text).length}`,
    connection: "close",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const answer = [`HTTP/1.1 ${status} x`, ...lines, "", text].join("\r\n");
  await connection.write(new TextEncoder().encode(answer));
}
