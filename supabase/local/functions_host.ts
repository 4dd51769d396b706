/**
 * Runs the unmodified `index.ts` of every function in one process, as the platform's runtime does:
 * `Deno.serve` hands over the handler, and where it listens is the host's affair.
 */

import { allowsCrossOrigin } from "../../shared/http/cross_origin.ts";

type FetchHandler = (request: Request) => Response | Promise<Response>;

export interface FunctionsHost {
  readonly slugs: readonly string[];
  /** Answers `/functions/v1/<slug>/...`; the function sees the path without the first two parts. */
  fetch(request: Request): Promise<Response>;
  /** Refuses requests from now on; waits for those under way and for what they do after answering. */
  close(): Promise<void>;
}

const prefix = "/functions/v1";

/**
 * Requests in the process at the same time, those that wait in line included. Beyond it one is
 * refused before anything is done for it, so that there is time left for the others.
 */
const maxUnderWay = 2_500;
/** Who calls these does not come back, or is the one that works off the queue. */
const neverRefused: ReadonlySet<string> = new Set(["provider-webhook", "dispatch-queue"]);

/** Methods with which no Request can be made (Fetch standard, "forbidden method"). */
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Variables that would lead a function to another database than the stack's. */
const databaseVariables = /^(?:SUPABASE_.*|DATABASE_URL)$/;

/**
 * Loads every folder of `functions/` with the environment it is to see.
 *
 * @throws when a function's `index.ts` fails, or serves nothing.
 */
export async function loadFunctions(
  folder: URL,
  environment: Readonly<Record<string, string>>,
): Promise<FunctionsHost> {
  setEnvironment(environment);
  const underWay = new Set<Promise<unknown>>();
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  // The platform's way to keep an isolate alive for work after the answer.
  Object.assign(globalThis, { EdgeRuntime: { waitUntil: track } });
  const handlers = await loadHandlers(folder);
  let isClosed = false;
  return {
    slugs: [...handlers.keys()].sort(),
    fetch: async (request) => {
      const url = new URL(request.url);
      url.pathname = url.pathname.slice(prefix.length);
      const slug = url.pathname.split("/")[1] ?? "";
      if (isClosed) return stopping(slug);
      const handler = handlers.get(slug);
      if (handler === undefined) return functionNotFound(slug);
      if (forbiddenMethods.has(request.method)) return methodNotAllowed(slug);
      if (underWay.size >= maxUnderWay && !neverRefused.has(slug)) return overloaded(slug);
      return await track(Promise.resolve(handler(new Request(url, request))));
    },
    close: async () => {
      isClosed = true;
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function setEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(Deno.env.toObject())) {
    if (databaseVariables.test(name)) Deno.env.delete(name);
  }
  for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value);
}

async function loadHandlers(folder: URL): Promise<Map<string, FetchHandler>> {
  const handlers = new Map<string, FetchHandler>();
  for await (const entry of Deno.readDir(folder)) {
    if (!entry.isDirectory) continue;
    handlers.set(entry.name, await loadFunction(new URL(`${entry.name}/index.ts`, folder)));
  }
  return handlers;
}

async function loadFunction(module: URL): Promise<FetchHandler> {
  let served: FetchHandler | undefined;
  const serve = Deno.serve;
  const capture = (handler: FetchHandler): void => {
    served = handler;
  };
  Object.defineProperty(Deno, "serve", { value: capture, configurable: true, writable: true });
  try {
    await import(module.href);
  } finally {
    Object.defineProperty(Deno, "serve", { value: serve, configurable: true, writable: true });
  }
  if (served === undefined) throw new Error(`${module.href} does not call Deno.serve`);
  return served;
}

/** A path below no function: as a function's own answer to a path that it does not have. */
function functionNotFound(slug: string): Response {
  return refuse(slug, 404, { error: "not_found", message: "There is nothing at this path." }, {});
}

function methodNotAllowed(slug: string): Response {
  return refuse(slug, 405, {
    error: "method_not_allowed",
    message: "This path does not take this method; see the Allow header.",
  }, { "Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" });
}

function overloaded(slug: string): Response {
  return refuse(slug, 503, {
    error: "service_unavailable",
    message: "The service has more requests than it can take; try again in a moment.",
  }, { "Retry-After": "1" });
}

/** In the words of the functions' own refusals (decisions, section 1), without their work. */
function refuse(
  slug: string,
  status: number,
  refusal: { readonly error: string; readonly message: string },
  headers: Readonly<Record<string, string>>,
): Response {
  return Response.json({ success: false, ...refusal }, {
    status,
    headers: {
      ...(allowsCrossOrigin(slug) ? { "Access-Control-Allow-Origin": "*" } : {}),
      "X-Request-Id": crypto.randomUUID(),
      ...headers,
    },
  });
}

function stopping(slug: string): Response {
  return refuse(slug, 503, {
    error: "service_unavailable",
    message: "The stack is stopping; try again in a moment.",
  }, { "Retry-After": "5" });
}
