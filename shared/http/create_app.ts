import { type Context, Hono, type MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import { AppError } from "../model/errors.ts";
import type { Log } from "../runtime/log.ts";
import { allowsCrossOrigin, createCors } from "./cross_origin.ts";
import { respondToError } from "./error_response.ts";
import { defaultMaxBodyBytes } from "./request_body.ts";

export type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** What a request carries from middleware to middleware. */
export interface AppVariables {
  requestId: string;
  /** The function's name, which its requests are counted under. */
  functionName: string;
  /** Bound on the body, for who reads it: see `readBody`. */
  maxBodyBytes: number;
  errorCode?: string;
  /** Which instance the request is about, for the log line. */
  instanceId?: string;
  /** Fields of the body that its schema does not know. */
  ignoredFields?: readonly string[];
}

// deno-lint-ignore no-explicit-any -- handlers bring their own variables; the app needs none of them
type AnyHandler = MiddlewareHandler<any>;

/** One operation: the last handler answers, those before it guard. */
export interface Route {
  readonly method: HttpMethod;
  /** Below the function's own path; `/` is the function itself. */
  readonly path: string;
  readonly handlers: readonly [AnyHandler, ...AnyHandler[]];
}

export interface AppOptions {
  /** The function's name: the platform hands it paths that begin with it. */
  readonly slug: string;
  readonly routes: readonly Route[];
  readonly log: Log;
  /** Largest request body; 256 KiB where the function does not say; null where it looks itself. */
  readonly maxBodyBytes?: number | null;
}

/**
 * Creates an app with the HTTP conventions that every function follows (decisions, section 1): request
 * id, CORS where a browser may call the function, body limit, 404 and 405 with `Allow`, errors as JSON,
 * one log line per request.
 */
export function createApp({ slug, routes, log, maxBodyBytes }: AppOptions): Hono {
  const app = new Hono({ strict: false });
  app.use(requestId({ limitLength: 128 }));
  app.use(logRequest(slug, log));
  if (allowsCrossOrigin(slug)) app.use(createCors());
  app.use(boundBody(maxBodyBytes ?? defaultMaxBodyBytes));
  const own = app.basePath(`/${slug}`);
  for (const { method, path, handlers } of routes) own.on(method, path, ...handlers);
  for (const [path, allow] of listAllowed(routes)) {
    // A function with CORS has answered OPTIONS before. Here a preflight gets no permission.
    own.options(path, (context) => context.body(null, 204, { Allow: allow }));
    own.all(path, () => {
      throw new AppError("method_not_allowed", { headers: { Allow: allow } });
    });
  }
  app.notFound((context) => respondToError(new AppError("not_found"), context, log));
  app.onError((error, context) => respondToError(error, context, log));
  return app;
}

function listAllowed(routes: readonly Route[]): Map<string, string> {
  const methodsByPath = new Map<string, string[]>();
  for (const { method, path } of routes) {
    const methods = methodsByPath.get(path) ?? ["OPTIONS"];
    methodsByPath.set(path, [...methods, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
  }
  return new Map([...methodsByPath].map(([path, methods]) => [path, methods.sort().join(", ")]));
}

/** Says what a body may hold at most; whoever reads it holds it to that, see `readBody`. */
function boundBody(maxBytes: number): MiddlewareHandler<{ Variables: AppVariables }> {
  return async (context, next) => {
    context.set("maxBodyBytes", maxBytes);
    await next();
  };
}

/** The route's pattern, never the path: a path may hold a secret. */
function logRequest(slug: string, log: Log): MiddlewareHandler<{ Variables: AppVariables }> {
  return async (context: Context<{ Variables: AppVariables }>, next) => {
    const startedAt = performance.now();
    context.set("functionName", slug);
    await next();
    log.info("request_handled", {
      requestId: context.get("requestId"),
      function: slug,
      method: context.req.method,
      route: context.req.routePath,
      status: context.res.status,
      errorCode: context.get("errorCode"),
      instanceId: context.get("instanceId"),
      durationMs: Math.round(performance.now() - startedAt),
    });
  };
}
