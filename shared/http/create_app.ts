import { type Context, Hono, type MiddlewareHandler } from "hono";
import { requestId } from "hono/request-id";
import { AppError } from "../model/errors.ts";
import { version } from "../model/version.ts";
import type { Log } from "../runtime/log.ts";
import { parseTraceparent, runInTrace } from "../runtime/trace_context.ts";
import { allowsCrossOrigin, createCors } from "./cross_origin.ts";
import { respondToError } from "./error_response.ts";

export type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** Values that middlewares pass along with a request. */
export interface AppVariables {
  requestId: string;
  /** The function's name. The rate limit counts requests by it. */
  functionName: string;
  errorCode?: string;
  /** The instance of the request, for the log line. */
  instanceId?: string;
  /** Fields of the body that its schema does not know. */
  ignoredFields?: readonly string[];
}

// deno-lint-ignore no-explicit-any -- handlers bring their own variables; the app needs none of them
type AnyHandler = MiddlewareHandler<any>;

/** One operation. The last handler responds; those before it are guards. */
export interface Route {
  readonly method: HttpMethod;
  /** Below the function's own path; `/` is the function itself. */
  readonly path: string;
  readonly handlers: readonly [AnyHandler, ...AnyHandler[]];
}

export interface AppOptions {
  /** The function's name. The platform's request paths begin with it. */
  readonly slug: string;
  readonly routes: readonly Route[];
  readonly log: Log;
}

/**
 * Creates an app with the HTTP conventions that every function follows (decisions, section 1):
 * request id, `traceparent`, CORS for functions that browsers may call, 404 and 405 with `Allow`,
 * errors as JSON, the release in `X-Api-Version`, one log line per request.
 */
export function createApp({ slug, routes, log }: AppOptions): Hono {
  const app = new Hono({ strict: false });
  app.use(continueTrace);
  app.use(requestId({ limitLength: 128 }));
  app.use(logRequest(slug, log));
  if (allowsCrossOrigin(slug)) app.use(createCors());
  const own = app.basePath(`/${slug}`);
  for (const { method, path, handlers } of routes) own.on(method, path, ...handlers);
  for (const [path, allow] of listAllowed(routes)) {
    // The CORS middleware answers OPTIONS before this route. Without it a preflight gets no
    // permission.
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

/** An invalid `traceparent` is ignored, as W3C Trace Context requires. */
const continueTrace: MiddlewareHandler = (context, next) => {
  const traceparent = parseTraceparent(context.req.header("traceparent"));
  return traceparent === null ? next() : runInTrace(traceparent, next);
};

/** Names the release in every answer. Logs the route's pattern, never the path, because a path may hold a secret. */
function logRequest(slug: string, log: Log): MiddlewareHandler<{ Variables: AppVariables }> {
  return async (context: Context<{ Variables: AppVariables }>, next) => {
    const startedAt = performance.now();
    context.set("functionName", slug);
    context.header("X-Api-Version", version);
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
