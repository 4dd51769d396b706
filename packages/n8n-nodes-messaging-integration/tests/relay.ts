/* eslint-disable -- Deno runs the tests: n8n's rules are for its nodes */
/** Servers between n8n and the service: one sees keys and loses answers, one keeps deliveries. */

import { startTestServer } from "../../../tests/support/doubles/test_server.ts";

/** What came, as it came. */
export interface Delivery {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Relay extends AsyncDisposable {
  readonly origin: string;
  /** The calls so far. */
  readonly calls: readonly Delivery[];
  /** The target gets the next calls that hold these words, and their answers are lost. */
  loseAnswers(words: string, count: number): void;
}

/** Passes calls on. `target` may become known later. */
export function startRelay(target: string): Relay {
  const calls: Delivery[] = [];
  let losing = { words: "", count: 0 };
  const server = startTestServer(async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const headers = new Headers(request.headers);
    calls.push({ url: `${target}${pathname}${search}`, headers, body });
    const answer = await deliver(calls.at(-1)!, request.method);
    const isLost = losing.count > 0 && new TextDecoder().decode(body).includes(losing.words);
    if (!isLost) return answer;
    losing = { ...losing, count: losing.count - 1 };
    await answer.body?.cancel();
    return new Response("<h1>Bad Gateway</h1>", { status: 502 });
  });
  return {
    origin: server.origin,
    calls,
    loseAnswers: (words, count) => losing = { words, count },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Makes a call, or makes it again. */
export async function deliver(
  { url, headers, body }: Delivery,
  method = "POST",
): Promise<Response> {
  const sent = new Headers(headers);
  for (const name of ["host", "content-length", "connection"]) sent.delete(name);
  const hasBody = method !== "GET" && method !== "DELETE";
  return await fetch(url, {
    method,
    headers: sent,
    redirect: "manual",
    body: hasBody ? body : null,
  });
}
