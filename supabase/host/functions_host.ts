/**
 * Runs the unmodified `index.ts` of every function in one process. As on the platform, `Deno.serve`
 * registers the handler and the host decides where to listen.
 */

import { setTimeout as delay } from "node:timers/promises";
import { knownCallers } from "../../shared/http/known_callers.ts";
import { notePeer } from "../../shared/http/request_source.ts";
import { shutdownEvent } from "../../shared/runtime/shutdown.ts";
import { pathNotFound, refuse } from "./host_refusal.ts";
import { type RequestKind, RequestShares } from "./request_shares.ts";

type FetchHandler = (request: Request) => Response | Promise<Response>;

export interface FunctionsHost {
  readonly slugs: readonly string[];
  /**
   * Answers `/functions/v1/<slug>/...`; the function sees the path without the first two parts.
   *
   * @param peer the address of the connection's other end, where it is known.
   */
  fetch(request: Request, peer?: string): Promise<Response>;
  /**
   * Rejects new requests. Announces the end to those in progress, as the platform does, and waits for
   * them and for their background tasks.
   */
  close(): Promise<void>;
}

const prefix = "/functions/v1";

/** Concurrent requests, waiting ones included. Measured: a process answers 1,140 sends a second. */
const maxInProgress = 2_500;
/** Of those of callers that are not known yet (decisions, section 1). */
const maxStrangers = maxInProgress / 2;
/** Providers may not repeat a webhook, and the dispatcher empties the queue. */
const unshared: ReadonlySet<string> = new Set(["provider-webhook", "dispatch-queue"]);

/** Announced again, because a request may have come too early to be refused and too late to hear. */
const announceEveryMs = 200;

/** Methods that no page can send (Fetch standard, "forbidden method"). */
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Variables that would point a function at another database. */
const databaseVariables = /^(?:SUPABASE_.*|DATABASE_(?:READ_)?URL)$/;

/**
 * Loads every function of `folder` with the given environment.
 *
 * @throws when a function's `index.ts` fails or does not call `Deno.serve`.
 */
export async function loadFunctions(
  folder: URL,
  environment: Readonly<Record<string, string>>,
): Promise<FunctionsHost> {
  setEnvironment(environment);
  const inProgress = new Set<Promise<unknown>>();
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() =>
      inProgress.delete(settled)
    );
    inProgress.add(settled);
    return work;
  };
  // The platform keeps an isolate alive this way for work after the response.
  Object.assign(globalThis, { EdgeRuntime: { waitUntil: track } });
  const handlers = await loadHandlers(folder);
  const shares = new RequestShares({
    ...{ all: maxInProgress, strangers: maxStrangers, unshared: maxInProgress },
  });
  let isClosed = false;
  return {
    slugs: [...handlers.keys()].sort(),
    fetch: async (request, peer) => {
      const { origin, pathname, search } = new URL(request.url);
      const path = pathname.slice(prefix.length);
      const slug = path.split("/")[1] ?? "";
      if (isClosed) return stopping(slug);
      const handler = handlers.get(slug);
      if (handler === undefined) return pathNotFound(pathname, [...handlers.keys()]);
      if (forbiddenMethods.has(request.method)) return methodNotAllowed(slug);
      const leave = shares.admit(kindOf(slug, request), inProgress.size);
      if (leave === null) return overloaded(slug);
      if (peer !== undefined) notePeer(request, peer);
      const answer = async (): Promise<Response> => {
        try {
          return await handler(atUrl(request, origin + path + search));
        } finally {
          leave();
        }
      };
      return await track(answer());
    },
    close: async () => {
      isClosed = true;
      while (inProgress.size > 0) {
        dispatchEvent(new Event(shutdownEvent));
        await Promise.race([Promise.all(inProgress), delay(announceEveryMs)]);
      }
    },
  };
}

function kindOf(slug: string, { headers }: Request): RequestKind {
  if (unshared.has(slug)) return "unshared";
  return knownCallers.knows(headers) ? "known" : "stranger";
}

/**
 * The same request with another URL. An own property hides the one of the prototype; `new Request`
 * would pipe the body through a second stream.
 */
function atUrl(request: Request, url: string): Request {
  return Object.defineProperty(request, "url", { value: url });
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

function methodNotAllowed(slug: string): Response {
  return refuse(slug, 405, {
    error: "method_not_allowed",
    message: "This path does not support this method; see the Allow header.",
  }, { "Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" });
}

function overloaded(slug: string): Response {
  return refuse(slug, 503, {
    error: "service_unavailable",
    message: "The service is overloaded; try again in a moment.",
  }, { "Retry-After": "1" });
}

function stopping(slug: string): Response {
  return refuse(slug, 503, {
    error: "service_unavailable",
    message: "The service is stopping; try again in a moment.",
  }, { "Retry-After": "5" });
}
